"""The author's bench: many variants at once, parameters in words, a preview, a skeleton, `check`'s table."""

from pathlib import Path

import pytest

from studynorm.engine.family import Family
from studynorm.engine.registry import load_file
from studynorm.locate import content_root
from tests.cli.conftest import Run, payload, refusal, usage_error

FAMILY = "batchnorm.entry"


class TestMany:
    """`problem show --count`."""

    def test_the_seeds_are_consecutive_and_each_variant_verified(self, run: Run) -> None:
        """Each is the variant that its seed gives alone."""
        many = payload(run("problem", "show", FAMILY, "--seed", "5", "--count", "3", "--json"))["variants"]
        assert [one["seed"] for one in many] == [5, 6, 7]
        assert all(0 <= one["verified"]["max_abs_diff"] < 1e-9 for one in many)
        single = payload(run("problem", "show", FAMILY, "--seed", "6", "--json"))
        assert {name: many[1][name] for name in single if name != "schema"} == {
            name: value for name, value in single.items() if name != "schema"
        }

    def test_the_answer_comes_only_on_request(self, run: Run) -> None:
        """`--reveal` adds it to each."""
        args = ("problem", "show", FAMILY, "--seed", "5", "--count", "2", "--json")
        assert not any("answer" in one for one in payload(run(*args))["variants"])
        assert all("answer" in one for one in payload(run(*args, "--reveal"))["variants"])

    @pytest.mark.parametrize(
        "flags",
        [(), ("--json", "--set", "x=1,2"), ("--json", "--seed", str(2**63 - 2))],
        ids=["text", "set", "end"],
    )
    def test_what_cannot_go_together_is_a_usage_error(self, run: Run, flags: tuple[str, ...]) -> None:
        """It is said before anything is drawn."""
        usage_error(run("problem", "show", FAMILY, "--count", "3", *flags))


class TestParameters:
    """`problem show --help-params`."""

    def test_each_has_its_meaning_domain_and_default(self, run: Run) -> None:
        """As the issue's own example of a batch: x must be given, eps is 1e-12 by default."""
        told = payload(run("problem", "show", FAMILY, "--help-params", "--json"))
        by_name = {one["name"]: one for one in told["parameters"]}
        assert by_name["x"]["default"] is None
        assert by_name["eps"]["default"] == "1e-12"
        assert by_name["index"]["domain"] == "a whole number from 1 to 64"
        said = run("problem", "show", FAMILY, "--help-params").stdout
        assert all(name in said and one["meaning"] in said for name, one in by_name.items())


class TestPreview:
    """`problem preview`."""

    def test_everything_is_shown_at_once(self, run: Run) -> None:
        """Question, hints, solution, program and the draws; the misconceptions on request."""
        args = ("problem", "preview", FAMILY, "--level", "2", "--seed", "4", "--seeds", "10")
        said = run(*args).stdout
        for part in (
            "Hint 1: ",
            "Worked solution.",
            "verified: torch",
            "def oracle(p, torch):",
            "seeds 4 to 13: ",
        ):
            assert part in said
        assert "named\n" not in said
        shown = run(*args, "--show-misconceptions").stdout
        wanted = payload(run("problem", "show", FAMILY, "--level", "2", "--seed", "4", "--reveal", "--json"))
        for slip in wanted["misconceptions"]:
            assert f"\n{slip['id']}: “" in shown
        assert shown.count("”, named\n") == len(wanted["misconceptions"])


class TestNew:
    """`problem new`."""

    NEW = ("problem", "new", "batchnorm", "my_family", "--root")

    def test_the_skeleton_loads_and_fails_check_until_it_is_filled_in(self, run: Run, tmp_path: Path) -> None:
        """The file is a family under its id; `check` names what is missing; what comes next is said."""
        said = run(*self.NEW, str(tmp_path))
        path = tmp_path / "problems" / "batchnorm" / "my_family.py"
        assert said.stdout.startswith(f"wrote {path}\n")
        assert f"`studynorm check {path}`" in said.stdout
        family = load_file(path)
        assert isinstance(family, Family)
        assert family.id == "batchnorm.my_family"
        checked = run("check", str(path), "--seeds", "1")
        assert checked.exit_code == 1
        assert "NotImplementedError: draw: " in checked.stderr

    def test_a_file_that_is_there_stays(self, run: Run, tmp_path: Path) -> None:
        """Nothing is overwritten."""
        run(*self.NEW, str(tmp_path))
        path = tmp_path / "problems" / "batchnorm" / "my_family.py"
        path.write_text("mine", encoding="utf-8")
        assert "exists already" in refusal(run(*self.NEW, str(tmp_path)))
        assert path.read_text(encoding="utf-8") == "mine"

    @pytest.mark.parametrize("name", ["Entry", "_hidden", "a-b", "a__b", "../x", "", "1st", "a.b"])
    def test_a_name_that_is_none_is_a_usage_error(self, run: Run, tmp_path: Path, name: str) -> None:
        """Nothing appears."""
        usage_error(run("problem", "new", "batchnorm", "--root", str(tmp_path), "--", name))
        assert not list(tmp_path.rglob("*.py"))

    def test_an_unknown_topic_is_told_the_nearest(self, run: Run, tmp_path: Path) -> None:
        """Topics are those of the decks."""
        said = usage_error(run("problem", "new", "residul", "x", "--root", str(tmp_path)))
        assert "did you mean residual?" in said

    def test_outside_a_checkout_a_root_is_wanted(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An installed program has no place for a new file."""
        monkeypatch.setattr("studynorm.locate.content_root", lambda: tmp_path)
        assert "--root" in usage_error(run("problem", "new", "batchnorm", "my_family"))


class TestTable:
    """The table of `check`."""

    def test_a_row_has_the_figures_of_the_proof(self, run: Run) -> None:
        """Two seeds of three levels are six variants, all different, and every slip is named."""
        path = str(content_root() / "problems" / "batchnorm" / "entry.py")
        (row,) = payload(run("check", path, "--seeds", "2", "--json"))["table"]
        assert (row["family"], row["variants"], row["statements"]) == (FAMILY, 6, 6)
        assert row["slips"] == row["recognised"] > 6
        assert 0 <= row["rejection_rate"] < 1
        assert 0 < row["ms"] < 20
        said = run("check", path, "--seeds", "2").stdout.splitlines()
        assert said[0].split() == [
            "family",
            "variants",
            "rejected",
            "statements",
            "slips",
            "named",
            "ms",
            "each",
        ]
        assert said[1].split()[:2] == [FAMILY, "6"]

    def test_progress_stays_off_a_standard_error_that_is_no_terminal(self, run: Run) -> None:
        """Nothing is written there when all holds."""
        path = str(content_root() / "problems" / "batchnorm" / "entry.py")
        assert run("check", path, "--seeds", "1").stderr == ""
