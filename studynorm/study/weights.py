"""The weights a profile has: those in use, those used before, and going over to others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

from studynorm.scheduling.scheduler import PUBLISHED, Scheduler
from studynorm.scheduling.settings import SettingError

if TYPE_CHECKING:
    from studynorm.scheduling.fit import Fit
    from studynorm.storage.ledger import Weights
    from studynorm.study.desk import Desk

FITTED, GIVEN = "fitted", "given"


class WeightsChanged(RuntimeError):
    """Other weights came into use meanwhile; nothing was changed. The message is one line."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Weights that can be used. `number` is None for the published ones.

    `origin` says where they come from: `kind` (fitted or given), `day`, and for fitted ones `n_train`,
    `n_held_out`, `loss_before` and `loss_after`; it may lack any of them.
    """

    number: int | None
    values: tuple[float, ...]
    in_use: bool = False
    origin: Mapping[str, Any] = field(default_factory=dict)

    @property
    def since(self) -> int | None:
        """The study day on which they came into use last, where it is known."""
        return self.whole("used_since")

    def whole(self, name: str) -> int | None:
        """Return a whole number of the origin; None where there is none."""
        value = self.origin.get(name)
        return value if type(value) is int else None

    def decimal(self, name: str) -> float | None:
        """Return a number of the origin; None where there is none."""
        value = self.origin.get(name)
        return float(value) if isinstance(value, int | float) and isfinite(value) else None


def kept_weights(desk: "Desk") -> tuple[Kept, ...]:
    """Return the published weights and all others that were used, in that order; makes no profile.

    Raises StoreError.
    """
    if not desk.path.exists():
        return (Kept(None, PUBLISHED, in_use=True),)
    ledger = desk.store.ledger
    adopted = ledger.in_use()
    used = PUBLISHED if adopted is None else adopted.values
    rows = [row for row in ledger.weights() if row.values != PUBLISHED and _is_usable(row)]
    others = (
        Kept(row.id, row.values, row.values == used, row.origin if isinstance(row.origin, Mapping) else {})
        for row in rows
    )
    return (Kept(None, PUBLISHED, used == PUBLISHED), *others)


def weights_in_use(desk: "Desk") -> Kept:
    """Return the weights in use. Raises StoreError."""
    kept = kept_weights(desk)
    return next((one for one in kept if one.in_use), kept[0])


def use(desk: "Desk", kept: Kept) -> Kept:
    """Use weights from the next answer to each item on. Raises StoreError; nothing has then changed."""
    return _adopt(desk, kept.values, kept.origin)


def use_given(desk: "Desk", values: Sequence[float]) -> Kept:
    """Use weights that someone gave. Raises SettingError where they are none, and StoreError."""
    checked = Scheduler(weights=values).weights
    known = next((one for one in kept_weights(desk) if one.values == checked), None)
    return _adopt(desk, checked, known.origin if known else {"kind": GIVEN, "day": desk.clock().day})


def adopt(desk: "Desk", fit: "Fit", before: Kept) -> Kept:
    """Use the weights of a fit that was measured against those in use `before`.

    Raises WeightsChanged where others are in use now, and StoreError.
    """
    if weights_in_use(desk).values != before.values:
        raise WeightsChanged("other weights came into use meanwhile; measure again")
    origin = {
        "kind": FITTED,
        "day": desk.clock().day,
        "n_train": fit.n_train,
        "n_held_out": fit.n_held_out,
        "loss_before": fit.before,
        "loss_after": fit.after,
    }
    return _adopt(desk, fit.weights, origin)


def _adopt(desk: "Desk", values: Sequence[float], origin: Mapping[str, Any]) -> Kept:
    ledger = desk.store.ledger
    if tuple(values) == PUBLISHED:
        ledger.use_published()
    else:
        ledger.adopt(Scheduler.model, values, {**origin, "used_since": desk.clock().day})
    return weights_in_use(desk)


def _is_usable(row: "Weights") -> bool:
    try:
        return row.model == Scheduler.model and bool(Scheduler(weights=row.values))
    except SettingError:
        return False
