"""Weights as people have them: typed or pasted, and those of older versions of FSRS."""

import math
from collections.abc import Sequence
from contextlib import suppress

from studynorm.scheduling.scheduler import Scheduler
from studynorm.scheduling.settings import SettingError

_DECAY = 0.5
"""The decay of the forgetting curve that was fixed in FSRS-4.5 and FSRS-5."""
_OLDER = {17: "FSRS-4.5", 19: "FSRS-5"}
_LONGEST = 40


def weights_in(text: str) -> tuple[float, ...]:
    """Return the 21 weights of FSRS-6 in a text: numbers with commas or blanks between, brackets or not.

    17 or 19 numbers are of an older FSRS and filled up. Raises SettingError, which names the number that is
    none or out of range.
    """
    parts = text.strip().strip("[](){}").replace(",", " ").replace(";", " ").split()
    numbers = tuple(_number(place, part) for place, part in enumerate(parts))
    if len(numbers) not in _OLDER:
        return Scheduler(weights=numbers).weights
    try:
        return Scheduler(weights=filled_up(numbers)).weights
    except SettingError as error:
        older = f"{error.allowed}, once the {len(numbers)} weights of {_OLDER[len(numbers)]} are filled up"
        raise SettingError(error.field, error.value, older) from None


def filled_up(weights: Sequence[float]) -> tuple[float, ...]:
    """Return 17 weights of FSRS-4.5 or 19 of FSRS-5 as weights of FSRS-6; other numbers of them as they are.

    As the FSRS project does it: FSRS-5 schedules the same with 0 for the stability's own part in same-day
    reviews and the older decay. FSRS-4.5 knew no same-day reviews, and its first difficulty was a straight
    line through Again and Easy, which becomes the curve through both; difficulty changes by 0.5 more,
    because it is damped since. Raises SettingError where that curve does not exist.
    """
    older = [float(weight) for weight in weights]
    if len(older) == 19:
        return (*older, 0.0, _DECAY)
    if len(older) != 17:
        return tuple(older)
    if 3 * older[5] + 1 <= 0:
        raise SettingError("weights[5]", older[5], "a number above -1/3")
    older[4] += 2 * older[5]
    older[5] = math.log(3 * older[5] + 1) / 3
    older[6] += 0.5
    return (*older, 0.0, 0.0, 0.0, _DECAY)


def _number(place: int, part: str) -> float:
    with suppress(ValueError):
        number = float(part)
        if math.isfinite(number):
            return number
    shown = part if len(part) <= _LONGEST else f"{part[: _LONGEST - 1]}…"
    raise SettingError(f"weights[{place}]", shown, "a number")
