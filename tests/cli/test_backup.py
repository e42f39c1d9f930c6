"""`studynorm backup`: the copy, the list, and what is never overwritten; and the copy of each study day."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from studynorm.storage.home import Home
from studynorm.study.desk import open_desk
from tests.cli.conftest import Run, payload, refusal, usage_error

ITEM = "card:batchnorm/forward-pass"


def learn(home: Path, item: str = ITEM) -> int:
    """Rate one card Good; return when, in UTC milliseconds."""
    from studynorm.scheduling.rating import Rating

    with open_desk(Home(home)) as desk:
        moment = desk.clock()
        desk.store.record(desk.scheduler.review(item, None, Rating.GOOD, moment))
        return moment.at


def reviews(path: Path) -> int:
    """Return how many reviews a file holds, asked past the program."""
    with closing(sqlite3.connect(path)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM review").fetchone()
        return int(count)


def test_a_named_copy_is_whole_and_not_overwritten_unasked(run: Run, home: Path, tmp_path: Path) -> None:
    """Exit code 1 and the file as it was; with `--force` it is replaced."""
    learn(home)
    target = tmp_path / "mine.sqlite"
    target.write_text("precious")
    assert "--force" in refusal(run("backup", str(target)))
    assert target.read_text() == "precious"
    done = run("backup", str(target), "--force")
    assert done.exit_code == 0
    assert done.stdout.startswith(f"wrote {target}: 1 review,")
    assert reviews(target) == 1


def test_without_a_name_it_is_listed_newest_first(run: Run, home: Path) -> None:
    """The table names each file, and `--json` says what it holds, in UTC."""
    empty = run("backup", "--list")
    assert empty.stdout.startswith("There is no backup of the profile default in ")
    at = learn(home)
    for _ in range(2):
        assert run("backup").exit_code == 0
    files = sorted((home / "backups").iterdir(), key=lambda file: file.name, reverse=True)
    listed = payload(run("backup", "--list", "--json"))
    assert (listed["profile"], listed["folder"]) == ("default", str(home / "backups"))
    assert [copy["path"] for copy in listed["backups"]] == [str(file) for file in files]
    first = listed["backups"][0]
    assert (first["reviews"], first["trouble"]) == (1, None)
    assert first["size"] == files[0].stat().st_size
    assert datetime.fromisoformat(first["newest"]) == datetime.fromtimestamp(at / 1000, UTC)
    table = run("backup", "--list").stdout.splitlines()
    assert [line.split()[-1] for line in table[1:3]] == [file.name for file in files]


@pytest.mark.parametrize(
    "args", [("backup", "--json"), ("backup", "x.sqlite", "--list"), ("backup", "--list", "--force")]
)
def test_what_does_not_go_together_is_a_usage_error(run: Run, args: tuple[str, ...]) -> None:
    """Exit code 2, and nothing is made."""
    assert "--list" in usage_error(run(*args))


def test_the_profile_itself_a_folder_and_no_folder_are_refused(run: Run, home: Path, tmp_path: Path) -> None:
    """Each in one line that names the path, even with `--force`."""
    assert "nothing was learned" in refusal(run("backup"))
    learn(home)
    own = home / "profiles" / "default.sqlite"
    before = own.read_bytes()
    for place, why in (
        (own, "the profile itself"),
        (tmp_path, "is a folder"),
        (tmp_path / "no/x", "no folder"),
    ):
        assert why in refusal(run("backup", str(place), "--force"))
    assert own.read_bytes() == before


def test_a_plain_review_makes_the_copy_of_the_day_and_clears_old_ones(run: Run, home: Path) -> None:
    """With nothing in it but what was there before; the option `backups` says how many stay."""
    learn(home)
    folder = home / "backups"
    folder.mkdir()
    old = [folder / f"default-2020-01-0{day}.sqlite" for day in (1, 2, 3)]
    for file in old:
        file.touch()
    assert run("config", "set", "backups", "1").exit_code == 0
    assert run("review", "--plain", typed=":quit\n").exit_code == 0
    made = {file for file in folder.iterdir() if file not in old}
    assert [reviews(file) for file in made] == [1]
    assert [file.exists() for file in old] == [False, False, True]  # the newest of its month stays
