"""Proves a profile: every memory and due date from ratings and times alone, and what the data stands on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from studynorm.storage.errors import StoreError
from studynorm.storage.schema import REVISIONS
from studynorm.storage.snapshot import BLANK, ItemLog, Snapshot, snapshot
from studynorm.storage.tables import TOTALS
from studynorm.study.doctor_findings import Cause, Finding
from studynorm.study.doctor_item import Mending, Proof, prove
from studynorm.study.doctor_place import Check, size, surroundings
from studynorm.study.doctor_replay import Schedulers

if TYPE_CHECKING:
    from studynorm.study.desk import Desk

Tell = Callable[[int, int], None]
"""Is told how many reviews are replayed, and of how many."""

MOST = 1000
"""So many findings are kept; the rest is counted."""

# For so many items other weights and rules are tried as a cause; where more differ, it is not single rows.
_REASONED = 200
_ROWS = ("CHECK constraint failed", "NULL value in", "NUMERIC value in", "TEXT value in", "reference of row")
"""How SQLite begins to speak of rows that hold the wrong values, and not of a file that is damaged."""


@dataclass(slots=True)
class Report:
    """What a doctor found: each thing looked at, and each difference, of which at most `MOST` are listed."""

    checks: list[Check] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    found: int = 0
    items: int = 0
    reviews: int = 0
    memories: int = 0
    gone: list[str] = field(default_factory=list)

    @property
    def proved(self) -> bool:
        """Whether everything is as the log has it, and the file is sound."""
        return not self.found and all(check.state != "wrong" for check in self.checks)

    def add(self, findings: tuple[Finding, ...]) -> None:
        """Note what was found."""
        self.found += len(findings)
        self.findings += findings[: max(0, MOST - len(self.findings))]


def examine(desk: "Desk", tell: Tell = lambda done, total: None) -> Report:
    """Look at everything about the desk's profile. Nothing is changed; an older schema is upgraded first."""
    report = Report()
    if not desk.path.exists():
        report.checks.append(Check("file", "ok", f"{desk.path} does not exist yet: nothing is to be proved"))
        return report
    unopened = ""
    try:
        desk.store  # noqa: B018  upgrades an older profile, and lets others write while it is read
    except StoreError as error:
        unopened = str(error)
    try:
        with snapshot(desk.path) as shot:
            if shot is not None:
                _examine(shot, desk, report, tell)
    except StoreError as error:
        unopened = str(error)
    if unopened:
        report.checks.insert(0, Check("file", "wrong", unopened))
    report.checks += surroundings(desk, report.gone)
    return report


def proofs(shot: Snapshot, tell: Tell) -> Iterator[tuple[ItemLog | None, Proof]]:
    """Yield each item with its proof, and last what else is wrong, without an item."""
    schedulers = Schedulers(shot.weights(), shot.rules())
    total, done, asked = shot.count("review"), 0, 0
    explained: set[tuple[Any, str]] = set()
    for log in shot.item_logs():
        proof = prove(log, schedulers, reasoned=asked < _REASONED)
        if proof.findings:
            asked += 1
            explained |= {(day, _topic(log.item)) for day in proof.mending.days}
        yield log, proof
        done += len(log.reviews)
        tell(done, total)
    yield None, _days(shot, explained)
    yield None, Proof(None, tuple(_values(shot)))


def _examine(shot: Snapshot, desk: "Desk", report: Report, tell: Tell) -> None:
    faults = shot.faults()
    damage = [fault for fault in faults if not fault.startswith(_ROWS)]
    if damage:
        report.checks.append(
            Check(
                "file",
                "wrong",
                f"{desk.path} is damaged ({damage[0]}), so the log was not replayed; `studynorm doctor "
                "--repair FILE` writes anew what can be read, else put a backup in its place",
            )
        )
        return
    if faults:
        report.checks.append(Check("file", "wrong", f"rows hold what they may not: {'; '.join(faults)}"))
    else:
        about = f"schema {REVISIONS[-1]}, {size(desk.path.stat().st_size)}"
        report.checks.append(Check("file", "ok", f"SQLite finds nothing wrong with it; {about}"))
    wrong = {"review": 0, "memory": 0, "event": 0, "day": 0, "profile": 0}
    for log, proof in proofs(shot, tell):
        report.add(proof.findings)
        for finding in proof.findings:
            wrong[finding.place] += 1 + finding.following
            wrong["memory"] += finding.memory_follows
        if log is not None:
            _count(report, log, desk)
    report.checks += _results(report, wrong)


def _count(report: Report, log: ItemLog, desk: "Desk") -> None:
    report.reviews += len(log.reviews)
    report.items += bool(log.reviews)
    if log.memory != BLANK:
        report.memories += 1
        if log.item not in desk.catalogue.candidates:
            report.gone.append(str(log.item))


def _results(report: Report, wrong: dict[str, int]) -> Iterator[Check]:
    reviews, memories = number(report.reviews, "review"), number(report.memories, "memory")
    if wrong["review"] + wrong["event"]:
        differ = number(wrong["review"] + wrong["event"], "row")
        yield Check("log", "wrong", f"{differ} of the log of {reviews} cannot be right")
    else:
        yield Check("log", "ok", f"{reviews} replayed from ratings and times: each result is proved")
    if wrong["memory"]:
        differ = f"{wrong['memory']} of {memories} {'is' if wrong['memory'] == 1 else 'are'}"
        yield Check("memories", "wrong", f"{differ} not what the log leads to")
    else:
        yield Check("memories", "ok", f"{memories} proved, with every due date")
    if wrong["day"]:
        differ = number(wrong["day"], "total")
        yield Check("days", "wrong", f"{differ} of study days cannot be right")
    else:
        yield Check("days", "ok", "the totals of all study days are those of the log")
    if wrong["profile"]:
        yield Check("profile", "wrong", "its own values are not whole")


def _days(shot: Snapshot, explained: set[tuple[Any, str]]) -> Proof:
    """Compare the totals of study days; what follows from rows found wrong is left out."""
    kept, counted = shot.wrong_totals()
    none = (0,) * len(TOTALS)
    differ = {
        day: (kept.get(day, none), counted.get(day, none))
        for day in sorted(kept.keys() | counted.keys(), key=repr)
        if day not in explained and kept.get(day, none) != counted.get(day, none)
    }
    findings, mending = list[Finding](), Mending()
    if differ:
        for row, item, topic, day, last in shot.strays():
            if (day, topic) in differ and (last, topic) in differ:
                findings.append(Finding("review", item, row, "day", day, last, Cause.TIME_ALTERED))
                mending.reviews[row] = {"day": last}
                explained |= {(day, topic), (last, topic)}
    for (day, topic), (stored, right) in differ.items():
        if (day, topic) not in explained:
            both = zip(TOTALS, stored, right, strict=True)
            (name, one, other), *more = [found for found in both if found[1] != found[2]]
            also = tuple(found[0] for found in more)
            findings.append(Finding("day", topic, day, name, one, other, Cause.TOTAL_WRONG, also))
    return Proof(None, tuple(findings), mending)


def _values(shot: Snapshot) -> Iterator[Finding]:
    values = shot.values()
    if "salt" not in values:
        yield Finding("profile", None, None, "salt", None, "a text", Cause.PROFILE_VALUE)
    chosen = values.get("weights")
    if chosen is not None and chosen not in map(str, shot.weights()):
        yield Finding("profile", None, None, "weights", chosen, None, Cause.PROFILE_VALUE)


def _topic(item: Any) -> str:
    name = str(item).partition(":")[2]
    return name.partition("." if str(item).startswith("family:") else "/")[0]


def number(count: int, one: str) -> str:
    """Return a count with its noun: `1 review`, `90 000 memories`."""
    plural = f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"
    return f"{count:,} {one if count == 1 else plural}".replace(",", " ")
