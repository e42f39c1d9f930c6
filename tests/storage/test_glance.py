"""A profile seen without opening it: the right figures, nothing touched, nobody's locks dropped."""

import subprocess
import sys
from pathlib import Path

from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import Scheduler
from studynorm.scheduling.studyday import Moment
from studynorm.storage.glance import DaySummary, glance
from studynorm.storage.store import Store

NOON = Moment(1_772_452_800_000, 0, 739_677)


def reviewed(store: Store, item: str) -> None:
    """Store a first review, rated Easy."""
    store.record(Scheduler().review(item, None, Rating.EASY, NOON, duration_ms=1500))


def seen_outside(path: Path) -> int:
    """Return how many reviews another process finds in the profile; it opens it and closes it again."""
    program = (
        "import sqlite3, sys\n"
        "connection = sqlite3.connect(sys.argv[1])\n"
        "print(connection.execute('SELECT count(*) FROM review').fetchone()[0])\n"
        "connection.close()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_a_glance_agrees_with_the_store(tmp_path: Path) -> None:
    """Memories, the day's load and summary, and the next due day are what the Store says."""
    path = tmp_path / "p.sqlite"
    with Store.open(path) as store:
        for item in ("card:a/one", "card:a/marks#x", "family:batchnorm.entry"):
            reviewed(store, item)
        with glance(path) as seen:
            assert seen is not None
            assert seen.known_items() == store.known_items()
            items = sorted(store.known_items())
            assert seen.strengths([*items, "card:a/new"]) == dict.fromkeys(items, "young")
            assert seen.strengths_by_topic() == {"a": {"young": 2}, "batchnorm": {"young": 1}}
            assert seen.known_in("a") == {"card:a/one", "card:a/marks#x"}
            due = store.due_reviews(NOON.day + 60, 9)
            assert [memory.item for memory in due] == list(seen.due_items(NOON.day + 60))
            assert len(due) == 3
            assert seen.load(NOON.day) == store.day_load(NOON.day)
            assert seen.summary(NOON.day) == store.day_summary(NOON.day) == DaySummary(3, 3, 4500, 3)
            assert seen.summary(NOON.day - 1) == DaySummary(0, 0, 0, 0)
            assert seen.next_due_day(NOON.day) == store.next_due_day(NOON.day)


def test_a_profile_that_does_not_exist_is_empty_and_stays_absent(tmp_path: Path) -> None:
    """Looking makes no file and no folder."""
    with glance(tmp_path / "none" / "p.sqlite") as seen:
        assert seen is not None
        assert seen.known_items() == frozenset()
        assert not seen.strengths(["card:a/b"])
        assert not seen.strengths_by_topic()
        assert not seen.steps()
        assert seen.summary(NOON.day) == DaySummary(0, 0, 0, 0)
        assert seen.next_due_day(NOON.day) is None
    assert list(tmp_path.iterdir()) == []


def test_a_glance_at_an_open_profile_loses_nothing_of_it(tmp_path: Path) -> None:
    """After a look in the same process, another process comes and goes; later answers are still kept."""
    path = tmp_path / "p.sqlite"
    with Store.open(path) as store:
        reviewed(store, "card:a/one")
        with glance(path):
            pass
        assert seen_outside(path) == 1
        reviewed(store, "card:a/two")
        assert seen_outside(path) == 2
        assert path.with_name("p.sqlite-wal").exists()
    assert seen_outside(path) == 2


def test_a_second_store_in_the_process_loses_nothing_of_the_first(tmp_path: Path) -> None:
    """Opening peeks at the file, and closing ends one connection of two."""
    path = tmp_path / "p.sqlite"
    with Store.open(path) as store:
        reviewed(store, "card:a/one")
        Store.open(path).close()
        assert seen_outside(path) == 1
        reviewed(store, "card:a/two")
        assert seen_outside(path) == 2
