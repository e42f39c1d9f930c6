"""`studynorm problem`: published figures, exit codes, and a clear word for every slip of the keyboard."""

import importlib
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from studynorm.engine import files as family_places
from studynorm.engine import registry
from tests.cli.conftest import Run, payload, refusal, usage_error

BATCH = ("--set", "x=0,2,4,6", "--set", "eps=0")


class TestSolve:
    """Solving on the learner's own numbers."""

    @pytest.mark.parametrize(
        ("args", "answer"),
        [
            # μ = 3 and σ² = 5, so x̂ = (−3, −1, 1, 3)/√5.
            (("batchnorm.vector", *BATCH), [n / sqrt(5) for n in (-3, -1, 1, 3)]),
            # (1/√5)(g − mean(g) − x̂·mean(g·x̂)) with g = (1, 0, 0, 0): (3, −4, −1, 2)/(10√5).
            (
                ("backward.input_gradient", *BATCH, "--set", "upstream=1,0,0,0"),
                [n / (10 * sqrt(5)) for n in (3, -4, -1, 2)],
            ),
            # 0.9·1 + 0.1·20/3
            (("running_stats.variance", "--set", "x=0,2,4,6"), 0.9 + 2 / 3),
            # (3 − 0.3)/√(0.9 + 2/3)
            (
                ("running_stats.eval_output", *BATCH, "--set", "query=3"),
                2.7 / sqrt(0.9 + 2 / 3),
            ),
            (
                (
                    "residual.product",
                    *("--set", "plus_count=25", "--set", "plus=0.1"),
                    *("--set", "minus_count=25", "--set", "minus=-0.1"),
                ),
                (1.1 * 0.9) ** 25,
            ),
        ],
        ids=["vector", "gradient", "variance", "eval", "product"],
    )
    def test_the_figures_of_the_lesson_come_out_verified(
        self, run: Run, args: tuple[str, ...], answer: Any
    ) -> None:
        """Each is the closed form, and says which torch in which precision agreed how closely."""
        told = payload(run("problem", "solve", *args, "--json"))
        assert told["answer"] == pytest.approx(answer, rel=1e-9)
        assert (told["verified"]["dtype"], told["verified"]["device"]) == ("float64", "cpu")
        assert told["verified"]["torch"]
        assert 0 <= told["verified"]["max_abs_diff"] < 1e-9
        assert told["seed"] is None

    def test_the_worked_solution_reads_as_words_and_numbers(self, run: Run) -> None:
        """Every step has its text, its formula and its value; the answer and the verification follow."""
        shown = run("problem", "solve", "batchnorm.vector", *BATCH).stdout
        assert "Step 1: Mean of the batch\nμ = mean(x) = mean(0, 2, 4, 6) = 3\n" in shown
        assert "Answer: (−1.34164, −0.447214, 0.447214, 1.34164)" in shown
        assert "verified: torch" in shown

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            (("x",), "“x” is not NAME=VALUE"),
            (("=3",), "“=3” is not NAME=VALUE"),
            (("x=",), "nothing was typed"),
            (("foo=1",), "it has x, gamma, beta, eps"),
            (("x=1,2", "x=1,3"), "x is set twice"),
            (("x=nan",), "finite"),
            (("x=1e999",), "too many digits"),
            (("x=1,2,abc",), "“abc” is not a number"),
            (("x=1",), "undefined for one value per channel"),
            (("x=1,1", "eps=0"), "0/0"),
            (("x=1,2", "eps=-1"), "not -1"),
        ],
        ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
    )
    def test_a_slip_in_set_is_a_usage_error_that_says_why(
        self, run: Run, given: tuple[str, ...], said: str
    ) -> None:
        """The parameter or the text is named, and nothing is printed on standard output."""
        flags = [word for text in given for word in ("--set", text)]
        assert said in usage_error(run("problem", "solve", "batchnorm.vector", *flags, "--json"))

    def test_equal_values_with_a_positive_eps_have_an_answer(self, run: Run) -> None:
        """All deviations are 0, so the output is β."""
        told = payload(
            run("problem", "solve", "batchnorm.vector", "--set", "x=1,1", "--set", "beta=2", "--json")
        )
        assert told["answer"] == [2, 2]

    def test_a_level_that_a_family_lacks_is_said(self, run: Run) -> None:
        """The nearest level is taken, and standard error says so; JSON stays alone on standard output."""
        result = run("problem", "solve", "residual.jacobian", "--level", "3", "--json")
        assert payload(result)["level"] == 2
        assert result.stderr == "studynorm: residual.jacobian has no level 3; this is level 2\n"

    @pytest.mark.parametrize("flag", [("--level", "0"), ("--level", "4"), ("--seed", "-1"), ("--seed", "x")])
    def test_a_level_or_seed_out_of_range_is_a_usage_error(self, run: Run, flag: tuple[str, str]) -> None:
        """The option is named."""
        assert f"'{flag[0]}'" in usage_error(run("problem", "solve", "batchnorm.entry", *flag))


class TestShow:
    """Showing a drawn problem."""

    def test_without_a_seed_a_fresh_one_is_drawn_and_printed(self, run: Run) -> None:
        """The printed seed gives the same problem again, in words and in JSON."""
        told = payload(run("problem", "show", "batchnorm.entry", "--json"))
        again = payload(run("problem", "show", "batchnorm.entry", "--seed", str(told["seed"]), "--json"))
        assert again == told
        first, second = (run("problem", "show", "batchnorm.entry").stdout.splitlines()[0] for _ in range(2))
        assert first.startswith("batchnorm.entry · level 1 · seed ")
        assert first != second

    def test_the_answer_is_shown_only_on_request(self, run: Run) -> None:
        """`--reveal` adds answer, misconceptions, solution and verification."""
        hidden = payload(run("problem", "show", "batchnorm.entry", "--seed", "3", "--json"))
        shown = payload(run("problem", "show", "batchnorm.entry", "--seed", "3", "--reveal", "--json"))
        added = {"answer", "misconceptions", "hints", "solution", "verified"}
        assert set(shown) - set(hidden) == added
        assert not added & set(hidden)

    def test_an_unknown_family_is_told_the_nearest(self, run: Run) -> None:
        """The message names the nearest one, or only how to list all."""
        assert "did you mean batchnorm.vector" in usage_error(run("problem", "show", "batchnorm.vectr"))
        assert usage_error(run("problem", "show", "q")) == (
            "there is no family “q”; `studynorm problem list` shows all\n"
        )


class TestGrade:
    """Grading an answer."""

    ENTRY = ("batchnorm.entry", "--set", "x=0,2,4,6", "--set", "eps=0", "--set", "index=1")

    @pytest.mark.parametrize(
        ("answer", "verdict", "code"),
        [
            ("-3/sqrt(5)", "correct", 0),
            ("-1.342", "correct", 0),
            ("-1.3", "imprecise", 3),
            ("-3/5", "wrong", 1),
            ("1..2", "malformed", 3),
            ("0,5", "malformed", 3),
            ("nan", "malformed", 3),
            ("9^9^9^9", "malformed", 3),
            ("", "malformed", 3),
            ("-h", "malformed", 3),
            ("--", "malformed", 3),
        ],
    )
    def test_verdict_and_exit_code_agree(self, run: Run, answer: str, verdict: str, code: int) -> None:
        """Correct is 0, wrong 1, not graded 3."""
        family, *flags = self.ENTRY
        answered = ("--", "--") if answer == "--" else (answer,)
        told = payload(run("problem", "grade", family, *flags, "--json", *answered), code)
        assert told["verdict"] == verdict
        assert told["suggested_rating"] == {"correct": "good", "wrong": "again"}.get(verdict)

    @pytest.mark.parametrize(
        "order",
        [
            ("-3/sqrt(5)", *ENTRY[1:], "--json"),
            (*ENTRY[1:], "--json", "-3/sqrt(5)"),
            (*ENTRY[1:], "--json", "--", "-3/sqrt(5)"),
            ("--json", *ENTRY[1:], "-sqrt(9/5)"),
        ],
        ids=["first", "last", "dashes", "sqrt"],
    )
    def test_a_negative_answer_works_in_any_place(self, run: Run, order: tuple[str, ...]) -> None:
        """With and without `--`, before and behind the flags."""
        assert payload(run("problem", "grade", "batchnorm.entry", *order))["verdict"] == "correct"

    def test_a_misconception_is_named(self, run: Run) -> None:
        """Dividing by the variance gives −3/5, and the verdict says so in words and by its id."""
        family, *flags = self.ENTRY
        told = payload(run("problem", "grade", family, "-3/5", *flags, "--json"), 1)
        assert told["misconception"] in told["misconceptions"]
        said = run("problem", "grade", family, "-3/5", *flags)
        assert said.exit_code == 1
        assert said.stdout.startswith("Verdict: wrong\nRead as -0.6.\nNot this. ")
        assert f"Misconception: {told['misconception']}\n" in said.stdout

    def test_every_entry_of_a_vector_is_judged_in_words(self, run: Run) -> None:
        """The two outer entries of (−3, −1, 1, 3)/√5 are right here."""
        said = run("problem", "grade", "batchnorm.vector", "(-3, 1, -1, 3)/sqrt(5)", *BATCH)
        assert "Entries: 1 right, 2 wrong, 3 wrong, 4 right.\n" in said.stdout


class TestBrokenFamily:
    """A family file that fails costs only itself."""

    @pytest.fixture
    def broken(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """Put a file that divides by zero beside the real ones."""
        path = tmp_path / "batchnorm" / "zero.py"
        path.parent.mkdir()
        path.write_text("first = 1\nsecond = first / 0\n", encoding="utf-8")
        files = family_places.family_files()
        monkeypatch.setattr(registry, "family_files", lambda: {**files, "batchnorm.zero": path})
        monkeypatch.setattr(importlib, "import_module", self._module(importlib.import_module, path))
        return path

    @staticmethod
    def _module(real: Any, path: Path) -> Any:
        def load(name: str) -> Any:
            if name.endswith("batchnorm.zero"):
                exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {})
            return real(name)

        return load

    def test_list_names_it_and_lists_the_others(self, run: Run, broken: Path) -> None:
        """File and line stand on standard error; JSON is whole and ends with 0."""
        result = run("problem", "list", "--json")
        assert len(payload(result)["families"]) == len(family_places.family_files())
        assert f"{broken}: line 2: ZeroDivisionError" in result.stderr

    def test_show_refuses_it_with_file_and_line(self, run: Run, broken: Path) -> None:
        """One line and exit code 1; another family still works."""
        assert f"{broken}: line 2: ZeroDivisionError" in refusal(run("problem", "show", "batchnorm.zero"))
        assert run("problem", "show", "batchnorm.entry").exit_code == 0

    def test_check_names_it(self, run: Run, broken: Path) -> None:
        """`check PATH` ends with 1 and names file and line on standard error."""
        result = run("check", str(broken), "--seeds", "1")
        assert result.exit_code == 1
        assert f"{broken}: line 2: ZeroDivisionError" in result.stderr

    def test_a_family_that_fails_while_drawing_is_one_line(
        self, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Whatever its code raises is named together with the way to find out more."""
        family = registry.load_family("batchnorm.entry")
        monkeypatch.setattr(type(family), "draw", lambda self, level, rng: [][1])
        said = refusal(run("problem", "show", "batchnorm.entry"))
        assert "batchnorm.entry cannot be drawn (IndexError" in said
        assert "`studynorm check`" in said
