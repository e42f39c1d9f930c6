"""The grader: the number contract at its edges, slips, shapes and what is never counted as wrong."""

import math
from dataclasses import replace
from typing import Any

import pytest

from studynorm.engine.answer import Integer, Integers, Kind, Matrix, Number, Vector
from studynorm.engine.family import Misconception
from studynorm.engine.grading import Outcome, Verdict, grade
from studynorm.engine.variant import Variant

RIGHT, WRONG, COARSE, MALFORMED = Outcome.CORRECT, Outcome.WRONG, Outcome.IMPRECISE, Outcome.MALFORMED
ROOT5 = math.sqrt(5)


def variant(answer: Any, kind: Kind | None = None, **slips: Any) -> Variant:
    """Build a question with this answer and these slips, each explained by “because <id>”."""
    if kind is None:
        kind = Vector() if isinstance(answer, tuple) else Number()
    return Variant(
        family="topic.name",
        version=1,
        topic="topic",
        title="A question",
        level=1,
        seed=0,
        prompt="?",
        params={},
        kind=kind,
        answer=answer,
        misconceptions=tuple(Misconception(name, value, f"because {name}") for name, value in slips.items()),
        hints=("one", "two"),
        solution=(),
    )


def named(verdict: Verdict) -> list[str]:
    """Return the ids of the slips that a verdict names."""
    return [slip.id for slip in verdict.misconceptions]


# -- one number ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("truth", "text", "outcome"),
    [
        # Equal to the last digit is right at any length.
        (0.5, "0.5", RIGHT),
        (0.3, ".3", RIGHT),
        (-2.0, "-2", RIGHT),
        (2e6, "2e6", RIGHT),
        # Three digits of S, and at most 0.51 of the last one away.
        (1.3416407864998738, "1.34", RIGHT),
        (1.3416407864998738, "1.342", RIGHT),
        (1.3416407864998738, "1.341", RIGHT),
        (1.3416407864998738, "1.340", WRONG),
        (1.345, "1.34", RIGHT),
        (1.345, "1.35", RIGHT),
        (1.34505, "1.34", RIGHT),
        (1.34515, "1.34", WRONG),
        (123.0, "123.4", WRONG),
        (123.456, "123", RIGHT),
        (123.456, "1.23e2", RIGHT),
        (123456.0, "123000", WRONG),
        (123456.0, "1.23e5", RIGHT),
        (0.00123456, "0.00123", RIGHT),
        (0.00123456, "1.23e-3", RIGHT),
        (0.00123456, "1.23×10⁻³", RIGHT),
        # A long decimal may be off by 5e-4·S.
        (1.0004, "1.00000", RIGHT),
        (2000.0, "2000.99", RIGHT),
        (2000.0, "2001.01", WRONG),
        (2000.0, "1998.99", WRONG),
        # Fewer digits that round or cut off to what was typed: not graded.
        (1.3416407864998738, "1.3", COARSE),
        (1.3416407864998738, "1", COARSE),
        (1.3416407864998738, "1.4", WRONG),
        (-1.3416407864998738, "-1.3", COARSE),
        (-1.3416407864998738, "1.3", WRONG),
        (1.37, "1.3", COARSE),
        (1.37, "1.4", COARSE),
        (1.37, "1.5", WRONG),
        (0.1342, "0.1", COARSE),
        (0.96, "1", COARSE),
        (99.6, "1e2", COARSE),
        (99.6, "100", COARSE),
        (-99.6, "-1e2", COARSE),
        (0.1342, "0", WRONG),
        (0.1342, "0.0", WRONG),
        (123.456, "120", WRONG),
        (123.456, "1.2e2", COARSE),
        (123.456, "1e2", COARSE),
        (123.456, "1e3", WRONG),
        # S at and around powers of ten.
        (1000.0, "1.00e3", RIGHT),
        (1000.04, "1000", RIGHT),
        (1000.4, "1.00e3", RIGHT),
        (1004.0, "1.00e3", RIGHT),
        (1004.0, "1.0e3", COARSE),
        (999.96, "1000", RIGHT),
        (999.6, "999.6", RIGHT),
        (0.0010004, "0.00100", RIGHT),
        (0.001004, "0.001", COARSE),
        (0.01, "0.0100499", WRONG),
        (1e-5, "1.0e-5", RIGHT),
        (9.99e-4, "0.001", COARSE),
        # S far away from 1.
        (1.2345e150, "1.23e150", RIGHT),
        (1.2345e-150, "1.23e-150", RIGHT),
        (1.2345e-150, "0", WRONG),
        (1.2345e150, "-1.23e150", WRONG),
        (-1.2345e308, "1.7e308", WRONG),
        # Exact expressions: 1e-6·S.
        (3 / ROOT5, "3/sqrt(5)", RIGHT),
        (3 / ROOT5, "3√5/5", RIGHT),
        (2.0, "4/2.000001", RIGHT),
        (2.0, "4/2.000003", WRONG),
        (2e6, "2e6+1.9", RIGHT),
        (2e6, "2e6+2.1", WRONG),
        (1.3416407864998738, "134/100", WRONG),
        (1.3416407864998738, "1.341641/1", RIGHT),
        (20959.155637813845, "1.01^1000", RIGHT),
        # Zero has S = 1.
        (0.0, "0", RIGHT),
        (0.0, "-0", RIGHT),
        (0.0, "0.000", RIGHT),
        (0.0, "0/5", RIGHT),
        (0.0, "1e-20", RIGHT),
        (0.0, "0.0005", RIGHT),
        (0.0, "0.0006", WRONG),
        (0.0, "0.001", WRONG),
        (0.0, "0e308*10^308", RIGHT),
        (-0.0, "0", RIGHT),
    ],
)
def test_the_number_contract(truth: float, text: str, outcome: Outcome) -> None:
    """S is |truth|; a decimal is right within max(0.51 of its last digit, 5e-4·S) at three digits of S."""
    assert grade(variant(truth), text).outcome is outcome


def test_an_imprecise_answer_is_told_what_is_wanted() -> None:
    """Too few digits are no try, and the message says how many are wanted."""
    verdict = grade(variant(1.3416407864998738), "1.3")
    assert not verdict.graded
    assert "three significant digits" in verdict.message
    assert verdict.read_as == "1.3"


def test_rounding_noise_in_s_does_not_cost_a_digit() -> None:
    """A truth of 0.9999999999999999 is 1 but for binary noise, so two decimals are three digits of S."""
    noisy = variant((0.9999999999999999, -0.4472135954999579))
    assert grade(noisy, "1.00 -0.45").outcome is RIGHT
    assert grade(variant((1.0, -0.4472135954999579)), "1.00 -0.45").outcome is RIGHT


# -- explicit tolerances ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("truth", "abs_tol", "rel_tol", "text", "outcome"),
    [
        (45.8, 0.2, None, "46.0", RIGHT),
        (45.8, 0.2, None, "45.6", RIGHT),
        (45.8, 0.2, None, "46.01", WRONG),
        (45.8, 0.2, None, "45.59", WRONG),
        (45.8, 0.2, None, "46", RIGHT),
        (45.8, 0.2, None, "92/2", RIGHT),
        (45.800000000000004, 0.2, None, "45.6", RIGHT),
        (1.0, 0.1, None, "1.1", RIGHT),
        (1.0, 0.1, None, "0.9", RIGHT),
        (1.0, 0.1, None, "1.1000001", WRONG),
        (2.675, 0.005, None, "2.67", RIGHT),
        (2.675, 0.005, None, "2.68", RIGHT),
        (2.675, 0.005, None, "2.6699", WRONG),
        (3145.0, 0.0, 0.0, "3145", RIGHT),
        (0.0, 0.0, 0.0, "0", RIGHT),
        (0.0, 0.0, 0.0, "1e-9", WRONG),
        (3145.0, 0.0, 0.0, "3145.001", WRONG),
        (200.0, None, 0.01, "202", RIGHT),
        (200.0, None, 0.01, "198", RIGHT),
        (200.0, None, 0.01, "202.1", WRONG),
        (-200.0, None, 0.01, "-202", RIGHT),
        (0.7, 0.1, 0.5, "1.05", RIGHT),
        (0.7, 0.1, 0.5, "1.06", WRONG),
        (1 / 3, 1e-6, 0.0, "1/3", RIGHT),
        (math.pi, 1e-6, 0.0, "pi", RIGHT),
        (math.pi, 0.01, 0.0, "3.15", RIGHT),
        (math.pi, 0.01, 0.0, "3.1", WRONG),
        (1e10, 1.0, 0.0, "1e10+1", RIGHT),
        (1e10, 1.0, 0.0, "1e10+2", WRONG),
    ],
)
def test_explicit_tolerances_replace_the_contract(
    truth: float, abs_tol: float | None, rel_tol: float | None, text: str, outcome: Outcome
) -> None:
    """The edge of `abs_tol` and `rel_tol` counts as right on both sides, compared in decimal."""
    assert grade(variant(truth, Number(abs_tol, rel_tol)), text).outcome is outcome


# -- whole numbers ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("truth", "text", "outcome"),
    [
        (8192, "8192", RIGHT),
        (8192, "8192.0", RIGHT),
        (8192, "2^13", RIGHT),
        (8192, "8*1024", RIGHT),
        (8192, "8.192e3", RIGHT),
        (8192, "8.19e3", COARSE),
        (8192, "8190", COARSE),
        (8192, "8200", COARSE),
        (8192, "8.2e3", COARSE),
        (8192, "8000", WRONG),
        (8192, "8180", WRONG),
        (8192, "8191", WRONG),
        (8192, "-8192", WRONG),
        (8192, "2^13-2", WRONG),
        (8192, "8192.5", MALFORMED),
        (8192, "16385/2", MALFORMED),
        (8192, "8,192", MALFORMED),
        (16777216, "2^24", RIGHT),
        (16777216, "1.7e7", COARSE),
        (16777216, "1.68e7", COARSE),
        (16777216, "17000000", COARSE),
        (16777216, "16777217", WRONG),
        (16777216, "1.8e7", WRONG),
        (48, "50", WRONG),
        (48, "48", RIGHT),
        (3, "log2(8)", RIGHT),
        (4, "sqrt(16)", RIGHT),
        (2, "4^0.5", RIGHT),
        (0, "0", RIGHT),
        (0, "0.0", RIGHT),
        (0, "1", WRONG),
        (-8192, "-8190", COARSE),
        (2**53 + 1, "2^53+1", RIGHT),
        (2**53 + 1, "2^53", WRONG),
    ],
)
def test_whole_numbers_are_exact(truth: int, text: str, outcome: Outcome) -> None:
    """Any notation of the whole number is right; a rounded one is asked for in full, not counted."""
    assert grade(variant(truth, Integer()), text).outcome is outcome


def test_a_rounded_whole_number_is_told_so() -> None:
    """The message asks for the exact number."""
    assert "exact whole number" in grade(variant(16777216, Integer()), "1.7e7").message


def test_a_fraction_for_a_whole_number_names_its_entry() -> None:
    """Which of several numbers is not whole is said."""
    counts = variant((128, 64), Integers(labels=("values", "means")))
    verdict = grade(counts, "128 64.5")
    assert verdict.outcome is MALFORMED
    assert "entry 2 is 64.5" in verdict.message


# -- misconceptions --------------------------------------------------------------------------------
def test_a_misconception_is_named_and_explained() -> None:
    """A wrong path is recognised at three digits and as an exact expression, with its reason."""
    entry = variant(3 / ROOT5, unbiased=3 / math.sqrt(20 / 3), unscaled=3.0)
    for text in ("1.16", "1.1619", "3/sqrt(20/3)"):
        verdict = grade(entry, text)
        assert (verdict.outcome, named(verdict)) == (WRONG, ["unbiased"])
        assert "because unbiased" in verdict.message
    assert named(grade(entry, "3")) == ["unscaled"]
    assert named(grade(entry, "1.17")) == []


def test_the_nearest_misconception_wins() -> None:
    """Of two close slips the nearer one is named, whatever their order, and neither from halfway."""
    for question in (variant(10.0, low=2.03, high=2.05), variant(10.0, high=2.05, low=2.03)):
        assert named(grade(question, "2.05")) == ["high"]
        assert named(grade(question, "2.03")) == ["low"]
        assert named(grade(question, "2.04")) == []


def test_a_misconception_typed_exactly_beats_coarse() -> None:
    """1.3 is the slip's own value, not a rounding of 1.3416; 1 is a rounding of both and not counted."""
    entry = variant(1.3416407864998738, slip=1.3)
    assert named(grade(entry, "1.3")) == ["slip"]
    assert grade(entry, "1.3").outcome is WRONG
    assert grade(entry, "1").outcome is COARSE


def test_the_cap_makes_a_correct_rounding_imprecise() -> None:
    """With a slip 0.004 away only 0.0016 is allowed, and a correct rounding beyond that is not wrong."""
    entry = variant(1.3416, near=1.3456)
    assert grade(entry, "1.34").outcome is RIGHT
    assert grade(variant(1.3449, near=1.3489), "1.34").outcome is COARSE
    assert grade(variant(1.3449, near=1.3489), "1.345").outcome is RIGHT
    verdict = grade(variant(1.3449, near=1.3489), "1.349")
    assert (verdict.outcome, named(verdict)) == (WRONG, ["near"])


def test_the_cap_holds_for_exact_expressions() -> None:
    """A slip 1e-7 away is not accepted as an exact expression of the truth."""
    assert grade(variant(2.0, near=2.0000001), "20000001/10^7").outcome is WRONG
    assert grade(variant(2.0), "20000001/10^7").outcome is RIGHT


def test_what_cannot_be_told_apart_is_never_named_and_never_caps() -> None:
    """A slip that coincides with the truth leaves the truth right."""
    same = Misconception("same", 1.5, "because same", distinguishable=False)
    entry = replace(variant(1.5), misconceptions=(same,))
    assert grade(entry, "1.5").outcome is RIGHT
    assert named(grade(entry, "1.6")) == []


def test_a_slip_equal_to_the_truth_does_not_break_grading() -> None:
    """Even one that claims to be distinguishable costs nothing but its own name."""
    assert grade(variant(1.5, same=1.5), "1.5").outcome is RIGHT
    assert grade(variant(1.5, same=1.5), "1.7").outcome is WRONG


def test_a_sign_slip_at_zero_is_harmless() -> None:
    """Negative zero is zero."""
    assert grade(variant((0.0, 1.0)), "-0 1").outcome is RIGHT
    assert grade(variant((-0.0, 1.0)), "0 1").outcome is RIGHT


# -- lists and matrices ----------------------------------------------------------------------------
HAT = (-3 / ROOT5, -1 / ROOT5, 1 / ROOT5, 3 / ROOT5)


@pytest.mark.parametrize(
    "text",
    [
        "-1.34 -0.447 0.447 1.34",
        "-1.34, -.45, .45, 1.34",
        "(-3,-1,1,3)/sqrt(5)",
        "(-3 -1 1 3)/√5",
        "[-3/√5, -1/√5, 1/√5, 3/√5]",
        "−1.342; −0.447; 0.447; 1.342",
    ],
)
def test_a_list_has_one_scale(text: str) -> None:
    """S is the largest entry: two decimals are three digits of 1.34, also for the entry −0.447."""
    verdict = grade(variant(HAT), text)
    assert (verdict.outcome, verdict.marks) == (RIGHT, (True,) * 4)


def test_each_entry_is_marked() -> None:
    """The marks say which entries are right, and the message how many."""
    verdict = grade(variant(HAT), "-1.34 0.447 0.447 1.3")
    assert verdict.outcome is WRONG
    assert verdict.marks == (True, False, True, False)
    assert "2 of 4" in verdict.message


def test_a_list_is_imprecise_only_as_a_whole() -> None:
    """Coarse entries beside right ones are not counted; beside a wrong one they are."""
    assert grade(variant(HAT), "-1.34 -0.4 0.447 1.3").outcome is COARSE
    assert grade(variant(HAT), "-1.34 -0.4 0.447 -1.3").outcome is WRONG


def test_a_small_entry_of_a_list_may_be_zero_but_not_coarser() -> None:
    """Beside S = 1000 an entry of 0.2 is right as 0 (within 5e-4·S) and wrong as 5."""
    assert grade(variant((1000.0, 0.2)), "1000 0").outcome is RIGHT
    assert grade(variant((1000.0, 0.2)), "1000 5").outcome is WRONG


@pytest.mark.parametrize(
    ("answer", "kind", "text", "hint"),
    [
        ((1.0, 2.0, 3.0), Vector(), "1 2", "3 numbers are wanted, and this has 2"),
        ((1.0, 2.0, 3.0), Vector(), "1 2 3 4", "this has 4"),
        ((2.0, 2.0, 2.0), Vector(), "2", "3 numbers are wanted, and this has 1"),
        ((2.0, 2.0, 2.0), Vector(), "[2]", "this has 1"),
        ((1.0, 2.0, 3.0), Vector(), "[[1],[2],[3]]", "3×1 table"),
        ((1.0, 2.0, 3.0), Vector(), "[[1,2,3]]", "1×3 table"),
        ((1.0, 2.0, 3.0), Vector(), "(1,2) 3", "ragged table"),
        ((0.5, 1.0), Vector(), "[0,5; 1]", "decimals with a point"),
        ((2, 2), Integers(labels=("a", "b")), "2", "2 numbers are wanted, and this has 1"),
        (
            ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)),
            Matrix(),
            "1 4; 2 5; 3 6",
            "2×3 matrix is wanted, and this is 3×2",
        ),
        (((1.0, 2.0), (3.0, 4.0)), Matrix(), "1 2 3 4", "a list of 4"),
        (((1.0, 1.0), (1.0, 1.0)), Matrix(), "1", "a list of 1"),
        (((1.0, 2.0), (3.0, 4.0)), Matrix(), "[[1,2],[3]]", "different lengths"),
        (((1.0, 2.0), (3.0, 4.0)), Matrix(), "[[1,2],3]", "2×2 matrix is wanted"),
        (((1.0, 2.0), (3.0, 4.0)), Matrix(), "((1,(2,3)),(3,4))", "2×2 matrix is wanted"),
        (1.0, Number(), "(1,2)", "number is wanted, and this is a list of 2"),
        (1.0, Number(), "[1]", "a list of 1"),
    ],
)
def test_a_wrong_shape_is_malformed_and_named(answer: Any, kind: Kind, text: str, hint: str) -> None:
    """Length and shape are said; a single number never stands for a list."""
    verdict = grade(variant(answer, kind), text)
    assert verdict.outcome is MALFORMED
    assert hint in verdict.message


def test_a_matrix_is_read_by_rows() -> None:
    """The transposed matrix of a square one is a wrong answer, or a slip where one is declared."""
    square = variant(((1.0, 0.1), (-0.1, 1.0)), Matrix(), transposed=((1.0, -0.1), (0.1, 1.0)))
    assert grade(square, "1 0.1; -0.1 1").outcome is RIGHT
    assert grade(square, "[[1, 0.1], [-1/10, 1]]").outcome is RIGHT
    assert named(grade(square, "1 -0.1; 0.1 1")) == ["transposed"]


# -- several whole numbers -------------------------------------------------------------------------
COUNTS = Integers(labels=("values", "means", "parameters"))


def counts() -> Variant:
    """Build a question of three counts with a slip in each part and one in two parts."""
    return variant(
        (128, 8, 16),
        COUNTS,
        no_batch=(64, 8, 16),
        per_example=(128, 16, 16),
        scale_only=(128, 8, 8),
        swapped=(8, 128, 16),
    )


@pytest.mark.parametrize(
    ("text", "slips", "marks"),
    [
        ("64 8 16", ["no_batch"], (False, True, True)),
        ("64 16 16", ["no_batch", "per_example"], (False, False, True)),
        ("64 16 8", ["no_batch", "per_example", "scale_only"], (False, False, False)),
        ("8 128 16", ["swapped"], (False, False, True)),
        ("8 128 8", ["scale_only", "swapped"], (False, False, False)),
        ("64 7 16", ["no_batch"], (False, False, True)),
        ("8 8 16", [], (False, True, True)),
        ("1 2 3", [], (False, False, False)),
    ],
)
def test_slips_of_several_parts_combine(text: str, slips: list[str], marks: tuple[bool, ...]) -> None:
    """Each wrong part is explained on its own, and a slip counts only where all its parts are typed."""
    verdict = grade(counts(), text)
    assert verdict.outcome is WRONG
    assert sorted(named(verdict)) == slips
    assert verdict.marks == marks


def test_a_slip_in_one_part_beats_a_rounding() -> None:
    """130 rounds 128 and is also a declared slip: it is named, even beside another slip."""
    question = variant((128, 64), Integers(labels=("a", "b")), off_by_two=(130, 64), halved=(128, 32))
    assert named(grade(question, "130 32")) == ["off_by_two", "halved"]
    assert grade(question, "130 64").outcome is WRONG
    assert grade(variant((128, 64), Integers(labels=("a", "b"))), "130 64").outcome is COARSE


# -- malformed answers -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    "text", ["", " ", "1..2", "0,5", "nan", "9^9^9^9", "2/0", "x", "=1", "1e999", "\x00", "1" * 500]
)
def test_an_unreadable_answer_is_no_try(text: str) -> None:
    """It is malformed, says why, points into the text and is not counted."""
    verdict = grade(variant(0.5), text)
    assert verdict.outcome is MALFORMED
    assert not verdict.graded
    assert verdict.message
    assert verdict.position is not None
    assert 0 <= verdict.position <= len(text)


# -- rows that other systems got wrong -------------------------------------------------------------
OPEN_ROWS = [
    ("B46", 0.5, 1e-6, "0,5", MALFORMED),
    ("B46", 1234.5, 1e-6, "1.234,5", MALFORMED),
    ("B46", 1234.5, 1e-6, "1,234.5", MALFORMED),
    ("B46", 3145.0, 0.0, "3,145", MALFORMED),
    ("B46", (0.5, 1.0), 1e-6, "[0,5; 1]", MALFORMED),
    ("B47", -1.2, 1e-6, "\u22121.2", RIGHT),
    ("B47", -1.2, 1e-6, "\u20131.2", RIGHT),
    ("B47", -1.2, 1e-6, "\uff0d1.2", RIGHT),
    ("B47", -1.2, 1e-6, "- 1.2", RIGHT),
    ("B47", -1.2, 1e-6, "\u00a0-1.2\u200b", RIGHT),
    ("B47", 0.0012, 1e-9, "1.2\u00d710\u22123", MALFORMED),
    ("B49", 45.8, 0.2, "46.0", RIGHT),
    ("B49", 45.8, 0.2, "45.6", RIGHT),
    ("B49", 45.8, 0.2, "46.01", WRONG),
    ("B49", 1.0, 0.1, "1.1", RIGHT),
    ("B49", 2.675, 0.005, "2.67", RIGHT),
    ("B52", (1.0, 2.0, 3.0), 1e-6, "1 2 3", RIGHT),
    ("B52", (1.0, 2.0, 3.0), 1e-6, "(1, 2, 3)", RIGHT),
    ("B52", (1.0, 2.0, 3.0), 1e-6, "1;2;3", RIGHT),
    ("B52", (1.0, 2.0, 3.0), 1e-6, "[1, 2, 3,]", RIGHT),
    ("B52", (1.0, 2.0, 3.0), 1e-6, "[1, 2]", MALFORMED),
    ("B52", (1.0, 2.0, 3.0), 1e-6, "[[1],[2],[3]]", MALFORMED),
    ("B52", (2.0, 2.0, 2.0), 1e-6, "2", MALFORMED),
    ("B52", (1.0, 2.0, 3.0), 1e-6, "[1, 2, 3", MALFORMED),
    ("B52", 0.3333333333, 1e-6, "1/3", RIGHT),
    ("B52", 0.3333333333, 1e-6, "1/3/1", RIGHT),
    ("B52", 2.0, 1e-6, "2/0", MALFORMED),
    ("B52", 0.001, 1e-9, "1e-3", RIGHT),
    ("B52", 1e10, 1.0, "1 e10", MALFORMED),
    ("B52", 78.5398, 1e-3, "78.539 8", MALFORMED),
]


@pytest.mark.parametrize(("case", "key", "tolerance", "text", "outcome"), OPEN_ROWS)
def test_answers_that_other_systems_judged_wrongly(
    case: str, key: Any, tolerance: float, text: str, outcome: Outcome
) -> None:
    """Commas, signs, tolerance edges and brackets: right, or refused with a reason, never silently wrong."""
    kind = Vector(tolerance) if isinstance(key, tuple) else Number(tolerance)
    verdict = grade(variant(key, kind), text)
    assert verdict.outcome is outcome, case
    assert verdict.message


def test_typed_signs_are_never_dropped() -> None:
    """What a number-only field would eat, as in `-0,5`, `1/3` or `−1`, is read or refused as a whole."""
    assert grade(variant(-5.0), "-0,5").outcome is MALFORMED
    assert grade(variant(13.0), "1/3").outcome is WRONG
    assert grade(variant(1.0), "−1").outcome is WRONG
    assert grade(variant(1.0), "1 000").outcome is MALFORMED
    assert grade(variant((1.0, 2.0)), "[1, 2]").outcome is RIGHT
