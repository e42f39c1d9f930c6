"""`studynorm review --plain`: a whole session by lines, and every answer kept whatever ends it."""

import os
import re
import signal
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import Result

from studynorm.content.library import load_library
from studynorm.engine import files as family_places
from studynorm.engine import registry
from studynorm.storage.store import Store
from studynorm.study import catalogue
from studynorm.study.session import StudySession
from tests.cli.conftest import Program, Run, payload, usage_error

CARDS = ("review", "--plain", "--topic", "mine")
"""A deck of the learner's own with eight plain cards and no problem."""
PROBLEM = ("review", "--plain", "--topic", "stream_scale")
FAMILY = "stream_scale.doubling"
"""The only family here, and all there is in its topic: the stream's variance doubles with every block."""


@pytest.fixture(autouse=True)
def content(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a deck of the learner's own; in this process there is nothing else but one family."""
    folder = home / "decks"
    folder.mkdir(parents=True)
    cards = "".join(f"## n{n}\nQ: What is {n} times {n}?\nA: {n * n}.\n\n" for n in range(2, 10))
    (folder / "mine.md").write_text(f'+++\nid = "mine"\ntitle = "Mine"\n+++\n\n{cards}', encoding="utf-8")
    family = family_places.family_files()[FAMILY]
    monkeypatch.setattr(catalogue, "load_library", lambda shipped, user: load_library(folder, None))
    monkeypatch.setattr(catalogue, "family_files", lambda: {FAMILY: family})


def answers(run: Run) -> int:
    """Return how many answers of today are stored."""
    done: int = payload(run("due", "--json"))["done"]["answers"]
    return done


def blocks(result: Result) -> int:
    """Return the number of blocks that the first problem asks about."""
    found = re.search(r"x \+ F\(x\),\s(\d+) of them", result.stdout)
    assert found is not None
    return int(found[1])


class TestCards:
    """Cards."""

    def test_a_card_is_revealed_and_rated_by_enter_or_digit(self, run: Run) -> None:
        """Two cards: Enter is Good, and 1 is Again; both are saved."""
        result = run(*CARDS, "--limit", "2", typed="\n\n\n1\n")
        assert result.exit_code == 0
        assert result.stdout.count("\nQuestion: ") == 2
        assert result.stdout.count("\nAnswer:") == 2
        assert "This session ends after 2 answers, as --limit says." in result.stdout
        assert "Done today: 2 answers, 1 passed, 2 new." in result.stdout
        assert answers(run) == 2

    def test_a_digit_before_the_answer_rates_nothing(self, run: Run) -> None:
        """It only reveals, as any other line does."""
        assert "\nAnswer:" in run(*CARDS, typed="4\n").stdout
        assert answers(run) == 0

    def test_the_end_of_the_input_ends_with_0_and_keeps_what_was_rated(self, run: Run) -> None:
        """The card that is open then is not counted."""
        result = run(*CARDS, typed="\n3\n\n")
        assert result.exit_code == 0
        assert result.stdout.endswith("\n1 answer saved.\n")
        assert answers(run) == 1

    @pytest.mark.parametrize("typed", [":quit\n", "\n:quit\n", "\n:q\n", ""])
    def test_quit_works_at_every_prompt(self, run: Run, typed: str) -> None:
        """Nothing was rated, so nothing is saved."""
        result = run(*CARDS, typed=typed)
        assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "0 answers saved.")

    def test_undo_at_the_first_prompt_reaches_into_the_last_session(self, run: Run) -> None:
        """The newest answer of today is taken back and its card asked again, answer shown."""
        first = run(*CARDS, "--limit", "1", typed="\n3\n").stdout
        again = run(*CARDS, typed=":undo\n").stdout.partition("Undone. Here it is again.")[2]
        assert "\nQuestion: What is 2 times 2?\n" in first
        assert "\nQuestion: What is 2 times 2?\nAnswer: 4.\nRate: " in again
        assert answers(run) == 0

    def test_undo_with_nothing_to_undo_says_so(self, run: Run) -> None:
        """The card stays."""
        result = run(*CARDS, typed=":undo\n\n3\n")
        assert "There is nothing to undo today." in result.stdout
        assert answers(run) == 1

    def test_what_is_no_rating_is_asked_again(self, run: Run) -> None:
        """5, words and unknown commands rate nothing; hint and solution say why there is none."""
        result = run(*CARDS, "--limit", "1", typed="\n5\ngood\n:foo\n:hint\n:solution\n3\n")
        assert result.stdout.count("Type 1, 2, 3 or 4, or press Enter.") == 2
        assert "There is no command :foo; there are :hint, :solution, :undo, :quit." in result.stdout
        assert "Done today: 1 answer, 1 passed, 1 new." in result.stdout

    def test_a_hint_for_a_card_does_not_reveal_it(self, run: Run) -> None:
        """Cards have none."""
        result = run(*CARDS, typed=":hint\n")
        assert "A card has no hints." in result.stdout
        assert "\nAnswer:" not in result.stdout

    def test_a_session_goes_on_where_the_last_one_ended(self, run: Run) -> None:
        """Six answers in two sessions are six different items."""
        first = run(*CARDS, "--limit", "3", typed="\n4\n" * 3).stdout
        second = run(*CARDS, "--limit", "3", typed="\n4\n" * 3).stdout
        questions = re.findall(r"^Question: What is (\d) times", first + second, re.MULTILINE)
        assert questions == list("234567")


class TestProblems:
    """Problems, answered by typing."""

    def test_a_right_answer_is_verified_and_suggests_good(self, run: Run) -> None:
        """2^L is right for L blocks; Enter then rates Good."""
        depth = blocks(run(*PROBLEM))
        result = run(*PROBLEM, "--limit", "1", typed=f"2^{depth}\n\n")
        assert f"\nRead as {2**depth}.\nRight.\n" in result.stdout
        assert "Verified with torch" in result.stdout
        assert "Enter is Good:" in result.stdout
        assert answers(run) == 1

    def test_an_unreadable_answer_costs_no_try(self, run: Run) -> None:
        """It is said where reading stopped, and the right answer still earns Good."""
        depth = blocks(run(*PROBLEM))
        result = run(*PROBLEM, "--limit", "1", typed=f"1..2\n\nnan\n2^{depth}\n\n")
        assert result.stdout.count("Not counted: ") == 2
        assert "Type an answer, or :solution to see it." in result.stdout
        assert "Enter is Good:" in result.stdout

    def test_a_second_wrong_answer_shows_the_solution_and_suggests_again(self, run: Run) -> None:
        """After the first there is one more try."""
        result = run(*PROBLEM, "--limit", "1", typed="3\n3\n\n")
        assert result.stdout.count("Not this.") == 2
        assert result.stdout.count("One more try.") == 1
        assert "Worked solution." in result.stdout
        assert "Enter is Again:" in result.stdout
        assert answers(run) == 1

    def test_hints_come_one_by_one_and_lower_the_suggestion(self, run: Run) -> None:
        """After the last one it is said that there is none; a right answer then suggests Hard."""
        depth = blocks(run(*PROBLEM))
        result = run(*PROBLEM, "--limit", "1", typed=":hint\n" * 4 + f"2^{depth}\n\n")
        assert result.stdout.count("\nHint: ") == 3
        assert "There is no further hint." in result.stdout
        assert "Enter is Hard:" in result.stdout

    def test_the_solution_on_request_counts_as_not_known(self, run: Run) -> None:
        """It is shown, and Enter rates Again."""
        result = run(*PROBLEM, "--limit", "1", typed=":solution\n\n")
        assert "\nAnswer: " in result.stdout
        assert "Enter is Again:" in result.stdout

    def test_a_family_that_fails_is_set_aside_and_named(
        self, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The session ends in peace; standard error says which family and what it raised."""
        family = registry.load_family(FAMILY)
        monkeypatch.setattr(type(family), "draw", lambda self, level, rng: [][1])
        result = run(*PROBLEM)
        assert result.exit_code == 0
        assert "stream_scale.doubling is set aside for today: IndexError" in result.stderr


class TestRecall:
    """Problems that are answered in words."""

    RECALL = ("review", "--plain", "--topic", "concepts")

    @pytest.fixture(autouse=True)
    def only_recall(self, content: None, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have no family but that of typed recall."""
        name = "concepts.recall"
        file = family_places.family_files()[name]
        monkeypatch.setattr(catalogue, "family_files", lambda: {name: file})

    def test_words_are_compared_with_the_model_answer_and_rated(self, run: Run) -> None:
        """An empty line is asked again; after the words come model answer and rubric, and Enter is Good."""
        result = run(*self.RECALL, "--limit", "1", typed="\n$x$ and \\mu\n\n")
        assert result.exit_code == 0, result.output
        said = result.stdout
        assert "Answer with your own words, to be compared with a model answer.\n" in said
        assert "Type an answer, or :solution to see it." in said
        order = (
            "Compare with the model answer, then rate yourself.",
            "\nModel answer:\n",
            "\nA full answer says:\n- ",
        )
        places = [said.index(part) for part in (*order, "Enter is Good:")]
        assert places == sorted(places)
        for wrong in ("Not counted", "Read as", "Worked solution", "Verified with", "One more try"):
            assert wrong not in said
        assert "Done today: 1 answer, 1 passed, 1 new." in said
        assert answers(run) == 1

    @pytest.mark.parametrize("key", "1234")
    def test_every_rating_is_taken(self, run: Run, key: str) -> None:
        """1 does not pass, the others do."""
        said = run(*self.RECALL, "--limit", "1", typed=f"some words\n{key}\n").stdout
        assert f"Done today: 1 answer, {int(key != '1')} passed" in said

    def test_the_words_are_found_again(self, run: Run) -> None:
        """The attempt has what was typed and the model answer as lines to read, and claims nothing."""
        run(*self.RECALL, "--limit", "1", typed="only a few words\n3\n")
        said = run("attempt", "show", "1").stdout
        assert "You typed: only a few words\nVerdict: unjudged\n\nModel answer:\n" in said
        assert "Right:" not in said
        assert "$" not in said.partition("Model answer:")[2]
        kept = payload(run("attempt", "show", "1", "--json"))
        assert (kept["verdict"], kept["made"], kept["misconceptions"]) == ("unjudged", [], [])
        assert isinstance(kept["answer"], str)

    def test_a_drill_says_how_many_were_not_judged(self, run: Run) -> None:
        """They are neither right nor wrong in the sums."""
        said = run("drill", "concepts.recall", "--count", "2", typed="words\n\nother words\n").stdout
        assert "Drill done: 2 problems, 0 right at once, 2 not judged" in said
        assert "concepts.recall: 2 asked, 0 right at once, 0 wrong, 2 not judged" in said
        assert "in a row." not in said


class TestScreenReader:
    """What is read aloud."""

    @pytest.mark.parametrize(
        ("args", "typed"),
        [(CARDS, "\n3\n" * 3), (PROBLEM, ":hint\n3\n:solution\n\n")],
        ids=["card", "problem"],
    )
    def test_there_is_no_drawing_and_no_control_character(
        self, run: Run, args: tuple[str, ...], typed: str
    ) -> None:
        """No box, block or braille, and nothing that a terminal would obey."""
        result = run(*args, "--limit", "3", typed=typed)
        assert "Rate: " in result.stdout
        assert not [c for c in result.output if "\u2500" <= c <= "\u28ff"]
        assert not [c for c in result.output if unicodedata.category(c) == "Cc" and c != "\n"]

    def test_state_is_told_in_words_before_each_item(self, run: Run) -> None:
        """Kind, stage and topic, then what is left."""
        shown = run(*CARDS).stdout
        assert "\nA card, new. Topic: mine.\nLeft: 8 new, 0 learning, 0 review.\nQuestion: " in shown

    def test_the_commands_are_told_once_at_the_beginning(self, run: Run) -> None:
        """The first line names all four."""
        first = run(*CARDS).stdout.splitlines()[0]
        assert first == "At every prompt you can type :hint, :solution, :undo, :quit."


@pytest.mark.parametrize("topic", ["residul", "nonsense", ""])
def test_an_unknown_topic_is_refused_before_a_profile_is_made(run: Run, home: Path, topic: str) -> None:
    """A usage error names the topics that there are, the one without a deck included."""
    said = usage_error(run("review", "--plain", "--topic", topic))
    assert "stream_scale" in said
    assert not (home / "profiles").exists()


@pytest.mark.parametrize("limit", ["0", "-1", "many"])
def test_a_limit_is_a_positive_number(run: Run, limit: str) -> None:
    """Anything else is a usage error."""
    assert "'--limit'" in usage_error(run("review", "--plain", "--limit", limit))


def test_another_process_answering_meanwhile_is_not_counted_twice(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two sessions show the same card: the first rating stands, the second is told so and goes on."""
    real = Store.record
    others: list[int] = []

    def record(store: Store, review: object, *more: object, **named: object) -> None:
        if not others:
            others.append(1)
            other = subprocess.run(
                [sys.executable, "-m", "studynorm", *CARDS, "--limit", "1"],
                input="\n1\n",
                capture_output=True,
                encoding="utf-8",
                timeout=60,
                check=True,
            )
            assert "Done today: 1 answer, 0 passed" in other.stdout
        real(store, review, *more, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Store, "record", record)
    result = run(*CARDS, typed="\n4\n")
    assert result.exit_code == 0
    assert "changed elsewhere meanwhile" in result.stderr
    assert answers(run) == 1


def test_a_rating_that_cannot_be_saved_is_kept_for_another_try(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While another program holds the file, the card stays; the next try saves it."""
    from studynorm.storage.errors import Busy

    real = StudySession.answer
    tries: list[object] = []

    def answer(session: StudySession, rating: object) -> bool:
        tries.append(rating)
        if len(tries) == 1:
            raise Busy("the file is being written by another program")
        return real(session, rating)  # type: ignore[arg-type]

    monkeypatch.setattr(StudySession, "answer", answer)
    result = run(*CARDS, "--limit", "1", typed="\n3\n3\n")
    assert "Not saved: the file is being written by another program" in result.stdout
    assert "Done today: 1 answer" in result.stdout


class TestProcess:
    """What only a real process shows."""

    @contextmanager
    def started(self, home: Path) -> Iterator["subprocess.Popen[str]"]:
        """Start a session that hears lines."""
        process = subprocess.Popen(
            [sys.executable, "-m", "studynorm", *CARDS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    def rate(self, process: "subprocess.Popen[str]", times: int) -> None:
        """Rate cards Good, and wait until the next question has come."""
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n3\n" * times)
        process.stdin.flush()
        asked = 0
        while asked <= times:
            asked += process.stdout.readline().startswith("Question:")

    def test_killed_in_the_middle_it_has_kept_every_answer(self, run: Run, home: Path) -> None:
        """SIGKILL after five answers; the next session can undo the fifth."""
        with self.started(home) as process:
            self.rate(process, 5)
            process.send_signal(signal.SIGKILL)
            assert process.wait(20) == -signal.SIGKILL
        assert answers(run) == 5
        assert "Undone. Here it is again." in run(*CARDS, typed=":undo\n").stdout
        assert answers(run) == 4

    def test_interrupted_it_says_what_was_saved_and_ends_with_130(self, run: Run, home: Path) -> None:
        """Ctrl-C loses the open card alone."""
        with self.started(home) as process:
            self.rate(process, 2)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
            assert process.returncode == 130
        assert out.endswith("2 answers saved.\n")
        assert "Traceback" not in err
        assert answers(run) == 2

    @pytest.mark.parametrize(
        "env", [{"PYTHONIOENCODING": "latin-1"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}], ids=["latin-1", "C"]
    )
    def test_a_narrow_encoding_and_foreign_bytes_do_no_harm(
        self, program: Program, home: Path, env: dict[str, str]
    ) -> None:
        """Signs that cannot be written are replaced, bytes that cannot be read are no rating."""
        typed = os.fsdecode(b"\n\xff\xfe\n3\n").encode("utf-8", "surrogateescape").decode("latin-1")
        result = program(*CARDS, "--limit", "1", typed=typed, env=env)
        assert result.returncode == 0
        assert result.stderr == ""
        assert "Type 1, 2, 3 or 4" in result.stdout
        assert "Done today: 1 answer" in result.stdout

    def test_a_closed_standard_input_is_the_end_of_the_input(self, program: Program) -> None:
        """`<&-` ends with 0 as an empty input does."""
        result = program(*CARDS, typed=None, preexec_fn=lambda: os.close(0))
        assert result.returncode == 0
        assert result.stdout.endswith("0 answers saved.\n")
        assert result.stderr == ""
