"""Variants: draws that never change, a learner's own numbers, and what comes back from JSON."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch

from studynorm.engine.answer import Integer, Number, Vector
from studynorm.engine.family import Family, Level, Misconception, Refused, Step, batch, scalar, vector
from studynorm.engine.files import family_files
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.moments import TIDY_DEVIATIONS, mean, moments
from studynorm.engine.numbers import flatten, plain, rounded, tex
from studynorm.engine.oracle import verified_draw, verified_values
from studynorm.engine.registry import load_family
from studynorm.engine.rng import Rng, seed_of
from studynorm.engine.transport import dumps, from_json, to_json
from studynorm.engine.variant import NEAREST, NoVariant, Variant, Verified, draw, from_values

IDS = tuple(family_files())
torch.set_num_threads(1)  # small layers run several times faster on one thread


def family(name: str) -> Family[Any]:
    """Return a shipped family."""
    found = load_family(name)
    assert isinstance(found, Family), found
    return found


def refused(name: str, given: Mapping[str, str]) -> Refused:
    """Return why a family does not take these numbers."""
    with pytest.raises(Refused) as caught:
        from_values(family(name), 1, given)
    return caught.value


# -- random draws ----------------------------------------------------------------------------------
def test_draws_follow_the_documented_seeding() -> None:
    """SHA-256 of the parts joined by U+001F seeds `random.Random`, and only `random()` is used."""
    # Worked out with hashlib and random.Random alone.
    dice = Rng("batchnorm.vector", 1, 1, 0)
    assert [dice.integer(1, 6) for _ in range(10)] == [4, 4, 5, 5, 2, 3, 6, 2, 3, 1]
    # int(3·0.70794…) = 2, int(3·0.30440…) = 0, int(3·0.06867…) = 0
    choices = Rng("a", 7)
    assert [choices.choice(("x", "y", "z")) for _ in range(3)] == ["z", "x", "x"]
    assert Rng("shuffle").shuffled("abcdef") == ["b", "d", "f", "a", "c", "e"]
    assert Rng("shuffle").sample("abcdef", 2) == ["b", "d"]
    assert seed_of("item", 3, "salt") == 62173081579590


def test_seeds_depend_on_the_order_and_number_of_parts() -> None:
    """Neither swapping parts nor joining them gives the same seed."""
    assert len({seed_of("a", 1, 2), seed_of("a", 2, 1), seed_of("a", 12), seed_of("a1", 2)}) == 4
    assert 0 <= seed_of("x") < 2**48


def test_every_integer_of_a_range_is_drawn_about_equally_often() -> None:
    """Both ends are included, nothing else is: 6000 dice show each face 1000 times, give or take 150."""
    dice = Rng("fair")
    faces = dice.integers(6000, 1, 6)
    assert sorted(set(faces)) == [1, 2, 3, 4, 5, 6]
    assert all(abs(faces.count(face) - 1000) < 150 for face in range(1, 7))


def test_the_same_seed_is_the_same_variant_in_another_process() -> None:
    """Neither hash randomisation nor what ran before changes a question."""
    program = (
        "import sys\n"
        "from studynorm.engine.registry import load_family\n"
        "from studynorm.engine.transport import dumps, to_json\n"
        "from studynorm.engine.variant import draw\n"
        "for name in sys.argv[1:]:\n"
        "    f = load_family(name)\n"
        "    for level in f.levels:\n"
        "        print(dumps(to_json(draw(f, level, 12345)[1])))\n"
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", program, *IDS],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            encoding="utf-8",
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    here = [
        dumps(to_json(draw(family(name), level, 12345)[1])) for name in IDS for level in family(name).levels
    ]
    assert printed[0].splitlines() == printed[1].splitlines() == here


def test_a_level_that_a_family_lacks_is_its_nearest() -> None:
    """Between two levels the lower one is taken; the variant says which it is."""
    two = Sketch(levels={1: Level(), 3: Level()})
    assert [two.nearest(level) for level in (0, 1, 2, 3, 9)] == [1, 1, 1, 3, 3]
    assert draw(two, 9, 0)[1].level == 3
    assert draw(two, 3, 0)[1] == draw(two, 9, 0)[1]


# -- a family of our own ---------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Given:
    """Two numbers and a list."""

    x: tuple[float, ...] = batch("some numbers")
    weight: tuple[float, ...] = vector("weights", like="x", fill=2.0)
    shift: float = scalar("a shift", 3.0, low=-10.0, high=10.0)
    rate: float = scalar("a rate", 0.5, above=0.0)


class Sketch(Family[Given]):
    """The weighted sum plus a shift, with slips that a test chooses."""

    title = "Sketch"
    catalogue = "Z1"
    given = Given
    kind = Number()

    def __init__(self, levels: Mapping[int, Level], slips: tuple[Misconception, ...] = ()) -> None:
        self.id, self.topic = "concepts.sketch", "concepts"
        self.levels = levels  # type: ignore[misc]
        self.slips = slips

    def draw(self, level: int, rng: Rng) -> Given:
        """Draw two numbers."""
        return Given((float(rng.integer(1, 9)), float(rng.integer(1, 9))), (1.0, 1.0), 0.0, 1.0)

    def prompt(self, p: Given) -> str:
        """Show everything."""
        return str(p)

    def solve(self, p: Given) -> float:
        """Return 100, so that slips can be put beside it."""
        return 100.0

    def misconceptions(self, p: Given) -> tuple[Misconception, ...]:
        """Return what the test chose."""
        return self.slips

    def hints(self, p: Given) -> tuple[str, str]:
        """Return two hints."""
        return "one", "two"

    def solution(self, p: Given) -> tuple[Step, ...]:
        """Return one step."""
        return (Step("Sum", "y", "100", 100.0),)


def slip(name: str, value: Any) -> Misconception:
    """Return a misconception of this value."""
    return Misconception(name, value, "because")


def flags(*slips: Misconception) -> dict[str, bool]:
    """Return which slips can be told apart on a learner's own numbers."""
    sketch = Sketch({1: Level()}, slips)
    return {s.id: s.distinguishable for s in from_values(sketch, 1, {"x": "1,2"})[1].misconceptions}


def test_defaults_are_sized_to_match() -> None:
    """Unset parameters take their documented defaults; a list like another has as many entries."""
    params, variant = from_values(Sketch({1: Level()}), 1, {"x": "1 -2 3.5"})
    assert params == Given((1.0, -2.0, 3.5), (2.0, 2.0, 2.0), 3.0, 0.5)
    assert variant.seed is None
    assert variant.params == {"x": (1.0, -2.0, 3.5), "weight": (2.0, 2.0, 2.0), "shift": 3.0, "rate": 0.5}


@pytest.mark.parametrize(
    ("given", "name", "hint"),
    [
        ({}, "x", "no default"),
        ({"x": "1,2", "xs": "1"}, "xs", "it has x, weight, shift, rate"),
        ({"x": "1,2", "weight": "1,2,3"}, "weight", "as many as x has: 2"),
        ({"x": "1,2", "weight": "1"}, "weight", "as many as x has: 2"),
        ({"x": "5"}, "x", "at least two"),
        ({"x": "1,,2"}, "x", "at character 3"),
        ({"x": "1,nan"}, "x", "finite number"),
        ({"x": "1,1e400"}, "x", "too many digits"),
        ({"x": "1,1e160"}, "x", "outside"),
        ({"x": "1,1e-160"}, "x", "outside"),
        ({"x": "1 2; 3 4"}, "x", "plain list"),
        ({"x": " ".join(["1"] * 65)}, "x", "1 to 64 numbers are wanted, and this has 65"),
        ({"x": "1," * 3000}, "x", "at most 4000 characters"),
        ({"x": "(" + "1 " * 60 + ")" + "*2" * 1500}, "x", "too much arithmetic"),
        ({"x": ""}, "x", "nothing was typed"),
        ({"x": "1,2", "shift": "11"}, "shift", "-10 to 10"),
        ({"x": "1,2", "shift": "-10.5"}, "shift", "-10 to 10"),
        ({"x": "1,2", "shift": "1,2"}, "shift", "decimal with a point"),
        ({"x": "1,2", "shift": "(1,2)"}, "shift", "a list of 2"),
        ({"x": "1,2", "shift": "1 2"}, "shift", "side by side"),
        ({"x": "1,2", "rate": "0"}, "rate", "above 0"),
        ({"x": "1,2", "rate": "-1"}, "rate", "above 0"),
    ],
)
def test_refusals_name_the_parameter(given: dict[str, str], name: str, hint: str) -> None:
    """A number outside its domain, or a text that is none, is refused by name, in one short line."""
    with pytest.raises(Refused) as caught:
        from_values(Sketch({1: Level()}), 1, given)
    assert caught.value.name == name
    assert hint in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("name", "given", "parameter", "hint"),
    [
        ("residual.jacobian", {"a": "1 2; 3"}, "a", "different lengths"),
        ("residual.jacobian", {"a": "[[1,2],[3]]"}, "a", "square matrix"),
        ("residual.jacobian", {"a": "1 2 3; 4 5 6"}, "a", "square matrix"),
        ("residual.jacobian", {"a": "5"}, "a", "square matrix"),
        ("residual.jacobian", {"a": "[[1,(2,3)],[4,5]]"}, "a", "not lists inside"),
        ("residual.jacobian", {"a": ";".join([" ".join("1" * 9)] * 9)}, "a", "at most 8 rows"),
        ("stream_scale.doubling", {"depth": "2.5"}, "depth", "whole number"),
        ("stream_scale.doubling", {"depth": "0"}, "depth", "1 to 500"),
        ("stream_scale.doubling", {"depth": "3", "quantity": "mean"}, "quantity", "variance, rms"),
        ("statistics.batchnorm_count", {"shape": "1,2,3"}, "shape", "4 numbers are wanted, and this has 3"),
        ("statistics.batchnorm_count", {"shape": "1,2,3,4,5"}, "shape", "and this has 5"),
        ("statistics.batchnorm_count", {"shape": "1,2,0,4"}, "shape", "1 to"),
        ("statistics.batchnorm_count", {"shape": "1,2,-3,4"}, "shape", "1 to"),
        ("statistics.batchnorm_count", {"shape": "1,2,1.5,4"}, "shape", "whole number"),
        ("batchnorm.entry", {"x": "1,2", "index": "3"}, "index", "1 to 2"),
        ("batchnorm.vector", {"x": "1,2", "eps": "-1e-5"}, "eps", "0 to 1000000"),
        ("batchnorm.vector", {"x": "1,2", "eps": "nan"}, "eps", "finite"),
        ("batchnorm.vector", {"x": "3,3,3", "eps": "0"}, "x", "variance is 0"),
        ("running_stats.mean", {"x": "1,2", "momentum": "1.5"}, "momentum", "0 to 1"),
    ],
)
def test_shipped_families_refuse_what_has_no_answer(
    name: str, given: dict[str, str], parameter: str, hint: str
) -> None:
    """Ragged matrices, wrong counts and undefined batches are refused, naming parameter and domain."""
    why = refused(name, given)
    assert why.name == parameter
    assert hint in str(why)


EXTREME = ("0", "1", "-1", "0.1", "0.3", "1e12", "1e150", "-1e150", "1e-150", "64", "2000")


@pytest.mark.parametrize("name", IDS)
def test_extreme_numbers_end_in_an_answer_or_a_refusal(name: str) -> None:
    """Zeros, huge and tiny numbers in any parameter are answered or refused, never an internal error."""
    chosen = family(name)
    dice = Rng("extremes", name)
    answered = 0
    for seed in range(40):
        drawn = draw(chosen, 1, 0)[1].params
        given = {parameter: plain(value) for parameter, value in drawn.items()}
        for parameter in dice.sample(list(given), seed % 3):
            numbers = re.findall(r"-?[\d.]+(?:e-?\d+)?", given[parameter])
            if numbers:
                given[parameter] = given[parameter].replace(dice.choice(numbers), dice.choice(EXTREME))
        try:
            variant = verified_values(chosen, 1, given, torch)
        except Refused:
            continue
        answered += 1
        assert from_json(json.loads(json.dumps(to_json(variant), allow_nan=False))) == variant
        assert grade(variant, "0").outcome in Outcome
    assert answered


def test_overflow_on_the_way_is_refused() -> None:
    """Where float64 runs out of range the learner is told so, and no answer is shown."""

    class Overflowing(Sketch):
        def oracle(self, p: Given, torch: Any) -> float:
            return float("inf")

    with pytest.raises(Refused, match="float64 overflows"):
        verified_values(Overflowing({1: Level()}), 1, {"x": "1,2"}, torch)


# -- what can be told apart ------------------------------------------------------------------------
def test_slips_are_told_apart_by_their_distance() -> None:
    """Within 1.3 % of the truth, or of another slip, a slip is listed but never named."""
    assert flags(slip("far", 50.0), slip("near", 101.2), slip("clear", 101.4)) == {
        "far": True,
        "near": False,
        "clear": False,
    }
    assert flags(slip("far", 50.0), slip("clear", 101.4)) == {"far": True, "clear": True}
    assert flags(slip("a", 50.0), slip("b", 50.4)) == {"a": False, "b": False}
    assert flags(slip("a", 50.0), slip("b", 50.8)) == {"a": True, "b": True}
    assert NEAREST == 1.3e-2


def test_a_slip_without_a_finite_value_is_left_out() -> None:
    """Dividing by zero is no recognisable answer."""
    assert flags(slip("far", 50.0), slip("none", float("nan")), slip("huge", float("inf"))) == {"far": True}


def test_one_belief_listed_twice_does_not_hide_itself() -> None:
    """A belief that reaches several parts may be listed once a part."""
    assert flags(slip("far", 50.0), slip("far", 50.1)) == {"far": True}


def test_gamma_one_hides_the_dropped_affine_map() -> None:
    """With γ = 1 and β = 0 dropping them changes nothing, and that is said, not guessed."""
    _, variant = from_values(family("batchnorm.vector"), 1, {"x": "0,2,4,6", "eps": "0"})
    told = {s.id: s.distinguishable for s in variant.misconceptions}
    assert told["affine_dropped"] is False
    assert told["shift_before_scale"] is False
    assert told["unbiased_variance"] is True


@pytest.mark.parametrize("name", IDS)
def test_a_drawn_variant_carries_every_misconception_of_its_level(name: str) -> None:
    """All are present in the declared order, distinguishable, and at least 1.3e-2·S apart."""
    chosen = family(name)
    for level in chosen.levels:
        for seed in range(10):
            variant = draw(chosen, level, seed)[1]
            listed = chosen.levels[level].misconceptions
            assert bool(variant.misconceptions) == chosen.kind.judged
            assert tuple(s.id for s in variant.misconceptions) == listed or not listed
            assert all(s.distinguishable for s in variant.misconceptions)
            values = [flatten(variant.answer), *(flatten(s.value) for s in variant.misconceptions)]
            for place, one in enumerate(values):
                for other in values[:place]:
                    if len(one) != len(other):
                        continue  # shapes and sets of axes of different lengths cannot be mistaken
                    size = max(map(abs, (*one, *other)))
                    gap = max(abs(a - b) for a, b in zip(one, other, strict=True))
                    assert gap >= (0.5 if chosen.kind.whole else 1.3e-2 * size)


def test_a_family_without_variants_says_what_stands_in_the_way() -> None:
    """The author reads which misconception is missing or collides, not only that nothing was found."""
    with pytest.raises(NoVariant, match="no finite absent, 400 times"):
        draw(Sketch({1: Level("absent")}), 1, 0)
    with pytest.raises(NoVariant, match="close too near the truth"):
        draw(Sketch({1: Level("close")}, (slip("close", 100.5),)), 1, 0)


# -- verified --------------------------------------------------------------------------------------
def test_where_torch_loses_digits_both_values_are_shown() -> None:
    """Float64 BatchNorm of 10¹² + (0, 2, 4, 6) is off in the sixth digit; the exact answer is kept."""
    given = {"x": "1e12+0,1e12+2,1e12+4,1e12+6", "eps": "0"}
    variant = verified_values(family("batchnorm.vector"), 1, given, torch)
    assert variant.answer == pytest.approx([-3 / 5**0.5, -1 / 5**0.5, 1 / 5**0.5, 3 / 5**0.5], rel=1e-14)
    assert variant.verified is not None
    assert 1e-9 < variant.verified.max_abs_diff < 1e-3
    assert "torch itself loses digits" in variant.verified.note
    assert "-1.3416" in variant.verified.note


def test_an_entry_at_the_mean_is_zero() -> None:
    """0.2 is the mean of 0.1, 0.2 and 0.3, whatever binary makes of them."""
    entry = verified_values(family("batchnorm.entry"), 1, {"x": "0.1,0.2,0.3", "index": "2"}, torch)
    assert entry.answer == 0.0
    assert entry.verified is not None
    assert entry.verified.note == ""
    assert verified_values(family("running_stats.mean"), 1, {"x": "-0.1,-0.2,0.3"}, torch).answer == 0.0
    assert mean((0.1, 0.2, 0.3)) == 0.2
    assert moments((0.1, 0.1, 0.1)).deviations == (0.0, 0.0, 0.0)


def test_an_answer_is_torchs_own_and_says_so() -> None:
    """`verified` names torch's version without build tag, the precision, the device and the difference."""
    variant = verified_draw(family("batchnorm.vector"), 1, 0, torch)
    assert variant.verified is not None
    assert variant.verified.torch == torch.__version__.split("+")[0]
    assert (variant.verified.dtype, variant.verified.device) == ("float64", "cpu")
    assert variant.verified.max_abs_diff < 1e-12


def test_the_line_about_verification_is_short() -> None:
    """Differences show one digit, no padded exponent, and a plain 0."""
    line = Verified("2.13.0", "float64", "cpu", 2.2e-16).line()
    assert line == "torch 2.13.0 · float64 · cpu · |Δ| 2e-16"
    assert Verified("2.13.0", "float64", "cpu", 8e-6, "why").line().endswith("|Δ| 8e-6 · why")
    assert Verified("2.13.0", "float64", "cpu", 0.0).line().endswith("|Δ| 0")


def test_drawing_and_verifying_leaves_torchs_random_state() -> None:
    """No answer depends on the global random state, and none changes it."""
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    verified_draw(family("batchnorm.vector"), 1, 0, torch)
    assert torch.equal(torch.rand(3), expected)


# -- JSON ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", IDS)
def test_json_brings_back_the_same_variant(name: str) -> None:
    """Every field of every family survives the log and the pipe to the engine process."""
    chosen = family(name)
    for level in chosen.levels:
        variant = verified_draw(chosen, level, 3, torch)
        back = from_json(json.loads(json.dumps(to_json(variant), allow_nan=False)))
        assert back == variant
        assert isinstance(back, Variant)


def test_json_keeps_tolerances_and_unverified_variants() -> None:
    """An explicit tolerance and the lack of a verification come back, too."""
    _, variant = from_values(Sketch({1: Level()}), 1, {"x": "1,2"})
    assert variant.verified is None
    for kind, answer in ((Number(0.2, 0.01), 1.5), (Vector(None, 0.5), (1.0, 2.0)), (Integer(), 7)):
        kept = replace(variant, kind=kind, answer=answer)
        assert from_json(json.loads(dumps(to_json(kept)))) == kept


# -- numbers ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("value", "text", "latex"),
    [
        (2.0, "2", "2"),
        (-0.5, "-0.5", "-0.5"),
        (-0.0, "0", "0"),
        (1e-5, "1e-5", "10^{-5}"),
        (-1e-5, "-1e-5", "-10^{-5}"),
        (2.5e-7, "2.5e-7", r"2.5 \cdot 10^{-7}"),
        (1e22, "1e22", "10^{22}"),
        (2**60, "1152921504606846976", "1152921504606846976"),
        (0.1 + 0.2, "0.30000000000000004", "0.30000000000000004"),
        ((0.0, 2.0), "(0, 2)", "(0, 2)"),
        (((1.0, 2.0), (3.0, 4.5)), "[1 2; 3 4.5]", r"\begin{pmatrix} 1 & 2 \\ 3 & 4.5 \end{pmatrix}"),
    ],
)
def test_numbers_are_written_exactly(value: Any, text: str, latex: str) -> None:
    """The shortest text that reads back as the number, and its LaTeX."""
    assert plain(value) == text
    assert tex(value) == latex


def test_numbers_for_reading_are_rounded() -> None:
    """Six significant digits, and rounding noise beside other entries is 0."""
    assert rounded(1.3416407864998738) == "1.34164"
    assert rounded((1.0, 1e-17, -0.25)) == "(1, 0, -0.25)"
    assert rounded(((1.0, 0.1), (-1 / 3, 1.0))) == "[1 0.1; -0.333333 1]"


def test_tidy_batches_are_tidy() -> None:
    """Each listed set of deviations sums to 0 and has a whole standard deviation above 1."""
    for deviations in TIDY_DEVIATIONS:
        assert sum(deviations) == 0
        squares = sum(d * d for d in deviations)
        assert squares % len(deviations) == 0
        root = round((squares // len(deviations)) ** 0.5)
        assert root > 1
        assert root * root * len(deviations) == squares
