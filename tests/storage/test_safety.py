"""Other processes, crashes, full disks, missing permissions: what was acknowledged is kept, and only that."""

import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from studynorm.scheduling.memory import Review
from studynorm.storage.store import Busy, Store

DAY = 740_000  # the study day of the reviews
MakeReview = Callable[..., Review]

PRELUDE = """
import os, resource, sys
from pathlib import Path
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import Scheduler
from studynorm.scheduling.studyday import Moment
from studynorm.storage.store import StaleReview, Store, StoreError

scheduler = Scheduler()

def review(n, ms=0):
    return scheduler.review(f"card:a/{n}", None, Rating.GOOD, Moment(ms, 0, 740_000))

path = Path(sys.argv[1])
"""


def start(program: str, path: Path) -> subprocess.Popen[str]:
    """Start a child process that speaks in lines."""
    return subprocess.Popen(
        [sys.executable, "-c", PRELUDE + program, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def say(child: subprocess.Popen[str]) -> None:
    """Send a line."""
    assert child.stdin is not None
    child.stdin.write("\n")
    child.stdin.flush()


def hear(child: subprocess.Popen[str]) -> str:
    """Wait for a line."""
    assert child.stdout is not None
    return child.stdout.readline().strip()


def end(child: subprocess.Popen[str]) -> None:
    """Kill a child as `kill -9` does and clean up."""
    child.send_signal(signal.SIGKILL)
    child.wait()
    for pipe in (child.stdin, child.stdout):
        assert pipe is not None
        pipe.close()


ANSWERING = """
store = Store.open(path)
print("ready", flush=True)
for n in range(10_000):
    if len(sys.argv) == 2:
        sys.stdin.readline()
    store.record(review(n, n))
    print(n, flush=True)
"""


def test_killed_between_answers(profile: Path) -> None:
    """Killed with -9 after the fifth answer, a restart shows exactly five and undo takes back the fifth."""
    child = start(ANSWERING, profile)
    assert hear(child) == "ready"
    for n in range(5):
        say(child)
        assert hear(child) == str(n)
    end(child)
    with Store.open(profile) as store:
        assert store.known_items() == {f"card:a/{n}" for n in range(5)}
        assert store.day_summary(DAY).answers == 5
        undone = store.undo(DAY)
        assert undone is not None
        assert undone.item == "card:a/4"
        assert store.day_summary(DAY).answers == 4


@pytest.mark.parametrize("acknowledged", [1, 7, 30])
def test_killed_amid_answers(profile: Path, acknowledged: int) -> None:
    """Killed while answering at full speed, every acknowledged answer is there and the file is whole."""
    child = start(ANSWERING.replace("len(sys.argv) == 2", "False"), profile)
    assert hear(child) == "ready"
    for _ in range(acknowledged):
        last = int(hear(child))
    child.send_signal(signal.SIGKILL)
    assert child.stdout is not None
    for line in child.stdout.read().split():
        last = int(line)
    end(child)
    with Store.open(profile) as store:
        answers = store.day_summary(DAY).answers
        assert answers in (last + 1, last + 2)  # the last one may be kept and not yet acknowledged
        assert store.known_items() == {f"card:a/{n}" for n in range(answers)}
    with closing(sqlite3.connect(profile)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_two_processes_grade_the_same_card(profile: Path) -> None:
    """Of two processes that record the same card at once one wins; the other is told and adds nothing."""
    program = (
        "store = Store.open(path)\nprint('ready', flush=True)\nsys.stdin.readline()\n"
        "try:\n    store.record(review(1, os.getpid()))\n    print('kept', flush=True)\n"
        "except StaleReview:\n    print('stale', flush=True)\n"
    )
    Store.open(profile).close()
    children = [start(program, profile) for _ in range(2)]
    for child in children:
        assert hear(child) == "ready"
    for child in children:
        say(child)
    assert sorted(hear(child) for child in children) == ["kept", "stale"]
    for child in children:
        end(child)
    with Store.open(profile) as store:
        assert store.day_summary(DAY).answers == 1


@pytest.fixture
def held(profile: Path) -> Iterator[sqlite3.Connection]:
    """Hold the write lock of an existing profile as another program would."""
    Store.open(profile).close()
    with closing(sqlite3.connect(profile, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield connection


def test_a_held_lock_is_waited_for_and_then_named(
    profile: Path, held: sqlite3.Connection, make_review: MakeReview
) -> None:
    """While another holds the lock, opening and reading work; writing says so and keeps nothing."""
    with Store.open(profile, busy_timeout_ms=50) as store:
        assert store.due_reviews(DAY, 5) == ()
        assert store.day_load(DAY).new == 0
        for _ in range(2):
            with pytest.raises(Busy, match=r"default\.sqlite is being written by another program"):
                store.record(make_review())
        with pytest.raises(Busy):
            store.undo(DAY)
        assert store.memory("card:a/b") is None
        held.execute("COMMIT")
        store.record(make_review())
        assert store.memory("card:a/b") is not None


def test_naming_the_weights_needs_no_write_lock(profile: Path, make_review: MakeReview) -> None:
    """A session begins while another program writes; the weights are kept with its first review."""
    Store.open(profile).close()
    with closing(sqlite3.connect(profile, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with Store.open(profile, busy_timeout_ms=50) as store:
            store.remember_weights("FSRS-6", [1.0, 2.0])
            other.execute("COMMIT")
            store.record(make_review())
        assert other.execute('SELECT model, "values" FROM weights').fetchall() == [("FSRS-6", "[1.0, 2.0]")]


def test_a_full_disk_loses_only_the_open_answer(profile: Path) -> None:
    """When no more bytes fit, the answer is refused in one line; earlier ones stay and later ones work."""
    program = """
store = Store.open(path)
kept = 0
for n in range(3):
    store.record(review(n, n))
    kept += 1
size = os.path.getsize(f"{path}-wal")
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 2000, hard))
for n in range(3, 6):
    try:
        store.record(review(n, n))
        print("kept")
    except StoreError as error:
        print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
store.record(review(6, 6))
print(sorted(store.known_items()), flush=True)
"""
    child = start(program, profile)
    out, _ = child.communicate(timeout=60)
    assert child.returncode == 0
    lines = out.strip().splitlines()
    assert all(line.startswith(f"{profile} could not be written") for line in lines[:3])
    assert lines[3:] == ["['card:a/0', 'card:a/1', 'card:a/2', 'card:a/6']"]
    with Store.open(profile) as store:
        assert store.day_summary(DAY).answers == 4


def test_a_full_disk_at_the_very_start(profile: Path) -> None:
    """A profile that could not be made is made by the next start."""
    program = """
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
try:
    Store.open(path)
except StoreError as error:
    print(error, flush=True)
"""
    child = start("import alembic.command\n" + program, profile)
    out, _ = child.communicate(timeout=60)
    assert child.returncode == 0
    assert out.startswith(f"{profile} could not be written")
    assert out.count("\n") == 1
    with Store.open(profile) as store:
        assert store.known_items() == frozenset()


AS_NOBODY = """
import alembic.command, logging.config, mako.template, sqlalchemy.dialects.sqlite
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    Store.open(path)
    print("opened", flush=True)
except StoreError as error:
    print(f"{type(error).__name__}: {error}", flush=True)
"""


@pytest.fixture
def public_home() -> Iterator[Path]:
    """Return a home folder that every user may enter."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        home.chmod(0o755)
        yield home
        for path in sorted(home.rglob("*")):
            path.chmod(0o755)


@pytest.mark.parametrize("exists", [True, False], ids=["existing", "absent"])
@pytest.mark.parametrize("locked", ["folder", "file"])
def test_a_folder_without_permission(
    public_home: Path, make_review: MakeReview, exists: bool, locked: str
) -> None:
    """A user who may not write gets one line with the path; no file appears or changes."""
    profile = public_home / "profiles" / "default.sqlite"
    profile.parent.mkdir()
    if exists:
        with Store.open(profile) as store:
            store.record(make_review())
        profile.chmod(0o444 if locked == "file" else 0o666)
    profile.parent.chmod(0o555 if locked == "folder" or not exists else 0o777)
    before = {path.name: path.read_bytes() for path in profile.parent.iterdir()}
    child = start(AS_NOBODY, profile)
    out, _ = child.communicate(timeout=60)
    assert out.startswith("ReadOnly: ")
    assert str(profile.parent) in out
    assert out.count("\n") == 1
    assert {path.name: path.read_bytes() for path in profile.parent.iterdir()} == before


def test_a_profile_that_may_not_be_read(public_home: Path) -> None:
    """A file without permission to read is refused in one line too."""
    profile = public_home / "default.sqlite"
    Store.open(profile).close()
    profile.chmod(0o000)
    child = start(AS_NOBODY, profile)
    out, _ = child.communicate(timeout=60)
    assert out.startswith(f"ReadOnly: {profile} may not be opened")
