"""The products of 50 layer derivatives, against closed forms worked by hand and exact fractions."""

import math
from fractions import Fraction
from typing import Any

import pytest
import torch

from studynorm.demos.demo import read_settings
from studynorm.demos.registry import demos
from studynorm.demos.run import run_demo

DEMO = demos()["residual_product"]


def _run(**given: str) -> dict[str, Any]:
    return run_demo(
        torch, DEMO, read_settings(DEMO, given), seed=0, device="cpu", progress=lambda fraction, text: None
    )


def test_the_lesson_case() -> None:
    """25 times +0.1 and 25 times -0.1: 0.1^50 in size for the plain stack, 0.99^25 for the residual one."""
    final = _run()["data"]["final"]
    assert final["plain"] == {
        "log10": pytest.approx(-50, abs=1e-12),
        "sign": -1,
        "value": pytest.approx(-1e-50),
    }
    assert final["residual"]["value"] == pytest.approx(0.99**25, rel=1e-12)
    assert round(final["residual"]["value"], 5) == 0.77782


def test_every_depth_against_exact_fractions() -> None:
    """At every depth both products equal the product of fractions, and autograd saw the same."""
    data = _run(size="0.5", depth="41")["data"]
    plain = residual = Fraction(1)
    for n in range(42):
        assert data["plain"]["sign"][n] * 10 ** data["plain"]["log10"][n] == pytest.approx(
            float(plain), rel=1e-12
        )
        assert 10 ** data["residual"]["log10"][n] == pytest.approx(float(residual), rel=1e-12)
        a = Fraction(1, 2) * (-1) ** n
        plain, residual = plain * a, residual * (1 + a)
    assert data["autograd"]["compared"] == 84
    assert data["autograd"]["max_difference"] < 1e-12


def test_all_plus_grows() -> None:
    """With all signs + the residual product is (1 + s)^L."""
    data = _run(signs="all_plus")["data"]
    assert data["final"]["residual"]["value"] == pytest.approx(1.1**50, rel=1e-12)
    assert data["final"]["plain"]["value"] == pytest.approx(1e-50, rel=1e-12)


def test_beyond_the_range_of_a_float() -> None:
    """3^1000 and 4^1000 are too large for a float: their logarithms are right and their values are null."""
    payload = _run(signs="all_plus", size="3", depth="1000")
    final, autograd = payload["data"]["final"], payload["data"]["autograd"]
    assert final["plain"] == {"log10": pytest.approx(1000 * math.log10(3)), "sign": 1, "value": None}
    assert final["residual"] == {"log10": pytest.approx(1000 * math.log10(4)), "sign": 1, "value": None}
    assert (autograd["plain"], autograd["residual"]) == (None, None)
    assert 0 < autograd["compared"] < 2002
    assert autograd["max_difference"] < 1e-10
    assert payload["table"]["rows"][-1] == [1000, "1.322e477", "1.148e602"]


@pytest.mark.parametrize(("size", "which"), [("0", "plain"), ("1", "residual")])
def test_a_product_that_is_zero(size: str, which: str) -> None:
    """A factor of 0 makes the product exactly 0: sign 0, no logarithm, and autograd agrees."""
    payload = _run(size=size)
    assert payload["data"]["final"][which] == {"log10": None, "sign": 0, "value": 0.0}
    assert payload["data"]["autograd"][which] == 0
    assert payload["data"]["autograd"]["max_difference"] < 1e-12


def test_negative_residual_factors_keep_their_sign() -> None:
    """With s = 2 the factors are 3 and -1, so after 6 layers the product is -27."""
    data = _run(size="2", depth="6")["data"]
    assert data["final"]["residual"]["value"] == pytest.approx(-27, rel=1e-12)
    assert data["final"]["residual"]["sign"] == -1


def test_the_summary_says_the_numbers() -> None:
    """The sentences name both products and end with where it was computed."""
    summary = _run()["summary"]
    assert "-1e-50" in summary[0]
    assert "0.77782" in summary[1]
    assert summary[-1] == f"Measured with torch {torch.__version__} · float64 · cpu · seed 0."
