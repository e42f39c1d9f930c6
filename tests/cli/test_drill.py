"""`studynorm drill` and `attempt`: practice by lines, and every answer found again."""

from pathlib import Path

import pytest

from studynorm.engine import registry
from studynorm.engine.files import family_files
from studynorm.storage.home import Home
from studynorm.storage.store import Store
from tests.cli.conftest import Run, payload, refusal, usage_error

FAMILY = "batchnorm.entry"
DRILL = ("drill", FAMILY, "--seed", "3", "--level", "2")


def row(home: Path, number: int) -> tuple[object, ...]:
    with Store.open(Home(home).profile_file("default")) as store:
        stored = store.attempt(number)
    assert stored is not None
    return stored.kind, stored.attempt.typed, stored.attempt.verdict


class TestDrill:
    """Practice."""

    def test_the_seed_is_printed_and_brings_the_same_problem(self, run: Run) -> None:
        """With it the first question is the same word for word; another time it is another one."""
        first = run("drill", FAMILY).stdout.splitlines()
        assert first[0].startswith("Seed ")
        again = run("drill", FAMILY, "--seed", first[0].removeprefix("Seed ").rstrip(".")).stdout.splitlines()
        assert again == first
        assert run("drill", FAMILY).stdout.splitlines()[0] != first[0]

    def test_a_wrong_answer_is_stored_before_the_next_line_is_read(self, run: Run, home: Path) -> None:
        """The input ends right after it; the sums count the problem, and the schedule has nothing."""
        said = run(*DRILL, typed="12345\n")
        assert said.exit_code == 0
        assert row(home, 1) == ("drill", "12345", "wrong")
        assert f"{FAMILY}: 1 asked, 0 right at once, 1 wrong" in said.stdout
        assert payload(run("due", "--json"))["done"]["answers"] == 0

    def test_a_wrong_answer_offers_the_card_and_something_easier(self, run: Run) -> None:
        """`:card` shows it, and `:easier` brings the same family at level 1 next."""
        typed = ":card\n:easier\n12345\n:card\n:easier\n:solution\n\n"
        said = run(*DRILL, typed=typed).stdout
        assert "A card is shown after a wrong answer." in said
        assert "Something easier is offered after a wrong answer." in said
        assert "On offer: read the card batchnorm/" in said
        assert "\nCard" in said.partition("On offer")[2]
        assert "Next comes the same at level 1." in said
        assert f"Problem 2. {FAMILY}, level 1." in said

    def test_it_ends_after_its_count(self, run: Run) -> None:
        """Two problems, each looked up."""
        said = run(*DRILL, "--count", "2", typed=":solution\n\n:solution\n").stdout
        assert "Problem 1 of 2." in said
        assert "Problem 2 of 2." in said
        assert "Drill done: 2 problems, 0 right at once" in said

    def test_a_picked_answer_shows_its_options(self, run: Run) -> None:
        """A choice is asked with its letters."""
        said = run("drill", "concepts.choose", "--seed", "1").stdout
        assert all(f"\n{letter}  " in said for letter in "abcd")

    def test_weak_without_a_misconception_says_so(self, run: Run) -> None:
        """Nothing is asked, and that is no failure."""
        said = run("drill", "--weak")
        assert (said.exit_code, said.stdout.count("\n")) == (0, 1)
        assert "there is nothing weak to drill" in said.stdout

    def test_weak_drills_the_family_of_a_named_misconception(self, run: Run) -> None:
        """The first attempt is a plain error; the same problem is then answered as a misconception would."""
        run(*DRILL, typed="12345\n")
        slip = payload(run("attempt", "show", "1", "--json"))["misconceptions"][0]
        run("attempt", "show", "1", "--again", typed=f"{slip['value']}\n")
        newest = payload(run("attempt", "list", "--json"))["attempts"][0]
        assert newest["made"] == [slip["id"]]
        said = run("drill", "--weak", typed=":solution\n\n").stdout
        assert said.count(f". {FAMILY}, level ") == 2

    def test_unknown_names_are_told_the_nearest(self, run: Run, home: Path) -> None:
        """Before a profile is made."""
        assert "did you mean batchnorm.entry?" in usage_error(run("drill", "batchnorm.entri"))
        assert "did you mean residual?" in usage_error(run("drill", "--topic", "residul"))
        assert not (home / "profiles").exists()

    def test_a_topic_and_a_family_are_both_drilled(self, run: Run) -> None:
        """The named family comes first, then those of the topic."""
        said = run("drill", FAMILY, "--topic", "concepts", typed=":solution\n\n" * 3).stdout
        assert f"Problem 1. {FAMILY}" in said
        assert "Problem 2. concepts." in said


class TestAttempt:
    """Looking back."""

    @pytest.fixture(autouse=True)
    def drilled(self, run: Run, home: Path) -> None:
        """Make attempt 1, a wrong one."""
        run(*DRILL, typed="12345\n")

    def test_list_and_show_tell_what_was_typed(self, run: Run) -> None:
        """In words and in JSON; the prompt is the one that was asked."""
        (one,) = payload(run("attempt", "list", "--json"))["attempts"]
        assert (one["id"], one["kind"], one["typed"], one["verdict"]) == (1, "drill", "12345", "wrong")
        told = payload(run("attempt", "show", "1", "--json"))
        again = payload(
            run("problem", "show", FAMILY, "--level", "2", "--seed", str(told["seed"]), "--reveal", "--json")
        )
        for name in ("prompt", "params", "answer"):
            assert told[name] == again[name]
        assert told["version_now"] == told["version"]
        said = run("attempt", "show", "1").stdout
        assert "You typed: 12345\nVerdict: wrong\n" in said
        assert "  12345\n" in run("attempt", "list").stdout

    def test_list_is_narrowed_by_family(self, run: Run) -> None:
        """Another family has nothing."""
        assert len(payload(run("attempt", "list", "--family", FAMILY, "--json"))["attempts"]) == 1
        assert payload(run("attempt", "list", "--family", "no.such", "--json"))["attempts"] == []
        assert run("attempt", "list", "--family", "no.such").stdout == "Nothing was typed yet in no.such.\n"

    def test_an_attempt_outlives_its_family(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without the file it is shown as it was, and only drawing it again is refused."""
        files = {name: path for name, path in family_files().items() if name != FAMILY}
        monkeypatch.setattr(registry, "family_files", lambda: files)
        assert payload(run("attempt", "show", "1", "--json"))["version_now"] is None
        said = run("attempt", "show", "1")
        assert f"The family {FAMILY} is no longer there" in said.stdout
        assert "You typed: 12345" in said.stdout
        assert "cannot be drawn again" in refusal(run("attempt", "show", "1", "--again"))

    def test_a_changed_family_is_said(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        """Both versions are named."""
        family = registry.load_family(FAMILY)
        monkeypatch.setattr(type(family), "version", 41)
        assert "and is 41 now" in run("attempt", "show", "1").stdout
        assert payload(run("attempt", "show", "1", "--json"))["version_now"] == 41
        assert "is 41 now" in run("attempt", "show", "1", "--again").stderr

    def test_again_asks_the_same_question(self, run: Run, home: Path) -> None:
        """The right answer of then is right now, and is stored as another attempt."""
        told = payload(run("attempt", "show", "1", "--json"))
        said = run("attempt", "show", "1", "--again", typed=f"{told['answer']}\n")
        assert "\nRight.\n" in said.stdout
        assert row(home, 2)[2] == "correct"

    def test_an_id_that_is_none_is_refused(self, run: Run) -> None:
        """The way to find one is named."""
        assert "there is no attempt 99" in refusal(run("attempt", "show", "99"))
        usage_error(run("attempt", "show", "0"))
        usage_error(run("attempt", "show", "1", "--again", "--json"))
