"""`studynorm doctor`: what it prints, how it ends, and the file that it writes."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from studynorm.scheduling.rating import Rating
from studynorm.storage.home import Home
from studynorm.study.desk import open_desk
from tests.cli.conftest import Run, payload, refusal, usage_error

ITEM = "card:batchnorm/forward-pass"


@pytest.fixture
def learned(home: Path) -> Path:
    """The default profile, in which one card was rated Easy."""
    with open_desk(Home(home)) as desk:
        scheduler = desk.scheduler
        desk.store.remember_weights(scheduler.model, scheduler.weights, scheduler.rules)
        desk.store.record(scheduler.review(ITEM, None, Rating.EASY, desk.clock()))
        return desk.path


def alter(path: Path, statement: str) -> None:
    """Alter a profile past the program."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


@pytest.mark.usefixtures("learned")
def test_a_sound_profile_is_proved(run: Run) -> None:
    """One line for each thing looked at, exit code 0."""
    done = run("doctor")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert [line.split()[:2] for line in lines[:4]] == [
        ["ok", "file"],
        ["ok", "log"],
        ["ok", "memories"],
        ["ok", "days"],
    ]
    assert lines[-1] == "Everything that is stored follows from the log."
    assert done.stderr == ""


def test_one_altered_value_is_named_with_what_to_do(run: Run, learned: Path) -> None:
    """Exit code 1; the difference in one line."""
    alter(learned, "UPDATE memory SET stability = 9.5")
    done = run("doctor")
    assert done.exit_code == 1
    line = f"{ITEM}, memory: stability is 9.5, replayed 8.2956; the memory was altered: the log leads to"
    assert f"{line} another." in done.stdout.splitlines()
    assert "1 difference. `studynorm doctor --repair FILE` writes a profile that is put right." in done.stdout


def test_json_holds_the_same(run: Run, learned: Path) -> None:
    """Whether it is proved, and each difference by its parts."""
    assert payload(run("doctor", "--json"))["proved"] is True
    alter(learned, "UPDATE review SET rating = 3")
    read = payload(run("doctor", "--json"), code=1)
    assert (read["proved"], read["found"], read["reviews"], read["memories"]) == (False, 1, 1, 1)
    (finding,) = read["findings"]
    assert (finding["place"], finding["item"], finding["row"]) == ("review", ITEM, 1)
    assert (finding["field"], finding["stored"], finding["replayed"]) == ("rating", 3, 4)
    assert finding["cause"] == "rating_altered"


def test_a_repaired_file_is_proved_and_the_profile_stays(run: Run, learned: Path, tmp_path: Path) -> None:
    """It says what was done, how to put the file in place, and never writes over one."""
    alter(learned, "UPDATE memory SET stability = 9.5")
    before = learned.read_bytes()
    target = tmp_path / "mended.sqlite"
    done = run("doctor", "--repair", str(target))
    assert done.exit_code == 0, done.output
    assert f"wrote {target}: 0 reviews and 1 memory put right" in done.stdout
    assert f"studynorm restore {target}" in done.stdout
    assert "stability is 9.5" in done.stderr
    assert learned.read_bytes() == before
    with closing(sqlite3.connect(target)) as connection:
        assert connection.execute("SELECT stability FROM memory").fetchone() == (8.2956,)
    assert "exists already" in refusal(run("doctor", "--repair", str(target)))


@pytest.mark.usefixtures("learned")
def test_nothing_is_written_where_nothing_is_wrong(run: Run, tmp_path: Path) -> None:
    """A file would only be mistaken for a better one."""
    done = run("doctor", "--repair", str(tmp_path / "mended.sqlite"))
    assert done.exit_code == 0
    assert "no file was written" in done.stdout
    assert not (tmp_path / "mended.sqlite").exists()


def test_a_profile_that_does_not_exist_is_no_fault_and_not_made(run: Run, home: Path) -> None:
    """Nothing was learned yet."""
    done = run("doctor")
    assert done.exit_code == 0
    assert "does not exist yet" in done.stdout
    assert not home.exists()


def test_json_and_repair_are_two_things(run: Run, tmp_path: Path) -> None:
    """One says what is wrong, the other writes a file."""
    assert "choose one" in usage_error(run("doctor", "--json", "--repair", str(tmp_path / "x")))


def test_trouble_with_the_options_is_a_note(run: Run, home: Path, learned: Path) -> None:
    """It is told and is no fault of the profile."""
    (home / "config.toml").write_text("desired_retention = 7\n", encoding="utf-8")
    done = run("doctor")
    assert done.exit_code == 0, done.output
    assert any(
        line.startswith("note  options") and "desired_retention" in line for line in done.stdout.splitlines()
    )
    assert learned.exists()


def test_an_item_that_a_terminal_would_obey_is_shown_and_not_obeyed(run: Run, learned: Path) -> None:
    """Escape characters from a damaged row come as stand-ins."""
    alter(learned, "UPDATE memory SET item = 'card:x/' || char(27) || '[2J' || char(10) || 'y'")
    done = run("doctor")
    assert done.exit_code == 1
    assert "\x1b" not in done.stdout
    assert len([line for line in done.stdout.splitlines() if "card:x/" in line and "memory" in line]) >= 1


def test_many_differences_are_cut_short(run: Run, learned: Path) -> None:
    """Twenty lines, then their number; --json lists up to a thousand."""
    columns = "state, step, difficulty, due_at, due_day, last_at, last_day, reps, lapses"
    alter(
        learned,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)"
        f" INSERT INTO memory (item, stability, {columns})"
        f" SELECT 'card:batchnorm/none-' || i, 5, {columns} FROM memory, n",
    )
    done = run("doctor")
    assert "… and 10 more; --json lists 30 of them." in done.stdout
    assert len(payload(run("doctor", "--json"), code=1)["findings"]) == 30
