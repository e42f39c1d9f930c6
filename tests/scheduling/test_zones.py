"""Zones, changes of the clock and journeys, through sessions into a profile, and through the real program."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from studynorm.content.library import load_library
from studynorm.scheduling.memory import Memory
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import Moment, moment_of
from studynorm.storage.home import Home
from studynorm.storage.store import Store
from studynorm.study.catalogue import build_catalogue
from studynorm.study.desk import Desk
from studynorm.study.doctor import examine
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt, Done
from tests.cli.conftest import Program, home, program
from tests.conftest import SAMPLE

__all__ = ["home", "program"]

ONE, TWO, MEAN, VAR, RED, BLUE = (
    "card:first/one",
    "card:first/two",
    "card:first/marks#mean",
    "card:first/marks#var",
    "card:second/red",
    "card:second/blue",
)
G, E = Rating.GOOD, Rating.EASY


@dataclass
class Place:
    """A clock that is carried around; called, it gives the moment by the local time of where it is."""

    zone: str
    utc: datetime
    starts: int = 4

    def __call__(self) -> Moment:
        return moment_of(self.utc, ZoneInfo(self.zone), self.starts)

    def local(self, text: str, fold: int = 0) -> None:
        """Go to a local date and time."""
        wall = datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(self.zone), fold=fold)
        self.utc = wall.astimezone(UTC)


@pytest.fixture
def place() -> Place:
    """A clock in UTC, in January 2026."""
    return Place("UTC", datetime(2026, 1, 5, 9, tzinfo=UTC))


@pytest.fixture
def desk(tmp_path: Path, place: Place) -> Iterator[Desk]:
    """A desk whose clock is carried around."""
    home_ = Home(tmp_path / "carried")
    catalogue = build_catalogue(load_library(SAMPLE, None), [])
    with Desk(home_, Store.open(home_.profile_file("default")), catalogue, Settings(), place) as opened:
        yield opened


def answer(desk: Desk, item: str, rating: Rating = G) -> Memory:
    """Answer one item in a session of its own; give what is remembered."""
    session = StudySession(
        desk.store, desk.catalogue, desk.scheduler, desk.settings, desk.clock, ticks=lambda: 0.0, items=[item]
    )
    assert isinstance(session.situation, CardPrompt)
    session.reveal()
    assert session.answer(rating)
    memory = desk.store.memory(item)
    assert memory is not None
    return memory


def totals(desk: Desk) -> dict[str, int]:
    """Return how many answers each study day counts, in the order of days."""
    with closing(sqlite3.connect(desk.path)) as connection:
        rows = connection.execute("SELECT day, sum(answers) FROM day_total GROUP BY day ORDER BY day")
        return {date.fromordinal(day).isoformat(): count for day, count in rows}


def never_due_before_the_newest(desk: Desk) -> None:
    """Check every memory, and that the doctor proves all of them."""
    for memory in desk.store.upkeep.memories():
        if memory.due_day is not None:
            assert memory.due_day > memory.last_day
        else:
            assert memory.due_at is not None
            assert memory.due_at > memory.last_at
    report = examine(desk)
    assert report.proved, [finding.message for finding in report.findings]


# Zone, a first local day, the hour at which days start, and what lies within the week from that day on.
JOURNALS = [
    ("Pacific/Niue", "2026-03-25", 4, "nothing: 11 hours west"),
    ("America/Sao_Paulo", "2026-10-14", 4, "nothing since 2019: 3 hours west"),
    ("America/New_York", "2026-03-04", 4, "an hour lost on 8 March at 02:00"),
    ("America/New_York", "2026-10-28", 4, "an hour gained on 1 November"),
    ("Europe/Berlin", "2026-03-25", 4, "an hour lost on 29 March at 02:00"),
    ("Europe/Berlin", "2026-10-21", 4, "an hour gained on 25 October"),
    ("Europe/Berlin", "2026-03-25", 2, "the hour that is lost is the one at which days start"),
    ("Europe/Berlin", "2026-10-21", 2, "the hour at which days start comes twice"),
    ("Africa/Cairo", "2026-04-20", 0, "the midnight that does not exist, of 24 April, begins a day"),
    ("Africa/Cairo", "2026-04-20", 4, "midnight of 24 April does not exist"),
    ("Africa/Cairo", "2026-10-26", 0, "an hour gained at midnight of 30 October"),
    ("Asia/Kathmandu", "2026-06-01", 4, "nothing: 5:45 east"),
    ("Australia/Lord_Howe", "2026-04-01", 4, "half an hour gained on 5 April"),
    ("Australia/Lord_Howe", "2026-10-01", 4, "half an hour lost on 4 October"),
    ("Pacific/Kiritimati", "2026-12-28", 4, "nothing: 14 hours east"),
]


@pytest.mark.parametrize(
    ("zone", "first", "starts"),
    [journal[:3] for journal in JOURNALS],
    ids=[f"{zone}-{first}-{starts}" for zone, first, starts, _ in JOURNALS],
)
def test_no_study_day_is_lost_or_double(desk: Desk, place: Place, zone: str, first: str, starts: int) -> None:
    """One answer in the morning and one in the last minute of each study day: two a day, past days stay."""
    place.zone, place.starts = zone, starts
    begin = date.fromisoformat(first)
    wanted: dict[str, int] = {}
    for number in range(7):
        day, items = begin + timedelta(days=number), (ONE, TWO)
        last = datetime.combine(day + timedelta(days=starts > 0), datetime.min.time())
        last = last.replace(hour=(starts - 1) % 24, minute=59)
        for item, wall in zip(items, (f"{day} 09:30", last.isoformat(" ")), strict=True):
            place.local(wall, fold=1)
            memory = answer(desk, item)
            assert memory.last_day == day.toordinal()
        wanted[day.isoformat()] = 2
        assert totals(desk) == wanted
    never_due_before_the_newest(desk)


def test_both_changes_of_berlin(desk: Desk, place: Place) -> None:
    """B15: the same local time twice in October, a missing hour in March; offsets are those of the moment."""
    place.zone = "Europe/Berlin"
    for utc, offset, day, item in (
        ("2026-03-29T00:59:00", 60, "2026-03-28", ONE),  # 01:59
        ("2026-03-29T01:01:00", 120, "2026-03-28", TWO),  # 03:01
        ("2026-03-29T02:00:00", 120, "2026-03-29", RED),  # 04:00
        ("2026-10-25T00:30:00", 120, "2026-10-24", BLUE),  # 02:30
        ("2026-10-25T01:30:00", 60, "2026-10-24", MEAN),  # 02:30 again
        ("2026-10-25T03:00:00", 60, "2026-10-25", VAR),  # 04:00
    ):
        place.utc = datetime.fromisoformat(utc).replace(tzinfo=UTC)
        answer(desk, item, E)
        review = desk.store.last_review(date.fromisoformat(day).toordinal())
        assert review is not None
        assert (review.item, review.moment.offset) == (item, offset)
    counted = {"2026-03-28": 2, "2026-03-29": 1, "2026-10-24": 2, "2026-10-25": 1}
    for later in ("2026-07-01 12:00", "2026-12-01 12:00"):  # seen in the other half of the year
        place.local(later)
        assert totals(desk) == counted
    never_due_before_the_newest(desk)


def test_a_journey_within_a_day(desk: Desk, place: Place) -> None:
    """B56: Tokyo, Berlin and Kiritimati within 24 hours; what is due follows the place, past days stay."""
    place.zone = "Asia/Tokyo"
    place.local("2026-05-01 22:00")
    assert answer(desk, ONE, E).last_day == date(2026, 5, 1).toordinal()
    place.zone = "Europe/Berlin"  # 8 hours later, and only one by the clock on the wall
    place.local("2026-05-01 23:00")
    assert answer(desk, TWO, E).last_day == date(2026, 5, 1).toordinal()
    place.zone = "Pacific/Kiritimati"  # 12:00 of the next day there
    place.utc += timedelta(hours=1)
    assert place().offset == 14 * 60
    assert answer(desk, RED, E).last_day == date(2026, 5, 2).toordinal()
    assert totals(desk) == {"2026-05-01": 2, "2026-05-02": 1}
    place.zone = "America/Sao_Paulo"  # the day before again
    place.utc += timedelta(hours=1)
    assert answer(desk, BLUE, E).last_day == date(2026, 5, 1).toordinal()
    assert totals(desk) == {"2026-05-01": 3, "2026-05-02": 1}
    never_due_before_the_newest(desk)


def test_what_is_due_follows_the_place(desk: Desk, place: Place) -> None:
    """Due on 9 May: that begins in Kiritimati on the 8th at 14:00 UTC, in Tokyo at 19:00, in Niue last."""
    place.zone = "UTC"
    place.local("2026-05-01 12:00")
    memory = answer(desk, ONE, E)
    desk.store.upkeep.set_due([ONE], date(2026, 5, 9).toordinal(), place())
    assert memory.due_day is not None
    for utc, due_in in (
        ("2026-05-08T13:59", ()),
        ("2026-05-08T14:00", ("Pacific/Kiritimati",)),
        ("2026-05-08T18:59", ("Pacific/Kiritimati",)),
        ("2026-05-08T19:00", ("Pacific/Kiritimati", "Asia/Tokyo")),
        ("2026-05-09T14:59", ("Pacific/Kiritimati", "Asia/Tokyo")),
        ("2026-05-09T15:00", ("Pacific/Kiritimati", "Asia/Tokyo", "Pacific/Niue")),
    ):
        place.utc = datetime.fromisoformat(utc).replace(tzinfo=UTC)
        for zone in ("Pacific/Kiritimati", "Asia/Tokyo", "Pacific/Niue"):
            place.zone = zone
            assert desk.store.count_due_reviews(place().day) == (zone in due_in), (utc, zone)


def test_an_answer_west_of_the_last_counts_for_the_newest_day(desk: Desk, place: Place) -> None:
    """The same item in Kiritimati and two hours later in Niue, a day before: never due before it was seen."""
    place.zone = "Pacific/Kiritimati"
    place.local("2026-05-02 09:00")
    east = answer(desk, ONE, E)
    place.zone = "Pacific/Niue"
    place.utc += timedelta(hours=2)
    assert place().day == date(2026, 5, 1).toordinal()
    west = answer(desk, ONE, G)
    assert west.last_day == east.last_day == date(2026, 5, 2).toordinal()
    assert totals(desk) == {"2026-05-01": 1, "2026-05-02": 1}
    never_due_before_the_newest(desk)


@pytest.mark.parametrize("back", [timedelta(minutes=5), timedelta(hours=30), timedelta(days=400)], ids=str)
def test_a_clock_set_back_and_forward(desk: Desk, place: Place, back: timedelta) -> None:
    """Answers go on from the newest one, days that were counted stay, and right time makes right again."""
    place.local("2026-03-02 12:00")
    right = answer(desk, ONE, E)
    answer(desk, TWO)
    counted = totals(desk)
    place.utc -= back
    wrong = answer(desk, ONE)
    assert (wrong.last_at, wrong.last_day) == (right.last_at, right.last_day)
    assert answer(desk, TWO).due_at is None  # the step led to Review
    assert totals(desk)["2026-03-02"] >= counted["2026-03-02"]
    never_due_before_the_newest(desk)
    place.local("2026-03-20 12:00")
    assert answer(desk, ONE).last_day == date(2026, 3, 20).toordinal()
    assert totals(desk)["2026-03-20"] == 1
    place.utc += timedelta(days=3650)  # ten years ahead by mistake
    ahead = answer(desk, ONE)
    place.utc -= timedelta(days=3649)
    again = answer(desk, ONE)
    assert again.last_day == ahead.last_day
    never_due_before_the_newest(desk)


def test_the_day_that_begins_at_a_missing_midnight(desk: Desk, place: Place) -> None:
    """In Cairo 00:00 of 24 April 2026 does not exist: the session sees the 24th from 01:00 on."""
    place.zone, place.starts = "Africa/Cairo", 0
    place.utc = datetime(2026, 4, 23, 21, 59, 59, tzinfo=UTC)
    assert answer(desk, ONE).last_day == date(2026, 4, 23).toordinal()
    place.utc += timedelta(seconds=1)
    assert place.utc.astimezone(ZoneInfo("Africa/Cairo")).hour == 1
    assert answer(desk, TWO).last_day == date(2026, 4, 24).toordinal()
    place.utc += timedelta(minutes=10)
    session = StudySession(
        desk.store, desk.catalogue, desk.scheduler, desk.settings, place, ticks=lambda: 0.0
    )
    assert not isinstance(session.situation, Done)
    assert session.situation.item == ONE  # its step of ten minutes is due
    never_due_before_the_newest(desk)


# -- the real program --------------------------------------------------------------------------------


def newest(path: Path) -> Mapping[str, Any]:
    """Return the newest row of the log."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        row: sqlite3.Row = connection.execute("SELECT * FROM review ORDER BY id DESC LIMIT 1").fetchone()
        return dict(row)


def is_of(row: Mapping[str, Any], zone: str) -> bool:
    """Tell whether a review has the offset and the study day of a zone at its time, reckoned by hand."""
    wall = datetime.fromtimestamp(row["at"] / 1000, ZoneInfo(zone))
    offset = (wall.utcoffset() or timedelta()) // timedelta(minutes=1)
    day = (wall.replace(tzinfo=None) - timedelta(hours=4)).date().toordinal()
    return (row["utc_offset"], row["day"]) == (offset, day)


CARD = "card:batchnorm/forward-pass"


@pytest.mark.parametrize("zone", ["America/Sao_Paulo", "Asia/Kathmandu"])
def test_two_reviews_of_a_card_with_a_restart_between(
    program: Callable[..., Any], home: Path, zone: str
) -> None:
    """B13: stored in UTC with the offset of the zone, and due in local time."""
    ask = ("review", "--plain", "--item", CARD)
    for typed in ("\n3\n", "\n4\n"):
        done = program(*ask, typed=typed, env={"TZ": zone})
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        row = newest(Home(home).profile_file("default"))
        assert row["item"] == CARD
        assert is_of(row, zone)
        assert abs(row["at"] / 1000 - datetime.now(UTC).timestamp()) < 120
    assert row["before_reps"] == 1
    assert row["after_due_day"] > row["day"]


def test_the_program_on_a_journey(program: Program, home: Path) -> None:
    """B56: Tokyo, Berlin, Kiritimati and a zone that is none on one profile: past days stay."""
    before: dict[int, int] = {}
    cards = ("forward-pass", "epsilon-place", "forward-pass", "epsilon-place")
    zones = ("Asia/Tokyo", "Europe/Berlin", "Pacific/Kiritimati", "Nowhere/None")
    for zone, card in zip(zones, cards, strict=True):
        ask = ("review", "--plain", "--item", f"card:batchnorm/{card}")
        done = program(*ask, typed="\n4\n", env={"TZ": zone})
        assert done.returncode == 0, done.stderr
        assert ("names no time zone" in done.stderr) == (zone == "Nowhere/None")
        path = Home(home).profile_file("default")
        row = newest(path)
        assert is_of(row, "UTC" if zone == "Nowhere/None" else zone)
        with closing(sqlite3.connect(path)) as connection:
            counted = dict(connection.execute("SELECT day, sum(answers) FROM day_total GROUP BY day"))
        assert {day: counted[day] for day in before if day != row["day"]} == {
            day: count for day, count in before.items() if day != row["day"]
        }
        before = counted
    proof = program("doctor", "--json", env={"TZ": "Europe/Berlin"})
    assert json.loads(proof.stdout)["proved"] is True
    assert sum(before.values()) == 4
