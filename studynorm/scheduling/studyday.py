"""Study days: which local day an instant counts for, and when that day begins.

The one place where instants, zones and day numbers meet; everything else handles integers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo

DAY_STARTS_AT = 4  # local hour

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_MINUTE = timedelta(minutes=1)
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """An instant as a review stores it.

    `at`: UTC milliseconds since 1970. `offset`: minutes east of UTC, local, at that instant.
    `day`: the study day, `date.toordinal()` of the local wall time less the hour at which the day starts.
    """

    at: int
    offset: int
    day: int


Clock = Callable[[], Moment]


def moment_of(utc: datetime, zone: tzinfo | None = None, day_starts_at: int = DAY_STARTS_AT) -> Moment:
    """Return the moment of an aware datetime in `zone` (None: the system's zone at that instant).

    Raises ValueError for a naive datetime.
    """
    if utc.utcoffset() is None:
        raise ValueError(f"a naive time ({utc.isoformat()}) has no instant; pass one with a zone")
    local = _in_zone(utc.astimezone(UTC), zone)
    wall = local.replace(tzinfo=None)
    return Moment(
        at=(utc - _EPOCH) // _MILLISECOND,
        offset=(local.utcoffset() or timedelta()) // _MINUTE,
        day=(wall - timedelta(hours=day_starts_at)).toordinal(),
    )


def day_start(day: int, zone: tzinfo | None = None, day_starts_at: int = DAY_STARTS_AT) -> datetime:
    """Return the first instant of a study day in `zone` (None: the system's zone), with its offset then.

    Where the clocks skip the starting hour, that is the instant of the skip; where they repeat it, the
    first pass.
    """
    wall = datetime.combine(date.fromordinal(day), time(day_starts_at))
    start = _instant(wall, zone, fold=0)
    if _wall(start, zone) != wall:  # the wall time does not exist: look for the skip itself
        before, start = sorted((start, _instant(wall, zone, fold=1)))
        while start - before > _SECOND:
            middle = before + (start - before) // _SECOND // 2 * _SECOND
            if _wall(middle, zone) < wall:
                before = middle
            else:
                start = middle
    local = _in_zone(start, zone)
    return local.replace(tzinfo=timezone(local.utcoffset() or timedelta()), fold=0)


def _instant(wall: datetime, zone: tzinfo | None, fold: int) -> datetime:
    try:
        return wall.replace(tzinfo=zone, fold=fold).astimezone(UTC)
    except ValueError:
        if zone is not None:
            raise
        return wall.replace(tzinfo=UTC)


def _wall(instant: datetime, zone: tzinfo | None) -> datetime:
    return _in_zone(instant, zone).replace(tzinfo=None, fold=0)


def _in_zone(instant: datetime, zone: tzinfo | None) -> datetime:
    """Return an instant in a zone; where the system's is none that can be, such as `TZ=UTC+25`, in UTC."""
    try:
        return instant.astimezone(zone)
    except ValueError:
        if zone is not None:
            raise
        return instant.astimezone(UTC)
