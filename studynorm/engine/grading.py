"""Judges a typed answer: unreadable, too coarse, right, a named slip or wrong, in that order.

Free words are never judged: they come back *unjudged*, for the learner to compare with the model answer.

The number contract: S is the max-norm of the truth. Equal within 1e-9·S is right at any length. An
exact expression is right within 1e-6·S. A decimal is right within 0.51 of its last digit, or 5e-4·S,
where that digit shows at least three significant digits of S; with fewer it is *imprecise* when the
truth rounds or cuts off to it. No tolerance exceeds 0.4 of the distance to the nearest misconception;
where that cap bites, a correctly rounded answer is imprecise.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Any

from studynorm.engine.answer import Reading
from studynorm.engine.family import Misconception
from studynorm.engine.nearmiss import near_miss
from studynorm.engine.numbers import distance, flatten, scale_of
from studynorm.engine.value import Scalar, Unreadable
from studynorm.engine.variant import Variant, parts_changed

UNJUDGED_MESSAGE = "Compare with the model answer, then rate yourself."


class Outcome(StrEnum):
    """What became of a typed answer. Malformed and imprecise ones cost nothing; unjudged ones are kept."""

    CORRECT = "correct"
    WRONG = "wrong"
    IMPRECISE = "imprecise"
    MALFORMED = "malformed"
    UNJUDGED = "unjudged"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The grader's finding.

    `marks` says which entries are right, `position` points into the text, `remark` names a near miss.
    """

    outcome: Outcome
    message: str
    read_as: str = ""
    misconceptions: tuple[Misconception, ...] = ()
    marks: tuple[bool, ...] = ()
    position: int | None = None
    remark: str = ""

    @property
    def graded(self) -> bool:
        """Whether this answer was found right or wrong."""
        return self.outcome in {Outcome.CORRECT, Outcome.WRONG}

    @property
    def kept(self) -> bool:
        """Whether this answer is a try, to be written down: graded, or words that are not judged."""
        return self.graded or self.outcome is Outcome.UNJUDGED


def read_answer(variant: Variant, text: str) -> Reading:
    """Read a typed answer as this variant's kind. Raises `Unreadable`."""
    return variant.kind.read(text, variant.answer)


def grade(variant: Variant, text: str) -> Verdict:
    """Judge a typed answer against a variant; never raises on any text."""
    try:
        reading = read_answer(variant, text)
    except Unreadable as unread:
        return Verdict(Outcome.MALFORMED, _located(unread, text), position=unread.position)
    if not variant.kind.judged:
        return Verdict(Outcome.UNJUDGED, UNJUDGED_MESSAGE, reading.text)
    if variant.kind.free_length and len(reading.entries) != len(variant.answer):
        slips = _slips(variant, reading, ())
        return Verdict(Outcome.WRONG, _wrong(variant, slips, ()), reading.text, slips)
    judged = [
        _judge(entry, truth, variant)
        for entry, truth in zip(reading.entries, flatten(variant.answer), strict=True)
    ]
    marks = tuple(mark is _Mark.RIGHT for mark in judged)
    if all(marks):
        return Verdict(Outcome.CORRECT, "Right.", reading.text, marks=marks)
    slips = _slips(variant, reading, marks)
    coarse = all(mark is not _Mark.WRONG for mark in judged)
    if coarse and not any(variant.kind.whole or _equals(reading, slip) for slip in slips):
        message = (
            "The exact whole number, please: this is rounded."
            if variant.kind.whole
            else "Right so far. Give at least three significant digits, or the exact expression."
        )
        return Verdict(Outcome.IMPRECISE, message, reading.text, marks=marks)
    remark = ""
    if not slips and not variant.kind.whole:
        typed = [entry.value for entry in reading.entries]
        remark = near_miss(typed, variant.answer, variant.params, marks) or ""
    message = f"Not this. {remark}" if remark else _wrong(variant, slips, marks)
    return Verdict(Outcome.WRONG, message, reading.text, slips, marks, remark=remark)


def _located(unread: Unreadable, text: str) -> str:
    place = min(unread.position, len(text))
    message = unread.message[0].upper() + unread.message[1:]
    return f"{message} (at character {place + 1})." if 0 < place < len(text) else f"{message}."


class _Mark(StrEnum):
    RIGHT = "right"
    COARSE = "coarse"
    WRONG = "wrong"


def _judge(entry: Scalar, truth: float, variant: Variant) -> _Mark:
    kind = variant.kind
    if kind.whole:
        if _same_whole(entry, truth):
            return _Mark.RIGHT
        return _Mark.COARSE if _rounds_to(_as_rounded(entry), truth, least=1) else _Mark.WRONG
    if kind.abs_tol is not None or kind.rel_tol is not None:
        return _Mark.RIGHT if _within(entry, truth, kind.abs_tol, kind.rel_tol) else _Mark.WRONG
    scale = scale_of(variant.answer)
    gap = abs(entry.value - truth)
    if gap <= 1e-9 * scale:
        return _Mark.RIGHT
    cap = 0.4 * _nearest(variant)
    if entry.unit is None:
        return _Mark.RIGHT if gap <= min(1e-6 * scale, cap) else _Mark.WRONG
    unit = 10.0**entry.unit
    if _digits(entry.unit, scale) >= 3:
        tolerance = max(0.51 * unit, 5e-4 * scale)
        if gap <= min(tolerance, cap):
            return _Mark.RIGHT
        return _Mark.COARSE if gap <= tolerance else _Mark.WRONG
    # At least one digit must show: “0” is no rounding of 0.13, and “0.001” is one of 0.000999.
    shown = _digits(entry.unit, max(scale, abs(entry.value)))
    return _Mark.COARSE if shown >= 1 and _rounds_to(entry, truth) else _Mark.WRONG


def _within(entry: Scalar, truth: float, abs_tol: float | None, rel_tol: float | None) -> bool:
    """Compare in decimal, so that 46.0 is within 0.2 of 45.8 whatever binary makes of it."""
    if entry.exact is not None:
        typed = Decimal(entry.exact.numerator) / Decimal(entry.exact.denominator)
    else:
        typed = Decimal(repr(entry.value))
    right = Decimal(repr(truth))
    allowed = max(Decimal(repr(abs_tol or 0.0)), Decimal(repr(rel_tol or 0.0)) * abs(right))
    noise = Decimal("1e-12") * abs(right)  # of the truth, which is a float
    return abs(typed - right) <= allowed + noise


def _digits(unit: int, scale: float) -> int:
    """Return how many significant digits of `scale` a decimal with this unit shows."""
    return math.floor(math.log10(scale * (1 + 1e-9))) - unit + 1  # 0.999…, which is 1 but for noise, is 1


def _as_rounded(entry: Scalar) -> Scalar:
    """Return a whole number whose unit is that of its last digit but zeros: 8190 may be rounded to tens.

    At least two digits remain, as 50 is no rounding of 48 but another number.
    """
    digits = str(entry.exact)
    zeros = min(len(digits) - len(digits.rstrip("0")), len(digits.lstrip("-")) - 2)
    if entry.unit is None or entry.unit > 0 or zeros <= 0:
        return entry
    return replace(entry, unit=zeros)


def _rounds_to(entry: Scalar, truth: float, *, least: int = 0) -> bool:
    """Tell whether the truth, rounded or cut off at the typed unit, is what was typed."""
    if entry.unit is None:
        return False
    unit = 10.0**entry.unit
    if least and _digits(entry.unit, abs(truth) or 1.0) < least:
        return False
    gap = abs(entry.value - truth)
    slack = 1e-9 * max(abs(truth), unit)
    cut_off = gap < unit and abs(entry.value) <= abs(truth) and entry.value * truth >= 0
    return gap <= 0.5 * unit + slack or cut_off


def _nearest(variant: Variant) -> float:
    gaps = (distance(slip.value, variant.answer) for slip in variant.misconceptions if slip.distinguishable)
    return min(gaps, default=math.inf)


def _slips(variant: Variant, reading: Reading, marks: Sequence[bool]) -> tuple[Misconception, ...]:
    """Return the slips that explain the wrong entries: one for a whole answer, else one per part."""
    told = [slip for slip in variant.misconceptions if slip.distinguishable]
    if not variant.kind.separate_parts:
        matches = [slip for slip in told if _matches(reading, slip.value, variant, slip, told)]
        return tuple(sorted(matches, key=lambda slip: _gap(reading, slip.value))[:1])
    wrong = {at for at, right in enumerate(marks) if not right}
    found: list[Misconception] = []
    for slip in told:
        parts = set(parts_changed(slip, variant.answer))
        values = flatten(slip.value)
        if parts and parts <= wrong and all(_same_whole(reading.entries[at], values[at]) for at in parts):
            found.append(slip)
            wrong -= parts
    return tuple(found)


def _same_whole(entry: Scalar, value: float) -> bool:
    exact = Fraction(entry.value) if entry.exact is None else entry.exact
    return exact == int(value)


def _gap(reading: Reading, value: Any) -> float:
    parts = flatten(value)
    if len(parts) != len(reading.entries):
        return math.inf
    return max((abs(a.value - b) for a, b in zip(reading.entries, parts, strict=True)), default=0.0)


def _equals(reading: Reading, slip: Misconception) -> bool:
    """Tell whether the answer is this slip's value to the last digit, not a rounding of it."""
    return _gap(reading, slip.value) <= 1e-9 * scale_of(slip.value)


def _matches(
    reading: Reading, value: Any, variant: Variant, slip: Misconception, told: Sequence[Misconception]
) -> bool:
    if variant.kind.whole:
        parts = flatten(value)
        return len(parts) == len(reading.entries) and all(map(_same_whole, reading.entries, parts))
    scale = scale_of(value)
    others = [
        distance(value, variant.answer),
        *(distance(value, other.value) for other in told if other is not slip),
    ]
    cap = 0.4 * min((gap for gap in others if gap > 0), default=math.inf)
    for entry, part in zip(reading.entries, flatten(value), strict=True):
        unit = 0.0 if entry.unit is None else 10.0**entry.unit
        tolerance = 1e-6 * scale if entry.unit is None else max(0.51 * unit, 5e-4 * scale)
        if abs(entry.value - part) > min(tolerance, cap):
            return False
    return True


def _wrong(variant: Variant, slips: Sequence[Misconception], marks: Sequence[bool]) -> str:
    if slips:
        return "Not this. " + " ".join(slip.why for slip in slips)
    right = sum(marks)
    if variant.kind.separate_parts or (len(marks) > 1 and right):
        return f"Not this: {right} of {len(marks)} entries are right."
    return "Not this."
