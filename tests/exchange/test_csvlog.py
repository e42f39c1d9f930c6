"""The log as CSV: the columns that FSRS optimizers read, one line for each review, nothing left empty."""

import csv
import io
import sqlite3
from contextlib import closing
from datetime import date
from hashlib import blake2b
from pathlib import Path

import pytest

from studynorm.exchange.csvlog import Written, card_number, write_csv
from studynorm.storage.snapshot import snapshot
from tests.study.lived import ONE, RED, TWO, lived


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile in which everything has happened."""
    path = tmp_path_factory.mktemp("lived") / "profile.sqlite"
    lived(path)
    return path


def written(path: Path) -> tuple[str, Written]:
    """Return the text of an export, and what it says of itself."""
    out = io.StringIO()
    with snapshot(path) as shot:
        assert shot is not None
        report = write_csv(shot, out)
    return out.getvalue(), report


def lines(path: Path) -> list[dict[str, str]]:
    """Return the reviews of an export."""
    return list(csv.DictReader(io.StringIO(written(path)[0])))


def test_the_columns_are_those_of_a_revlog(profile: Path) -> None:
    """As the README of fsrs-optimizer names them, in this order, and ours after them."""
    text, _ = written(profile)
    assert text.partition("\n")[0] == (
        "card_id,review_time,review_rating,review_state,review_duration,"
        "item,study_day,utc_offset,stability,difficulty,due"
    )
    assert "\r" not in text


def test_every_review_is_a_line_in_the_order_of_the_log(profile: Path) -> None:
    """With the values that SQLite has; states are 0 New, 1 Learning, 2 Review, 3 Relearning, before it."""
    states = {None: 0, "learning": 1, "review": 2, "relearning": 3}
    with closing(sqlite3.connect(profile)) as connection:
        stored = connection.execute(
            "SELECT item, at, rating, before_state, duration_ms, day, utc_offset, after_stability,"
            " after_difficulty FROM review ORDER BY id"
        ).fetchall()
    read = lines(profile)
    assert [
        (
            line["item"],
            int(line["review_time"]),
            int(line["review_rating"]),
            int(line["review_state"]),
            int(line["review_duration"]),
            date.fromisoformat(line["study_day"]).toordinal(),
            int(line["utc_offset"]),
            float(line["stability"]),
            float(line["difficulty"]),
        )
        for line in read
    ] == [(item, at, rating, states[state], *rest) for item, at, rating, state, *rest in stored]
    assert {line["review_state"] for line in read} == {"0", "1", "2", "3"}


def test_a_due_day_is_a_date_and_a_step_an_instant(profile: Path) -> None:
    """The first Good, on 2 March 2026 at 09:11 UTC, leads to ten minutes, the second to two days."""
    first, second = [line for line in lines(profile) if line["item"] == ONE][:2]
    assert first["due"] == "2026-03-02T09:21:00.000+00:00"
    assert second["due"] == "2026-03-04"


def test_no_field_is_empty(profile: Path) -> None:
    """An optimizer built on pandas drops every row with an empty one."""
    assert all(value for line in lines(profile) for value in line.values())


def test_what_was_forgotten_begins_anew_under_the_same_number(profile: Path) -> None:
    """The state 0 marks where an item was new again."""
    for item in (TWO, RED):
        found = [line for line in lines(profile) if line["item"] == item]
        assert [line["review_state"] for line in found].count("0") == 2
        assert len({line["card_id"] for line in found}) == 1


def test_the_number_of_a_card_hangs_on_its_id_alone() -> None:
    """The first 53 bits of BLAKE2b, so that a float holds it too; 100 000 ids have as many numbers."""
    digest = blake2b(b"card:batchnorm/forward-pass", digest_size=8).hexdigest()
    assert card_number("card:batchnorm/forward-pass") == int(digest, 16) // 2**11
    numbers = {card_number(f"card:deck/card-{n}") for n in range(100_000)}
    assert len(numbers) == 100_000
    assert all(int(float(number)) == number for number in list(numbers)[:1000])


def test_no_field_begins_a_formula(profile: Path) -> None:
    """A spreadsheet computes what begins with = + - or @; ids begin with their kind, numbers are numbers."""
    for line in lines(profile):
        assert line["item"].startswith(("card:", "family:"))
        for name in set(line) - {"item", "study_day", "due"}:
            float(line[name])


@pytest.mark.parametrize(
    "change", ["rating = 9", "rating = 'good'", "day = 99999999", "at = 'noon'", "before_state = 'asleep'"]
)
def test_a_damaged_review_is_left_out_and_counted(profile: Path, tmp_path: Path, change: str) -> None:
    """The others are there."""
    spoilt = tmp_path / "spoilt.sqlite"
    spoilt.write_bytes(profile.read_bytes())
    with closing(sqlite3.connect(spoilt)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(f"UPDATE review SET {change} WHERE id = 3")
        connection.commit()
    _, whole = written(profile)
    _, report = written(spoilt)
    assert whole.left_out == 0
    assert (report.reviews, report.left_out) == (whole.reviews - 1, 1)
