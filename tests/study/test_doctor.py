"""The doctor proves what is right, finds each thing that is not, and writes a profile that is whole."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine

from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import Scheduler
from studynorm.storage.errors import StoreError
from studynorm.storage.rows import memory_columns, review_columns
from studynorm.storage.schema import APPLICATION_ID
from studynorm.storage.store import Store
from studynorm.storage.upgrade import SCRIPTS
from studynorm.study.desk import Desk
from studynorm.study.doctor import examine
from studynorm.study.doctor_findings import Cause, Finding
from studynorm.study.doctor_repair import repair
from tests.study.lived import BLUE, FAMILY, ONE, RED, TWO, copied, lived

NEW = ("rules_id", "confidence")
"""Columns of a review that schema 0002 has not."""
MEMORY = "state, step, stability, difficulty, due_at, due_day, last_at, last_day, reps, lapses"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile in which everything has happened, made once."""
    path = tmp_path_factory.mktemp("lived") / "template.sqlite"
    lived(path)
    return path


@pytest.fixture
def desk(template: Path, tmp_path: Path) -> Iterator[Desk]:
    """A desk on a copy of it."""
    with copied(template, tmp_path / "home") as opened:
        yield opened


def sql(desk: Desk, *statements: str) -> list[Any]:
    """Run statements in the profile, past all its constraints; give the rows of the last one."""
    with closing(sqlite3.connect(desk.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        rows: list[Any] = []
        for statement in statements:
            rows = connection.execute(statement).fetchall()
        return rows


def nth(item: str, number: int) -> str:
    """Return the condition for the n-th review of an item, counted from 1; -1 is its last."""
    way, skipped = ("DESC", -number - 1) if number < 0 else ("ASC", number - 1)
    return f"id = (SELECT id FROM review WHERE item = '{item}' ORDER BY id {way} LIMIT 1 OFFSET {skipped})"


def dump(path: Path) -> list[str]:
    """Return a profile as SQL, row by row."""
    with closing(sqlite3.connect(path)) as connection:
        return sorted(connection.iterdump())


def found(desk: Desk) -> list[Finding]:
    """Return what the doctor finds."""
    report = examine(desk)
    assert report.found == len(report.findings)
    assert report.proved == (not report.findings)
    return report.findings


def test_a_whole_life_is_proved(desk: Desk) -> None:
    """Steps, lapses, other rules and weights, events, undo, a clock set back: all follows from the log."""
    report = examine(desk)
    assert report.findings == []
    assert report.proved
    assert {check.name: check.state for check in report.checks} == {
        "file": "ok",
        "log": "ok",
        "memories": "ok",
        "days": "ok",
        "decks": "ok",
        "backups": "note",
        "disk": "ok",
    }
    ((reviews, items),) = sql(desk, "SELECT count(*), count(DISTINCT item) FROM review")
    ((memories,),) = sql(desk, "SELECT count(*) FROM memory")
    assert (report.reviews, report.items, report.memories) == (reviews, items, memories)
    assert reviews > 30


def test_looking_changes_nothing(desk: Desk, template: Path) -> None:
    """The profile is the same afterwards, to the last row."""
    sql(desk, "UPDATE memory SET due_day = due_day + 1 WHERE due_day IS NOT NULL")
    before = dump(desk.path)
    assert found(desk)
    assert dump(desk.path) == before


@dataclass(frozen=True)
class Harm:
    """One thing that went wrong in a profile, and what the doctor is to say of it."""

    statement: str
    place: str
    item: str | None
    field: str
    cause: Cause
    following: int = 0
    memory_follows: bool = False


def rated(item: str, number: int, rating: Rating) -> str:
    """Return the statement that alters a rating."""
    return f"UPDATE review SET rating = {int(rating)} WHERE {nth(item, number)}"


def changed(table: str, change: str, where: str) -> str:
    """Return the statement that alters a row."""
    return f"UPDATE {table} SET {change} WHERE {where}"


TWICE = (
    "INSERT INTO review SELECT (SELECT max(id) + 1 FROM review), item, at + 1, "
    "{columns} FROM review WHERE " + nth(FAMILY, -1)
)

HARMS = {
    "the first rating": Harm(rated(ONE, 1, Rating.EASY), "review", ONE, "rating", Cause.RATING_ALTERED),
    "a rating among others": Harm(rated(ONE, 4, Rating.EASY), "review", ONE, "rating", Cause.RATING_ALTERED),
    "the last rating": Harm(
        rated(FAMILY, -1, Rating.AGAIN), "review", FAMILY, "rating", Cause.RATING_ALTERED
    ),
    "a rating that is none": Harm(
        changed("review", "rating = 7", nth(ONE, 3)), "review", ONE, "rating", Cause.RATING_ALTERED
    ),
    "a rating that is a text": Harm(
        changed("review", "rating = 'good'", nth(RED, 2)), "review", RED, "rating", Cause.RATING_ALTERED
    ),
    "a study day": Harm(
        changed("review", "day = day + 1", nth(ONE, 4)), "review", ONE, "day", Cause.TIME_ALTERED
    ),
    "a study day before the last": Harm(
        changed("review", "day = day - 1", nth(ONE, 6)), "review", ONE, "day", Cause.TIME_ALTERED
    ),
    "a study day that cannot be": Harm(
        changed("review", "day = 99999999", nth(ONE, 4)), "review", ONE, "day", Cause.TIME_ALTERED
    ),
    "a time": Harm(changed("review", "at = at + 1000", nth(TWO, 2)), "review", TWO, "at", Cause.TIME_ALTERED),
    "a time that is a text": Harm(
        changed("review", "at = 'noon'", nth(ONE, 3)), "review", ONE, "at", Cause.TIME_ALTERED
    ),
    "an offset that is a text": Harm(
        changed("review", "utc_offset = 'UTC'", nth(ONE, 3)), "review", ONE, "utc_offset", Cause.TIME_ALTERED
    ),
    "the weights of a review": Harm(
        changed("review", "weights_id = 2", nth(ONE, 3)), "review", ONE, "weights_id", Cause.BASIS_ALTERED
    ),
    "the rules of a review": Harm(
        changed("review", "rules_id = 2", nth(TWO, 2)), "review", TWO, "rules_id", Cause.BASIS_ALTERED
    ),
    "a stability": Harm(
        changed("review", "after_stability = after_stability * 1.000001", nth(ONE, 4)),
        "review",
        ONE,
        "after_stability",
        Cause.RESULT_ALTERED,
    ),
    "the last difficulty": Harm(
        changed("review", "after_difficulty = 5", nth(FAMILY, -1)),
        "review",
        FAMILY,
        "after_difficulty",
        Cause.RESULT_ALTERED,
    ),
    "a due day in the log": Harm(
        changed("review", "after_due_day = after_due_day + 1", nth(ONE, 4)),
        "review",
        ONE,
        "after_due_day",
        Cause.RESULT_ALTERED,
    ),
    "the stability before": Harm(
        changed("review", "before_stability = before_stability + 1", nth(ONE, 4)),
        "review",
        ONE,
        "before_stability",
        Cause.BEGINNING_ALTERED,
    ),
    "a stability in log and memory alike": Harm(
        changed("review", "after_stability = 99", nth(FAMILY, -1))
        + f"; UPDATE memory SET stability = 99 WHERE item = '{FAMILY}'",
        "review",
        FAMILY,
        "after_stability",
        Cause.UNEXPLAINED,
        memory_follows=True,
    ),
    "a review that is gone": Harm(
        f"DELETE FROM review WHERE {nth(RED, -2)}",
        "review",
        RED,
        "before_reps",
        Cause.REVIEW_MISSING,
        memory_follows=True,
    ),
    "a first review that is gone": Harm(
        f"DELETE FROM review WHERE {nth(FAMILY, 1)}",
        "review",
        FAMILY,
        "before_state",
        Cause.REVIEW_MISSING,
        following=1,
        memory_follows=True,
    ),
    "a forgetting that is gone": Harm(
        f"DELETE FROM event WHERE kind = 'forget' AND item = '{TWO}' AND id = (SELECT max(id) FROM event"
        f" WHERE kind = 'forget' AND item = '{TWO}')",
        "review",
        TWO,
        "before_state",
        Cause.NOT_FORGOTTEN,
        memory_follows=True,
    ),
    "a due day": Harm(
        changed("memory", "due_day = due_day + 1", f"item = '{ONE}'"),
        "memory",
        ONE,
        "due_day",
        Cause.MEMORY_ALTERED,
    ),
    "a lapse": Harm(
        changed("memory", "lapses = lapses + 1", f"item = '{TWO}'"),
        "memory",
        TWO,
        "lapses",
        Cause.MEMORY_ALTERED,
    ),
    "a memory that is gone": Harm(
        f"DELETE FROM memory WHERE item = '{BLUE}'", "memory", BLUE, "state", Cause.MEMORY_MISSING
    ),
    "a memory from nowhere": Harm(
        f"INSERT INTO memory (item, {MEMORY}) SELECT 'card:first/marks#var', {MEMORY} FROM memory"
        f" WHERE item = '{BLUE}'",
        "memory",
        "card:first/marks#var",
        "state",
        Cause.NO_LOG,
    ),
    "what a forgetting kept": Harm(
        changed("event", "before_stability = 1", f"kind = 'forget' AND item = '{RED}'"),
        "event",
        RED,
        "before_stability",
        Cause.EVENT_ALTERED,
    ),
    "a total": Harm(
        "UPDATE day_total SET duration_ms = duration_ms + 1 WHERE topic = 'batchnorm' AND day = 739677",
        "day",
        "batchnorm",
        "duration_ms",
        Cause.TOTAL_WRONG,
    ),
    "an answer time": Harm(
        changed("review", "duration_ms = 1", nth(FAMILY, 1)),
        "day",
        "batchnorm",
        "duration_ms",
        Cause.TOTAL_WRONG,
    ),
    "a missing salt": Harm(
        "DELETE FROM profile WHERE key = 'salt'", "profile", None, "salt", Cause.PROFILE_VALUE
    ),
    "weights that are none": Harm(
        "INSERT INTO profile VALUES ('weights', '77')", "profile", None, "weights", Cause.PROFILE_VALUE
    ),
}


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS.keys())
def test_one_thing_altered_is_found_named_and_put_right(
    desk: Desk, template: Path, tmp_path: Path, harm: Harm
) -> None:
    """It is the only finding, the profile stays as it is, and the repaired one passes."""
    sql(desk, *harm.statement.split("; "))
    before = dump(desk.path)
    (finding,) = found(desk)
    assert (finding.place, finding.item, finding.field, finding.cause) == (
        harm.place,
        harm.item,
        harm.field,
        harm.cause,
    )
    assert (finding.following, finding.memory_follows) == (harm.following, harm.memory_follows)
    if finding.place in ("review", "event"):
        assert finding.number is not None
        ((item,),) = sql(desk, f"SELECT item FROM {finding.place} WHERE id = {finding.number}")
        assert item == harm.item
    assert len(finding.message.splitlines()) == 1
    target = tmp_path / "mended.sqlite"
    repair(desk, target)
    assert dump(desk.path) == before
    desk.close()
    with copied(target, tmp_path / "elsewhere") as mended:
        assert examine(mended).proved
        assert mended.store.salt  # it opens


PUT_BACK = (
    "the first rating",
    "a rating that is none",
    "a study day before the last",
    "a time that is a text",
    "the weights of a review",
    "a stability",
    "the stability before",
    "a due day",
    "a memory that is gone",
    "what a forgetting kept",
    "a total",
)


@pytest.mark.parametrize("name", PUT_BACK)
def test_what_the_rest_of_the_log_tells_is_put_back_as_it_was(
    desk: Desk, template: Path, tmp_path: Path, name: str
) -> None:
    """The repaired profile is then the one from before the harm, to the last row."""
    sql(desk, HARMS[name].statement)
    repair(desk, tmp_path / "mended.sqlite")
    assert dump(tmp_path / "mended.sqlite") == dump(template)


def columns(desk: Desk) -> str:
    """Return the columns of a review from its offset on."""
    names = [row[1] for row in sql(desk, "PRAGMA table_info(review)")]
    return ", ".join(names[names.index("utc_offset") :])


def test_an_answer_that_is_in_the_log_twice_counts_once(desk: Desk, template: Path, tmp_path: Path) -> None:
    """The second one is set aside, by name; without it the rows are as they were."""
    sql(desk, TWICE.format(columns=columns(desk)))
    ((newest,),) = sql(desk, "SELECT max(id) FROM review")
    (finding,) = found(desk)
    assert (finding.number, finding.cause) == (newest, Cause.COUNTED_TWICE)
    done = repair(desk, tmp_path / "mended.sqlite")
    assert done.dropped == [(FAMILY, newest)]
    numbering = f"INSERT INTO \"sqlite_sequence\" VALUES('review',{newest});"  # a number is not used again
    assert set(dump(tmp_path / "mended.sqlite")) - set(dump(template)) == {numbering}


def test_a_row_that_holds_nothing_is_set_aside_and_the_rest_is_replayed(desk: Desk, tmp_path: Path) -> None:
    """Without its rating and result, what came after cannot be right: its memory is that of the others."""
    where = nth(ONE, -2)
    ((row,),) = sql(desk, f"SELECT id FROM review WHERE {where}")
    sql(desk, f"UPDATE review SET rating = 0, after_stability = 'x', after_reps = 90 WHERE {where}")
    (finding,) = found(desk)
    assert (finding.number, finding.field, finding.cause) == (row, "rating", Cause.UNREADABLE)
    done = repair(desk, tmp_path / "mended.sqlite")
    assert done.dropped == [(ONE, row)]
    with closing(sqlite3.connect(tmp_path / "mended.sqlite")) as connection:
        ((reps,),) = connection.execute(f"SELECT reps FROM memory WHERE item = '{ONE}'").fetchall()
        ((reviews,),) = connection.execute(f"SELECT count(*) FROM review WHERE item = '{ONE}'").fetchall()
        ((answers,),) = connection.execute("SELECT sum(answers) FROM day_total").fetchall()
        ((log,),) = connection.execute("SELECT count(*) FROM review").fetchall()
    assert reps == reviews
    assert answers == log


def test_two_harms_are_two_lines(desk: Desk) -> None:
    """One in one item does not hide one in another."""
    sql(desk, HARMS["a stability"].statement, HARMS["a lapse"].statement)
    assert {(finding.item, finding.place) for finding in found(desk)} == {(ONE, "review"), (TWO, "memory")}


def test_the_line_says_what_is_stored_what_is_right_and_what_it_means(desk: Desk) -> None:
    """In words: the rating by its name, days as dates, and how much follows from it."""
    sql(desk, rated(ONE, 1, Rating.EASY))
    ((row,),) = sql(desk, f"SELECT id FROM review WHERE {nth(ONE, 1)}")
    (finding,) = found(desk)
    assert finding.message == (
        f"card:first/one, review {row}: rating is 4 (Easy), replayed 3 (Good); the rating was altered: its "
        "result, and what came after, are those of the other."
    )
    sql(desk, rated(ONE, 1, Rating.GOOD), f"UPDATE memory SET due_day = 739679 WHERE item = '{BLUE}'")
    sql(desk, f"UPDATE memory SET last_day = 739679 WHERE item = '{BLUE}'")
    (finding,) = found(desk)
    assert finding.message.startswith("card:second/blue, memory: last_day is 2026-03-04, replayed 2026-03-0")
    assert "(due_day differs too)" in finding.message


@pytest.mark.parametrize("rounded", ["after_stability * (1 + 1e-12)", "after_stability * (1 - 1e-12)"])
def test_the_last_bits_may_differ(desk: Desk, rounded: str) -> None:
    """Another machine may round a power otherwise; a millionth of a day is found (see above)."""
    sql(desk, f"UPDATE review SET after_stability = {rounded} WHERE {nth(ONE, 4)}")
    assert found(desk) == []


def test_a_profile_that_is_not_there_is_not_made(desk: Desk, tmp_path: Path) -> None:
    """There is nothing to prove, and nothing to repair."""
    desk.path.unlink()
    report = examine(desk)
    assert report.proved
    assert not desk.path.exists()
    with pytest.raises(StoreError, match="no profile yet"):
        repair(desk, tmp_path / "mended.sqlite")
    assert not (tmp_path / "mended.sqlite").exists()


def test_an_older_profile_is_upgraded_first(desk: Desk) -> None:
    """As by any other command, after a backup; its reviews name no rules, and the defaults prove them."""
    from alembic import command
    from alembic.config import Config

    desk.path.unlink()
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    first = Scheduler().review(BLUE, None, Rating.EASY, desk.clock())
    with create_engine(f"sqlite:///{desk.path}").connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0002")
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.exec_driver_sql("INSERT INTO profile VALUES ('salt', 'ab')")
        row = {name: value for name, value in review_columns(first, None, None).items() if name not in NEW}
        marks = ", ".join("?" * len(row))
        connection.exec_driver_sql(
            f"INSERT INTO review ({', '.join(row)}) VALUES ({marks})", (*row.values(),)
        )
        memory = {"item": BLUE, **memory_columns(first.after)}
        marks = ", ".join("?" * len(memory))
        names = ", ".join(memory)
        connection.exec_driver_sql(f"INSERT INTO memory ({names}) VALUES ({marks})", (*memory.values(),))
        connection.commit()
    report = examine(desk)
    assert report.proved
    assert (report.reviews, report.memories) == (1, 1)
    assert {check.name: check.state for check in report.checks}["backups"] == "ok"


def test_items_without_a_card_are_told_and_no_fault(desk: Desk) -> None:
    """Whoever deleted a card keeps what was learned of it."""
    sql(
        desk, *(f"UPDATE {table} SET item = 'card:first/gone' WHERE item = '{BLUE}'" for table in ("memory",))
    )
    sql(
        desk,
        *(
            f"UPDATE {table} SET item = 'card:first/gone' WHERE item = '{BLUE}'"
            for table in ("event", "review")
        ),
    )
    report = examine(desk)
    (decks,) = (check for check in report.checks if check.name == "decks")
    assert (decks.state, decks.message[:62]) == (
        "note",
        "1 item has a memory, but no card or family any more: card:firs",
    )


def _page_of(desk: Desk, name: str) -> int:
    ((page,),) = sql(desk, f"SELECT rootpage FROM sqlite_master WHERE name = '{name}'")
    return int(page)


def _spoil(desk: Desk, page: int, at: int = 0) -> None:
    ((size,),) = sql(desk, "PRAGMA page_size")
    with desk.path.open("rb+") as file:
        file.seek((page - 1) * size + at)
        file.write(b"\0" * (size - at))


def test_a_damaged_index_is_told_and_made_anew(desk: Desk, template: Path, tmp_path: Path) -> None:
    """The rows themselves can still be read, so a repair loses nothing."""
    _spoil(desk, _page_of(desk, "review_day"))
    report = examine(desk)
    assert not report.proved
    assert any(check.state == "wrong" and check.name == "file" for check in report.checks)
    repair(desk, tmp_path / "mended.sqlite")
    assert dump(tmp_path / "mended.sqlite") == dump(template)


def test_a_table_that_cannot_be_read_is_refused_in_one_line(desk: Desk, tmp_path: Path) -> None:
    """Then a backup is the way out, and no half of a profile is written."""
    _spoil(desk, _page_of(desk, "review"))
    assert not examine(desk).proved
    with pytest.raises(StoreError, match=r"damaged .* backup") as refused:
        repair(desk, tmp_path / "mended.sqlite")
    assert len(str(refused.value).splitlines()) == 1
    assert list(tmp_path.glob("*mended*")) == []


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("PRAGMA application_id = 7", "belongs to another program"),
        ("UPDATE alembic_version SET version_num = '9999'", "made by a newer studynorm"),
    ],
)
def test_a_file_that_is_not_ours_is_neither_judged_nor_repaired(
    desk: Desk, tmp_path: Path, statement: str, says: str
) -> None:
    """It is left as it is."""
    sql(desk, statement)
    before = desk.path.read_bytes()
    report = examine(desk)
    assert not report.proved
    assert report.findings == []
    assert any(says in check.message for check in report.checks)
    with pytest.raises(StoreError, match=says):
        repair(desk, tmp_path / "mended.sqlite")
    assert desk.path.read_bytes() == before


def test_a_repair_overwrites_nothing(desk: Desk, tmp_path: Path) -> None:
    """Neither a file nor a link that leads nowhere."""
    kept = tmp_path / "kept.sqlite"
    kept.write_text("mine", encoding="utf-8")
    link = tmp_path / "link.sqlite"
    link.symlink_to(tmp_path / "nowhere")
    for target in (kept, link):
        with pytest.raises(StoreError, match="exists already"):
            repair(desk, target)
    assert kept.read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "nowhere").exists()


def test_another_program_may_write_while_the_doctor_looks(desk: Desk) -> None:
    """What it writes is not seen, and it does not wait."""
    seen: list[int] = []

    def answer_elsewhere(done: int, total: int) -> None:
        if not seen:
            with Store.open(desk.path, busy_timeout_ms=100) as other:
                review = desk.scheduler.review("card:first/marks#var", None, Rating.GOOD, desk.clock())
                other.record(review)
        seen.append(total)

    report = examine(desk, answer_elsewhere)
    assert report.proved
    assert set(seen) == {report.reviews}
    assert examine(desk).reviews == report.reviews + 1


def test_progress_comes_to_the_whole_log(desk: Desk) -> None:
    """The last word is that all reviews are replayed."""
    told: list[tuple[int, int]] = []
    report = examine(desk, lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1] == (report.reviews, report.reviews)


def state_of(desk: Desk, name: str) -> tuple[str, str]:
    """Return what the doctor says of one thing."""
    (check,) = (check for check in examine(desk).checks if check.name == name)
    return check.state, check.message


def test_backups_disk_and_network_are_notes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """None of them is a fault of the profile, so the proof stands."""
    folder = desk.home.backups
    folder.mkdir()
    (folder / "default-2026-03-02.sqlite").write_bytes(desk.path.read_bytes())
    assert state_of(desk, "backups")[0] == "ok"
    (folder / "default-2026-03-01.sqlite").write_bytes(b"SQLite format 3\0 and no more")
    state, message = state_of(desk, "backups")
    assert state == "note"
    assert "default-2026-03-01.sqlite" in message
    monkeypatch.setattr("studynorm.study.doctor_place.network_filesystem", lambda path: "nfs4")
    assert state_of(desk, "disk")[0] == "note"
    assert "nfs4" in state_of(desk, "disk")[1]
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 1_000_000}))
    assert state_of(desk, "disk") == (
        "note",
        f"only 977 KiB are free at {desk.path.parent}; backups and upgrades may not fit",
    )
    assert examine(desk).proved
