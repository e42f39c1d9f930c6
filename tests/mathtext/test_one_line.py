"""One line of Unicode or ASCII for each formula; every expected line was written by hand from the formula."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studynorm.mathtext import MathError, ascii_line, one_line, parse

LINES = [
    # fractions and roots
    (r"\frac{a+b}{c}", "(a + b)/c"),
    (r"\frac12", "1/2"),
    (r"\tfrac{x}{2n}", "x/(2n)"),
    (r"\frac{\frac ab}{c}", "(a/b)/c"),
    (r"\frac{a}{\frac bc}", "a/(b/c)"),
    (r"\frac{a/b}{c}", "(a/b)/c"),
    (r"\frac{1}{f(x)}", "1/f(x)"),
    (r"\frac{1}{n-1}", "1/(n − 1)"),
    (r"\frac{1}{(n-1)}", "1/(n − 1)"),
    (r"\frac{\log x}{y}", "(log x)/y"),
    (r"\frac{-1}{2}", "−1/2"),
    (r"\frac{x^2}{y^2}", "x²/y²"),
    (r"{\frac ab}^2", "(a/b)²"),
    (r"\frac{1}{2}mv^2", "(1/2)mv²"),
    (r"2\frac{a}{b}", "2(a/b)"),
    (r"a+\frac{b}{c}-d", "a + b/c − d"),
    (r"-\frac{1}{2}", "−1/2"),
    (r"\log\frac{a}{b}", "log(a/b)"),
    (r"\frac{\partial L}{\partial x_l}", "∂L/∂xₗ"),
    (r"\frac{dL}{dx}", "dL/dx"),
    (r"\frac{1}{dn}", "1/(dn)"),
    (r"\frac{1}{\sqrt{d}}", "1/√d"),
    (r"\sqrt{x+1}", "√(x + 1)"),
    (r"\sqrt{x^2}", "√(x²)"),
    (r"\sqrt{x}^2", "(√x)²"),
    (r"\sqrt{x_i}", "√xᵢ"),
    (r"\sqrt{2}\sigma", "√2 σ"),
    (r"\sqrt{2\sigma}", "√(2σ)"),
    (r"\sqrt[3]{x}", "∛x"),
    (r"2\sqrt[n]{x+1}", "2 ⁿ√(x + 1)"),
    (r"\binom{n}{k}", "(n choose k)"),
    # scripts
    ("x_i", "xᵢ"),
    ("x^2", "x²"),
    ("2^{24}", "2²⁴"),
    ("x_{l+1}", "xₗ₊₁"),
    ("x_{ij}^2", "xᵢⱼ²"),
    ("x_L", "x_L"),
    ("x_Ly", "x_L y"),
    ("x_L^2", "x_L²"),
    ("x_{i,j}", "x_(i,j)"),
    ("J_{L-1}", "J_(L−1)"),
    (r"\sigma_{w^2}", "σ_(w²)"),
    (r"\sigma_w^2", "σ_w²"),
    ("x^{(l+1)}", "x⁽ˡ⁺¹⁾"),
    ("e^{-x}", "e⁻ˣ"),
    ("e^{x^2}", "e^(x²)"),
    ("{x^2}^3", "(x²)³"),
    ("(a+b)^2", "(a + b)²"),
    (r"W^\top W", "WᵀW"),
    (r"10^{-3}", "10⁻³"),
    (r"d_{\text{model}}", "d_model"),
    (r"n_{\text{in}}", "nᵢₙ"),
    ("f'(x)", "f′(x)"),
    ("x'_i", "x′ᵢ"),
    ("f''^2", "f′′²"),
    (r"90^\circ", "90°"),
    ("x^*", "x^*"),
    (r"\mathbb R^+", "ℝ⁺"),
    # accents
    (r"\hat x_i", "x̂ᵢ"),
    (r"\hat{x}_i", "x̂ᵢ"),
    (r"\hat{x_i}", "x̂ᵢ"),
    (r"\bar x", "x̄"),
    (r"\tilde\sigma^2", "σ̃²"),
    (r"\vec v \dot x", "v⃗ẋ"),
    (r"\hat{xy}", "hat(xy)"),
    (r"\overline{AB}", "A̅B̅"),
    (r"\overline{a+b}", "overline(a + b)"),
    (r"\underbrace{a+b}_{\text{sum}}", "(a + b)⏟(sum)"),
    (r"\overbrace{x}^{n}", "(x)⏞(n)"),
    # big operators and functions
    (r"\frac1n \sum_i x_i", "(1/n) ∑ᵢ xᵢ"),
    (r"\sum_{i=1}^n \frac1i", "∑ᵢ₌₁ⁿ (1/i)"),
    (r"\frac{\sum_i x_i}{n}", "(∑ᵢ xᵢ)/n"),
    (r"\prod_{k=l}^{L-1} J_k", "∏ₖ₌ₗᴸ⁻¹ Jₖ"),
    (r"\prod_{k=0}^{K} a", "∏ₖ₌₀ᴷ a"),
    (r"\sum_{i\ne j} x", "∑_(i≠j) x"),
    (r"\int_0^\infty e^{-x}\,dx", "∫₀^∞ e⁻ˣ dx"),
    (r"\lim_{x\to0} f(x)", "lim_(x→0) f(x)"),
    (r"\max(0, x)", "max(0, x)"),
    (r"\max_i x_i", "maxᵢ xᵢ"),
    (r"\operatorname*{arg\,max}_\theta L", "arg max_θ L"),
    (r"2\log_2 x", "2 log₂ x"),
    (r"\sin^2\theta", "sin² θ"),
    (r"\operatorname{Var}(x)", "Var(x)"),
    (r"a\operatorname{tr}A", "a tr A"),
    # operators, relations, brackets
    ("-x+(-y)", "−x + (−y)"),
    (r"a\cdot-2", "a · −2"),
    (r"x\gets x-\eta\nabla L", "x ← x − η∇L"),
    (r"a\not=b, x\notin A", "a ≠ b, x ∉ A"),
    ("x:=3", "x := 3"),
    (r"f\colon X\to Y", "f: X → Y"),
    ("|x|-y", "|x| − y"),
    ("|-x|", "|−x|"),
    ("p(x|y)-1", "p(x|y) − 1"),
    (r"p(x\mid y)", "p(x ∣ y)"),
    (r"\|x\|_2", "‖x‖₂"),
    (r"\Big\lVert x\Big\rVert\lfloor y\rfloor", "‖x‖⌊y⌋"),
    (r"\langle u,v\rangle", "⟨u, v⟩"),
    (r"\{x : x>0\}", "{x : x > 0}"),
    (r"\left(\frac{a}{b}\right)^2", "(a/b)²"),
    (r"\left.\frac{df}{dx}\right|_{x=0}", "(df/dx)|ₓ₌₀"),
    (r"a\pm b\odot c\le d", "a ± b ⊙ c ≤ d"),
    ("10{,}000", "10,000"),
    (r"16\,777\,216", "16 777 216"),
    ("3,1", "3, 1"),
    (r"x_1,\dots,x_n", "x₁, …, xₙ"),
    ("n!/k!", "n!/k!"),
    # alphabets, text, blanks
    (r"\mathcal L + \mathcal D", "ℒ + D"),
    (r"\mathbb E[x]", "𝔼[x]"),
    (r"\mathbf x + \mathrm{RMS}(x)", "x + RMS(x)"),
    (r"2\mathbf 1", "2 1"),
    (r"x \text{ if } y", "x if y"),
    (r"a\quad b\qquad c", "a  b    c"),
    (r"a\!b", "ab"),
    (r"\displaystyle x", "x"),
    (r"100\%", "100%"),
    # environments
    (r"\begin{pmatrix}a&b\\c&d\end{pmatrix}", "[a  b; c  d]"),
    (r"\begin{bmatrix}1\\-2\\\end{bmatrix}", "[1; −2]"),
    (r"\det A=\begin{vmatrix}a&b\\c&d\end{vmatrix}", "det A = |a  b; c  d|"),
    (
        r"f(x)=\begin{cases}x&x>0\\[2pt]0&\text{otherwise}\end{cases}",
        "f(x) = { x if x > 0; 0 otherwise }",
    ),
    (r"\begin{cases}x,&\text{if }x>0\\-x\end{cases}", "{ x if x > 0; −x }"),
    (r"\begin{aligned}a&=b+c\\&=-d\end{aligned}", "a = b + c; = −d"),
    # whole formulas of the subject
    (
        r"\hat x_i = \frac{x_i-\mu}{\sqrt{\sigma^2+\varepsilon}}",
        "x̂ᵢ = (xᵢ − μ)/√(σ² + ε)",
    ),
    (
        r"\bar x=\frac{1}{\tilde\sigma}\big(g-\operatorname{mean}(g)\mathbf 1"
        r"-\hat x\,\operatorname{mean}(g\odot\hat x)\big)",
        "x̄ = (1/σ̃)(g − mean(g)1 − x̂ mean(g ⊙ x̂))",
    ),
    (
        r"\frac{\partial L}{\partial x_l}=\frac{\partial L}{\partial x_L}"
        r"\prod_{k=l}^{L-1}\left(I+\frac{\partial F_k}{\partial x_k}\right)",
        "∂L/∂xₗ = (∂L/∂x_L) ∏ₖ₌ₗᴸ⁻¹ (I + ∂Fₖ/∂xₖ)",
    ),
    (
        r"\hat\sigma^2\leftarrow(1-m)\,\hat\sigma^2+m\,\frac{n}{n-1}\,\sigma^2",
        "σ̂² ← (1 − m) σ̂² + m (n/(n − 1)) σ²",
    ),
    (r"\mathrm{RMS}(x)=\sqrt{\frac1d\sum_{i=1}^d x_i^2+\epsilon}", "RMS(x) = √((1/d) ∑ᵢ₌₁ᵈ xᵢ² + ε)"),
    (r"\|W\|_2=\max_{\|v\|=1}\|Wv\|", "‖W‖₂ = max_(‖v‖=1) ‖Wv‖"),
]


@pytest.mark.parametrize(("source", "line"), LINES, ids=[source for source, _ in LINES])
def test_formulas_read_as_a_person_would_write_them(source: str, line: str) -> None:
    """The line has the brackets, blanks and glyphs that its meaning needs."""
    assert unicodedata.normalize("NFC", one_line(source)) == unicodedata.normalize("NFC", line)


DIFFERENT = [
    (r"\frac{a}{b}c", r"\frac{a}{bc}", r"a\frac{b}{c}"),
    (r"\sqrt{x}y", r"\sqrt{xy}", r"\sqrt{x^y}", r"\sqrt{x}^y"),
    (r"x_{L^2}", r"{x_L}^{2}y"),
    (r"e^{x+1}", r"e^x+1", r"e^{x}1"),
    (r"\frac{a+b}{c}", r"a+\frac{b}{c}"),
    (r"\frac{a}{b+c}", r"\frac ab+c"),
    (r"2^{nk}", r"2^nk"),
    (r"x_{Ly}", r"x_L y"),
    (r"(x^a)^b", r"x^{a^b}"),
    (r"\hat{x}y", r"\hat{xy}"),
    (r"\log\frac{a}{b}", r"\frac{\log a}{b}"),
    (r"2\sqrt[n]{x}", r"2^n\sqrt{x}"),
    (r"\begin{pmatrix}a&b\end{pmatrix}", r"\begin{pmatrix}a\\b\end{pmatrix}"),
]


@pytest.mark.parametrize("sources", DIFFERENT)
def test_formulas_that_differ_in_meaning_differ_on_the_line(sources: tuple[str, ...]) -> None:
    """No two of them share a line, in Unicode or in ASCII."""
    assert len({one_line(source) for source in sources}) == len(sources)
    assert len({ascii_line(source) for source in sources}) == len(sources)


ASCII = [
    (r"\sqrt{\sigma^2+\varepsilon}", "sqrt(sigma^2 + eps)"),
    (r"\hat x_i=\frac{x_i-\mu}{\sigma}", "x_hat_i = (x_i - mu)/sigma"),
    (r"\prod_{k=l}^{L-1}J_k", "prod_(k=l)^(L-1) J_k"),
    (r"\alpha\beta x", "alpha beta x"),
    (r"2^{24}\times10^{-3}", "2^24 * 10^(-3)"),
    (r"W^\top x'", "W^T x'"),
    (r"a\le b\to c", "a <= b -> c"),
    (r"\|x\|_2", "||x||_2"),
    (r"\frac{\partial L}{\partial x}", "dL/dx"),
    (r"\mathbb E[x]\approx\infty", "E[x] ~= inf"),
    (r"\sqrt[3]{x}", "root(3, x)"),
    (r"\text{café}", "cafe"),
]


@pytest.mark.parametrize(("source", "line"), ASCII)
def test_ascii_lines_spell_what_has_no_sign(source: str, line: str) -> None:
    """Greek is spelled, powers and indices use ^ and _, roots and accents have names."""
    assert ascii_line(source) == line


@pytest.mark.parametrize("source", [r"\foo x", "a}", r"\frac{1}", "x^^2", ""])
def test_a_formula_that_is_not_in_the_subset_comes_back_as_it_was(source: str) -> None:
    """The source is better than nothing and better than a guess."""
    assert one_line(source) == source
    assert ascii_line(source) == source


PIECES = r"""
\frac \sqrt [ ] { } { } ^ _ x 漢 1 .5 + - = \left( \right) \left| \right. \sum \hat \bar \text{a} \mathrm
\begin{pmatrix} \end{pmatrix} & \\ \begin{cases} \end{cases} , \quad \, ' | \| \big( \not \operatorname{f}
\binom \underbrace \overline \lim : ! / \max \middle \mathbb \limits \foo \alpha \cdot ( ) ~ % é ŷ \
"""
SOURCES = st.lists(st.sampled_from(PIECES.split()), max_size=25).map("".join)


@given(SOURCES | st.text(max_size=60))
def test_random_tokens_raise_nothing_but_math_errors(source: str) -> None:
    """A source parses, or says where and why it doesn't; the printers then give the source back."""
    error: MathError | None = None
    try:
        parse(source)
    except MathError as refusal:
        error = refusal
    if error is not None:
        assert 0 <= error.position <= len(source)
        assert error.message
        assert one_line(source) == source
    assert ascii_line(source).isascii()


@given(st.lists(st.sampled_from([source for source, _ in LINES]), min_size=1, max_size=4).map(" ".join))
def test_a_line_is_one_line_of_narrow_glyphs(source: str) -> None:
    """No line feed, no double-width sign, and of the astral planes nothing but the expectation sign."""
    line = one_line(source)
    assert line.isprintable()
    assert all(ord(char) < 0x10000 or char == "𝔼" for char in line)
    assert all(unicodedata.east_asian_width(char) not in "WF" for char in line)
    assert ascii_line(source).isascii()


def test_nested_accents_and_scripts_cost_no_more_than_their_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty hats over scripts are written once each, not twice for every level."""
    from studynorm.mathtext.forms import UnicodeForms

    calls = 0
    real = UnicodeForms.sign

    def counted(self: UnicodeForms, sign: object) -> str:
        nonlocal calls
        calls += 1
        return real(self, sign)  # type: ignore[arg-type]

    monkeypatch.setattr(UnicodeForms, "sign", counted)
    one_line(r"\hat{" * 50 + "x" + "}_a" * 50)
    assert calls == 51
