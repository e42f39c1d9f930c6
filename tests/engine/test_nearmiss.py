"""Slips that no family declared are remarked on, and only where no declared one fits."""

import math

import pytest

from studynorm.engine.answer import Matrix, Number, Vector
from studynorm.engine.family import Misconception
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.nearmiss import near_miss
from studynorm.engine.variant import Variant

X = (0.0, 2.0, 4.0, 6.0)
ROOT5 = math.sqrt(5)
HAT = (-3 / ROOT5, -1 / ROOT5, 1 / ROOT5, 3 / ROOT5)
ALL_WRONG = (False,) * 4


@pytest.mark.parametrize(
    ("typed", "remark"),
    [
        ((3, 1, 0.5, -2), None),
        ([2 * v for v in (-1.1, 0.3, 0.7, 0.9)], "A factor of $\\gamma$ too much."),
        ([v / 2 for v in (-1.1, 0.3, 0.7, 0.9)], "A factor of $\\gamma$ is missing."),
        ([4 * v for v in (-1.1, 0.3, 0.7, 0.9)], "A factor of $n = 4$ too much."),
        (
            [v * ROOT5 for v in (-1.1, 0.3, 0.7, 0.9)],
            "A factor of $\\sqrt{\\sigma^2+\\varepsilon}$ too much.",
        ),
        ([1.1, -0.3, -0.7, -0.9], "The size is right and the sign is not."),
        ([0.9, 0.7, 0.3, -1.1], "These are the right numbers in reverse order."),
        ([-110, 30, 70, 90], "The digits are right; the decimal point is not."),
        ([-0.6, 0.8, 1.2, 1.4], "Every entry is off by the same amount."),
    ],
)
def test_each_kind_of_near_miss(typed: list[float], remark: str | None) -> None:
    """The remark names how what was typed differs from (−1.1, 0.3, 0.7, 0.9)."""
    params = {"x": X, "gamma": 2.0, "eps": 0.0}
    assert near_miss(typed, (-1.1, 0.3, 0.7, 0.9), params, ALL_WRONG) == remark


def test_a_transpose_is_named() -> None:
    """A 2×2 matrix typed by columns."""
    assert near_miss([1, 3, 2, 4], ((1.0, 2.0), (3.0, 4.0)), {}, (True, False, False, True)) == (
        "This is the transpose: rows and columns are swapped."
    )


def test_one_wrong_entry_is_counted() -> None:
    """Three of four right: the remark says which one is not."""
    remark = near_miss([-1.1, 0.3, 5.0, 0.9], (-1.1, 0.3, 0.7, 0.9), {}, (True, True, False, True))
    assert remark == "Only entry 3 is off; the other 3 are right."


def _variant(kind: Number | Vector | Matrix, answer: object, *slips: Misconception) -> Variant:
    return Variant(
        "a.b", 1, "a", "A", 1, 0, "?", {"x": X, "gamma": 2.0, "eps": 0.0}, kind, answer, slips, (), ()
    )


def test_a_declared_misconception_comes_first() -> None:
    """Where the sign slip is declared, it is named by its id and the remark is not made."""
    slip = Misconception("sign_flipped", tuple(-value for value in HAT), "That is $-\\hat x$.")
    verdict = grade(_variant(Vector(), HAT, slip), "1.342 0.447 -0.447 -1.342")
    assert [found.id for found in verdict.misconceptions] == ["sign_flipped"]
    assert "sign is not" not in verdict.message


def test_an_undeclared_slip_is_wrong_and_remarked() -> None:
    """The verdict stays wrong, names no misconception, and says what is off."""
    verdict = grade(_variant(Number(), 1.3416407864998738), "-1.342")
    assert (verdict.outcome, verdict.misconceptions) == (Outcome.WRONG, ())
    assert verdict.message == "Not this. The size is right and the sign is not."
