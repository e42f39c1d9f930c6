"""What a learner wishes to practise, and the drill that comes of it."""

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studynorm.study.desk import Desk
    from studynorm.study.drill import DrillSession


@dataclass(frozen=True, slots=True)
class Practice:
    """A wish. Without `families` all are meant; `weak` leaves those in which slips were named lately.

    Without a `level` it follows the learner; without a `seed` it is fresh; without a `count` there is no
    end. `mixed` puts the families in an order that the seed fixes.
    """

    families: tuple[str, ...] = ()
    level: int | None = None
    seed: int | None = None
    count: int | None = None
    weak: bool = False
    mixed: bool = True


def families_of(desk: "Desk") -> tuple[str, ...]:
    """Return all families, in learning order."""
    items = desk.catalogue.candidates
    return tuple(item.removeprefix("family:") for item in items if item.startswith("family:"))


def weak_of(desk: "Desk") -> tuple[str, ...]:
    """Return the families in which slips were named lately. Raises StoreError."""
    from studynorm.study.drill import weak_families

    return weak_families(desk.store, desk.clock(), families_of(desk))


def begin(desk: "Desk", practice: Practice) -> "DrillSession | None":
    """Begin the drill of a wish; None where nothing is weak. Raises StoreError."""
    from studynorm.study.drill import shuffled

    families = practice.families or families_of(desk)
    seed = secrets.randbelow(2**31) if practice.seed is None else practice.seed
    if practice.weak:
        families = tuple(family for family in weak_of(desk) if family in families)
        if not families:
            return None
    elif practice.mixed:
        families = shuffled(families, seed)
    return desk.drill(families, seed=seed, level=practice.level, count=practice.count)
