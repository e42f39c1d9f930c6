"""Delimiters of formulas without a partner: told where LaTeX follows, left alone where money is meant."""

import pytest

from studynorm.content.lone import lone_openers


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("It costs $5 and more.", []),
        ("It costs $5, and $6 with tax.", []),
        (r"Fine $x$ and \$5, $y_1$.", []),
        ("`$x^2` is code", []),
        ("```\n$x^2\n```", []),
        (r"What is \(x+1 here?", [8]),
        ("$x^2 and so on", [0]),
        (r"a $\frac{1}{2} b", [2]),
        ("$x$, then $y_1 and", [10]),
        ("$a_1 here\n\nand $b_2$ there", [0]),
    ],
)
def test_a_formula_that_is_never_closed_is_found(text: str, at: list[int]) -> None:
    """By what stands behind it in its own paragraph."""
    assert list(lone_openers(text)) == at
