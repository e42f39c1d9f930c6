"""Keys where float32 is visibly wrong, against exact rational arithmetic done here alone."""

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
import torch

from studynorm.engine.family import Family
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.numbers import flatten, plain
from studynorm.engine.oracle import verified_draw, verified_values
from studynorm.engine.projection import surd
from studynorm.engine.registry import load_family
from studynorm.engine.variant import Variant, from_values

torch.set_num_threads(1)  # small layers run several times faster on one thread
LOST = "torch itself loses digits here"
Exact = tuple[Decimal, ...]


# -- exact arithmetic ------------------------------------------------------------------------------
def number(value: float | str) -> Fraction:
    """Return a number as it is displayed, without loss."""
    return Fraction(str(value))


def decimal(value: Fraction) -> Decimal:
    """Return a fraction to sixty digits more than cancellation can take."""
    return Decimal(value.numerator) / Decimal(value.denominator)


def over_root(top: Fraction, square: Fraction) -> Decimal:
    return decimal(top) / decimal(square).sqrt()


def spread(x: Sequence[float]) -> tuple[Fraction, tuple[Fraction, ...], Fraction]:
    """Return the mean, the deviations and the sum of their squares."""
    values = [number(value) for value in x]
    centre = sum(values, Fraction()) / len(values)
    deviations = tuple(value - centre for value in values)
    return centre, deviations, sum((value * value for value in deviations), Fraction())


def normalized(p: Any) -> Exact:
    _, deviations, squares = spread(p.x)
    return tuple(over_root(value, squares / len(p.x) + number(p.eps)) for value in deviations)


def entry(p: Any) -> Exact:
    return (normalized(p)[p.index - 1],)


def batch(p: Any) -> Exact:
    return tuple(decimal(number(p.gamma)) * value + decimal(number(p.beta)) for value in normalized(p))


def token(p: Any) -> Exact:
    rows = zip(p.gamma, normalized(p), p.beta, strict=True)
    return tuple(decimal(number(g)) * value + decimal(number(b)) for g, value, b in rows)


def root_mean_square(p: Any) -> Exact:
    x = [number(value) for value in p.x]
    square = sum((value * value for value in x), Fraction()) / len(x) + number(p.eps)
    return tuple(over_root(number(g) * value, square) for g, value in zip(p.gamma, x, strict=True))


def input_gradient(p: Any) -> Exact:
    _, d, squares = spread(p.x)
    n, g = len(d), [number(p.gamma) * number(value) for value in p.upstream]
    square = squares / n + number(p.eps)
    slope = sum((a * b for a, b in zip(g, d, strict=True)), Fraction()) / n / square
    middle = sum(g, Fraction()) / n
    return tuple(over_root(a - middle - b * slope, square) for a, b in zip(g, d, strict=True))


def moved(momentum: float, start: float, arrivals: Sequence[Fraction]) -> Fraction:
    """Return a running statistic after a step for each arrival."""
    value = number(start)
    for arrival in arrivals:
        value = (1 - number(momentum)) * value + number(momentum) * arrival
    return value


def running_mean(p: Any) -> Exact:
    return (decimal(moved(p.momentum, p.running_mean, [spread(p.x)[0]])),)


def running_variance(p: Any) -> Exact:
    return (decimal(moved(p.momentum, p.running_var, [spread(p.x)[2] / (len(p.x) - 1)])),)


def eval_output(p: Any) -> Exact:
    centre, _, squares = spread(p.x)
    mean = moved(p.momentum, p.running_mean, [centre])
    square = moved(p.momentum, p.running_var, [squares / (len(p.x) - 1)]) + number(p.eps)
    return (over_root(number(p.gamma) * (number(p.query) - mean), square) + decimal(number(p.beta)),)


def several_batches(p: Any) -> Exact:
    n = p.batch_size
    mean = moved(p.momentum, p.running_mean, list(map(number, p.means)))
    var = moved(p.momentum, p.running_var, [number(value) * n / (n - 1) for value in p.variances])
    return decimal(mean), decimal(var)


def cumulative(p: Any) -> Exact:
    sizes = [int(size) for size in p.sizes]
    unbiased = [number(v) * n / (n - 1) for v, n in zip(p.variances, sizes, strict=True)]
    means = [number(value) for value in p.means]
    return tuple(decimal(sum(values, Fraction()) / len(values)) for values in (means, unbiased))


def memory(p: Any) -> Exact:
    return (decimal((1 - number(p.momentum)) ** p.steps),)


def across_devices(p: Any) -> Exact:
    counts = [int(count) for count in p.counts]
    means, variances = ([number(value) for value in values] for values in (p.means, p.variances))
    centre = sum((n * m for n, m in zip(counts, means, strict=True)), Fraction()) / sum(counts)
    squares = sum(
        (n * (v + (m - centre) ** 2) for n, m, v in zip(counts, means, variances, strict=True)), Fraction()
    )
    return (decimal(squares / (sum(counts) - (p.asked == "running"))),)


TRUTH: Mapping[str, Callable[[Any], Exact]] = {
    "batchnorm.entry": entry,
    "batchnorm.vector": batch,
    "running_stats.mean": running_mean,
    "running_stats.variance": running_variance,
    "running_stats.eval_output": eval_output,
    "running_stats.several_batches": several_batches,
    "running_stats.cumulative": cumulative,
    "running_stats.memory": memory,
    "other_norms.layernorm": token,
    "other_norms.rmsnorm": root_mean_square,
    "backward.input_gradient": input_gradient,
    "deployment.sync_variance": across_devices,
}


def family(name: str) -> Family[Any]:
    """Return a shipped family."""
    found = load_family(name)
    assert isinstance(found, Family), found
    return found


def error(name: str, answer: Any, params: Any) -> float:
    """Return how far an answer is from the exact one, in units of S."""
    if not all(map(math.isfinite, flatten(answer))):
        return math.inf
    with localcontext() as context:
        context.prec = 400
        exact = TRUTH[name](params)
        scale = max(map(abs, exact)) or Decimal(1)
        pairs = zip(flatten(answer), exact, strict=True)
        return float(max(abs(Decimal(value) - truth) for value, truth in pairs) / scale)


# -- a learner's own hard numbers ------------------------------------------------------------------
HARD = {
    "1e8 + whole": ["100000000", "100000001", "100000003", "100000006"],
    "1e8 + tenths": ["100000000.1", "100000000.2", "100000000.4"],
    "1e12 + whole": ["1000000000000", "1000000000002", "1000000000004", "1000000000006"],
    "1e12 + tenths": ["1000000000000.1", "1000000000000.3", "1000000000000.7"],
    "-1e12 + tenths": ["-1000000000000.1", "-1000000000000.3", "-1000000000000.7"],
    "nearly equal": ["1", "1.000000000001", "1.000000000003"],
    "variance 1e-20": ["0", "1e-10", "2e-10", "5e-10"],
    "variance 1e-20 about 1": ["1", "1.0000000001", "0.9999999999"],
    "variance 1e-200": ["1e-100", "3e-100", "-2e-100"],
    "variance 1e300": ["1e150", "-1e150", "3e149"],
    "mixed": ["1e10", "1", "1e-10", "-3"],
    "very mixed": ["1e100", "1e-100", "5", "7"],
    "row of 64": [str(100_000_000 + at * 37 % 64) for at in range(64)],
    "row of 64 that cancels": ["1e16", *["1"] * 62, "-1e16"],
}


OF_A_BATCH = (
    "batchnorm.entry",
    "batchnorm.vector",
    "running_stats.mean",
    "running_stats.variance",
    "other_norms.layernorm",
    "other_norms.rmsnorm",
    "backward.input_gradient",
)


def given_to(name: str, x: Sequence[str], eps: str) -> dict[str, str]:
    """Return what a family is told beside the batch."""
    given = {"x": ",".join(x)}
    if name == "batchnorm.entry":
        given["index"] = "2"
    if name == "batchnorm.vector":
        given |= {"gamma": "0.3", "beta": "-1.7"}
    if name == "backward.input_gradient":
        given |= {"gamma": "-0.5", "upstream": ",".join(str(at * 7 % 5 - 2) for at in range(len(x)))}
    if name == "running_stats.mean":
        return given | {"momentum": "0.3"}
    if name == "running_stats.variance":
        return given | {"momentum": "0.3", "running_var": "0"}
    return given | {"eps": eps}


@pytest.mark.parametrize("eps", ["0", "1e-12", "1e-5"])
@pytest.mark.parametrize("x", HARD.values(), ids=HARD.keys())
@pytest.mark.parametrize("name", OF_A_BATCH)
def test_keys_of_hard_numbers_are_exact(name: str, x: list[str], eps: str) -> None:
    """The torch-free key is right to 1e-12·S; what is shown is it, or torch's within 1e-9·S of it."""
    given = given_to(name, x, eps)
    params, derived = from_values(family(name), 3, given)
    assert error(name, derived.answer, params) <= 1e-12
    shown = verified_values(family(name), 3, given, torch)
    assert shown.verified is not None
    if LOST in shown.verified.note:
        assert shown.answer == derived.answer
        assert shown.verified.max_abs_diff > 1e-9 * max(map(abs, flatten(shown.answer)))
    else:
        assert error(name, shown.answer, params) <= 1e-9


@pytest.mark.parametrize("x", ["1e12 + tenths", "-1e12 + tenths", "1e8 + tenths"])
@pytest.mark.parametrize("name", ["batchnorm.entry", "batchnorm.vector", "other_norms.layernorm"])
def test_the_digits_that_torch_loses_are_said(name: str, x: str) -> None:
    """float64 holds 1e12 + 0.1 only to 1e-4: the key stays exact, and the line under it tells of torch."""
    given = given_to(name, HARD[x], "0")
    shown = verified_values(family(name), 3, given, torch)
    params, _ = from_values(family(name), 3, given)
    assert shown.verified is not None
    assert LOST in shown.verified.line()
    assert error(name, shown.answer, params) <= 1e-12


def running_variance_of(x: torch.Tensor) -> torch.Tensor:
    """Return torch's running variance after one step with momentum 0.3 from 0."""
    layer = torch.nn.BatchNorm1d(1, momentum=0.3, dtype=x.dtype)
    layer.running_var = torch.zeros(1, dtype=x.dtype)
    layer(x.reshape(-1, 1))
    assert layer.running_var is not None
    return layer.running_var


SINGLE: Mapping[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "batchnorm.entry": lambda x: torch.nn.functional.batch_norm(
        x.reshape(-1, 1), None, None, training=True, eps=5e-324
    )[1],
    "running_stats.variance": running_variance_of,
    "other_norms.layernorm": lambda x: torch.nn.functional.layer_norm(x, x.shape, eps=0.0),
}


@pytest.mark.parametrize("x", ["1e8 + whole", "1e8 + tenths", "1e12 + whole", "nearly equal", "row of 64"])
@pytest.mark.parametrize("name", SINGLE)
def test_float32_is_visibly_wrong_on_the_same_numbers(name: str, x: str) -> None:
    """In float32 the digits that tell the values apart are gone: off by more than a learner's third digit."""
    given = given_to(name, HARD[x], "0")
    params, _ = from_values(family(name), 3, given)
    single = SINGLE[name](torch.tensor([float(value) for value in HARD[x]], dtype=torch.float32))
    assert not error(name, single.double().ravel().tolist(), params) <= 5e-3
    assert error(name, verified_values(family(name), 3, given, torch).answer, params) <= 1e-9


def test_devices_far_from_zero() -> None:
    """Means 1e12 + 0.1 and 1e12 + 0.3 with 3 and 1 values: 0.75·0.5 + 0.1²·0.75 = 0.3825."""
    variant = verified_values(
        family("deployment.sync_variance"),
        2,
        {"counts": "3,1", "means": "1000000000000.1,1000000000000.3", "variances": "0.5,0"},
        torch,
    )
    assert variant.answer == pytest.approx(0.375 + 0.0075, rel=1e-12)
    assert variant.verified is not None
    assert LOST in variant.verified.note


# -- answers that cancel ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "given"),
    [
        # 0.9·(−3.6) + 0.1·32.4 and 0.7·1.1 + 0.3·(−77/30)
        ("running_stats.mean", {"x": "32.2,32.6", "momentum": "0.1", "running_mean": "-3.6"}),
        ("running_stats.mean", {"x": "-2.6,-2.6,-2.5", "momentum": "0.3", "running_mean": "1.1"}),
        # The running mean moves to 0.55 and to 0.16, which is the input.
        (
            "running_stats.eval_output",
            {"x": "0.1,0.2,0.3", "momentum": "0.3", "running_mean": "0.7", "query": "0.55", "eps": "0"},
        ),
        (
            "running_stats.eval_output",
            {"x": "0.1,0.2,0.6", "momentum": "0.3", "running_mean": "0.1", "query": "0.16", "eps": "0"},
        ),
        # 0.3 − 3·√0.01
        ("batchnorm.invert", {"y": "-3", "mu": "0.3", "var": "0.01", "eps": "0"}),
        # Deviation 2.35, variance 3.1525, root √138.0625 = 11.75: 1.6/5 − 0.32.
        (
            "other_norms.groupnorm",
            {"x": "6,3.7,3.9,1", "gamma": "1.6", "beta": "-0.32", "eps": "134.91"},
        ),
        # The same batch, once 0.3 has been added to 0.7.
        (
            "batchnorm.coupling",
            {
                "x": "6,3.7,3.9,0.7",
                "changed": "4",
                "delta": "0.3",
                "index": "1",
                "gamma": "1.6",
                "beta": "-0.32",
                "eps": "134.91",
            },
        ),
    ],
)
def test_an_answer_that_cancels_is_zero(name: str, given: dict[str, str]) -> None:
    """Rounding noise is no key: what is 0 by hand is exactly 0, and 0 is right."""
    variant = verified_values(family(name), 3, given, torch)
    assert variant.answer == 0
    assert grade(variant, "0").outcome is Outcome.CORRECT


@pytest.mark.parametrize(
    ("name", "given", "answer"),
    [
        # Half of −1e12 and half of 1e12 + 0.2.
        (
            "running_stats.mean",
            {"x": "1000000000000.1,1000000000000.3", "momentum": "0.5", "running_mean": "-1000000000000"},
            0.1,
        ),
        # 1e12 + (−1e6 + 1e-7)·√1e12
        ("batchnorm.invert", {"y": "-999999.9999999", "mu": "1e12", "var": "1e12", "eps": "0"}, 0.1),
    ],
)
def test_an_answer_that_nearly_cancels_keeps_its_digits(
    name: str, given: dict[str, str], answer: float
) -> None:
    """Two numbers of 1e12 whose sum is 0.1 are added without loss."""
    variant = verified_values(family(name), 3, given, torch)
    assert variant.answer == pytest.approx(answer, rel=1e-12)
    assert variant.verified is not None
    assert LOST in variant.verified.note


@pytest.mark.parametrize(
    ("factor", "square", "rest", "value"),
    [
        ("3", "4", "1", 7.0),
        ("-3", "4", "6", 0.0),
        ("3", "0.01", "-0.3", 0.0),
        ("0", "2", "0", 0.0),
        ("-1", "1000000000000000000000001", "1000000000000", -5e-13),  # √(a² + 1) − a is 1/(2a)
        ("1e150", "1e300", "-1e-150", 1e300),
        ("-1e150", "1e300", "1e150", -1e300),
    ],
)
def test_a_root_and_a_rational_are_added_without_cancellation(
    factor: str, square: str, rest: str, value: float
) -> None:
    """The sum of f·√s and r, where they cancel, is (f²s − r²)/(f·√s − r)."""
    assert surd(Fraction(factor), Fraction(square), Fraction(rest)) == pytest.approx(value, rel=1e-15)


# -- drawn variants --------------------------------------------------------------------------------
@pytest.mark.parametrize("name", TRUTH)
def test_a_variant_whose_key_is_not_stable_is_never_drawn(name: str) -> None:
    """On forty seeds of every level the verified key is the exact one to 1e-12·S."""
    chosen = family(name)
    for level in chosen.levels:
        for seed in range(7000, 7040):
            variant: Variant = verified_draw(chosen, level, seed, torch)
            params = chosen.given(**variant.params)
            assert error(name, variant.answer, params) <= 1e-12, (level, seed, plain(variant.answer))
