"""`studynorm export json|csv`: what is said, where it goes, and what is refused."""

import csv
import io
import json
from pathlib import Path

import pytest

from studynorm.storage.home import Home
from tests.cli.conftest import Program, Run, refusal
from tests.study.lived import lived


@pytest.fixture
def learned(home: Path) -> Path:
    """The default profile with everything in it."""
    path = Home(home).profile_file("default")
    path.parent.mkdir(parents=True)
    lived(path)
    return path


@pytest.mark.usefixtures("learned")
def test_json_goes_into_a_file_and_says_what(run: Run, tmp_path: Path) -> None:
    """One object with a schema number."""
    target = tmp_path / "all.json"
    done = run("export", "json", str(target))
    assert done.exit_code == 0, done.output
    whole = json.loads(target.read_text(encoding="utf-8"))
    reviews, memories, events = (len(whole[part]) for part in ("reviews", "memories", "events"))
    assert done.stdout == (
        f"wrote {target}: {memories} memories, {reviews} reviews, 0 attempts, {events} events, 0 interviews\n"
    )
    assert whole["schema"] == 1


@pytest.mark.usefixtures("learned")
def test_csv_goes_into_a_file_and_says_what(run: Run, tmp_path: Path) -> None:
    """One line for each review, and the names of the columns."""
    target = tmp_path / "revlog.csv"
    done = run("export", "csv", str(target))
    assert done.exit_code == 0, done.output
    count = len(target.read_text(encoding="utf-8").splitlines()) - 1
    assert count > 30
    assert done.stdout == f"wrote {target}: {count} reviews\n"


@pytest.mark.usefixtures("learned")
def test_a_dash_is_standard_output_and_nothing_else_is_there(run: Run, tmp_path: Path) -> None:
    """So it can be piped; the same text as in a file."""
    target = tmp_path / "all.json"
    run("export", "json", str(target))
    done = run("export", "json", "-")
    assert done.stderr == ""
    assert done.stdout == target.read_text(encoding="utf-8")
    lines = list(csv.DictReader(io.StringIO(run("export", "csv", "-").stdout)))
    assert lines[0]["item"] == "card:first/one"


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_a_file_is_overwritten_only_if_asked(run: Run, learned: Path, tmp_path: Path, kind: str) -> None:
    """Without --force it stays, and so does a folder with it."""
    target = tmp_path / "kept"
    target.write_text("mine", encoding="utf-8")
    assert f"{target} exists. Add --force" in refusal(run("export", kind, str(target)))
    assert target.read_text(encoding="utf-8") == "mine"
    assert run("export", kind, str(target), "--force").exit_code == 0
    assert len(target.read_text(encoding="utf-8")) > 1000
    assert "is a folder" in refusal(run("export", kind, str(tmp_path), "--force"))
    assert "no folder" in refusal(run("export", kind, str(tmp_path / "none" / "x")))
    assert learned.exists()


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_a_profile_without_anything_is_refused_and_not_made(
    run: Run, home: Path, tmp_path: Path, kind: str
) -> None:
    """There is nothing to take along."""
    assert "nothing was learned in this profile yet" in refusal(run("export", kind, str(tmp_path / "x")))
    assert not home.exists()
    assert not (tmp_path / "x").exists()


@pytest.mark.usefixtures("learned")
def test_a_reader_that_leaves_early_ends_it_quietly(program: Program) -> None:
    """As `head` does."""
    import subprocess
    import sys

    command = f"{sys.executable} -m studynorm export csv - | head -1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.startswith("card_id,")
    assert done.stderr == ""


def test_an_unknown_kind_is_told_the_known_ones(run: Run) -> None:
    """As a usage error."""
    done = run("export", "xml", "x")
    assert done.exit_code == 2
    assert "'anki', 'json', 'csv'" in done.stderr
