"""The variants of a review: which one an item needs now, whether it is there, what follows a broken one."""

from studynorm.engine.rng import seed_of
from studynorm.engine.variant import Variant
from studynorm.scheduling.memory import Memory, State
from studynorm.storage.store import Store
from studynorm.study.situation import Key
from studynorm.study.tries import statement

REPEATS_BARRED = 5
"""A statement does not come back before so many others were asked, where the level has as many."""
_SEED_TRIES = 6
_MASTERED_STABILITY = 21.0


def level_for(memory: Memory | None, last_level: int | None) -> int:
    """Return the level at which a family is asked.

    Level 1 until the memory reaches Review, 2 up to a stability of 21 days, 3 beyond; in Relearning
    one below the level last asked.
    """
    if memory is None or memory.state is State.LEARNING:
        return 1
    if memory.state is State.RELEARNING:
        return max(1, (last_level or 2) - 1)
    return 3 if memory.stability > _MASTERED_STABILITY else 2


def barred_repeats(variant: Variant) -> int:
    """Return how many of the statements asked last may not be this one."""
    return min(REPEATS_BARRED, (variant.distinct or REPEATS_BARRED + 1) - 1)


class Shelf:
    """The variants that the engine has drawn, by key.

    The key of an item hangs on its memory, its repetitions and the profile's salt alone, so that undo
    and a restart ask for the same variant; a broken or repeated one makes room for the next seed.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._variants: dict[Key, Variant] = {}
        self._keys: dict[str, Key] = {}
        self._bumps: dict[tuple[str, int], int] = {}

    def key(self, item: str) -> Key:
        """Return the variant that a family's item needs now."""
        known = self._keys.get(item)
        if known is not None:
            return known
        memory = self._store.memory(item)
        reps = memory.reps if memory is not None else 0
        recent = self._store.recent_attempts(item, 1)
        seed = seed_of(item, reps, self._store.salt, self._bumps.get((item, reps), 0))
        level = level_for(memory, recent[0].level if recent else None)
        key = Key(item.removeprefix("family:"), level, seed)
        self._keys[item] = key
        return key

    def get(self, item: str) -> Variant | None:
        """Return the variant that an item needs now, None where it is still to be drawn."""
        return self._variants.get(self.key(item))

    def put(self, item: str, key: Key, variant: Variant) -> None:
        """Take a drawn variant; one that repeats a recent statement makes the item ask for the next seed."""
        barred = barred_repeats(variant)
        recent = dict.fromkeys(attempt.params for attempt in self._store.recent_attempts(item, 4 * barred))
        if statement(variant) not in list(recent)[:barred] or not self.next_seed(item):
            self._variants[key] = variant

    def next_seed(self, item: str) -> bool:
        """Go to the item's next seed; False when enough were tried."""
        memory = self._store.memory(item)
        place = (item, memory.reps if memory is not None else 0)
        tried = self._bumps.get(place, 0) + 1
        if tried >= _SEED_TRIES:
            return False
        self._bumps[place] = tried
        self._keys.pop(item, None)
        return True

    def renew(self, item: str) -> None:
        """Work an item's key out again, as its memory has changed."""
        self._keys.pop(item, None)

    def renew_all(self) -> None:
        """Work every key out again, as other programs may have changed any memory."""
        self._keys.clear()
