"""Study days across zones, clock changes and odd local times."""

import os
import subprocess
import sys
import time as time_module
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from studynorm.scheduling.studyday import Moment, day_start, moment_of


def utc(text: str) -> datetime:
    """Read a UTC time."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


TABLE = [
    # zone, instant (UTC), day starts at, local offset in minutes, study day
    ("UTC", "2026-05-02T03:59:59.999", 4, 0, "2026-05-01"),
    ("UTC", "2026-05-02T04:00", 4, 0, "2026-05-02"),
    ("Europe/Berlin", "2026-10-25T00:30", 4, 120, "2026-10-24"),  # 02:30, first pass
    ("Europe/Berlin", "2026-10-25T01:30", 4, 60, "2026-10-24"),  # 02:30, second pass
    ("Europe/Berlin", "2026-10-25T02:59", 4, 60, "2026-10-24"),  # 03:59
    ("Europe/Berlin", "2026-10-25T03:00", 4, 60, "2026-10-25"),  # 04:00
    ("Europe/Berlin", "2026-03-29T00:59", 4, 60, "2026-03-28"),  # 01:59
    ("Europe/Berlin", "2026-03-29T01:01", 4, 120, "2026-03-28"),  # 03:01
    ("Europe/Berlin", "2026-03-29T02:00", 4, 120, "2026-03-29"),  # 04:00
    ("Africa/Cairo", "2026-04-23T21:59", 0, 120, "2026-04-23"),  # 23:59
    ("Africa/Cairo", "2026-04-23T22:00", 0, 180, "2026-04-24"),  # 01:00, for 00:00 is skipped
    ("Asia/Kathmandu", "2026-05-01T22:15", 4, 345, "2026-05-02"),  # 04:00
    ("America/Sao_Paulo", "2026-05-02T06:59", 4, -180, "2026-05-01"),  # 03:59
    ("Pacific/Kiritimati", "2026-05-01T14:00", 4, 840, "2026-05-02"),  # 04:00
    ("Pacific/Pago_Pago", "2026-05-02T14:59", 4, -660, "2026-05-01"),  # 03:59
    ("Australia/Lord_Howe", "2026-04-04T14:59", 2, 660, "2026-04-04"),  # 01:59, and half an hour again
    ("Australia/Lord_Howe", "2026-04-04T15:15", 2, 630, "2026-04-04"),  # 01:45, second pass
    ("Australia/Lord_Howe", "2026-04-04T15:30", 2, 630, "2026-04-05"),  # 02:00
]


@pytest.mark.parametrize(("zone", "instant", "starts", "offset", "day"), TABLE)
def test_the_study_day_of_an_instant(zone: str, instant: str, starts: int, offset: int, day: str) -> None:
    """Each instant counts for the local day by the clock on the wall, with the offset of that instant."""
    moment = moment_of(utc(instant), ZoneInfo(zone), starts)
    expected = date.fromisoformat(day).toordinal()
    assert (moment.offset, moment.day) == (offset, expected)
    assert moment.at == round(utc(instant).timestamp() * 1000)


STARTS = [
    ("UTC", "2026-05-02", 4, "2026-05-02T04:00"),
    ("Europe/Berlin", "2026-10-25", 4, "2026-10-25T03:00"),
    ("Europe/Berlin", "2026-10-25", 2, "2026-10-25T00:00"),  # 02:00 comes twice: the first
    ("Europe/Berlin", "2026-03-29", 2, "2026-03-29T01:00"),  # 02:00 is skipped: the skip itself
    ("Africa/Cairo", "2026-04-24", 0, "2026-04-23T22:00"),  # 00:00 is skipped
    ("Africa/Cairo", "2026-04-24", 4, "2026-04-24T01:00"),
    ("Pacific/Apia", "2011-12-30", 4, "2011-12-30T10:00"),  # a whole local day is skipped
    ("Pacific/Kiritimati", "2026-05-02", 4, "2026-05-01T14:00"),
]


@pytest.mark.parametrize(("zone", "day", "starts", "instant"), STARTS)
def test_the_start_of_a_study_day(zone: str, day: str, starts: int, instant: str) -> None:
    """A study day starts at its local hour, also where that hour is missing or comes twice."""
    start = day_start(date.fromisoformat(day).toordinal(), ZoneInfo(zone), starts)
    assert start == utc(instant)
    assert start.utcoffset() is not None


ZONES = [
    "Europe/Berlin",
    "Africa/Cairo",
    "America/Sao_Paulo",
    "Asia/Kathmandu",
    "Pacific/Apia",
    "Australia/Lord_Howe",
]


@given(st.sampled_from(ZONES), st.dates(date(2005, 1, 2), date(2035, 1, 1)), st.integers(0, 23))
def test_days_start_where_moments_change_their_day(zone: str, day: date, starts: int) -> None:
    """The start of a day counts for that day and the millisecond before it for an earlier one."""
    assume((zone, day, starts) != ("Pacific/Apia", date(2011, 12, 30), 0))  # no instant belongs to that day
    here = ZoneInfo(zone)
    start = day_start(day.toordinal(), here, starts)
    assert moment_of(start, here, starts).day == day.toordinal()
    assert moment_of(start - timedelta(milliseconds=1), here, starts).day < day.toordinal()


@given(st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1)), st.integers(-14 * 60, 14 * 60))  # noqa: DTZ001
def test_a_moment_is_the_instant_not_the_way_it_was_written(naive: datetime, minutes: int) -> None:
    """The same instant written in any zone gives the same moment, in whole milliseconds rounded down."""
    instant = naive.replace(tzinfo=UTC)
    written = instant.astimezone(timezone(timedelta(minutes=minutes)))
    moment = moment_of(written, ZoneInfo("Europe/Berlin"))
    assert moment == moment_of(instant, ZoneInfo("Europe/Berlin"))
    assert moment.at == (instant - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def test_a_time_without_a_zone_is_refused() -> None:
    """A naive time names no instant, so it is refused rather than guessed."""
    with pytest.raises(ValueError, match="naive"):
        moment_of(datetime(2026, 5, 2, 12))  # noqa: DTZ001


def test_moments_sort_by_instant() -> None:
    """Moments sort by their instant first, whatever the local offset was."""
    assert sorted([Moment(5, -60, 1), Moment(3, 120, 2)])[0].at == 3


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("Asia/Tokyo", "540 2026-05-02 2026-05-01T19:00:00+00:00"),
        ("Europe/Berlin", "120 2026-05-01 2026-05-01T02:00:00+00:00"),
        ("Pacific/Kiritimati", "840 2026-05-02 2026-05-01T14:00:00+00:00"),
        ("Africa/Cairo", "180 2026-05-01 2026-05-01T01:00:00+00:00"),
        ("Nowhere/None", "0 2026-05-01 2026-05-01T04:00:00+00:00"),
    ],
)
def test_without_a_zone_the_system_decides(zone: str, expected: str) -> None:
    """The system's zone is asked at the instant itself; an unknown one counts as UTC."""
    program = (
        "from datetime import *\n"
        "from studynorm.scheduling.studyday import *\n"
        "m = moment_of(datetime(2026, 5, 1, 20, tzinfo=UTC))\n"
        "print(m.offset, date.fromordinal(m.day), day_start(m.day).astimezone(UTC).isoformat())\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "TZ": zone},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == expected


def test_the_missing_midnight_of_the_system_zone() -> None:
    """With the system in Cairo, the study day of the missing midnight starts at the skip."""
    program = (
        "from datetime import *\n"
        "from studynorm.scheduling.studyday import *\n"
        "print(day_start(date(2026, 4, 24).toordinal(), None, 0).isoformat())\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "TZ": "Africa/Cairo"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == "2026-04-24T01:00:00+03:00"


def test_a_system_zone_that_cannot_be_counts_as_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """`TZ=UTC+25` is beyond a day: the study day is that of UTC, and nothing fails."""
    monkeypatch.setenv("TZ", "UTC+25")
    time_module.tzset()
    try:
        noon = datetime(2026, 3, 2, 12, tzinfo=UTC)
        assert moment_of(noon) == moment_of(noon, UTC)
        assert day_start(moment_of(noon).day).astimezone(UTC) == datetime(2026, 3, 2, 4, tzinfo=UTC)
    finally:
        monkeypatch.delenv("TZ")
        time_module.tzset()
