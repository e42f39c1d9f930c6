"""FSRS' weights fitted to a learner's own reviews: what the log gives, and what the engine process does."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from studynorm.scheduling.evidence import Answer, Evidence, Logged, evidence_of
from studynorm.scheduling.fit import Fit, Tell, fit
from studynorm.storage.snapshot import snapshot

_COLUMNS = ("item", "rating", "day", "before_state")


def read_evidence(path: Path) -> Evidence:
    """Return what the log of a profile gives to fit to; nothing where there is no profile.

    Rows that hold no whole review are left out and counted. The profile has the newest schema, and is only
    read. Raises StoreError.
    """
    with snapshot(path) as shot:
        return Evidence() if shot is None else evidence_of(_logged(*shot.rows("review", "id")))


def _logged(names: Sequence[str], rows: Iterator[tuple[Any, ...]]) -> Iterator[Logged]:
    item, rating, day, state = (names.index(name) for name in _COLUMNS)
    for row in rows:
        yield Logged(row[item], row[rating], row[day], row[state] is None)


def request_of(evidence: Evidence, weights: Sequence[float]) -> dict[str, Any]:
    """Return what the engine process needs for a fit, as JSON values."""
    return {"histories": evidence.histories, "weights": list(weights)}


def fit_of(request: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return the fit that a request asks for, as JSON values. Raises FitFailed."""
    histories = [tuple(map(Answer._make, history)) for history in request["histories"]]
    return asdict(fit(histories, request["weights"], tell))


def fit_in(answer: Mapping[str, Any]) -> Fit:
    """Return the fit in the values that `fit_of` made."""
    return Fit(**{**answer, "weights": tuple(answer["weights"])})
