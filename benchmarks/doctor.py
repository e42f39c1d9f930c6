"""`python -m benchmarks.doctor`: the doctor on 1 000 000 reviews, sound and with five values altered."""

import resource
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from benchmarks.large import large_desk
from studynorm.study.desk import Desk
from studynorm.study.doctor import Report, examine

_REVIEW = (
    "UPDATE review SET {change} WHERE id = (SELECT id FROM review WHERE id > {after} AND rating = 3"
    " AND before_state = 'review' AND day > before_last_day AND after_reps > 4 ORDER BY id LIMIT 1)"
)
HARMS = {
    "rating": "rating = 4",
    "day": "day = day + 1",
    "after_stability": "after_stability = after_stability * 1.000001",
    "after_due_day": "after_due_day = after_due_day + 1",
}
"""What is altered in four reviews far apart; in a fifth item it is the due day of the memory."""


def harm(desk: Desk, reviews: int) -> None:
    """Alter one value in each of four reviews, and one memory."""
    with closing(sqlite3.connect(desk.path)) as connection:
        for place, change in enumerate(HARMS.values(), 3):
            connection.execute(_REVIEW.format(change=change, after=reviews * place // 10))
        connection.execute(
            "UPDATE memory SET due_day = due_day + 1 WHERE item = (SELECT item FROM memory"
            " WHERE due_day IS NOT NULL ORDER BY item DESC LIMIT 1)"
        )
        connection.commit()


def measured(desk: Desk, name: str) -> Report:
    """Examine a profile and print how long it took."""
    begun, cpu = time.monotonic(), time.process_time()
    report = examine(desk)
    wall, spent = time.monotonic() - begun, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(  # noqa: T201  printing is what this program is for
        f"{name}: {report.reviews} reviews and {report.memories} memories in {spent:.0f} s CPU, "
        f"{wall:.0f} s, {report.reviews / spent:.0f} reviews a second, {peak:.0f} MiB at most; "
        f"{'proved' if report.proved else f'{report.found} differences'}",
        *(f"\n  {finding.message}" for finding in report.findings),
        flush=True,
    )
    return report


def main() -> int:
    """Print both runs; the exit code says whether all was proved, and each harm found and nothing else."""
    items, reviews = 100_000, 1_000_000
    with (
        tempfile.TemporaryDirectory() as folder,
        large_desk(Path(folder), items=items, reviews=reviews) as desk,
    ):
        sound = measured(desk, "sound").proved
        harm(desk, reviews)
        found = sorted(finding.field for finding in measured(desk, "harmed").findings)
    return int(not (sound and found == sorted([*HARMS, "due_day"])))


if __name__ == "__main__":
    sys.exit(main())
