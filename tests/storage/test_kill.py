"""Programs that are killed lose nothing and tear nothing; `benchmarks.kill` does it 200 times."""

import random
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.kill import KILLED, faults_of
from studynorm.storage.store import Store
from tests.storage.test_backups import MakeReview

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")


@pytest.mark.parametrize("program", ["review", "daily backup"])
def test_a_kill_loses_and_tears_nothing(tmp_path: Path, program: str) -> None:
    """A review with undo, and the daily backup, each killed at three random points."""
    toll = KILLED[program](tmp_path, 3, random.Random(7))
    assert toll.kills == 3
    assert toll.acknowledged > 0
    assert toll.faults == []


@pytest.mark.parametrize(
    "spoil",
    ["UPDATE memory SET reps = reps + 1", "DELETE FROM memory", "UPDATE day_total SET answers = answers + 1"],
)
def test_what_a_kill_would_tear_is_seen(profile: Path, make_review: MakeReview, spoil: str) -> None:
    """The look at what is left finds a memory that is not its newest review's, a lost one, a wrong total."""
    with Store.open(profile) as store:
        store.record(make_review())
    assert faults_of(profile) == []
    with closing(sqlite3.connect(profile, isolation_level=None)) as connection:
        connection.execute(spoil)
    assert len(faults_of(profile)) == 1
