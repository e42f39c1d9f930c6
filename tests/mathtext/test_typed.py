"""Signs that are typed or pasted into formulas mean what the LaTeX for them means, in every form."""

import pytest

from studynorm.mathtext import MathError, ascii_line, one_line, parse, spoken


@pytest.mark.parametrize(
    ("typed", "latex"),
    [
        ("x̂", r"\hat x"),
        ("ŷ", r"\hat y"),
        ("x̄ᵢ", r"\bar x_i"),
        ("σ̂²", r"\hat\sigma^2"),
        ("10⁻⁵", "10^{-5}"),
        ("x₁²", "x_{1}^{2}"),
        ("½", r"\frac{1}{2}"),
        ("√2", r"\sqrt{2}"),
        ("√10 + 1", r"\sqrt{10} + 1"),
        ("√x", r"\sqrt{x}"),
    ],
)
def test_a_typed_sign_is_what_its_latex_is(typed: str, latex: str) -> None:
    """The same words and the same 7-bit line, so nothing of the meaning is lost."""
    assert ascii_line(typed) == ascii_line(latex)
    assert spoken(typed) == spoken(latex)
    assert one_line(typed) == one_line(latex)
    assert ascii_line(typed).isascii()


def test_words_in_a_formula_stay_as_they_are_typed() -> None:
    """A half and a square in a text macro are letters of those words."""
    assert one_line(r"\text{½ x² café} + x²") == "½ x² café + x²"


def test_an_error_behind_typed_signs_has_the_place_in_the_source() -> None:
    """The signs before it count as they were typed."""
    with pytest.raises(MathError) as raised:
        parse("ŷ² + \\nosuchmacro")
    assert raised.value.position == "ŷ² + \\nosuchmacro".index("\\")


@pytest.mark.parametrize("source", ["√", "²", "x^²", "\\text", "\\text{½", "½½²²√√", "ᵢ̂", "√√2"])
def test_lone_and_doubled_signs_never_crash(source: str) -> None:
    """They are drawn, or refused with a place."""
    place = -1
    try:
        parse(source)
    except MathError as error:
        place = error.position
    assert -1 <= place <= len(source)
