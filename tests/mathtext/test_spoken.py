"""Formulas in words; each expectation is how a teacher would read the formula out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studynorm.mathtext import spoken

WORDS = [
    (
        r"\hat x_i = \frac{x_i-\mu}{\sqrt{\sigma^2+\varepsilon}}",
        "x hat sub i equals the fraction x sub i minus mu over the square root of sigma squared plus epsilon",
    ),
    (r"\frac1n", "1 over n"),
    (r"\frac{a+b}{c}+d", "the fraction a plus b over c end fraction plus d"),
    (r"\sqrt{a+b}+c", "the square root of a plus b end root plus c"),
    (r"\sqrt[3]x", "the cube root of x"),
    (r"\frac1n\sum_i x_i", "1 over n the sum over i of x sub i"),
    (r"\sum_{i=1}^n x_i", "the sum from i equals 1 to n of x sub i"),
    (r"\lim_{x\to0}f", "the limit as x to 0 of f"),
    (r"\sqrt a+b", "the square root of a, plus b"),
    (r"10^{-3}y", "10 to the minus 3 y"),
    (r"x^2+y^3", "x squared plus y cubed"),
    (r"x^{n+1}y", "x to the power n plus 1 end power y"),
    (r"x_{l+1}", "x sub l plus 1 end sub"),
    (r"W^\top W", "capital W transpose capital W"),
    (r"\log_2 x", "the log sub 2 of x"),
    (r"-x\le 3", "minus x is at most 3"),
    (r"\left\|x\right\|", "the norm of x end norm"),
    (r"f'(x)", "f prime open paren x close paren"),
    (r"a,\quad b", "a, b"),
    (r"x\notin A", "x not in capital A"),
    (r"a\not\approx b", "a is not approximately b"),
    (
        r"\begin{cases}1&x>0\\0&\text{otherwise}\end{cases}",
        "the cases: 1 if x is greater than 0; 0 otherwise; end cases",
    ),
    (
        r"\begin{pmatrix}a&b\\c&d\end{pmatrix}",
        "the 2 by 2 matrix row 1: a, b; row 2: c, d; end matrix",
    ),
    (r"\mathrm{Var}(x)", "Var open paren x close paren"),
    (r"\binom nk", "n choose k"),
]


@pytest.mark.parametrize(("source", "words"), WORDS)
def test_formulas_are_read_out(source: str, words: str) -> None:
    """The words follow the formula, and say where a part ends if something follows it."""
    assert spoken(source) == words


def test_grouping_can_be_heard() -> None:
    """Formulas that differ in grouping alone sound different."""
    groups = [
        (r"\sqrt{a+b}", r"\sqrt{a}+b"),
        (r"\frac{a}{b+c}d", r"\frac ab+cd"),
        (r"x_{i+1}", "x_i+1"),
        (r"x^{n+1}y", "x^n+1y"),
        (r"x^{n+1}", "x^n+1"),
    ]
    assert all(spoken(one) != spoken(two) for one, two in groups)


def test_a_formula_outside_the_subset_is_given_as_it_is() -> None:
    """Nothing is guessed."""
    assert spoken(r"\foo{x}") == r"\foo{x}"


@given(st.lists(st.sampled_from([source for source, _ in WORDS]), min_size=1, max_size=4).map("+".join))
def test_words_hold_no_latex(source: str) -> None:
    """What is read out has no backslash, brace or doubled blank."""
    words = spoken(source)
    assert not set(words) & set("\\{}^_")
    assert "  " not in words
