"""`python -m benchmarks.kill --times 200`: kill -9 at random points, and look what is left of the profile.

Three programs are killed: a scripted review with undo beside the daily backup, the daily backup alone, and
restore. An answer is acknowledged when the call that keeps it has returned; none of these may be lost, none
may count twice, and every file must be whole.
"""

import argparse
import multiprocessing
import random
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from multiprocessing.connection import Connection
from pathlib import Path

from studynorm.content.library import load_library
from studynorm.locate import content_root
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import Moment
from studynorm.storage.backup import back_up
from studynorm.storage.backups import daily_backup
from studynorm.storage.home import Home
from studynorm.storage.restore import restore
from studynorm.storage.snapshot import RECOUNT
from studynorm.storage.store import Store
from studynorm.study.catalogue import Catalogue, build_catalogue
from studynorm.study.desk import Desk
from studynorm.study.safekeeping import keep_daily_backup
from studynorm.study.situation import CardPrompt

_FIRST_DAY = 740_000
_EPOCH_DAY = 719_163  # of 1970-01-01
_DAY_MS = 86_400_000
_PATIENCE_SECONDS = 20.0
_LOG = "SELECT item, at FROM review ORDER BY id"

Log = list[tuple[str, int]]
"""Reviews in their order, each an item and its time."""


@dataclass
class Toll:
    """What came of it: kills, what was acknowledged before them, and what was lost or torn."""

    kills: int = 0
    acknowledged: int = 0
    kept_unheard: int = 0
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.kills} kills, {self.acknowledged} acknowledged, {self.kept_unheard} kept before they"
            f" could be acknowledged, {len(self.faults)} lost or torn"
        )


@dataclass
class _Clock:
    """A clock that goes on by half a minute with each look."""

    day: int
    ms: int = 9 * 3_600_000

    def __call__(self) -> Moment:
        self.ms += 30_000
        return Moment((self.day - _EPOCH_DAY) * _DAY_MS + self.ms, 0, self.day)


# -- what is killed ------------------------------------------------------------------------------------
def _review(home: Path, seed: int, heard: Connection) -> None:
    """Rate and undo until killed; tell after each what it was."""
    draw, clock = random.Random(seed), _Clock(_FIRST_DAY + seed)
    settings = Settings(new_per_day=40, reviews_per_day=9999)
    place = Home(home)
    desk = Desk(place, place.profile_file("default"), _catalogue(), settings, clock)
    keep_daily_backup(desk, lambda line: None)
    session = desk.session()
    heard.send(("begun", "", 0))
    while True:
        if draw.random() < 0.1:
            heard.send(("undoing", "", 0))  # else a lost answer would pass for one that was taken back
            heard.send(("undone" if session.undo() else "nothing to undo", "", 0))
            continue
        prompt = session.situation
        if not isinstance(prompt, CardPrompt):
            clock.day, clock.ms = clock.day + 400, 9 * 3_600_000
            session = desk.session()
            continue
        session.reveal()
        if session.answer(draw.choice(list(Rating))):
            newest = desk.store.last_review(clock.day)
            assert newest is not None
            heard.send(("answer", newest.item, newest.moment.at))


def _daily(home: Path, seed: int, heard: Connection) -> None:
    """Make the backup of one day after another until killed, each with one more event in it."""
    place = Home(home)
    with Store.open(place.profile_file("default")) as store:
        for day in range(_FIRST_DAY + 1000 * seed, sys.maxsize):
            store.values.set("benchmark", day)
            made = daily_backup(store.path, place.backups, day, 3)
            heard.send(("made", "" if made is None else str(made), 0))


def _restore(home: Path, seed: int, heard: Connection) -> None:
    """Restore two copies in turn until killed."""
    place = Home(home)
    for turn in range(seed, sys.maxsize):
        restore(home / f"copy{turn % 2}.sqlite", place.profile_file("default"), place.backups)
        heard.send(("restored", "", turn % 2))
        for kept in place.backups.glob("*-before-restore-*"):
            kept.unlink()


# -- killing -------------------------------------------------------------------------------------------
def kill_reviews(home: Path, times: int, draw: random.Random) -> Toll:
    """Kill reviews on one profile; each goes on with what the one before left."""
    toll, log = Toll(), Log()
    path = Home(home).profile_file("default")
    for number in range(times):
        told = _killed(_review, home, number, draw.randint(0, 20), draw.uniform(0, 0.05))
        before = list(log)
        for what, item, at in told:
            if what == "answer":
                log.append((item, at))
            elif what == "undone":
                log.pop()
        toll.kills += 1
        toll.acknowledged += sum(what == "answer" for what, *_ in told)
        found = _look(path, toll, f"kill {number}")
        if found is None:
            found = before if not told else []
        undoing = bool(told) and told[-1][0] == "undoing"
        if found != log and (
            found == log[:-1] if undoing else found[:-1] == log
        ):  # killed before it was told
            toll.kept_unheard += 1
        elif found != log:
            toll.faults.append(f"kill {number}: {len(log)} answers acknowledged, {len(found)} found")
        log = found
        _whole_copies(home, toll, f"kill {number}")
    return toll


def kill_backups(home: Path, times: int, draw: random.Random) -> Toll:
    """Kill daily backups; whatever has the name of a copy must be one."""
    toll = Toll()
    fill(Home(home).profile_file("default"), 400)
    for number in range(times):
        told = _killed(_daily, home, number, draw.randint(0, 4), draw.uniform(0, 0.05))
        toll.kills += 1
        toll.acknowledged += sum(what == "made" for what, *_ in told)
        _whole_copies(home, toll, f"kill {number}")
    return toll


def kill_restores(home: Path, times: int, draw: random.Random) -> Toll:
    """Kill restores; the profile must be the one or the other copy, to the last answer."""
    toll, path = Toll(), Home(home).profile_file("default")
    logs: list[Log] = []
    for number, count in enumerate((300, 3000)):
        fill(path, count, f"card:{number}")
        back_up(path, home / f"copy{number}.sqlite")
        logs.append(_log(path))
    for number in range(times):
        heard = _killed(_restore, home, number, draw.randint(0, 3), draw.uniform(0, 0.2))
        told = [which for _, _, which in heard]
        toll.kills += 1
        toll.acknowledged += len(told)
        found = _look(path, toll, f"kill {number}")
        if found not in logs:
            toll.faults.append(f"kill {number}: the profile is neither of the copies")
        elif told and found != logs[told[-1]]:
            toll.kept_unheard += 1
        _whole_copies(home, toll, f"kill {number}")
    return toll


def fill(path: Path, reviews: int, item: str = "card:a") -> None:
    """Make a profile with first reviews of so many items, in place of the one that is there."""
    from studynorm.scheduling.scheduler import Scheduler

    path.unlink(missing_ok=True)
    scheduler = Scheduler()
    with Store.open(path) as store:
        for number in range(reviews):
            store.record(scheduler.review(f"{item}/{number}", None, Rating.GOOD, Moment(number, 0, 1)))


def _killed(
    work: Callable[[Path, int, Connection], None], home: Path, seed: int, heard_first: int, seconds: float
) -> list[tuple[str, str, int]]:
    """Let a process work, kill it some time after it has told so many things; return all that it told.

    How much is done before the kill is thus the same on a busy machine; with 0 it is killed as it begins.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["benchmarks.kill"])
    hear, heard = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(home, seed, heard))
    process.start()
    heard.close()
    told: list[tuple[str, str, int]] = []
    with suppress(EOFError):
        while len(told) < heard_first and hear.poll(_PATIENCE_SECONDS):
            told.append(hear.recv())
    process.join(seconds)
    process.kill()
    process.join()
    with suppress(EOFError):
        while hear.poll():
            told.append(hear.recv())
    hear.close()
    return told


# -- what is left --------------------------------------------------------------------------------------
def _look(path: Path, toll: Toll, when: str) -> Log | None:
    """Return the log as the next program finds it, noting what is torn; None without a profile."""
    if not path.exists():
        return None
    with Store.open(path):
        pass
    toll.faults += [f"{when}: {fault}" for fault in faults_of(path)]
    return _log(path)


def _log(path: Path) -> Log:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(_LOG).fetchall()


def faults_of(path: Path) -> list[str]:
    """Return what does not fit together in a profile: pages, references, totals, memories and reviews."""
    with closing(sqlite3.connect(path)) as connection:
        found = [str(line) for (line,) in connection.execute("PRAGMA integrity_check") if line != "ok"]
        found += [f"lost reference: {row}" for row in connection.execute("PRAGMA foreign_key_check")]
        kept = set(connection.execute("SELECT * FROM day_total"))
        if kept != set(connection.execute(RECOUNT)):
            found.append("the totals of a day are not those of the log")
        newest = (
            "SELECT count(*) FROM memory JOIN review ON review.item = memory.item AND review.id ="
            " (SELECT max(id) FROM review WHERE item = memory.item) WHERE reps = after_reps"
            " AND stability = after_stability AND last_at = after_last_at"
        )
        (memories,) = connection.execute("SELECT count(*) FROM memory").fetchone()
        (items,) = connection.execute("SELECT count(DISTINCT item) FROM review").fetchone()
        (fitting,) = connection.execute(newest).fetchone()
        if not memories == items == fitting:
            found.append(f"{memories} memories for {items} items, {fitting} of them as their newest review")
    return found


def _whole_copies(home: Path, toll: Toll, when: str) -> None:
    for copy in Home(home).backups.glob("*.sqlite"):
        toll.faults += [f"{when}: {copy.name}: {fault}" for fault in faults_of(copy)]


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return build_catalogue(load_library(content_root() / "cards", None), [])


KILLED: dict[str, Callable[[Path, int, random.Random], Toll]] = {
    "review": kill_reviews,
    "daily backup": kill_backups,
    "restore": kill_restores,
}


def main() -> int:
    """Kill, print the count, and return 1 where something was lost or torn."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kill", description=__doc__)
    parser.add_argument("--times", type=int, default=200, metavar="N", help="kills of each program")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="another seed kills at other points")
    chosen = parser.parse_args()
    code = 0
    for name, kill in KILLED.items():
        folder = Path(tempfile.mkdtemp())
        try:
            toll = kill(folder, chosen.times, random.Random(chosen.seed))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        print(f"{name}: {toll}", *toll.faults[:10], sep="\n  ", flush=True)  # noqa: T201  the point of it
        code |= bool(toll.faults)
    return code


if __name__ == "__main__":
    sys.modules[__name__].__spec__ = None  # else every child warns that it has imported this module already
    sys.exit(main())
