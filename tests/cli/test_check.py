"""`studynorm check` and `studynorm export`: what does not hold is named, and no file is lost."""

import os
import zipfile
from pathlib import Path

import pytest

from studynorm.locate import content_root
from tests.cli.conftest import Run, payload, refusal, usage_error

DECK = '+++\nid = "mine"\ntitle = "Mine"\n+++\n\n## one\nQ: What is $x$?\nA: One.\n'


class TestCheck:
    """Proving content."""

    def test_a_family_and_a_deck_that_hold_end_with_0(self, run: Run, tmp_path: Path) -> None:
        """What was tried is counted; progress stays off the JSON."""
        deck = tmp_path / "mine.md"
        deck.write_text(DECK, encoding="utf-8")
        family = content_root() / "problems" / "batchnorm" / "entry.py"
        told = payload(run("check", str(deck), str(family), "--seeds", "2", "--json"))
        assert (told["decks"], told["cards"], told["families"], told["troubles"]) == (1, 1, 1, [])
        assert told["variants"] == 3 * 2
        said = run("check", str(family), "--seeds", "2")
        assert said.stdout.endswith(": all hold\n")
        assert said.stderr == ""

    def test_a_formula_that_cannot_be_read_is_named_and_ends_with_1(self, run: Run, tmp_path: Path) -> None:
        """File, card and formula; the same in JSON."""
        deck = tmp_path / "mine.md"
        deck.write_text(DECK.replace("$x$", r"$\nosuchmacro$"), encoding="utf-8")
        said = run("check", str(deck))
        assert said.exit_code == 1
        assert f"{deck}:6 card one: formula $\\nosuchmacro$" in said.stderr
        assert said.stdout.endswith(": 1 does not hold\n")
        (trouble,) = payload(run("check", str(deck), "--json"), 1)["troubles"]
        assert "nosuchmacro" in trouble["message"]

    def test_a_path_that_does_not_exist_is_a_usage_error(self, run: Run, tmp_path: Path) -> None:
        """The path is named, and nothing is checked."""
        assert f"{tmp_path / 'none'} does not exist" in usage_error(run("check", str(tmp_path / "none")))

    def test_a_folder_without_content_does_not_hold(self, run: Run, tmp_path: Path) -> None:
        """Nothing was proved, and that is said."""
        assert "there is no deck (.md) and no family (.py)" in refusal(run("check", str(tmp_path)))

    @pytest.mark.parametrize("seeds", ["0", "-3", "x", "100001"])
    def test_seeds_out_of_range_are_a_usage_error(self, run: Run, seeds: str) -> None:
        """The option is named."""
        assert "'--seeds'" in usage_error(run("check", "--seeds", seeds))


class TestExport:
    """Writing an Anki package."""

    def test_what_was_written_is_reported(self, run: Run, tmp_path: Path) -> None:
        """The file is an archive with a collection in it."""
        file = tmp_path / "all.apkg"
        said = run("export", "anki", str(file))
        assert said.exit_code == 0
        assert said.stdout.startswith(f"wrote {file}: ")
        with zipfile.ZipFile(file) as archive:
            assert "collection.anki2" in archive.namelist()

    def test_an_existing_file_stays_without_force(self, run: Run, tmp_path: Path) -> None:
        """The refusal names the flag; with it the file is replaced."""
        file = tmp_path / "all.apkg"
        file.write_bytes(b"mine")
        assert "--force" in refusal(run("export", "anki", str(file)))
        assert file.read_bytes() == b"mine"
        assert run("export", "anki", str(file), "--force").exit_code == 0
        assert zipfile.is_zipfile(file)

    @pytest.mark.parametrize("name", ["all.zip", "none/all.apkg", "."])
    def test_a_place_that_does_not_do_is_refused(self, run: Run, tmp_path: Path, name: str) -> None:
        """Another ending, a folder that is missing, a folder itself: one line, and nothing appears."""
        refusal(run("export", "anki", os.fspath(tmp_path / name)))
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("args", [(), ("anki",), ("xlsx", "x.xlsx"), ("anki", "a.apkg", "b.apkg")])
    def test_wrong_arguments_are_a_usage_error(self, run: Run, args: tuple[str, ...]) -> None:
        """Nothing is written."""
        usage_error(run("export", *args))

    def test_a_broken_deck_is_left_out_and_named(self, run: Run, home: Path, tmp_path: Path) -> None:
        """The others are written."""
        (home / "decks").mkdir(parents=True)
        broken = home / "decks" / "broken.md"
        broken.write_text("no header\n", encoding="utf-8")
        said = run("export", "anki", str(tmp_path / "all.apkg"))
        assert said.exit_code == 0
        assert f"{broken}:1: " in said.stderr
        assert "broken" not in said.stdout.replace(str(tmp_path), "")
