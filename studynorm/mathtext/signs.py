"""The signs of the subset: for each macro or character its node, with glyph, ASCII form and words.

One line of a table is `macro glyph ascii words…`; the ASCII form `-` is the macro's own name, and a
blank in a form is written `_`.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

from studynorm.mathtext.nodes import (
    Bracket,
    Function,
    MathError,
    Operator,
    Punctuation,
    Relation,
    Sign,
    Symbol,
)

_S = TypeVar("_S", bound=Sign)

_SYMBOLS = """
alpha α - alpha
beta β - beta
gamma γ - gamma
delta δ - delta
epsilon ε eps epsilon
varepsilon ε eps epsilon
zeta ζ - zeta
eta η - eta
theta θ - theta
vartheta ϑ theta theta
iota ι - iota
kappa κ - kappa
lambda λ - lambda
mu μ - mu
nu ν - nu
xi ξ - xi
pi π - pi
rho ρ - rho
varrho ϱ rho rho
sigma σ - sigma
varsigma ς sigma sigma
tau τ - tau
upsilon υ - upsilon
phi φ - phi
varphi φ phi phi
chi χ - chi
psi ψ - psi
omega ω - omega
Gamma Γ - capital gamma
Delta Δ - capital delta
Theta Θ - capital theta
Lambda Λ - capital lambda
Xi Ξ - capital xi
Pi Π - capital pi
Sigma Σ - capital sigma
Upsilon Υ - capital upsilon
Phi Φ - capital phi
Psi Ψ - capital psi
Omega Ω - capital omega
ell ℓ l l
hbar ℏ - h bar
imath ı i i
jmath ȷ j j
Re ℜ - real part
Im ℑ - imaginary part
infty ∞ inf infinity
surd √ sqrt root of
partial ∂ d partial
nabla ∇ grad nabla
top ⊤ T top
bot ⊥ bot bottom
forall ∀ - for all
exists ∃ - there is
nexists ∄ not_exists there is no
emptyset ∅ {} the empty set
varnothing ∅ {} the empty set
neg ¬ not not
lnot ¬ not not
dots … ... and so on
ldots … ... and so on
cdots ⋯ ... and so on
dotsb ⋯ ... and so on
dotsc … ... and so on
vdots ⋮ ... and so on
ddots ⋱ ... and so on
blacksquare ■ [] end of proof
square □ [] square
prime ′ ' prime
degree ° deg degrees
dagger † dagger dagger
% % % percent
$ $ $ dollar
# # # hash
& & & and
_ _ _ underscore
S § section section
checkmark ✓ ok check mark
"""
_OPERATORS = """
cdot · * times
times × * times
div ÷ / divided by
ast * * times
star ⋆ * star
circ ∘ o composed with
bullet • * bullet
odot ⊙ (.) elementwise times
otimes ⊗ (x) tensor
oplus ⊕ (+) direct sum
ominus ⊖ (-) circled minus
oslash ⊘ (/) elementwise divided by
pm ± +- plus or minus
mp ∓ -+ minus or plus
cup ∪ union union
cap ∩ intersect intersected with
setminus ∖ \\ without
wedge ∧ and and
land ∧ and and
vee ∨ or or
lor ∨ or or
bmod mod mod modulo
"""
_RELATIONS = """
le ≤ <= is at most
leq ≤ <= is at most
leqslant ≤ <= is at most
ge ≥ >= is at least
geq ≥ >= is at least
geqslant ≥ >= is at least
ne ≠ != is not equal to
neq ≠ != is not equal to
lt < < is less than
gt > > is greater than
ll ≪ << is much less than
gg ≫ >> is much greater than
approx ≈ ~= is approximately
sim ∼ ~ is distributed as
simeq ≃ ~= is about equal to
cong ≅ ~= is congruent to
equiv ≡ == is identical to
propto ∝ propto is proportional to
in ∈ in in
notin ∉ not_in not in
ni ∋ contains contains
subset ⊂ subset is a subset of
subseteq ⊆ subset= is a subset of or equal to
supset ⊃ superset is a superset of
supseteq ⊇ superset= is a superset of or equal to
perp ⊥ perp is perpendicular to
parallel ∥ || is parallel to
mid ∣ | given
lesssim ≲ <~ is at most about
gtrsim ≳ >~ is at least about
coloneqq ≔ := is defined as
triangleq ≜ := is defined as
to → -> to
rightarrow → -> to
longrightarrow ⟶ --> to
leftarrow ← <- gets
gets ← <- gets
leftrightarrow ↔ <-> exchanges with
mapsto ↦ |-> maps to
Rightarrow ⇒ => implies
implies ⟹ ==> implies
Longrightarrow ⟹ ==> implies
Leftarrow ⇐ <= follows from
impliedby ⟸ <== follows from
iff ⟺ <==> if and only if
Leftrightarrow ⇔ <=> if and only if
uparrow ↑ up up
downarrow ↓ down down
nearrow ↗ up rising
searrow ↘ down falling
hookrightarrow ↪ -> embeds in
rightsquigarrow ⇝ ~> leads to
vdash ⊢ |- proves
"""
_BRACKETS = """
{ { { open|open brace
lbrace { { open|open brace
} } } close|close brace
rbrace } } close|close brace
lbrack [ [ open|open bracket
rbrack ] ] close|close bracket
langle ⟨ < open|open angle
rangle ⟩ > close|close angle
lfloor ⌊ floor( open|floor of
rfloor ⌋ ) close|end floor
lceil ⌈ ceil( open|ceiling of
rceil ⌉ ) close|end ceiling
lvert | | open|absolute value of
rvert | | close|end absolute value
lVert ‖ || open|the norm of
rVert ‖ || close|end norm
vert | | middle|bar
Vert ‖ || middle|double bar
| ‖ || middle|double bar
"""
_CHARACTERS = """
( ( ( open|open paren
) ) ) close|close paren
[ [ [ open|open bracket
] ] ] close|close bracket
⟨ ⟨ < open|open angle
⟩ ⟩ > close|close angle
‖ ‖ || middle|double bar
| | | middle|bar
"""
_FUNCTIONS = """
log log log the log of
ln ln ln the natural log of
exp exp exp the exponential of
sin sin sin the sine of
cos cos cos the cosine of
tan tan tan the tangent of
sinh sinh sinh the hyperbolic sine of
cosh cosh cosh the hyperbolic cosine of
tanh tanh tanh the hyperbolic tangent of
arcsin arcsin arcsin the arc sine of
arccos arccos arccos the arc cosine of
arctan arctan arctan the arc tangent of
arg arg arg the argument of
dim dim dim the dimension of
ker ker ker the kernel of
deg deg deg the degree of
det det det the determinant of
gcd gcd gcd the greatest common divisor of
Pr Pr Pr the probability of
"""
_BIG = """
sum ∑ sum the sum
prod ∏ prod the product
coprod ∐ coprod the coproduct
int ∫ int the integral
iint ∬ iint the double integral
oint ∮ oint the closed integral
bigcup ⋃ union the union
bigcap ⋂ intersect the intersection
bigoplus ⨁ (+) the direct sum
bigotimes ⨂ (x) the tensor product
bigodot ⨀ (.) the elementwise product
"""
_NAMED_BIG = """
lim lim lim the limit
limsup lim_sup lim_sup the limit superior
liminf lim_inf lim_inf the limit inferior
max max max the maximum
min min min the minimum
sup sup sup the supremum
inf inf inf the infimum
argmax arg_max arg_max the arg max
argmin arg_min arg_min the arg min
"""


def _table(lines: str, make: Callable[[str, str, str], _S]) -> Mapping[str, _S]:
    table: dict[str, _S] = {}
    for line in lines.strip().splitlines():
        name, glyph, ascii_form, words = line.split(" ", 3)
        form = name if ascii_form == "-" else ascii_form
        table[name] = make(_unescaped(glyph), _unescaped(form), words)
    return table


def _unescaped(form: str) -> str:
    return form.replace("_", " ") if len(form) > 1 else form


def _bracket(glyph: str, ascii_form: str, words: str) -> Bracket:
    side, _, said = words.partition("|")
    return Bracket(
        glyph, ascii_form, said, "open" if side == "open" else "close" if side == "close" else "middle"
    )


SYMBOLS = _table(_SYMBOLS, Symbol)
OPERATORS = _table(_OPERATORS, Operator)
RELATIONS = _table(_RELATIONS, Relation)
BRACKETS = _table(_BRACKETS, _bracket)
FUNCTIONS = _table(_FUNCTIONS, Function)
BIG_OPERATORS = _table(_BIG, Sign)
NAMED_BIG_OPERATORS = _table(_NAMED_BIG, Sign)
BESIDE = frozenset(("int", "iint", "oint"))

SIGNS: Mapping[str, Symbol | Operator | Relation | Bracket | Function | Punctuation] = {
    **SYMBOLS,
    **OPERATORS,
    **RELATIONS,
    **BRACKETS,
    **FUNCTIONS,
    "colon": Punctuation(":", ":", ","),
}

CHARACTER_BRACKETS = _table(_CHARACTERS, _bracket)
CHARACTERS: Mapping[str, Symbol | Operator | Relation | Bracket | Punctuation] = {
    **{sign.glyph: sign for sign in SYMBOLS.values() if not sign.glyph.isascii()},
    **{sign.glyph: sign for sign in OPERATORS.values() if not sign.glyph.isascii()},
    **{sign.glyph: sign for sign in RELATIONS.values() if not sign.glyph.isascii()},
    **CHARACTER_BRACKETS,
    "+": Operator("+", "+", "plus"),
    "-": Operator("−", "-", "minus"),
    "−": Operator("−", "-", "minus"),
    "*": Operator("*", "*", "times"),
    "=": Relation("=", "=", "equals"),
    "<": Relation("<", "<", "is less than"),
    ">": Relation(">", ">", "is greater than"),
    ":": Relation(":", ":", "colon"),
    ",": Punctuation(",", ",", ","),
    ";": Punctuation(";", ";", ";"),
    "/": Symbol("/", "/", "over"),
    "!": Symbol("!", "!", "factorial"),
    ".": Symbol(".", ".", "point"),
    "?": Symbol("?", "?", "question mark"),
    '"': Symbol('"', '"', "quote"),
    "@": Symbol("@", "@", "at"),
    "`": Symbol("`", "`", "backquote"),
}
DEFINED_AS = Relation(":=", ":=", "is defined as")
PRIME = SYMBOLS["prime"]

_NEGATED = {
    "=": "≠",
    "∈": "∉",
    "⊂": "⊄",
    "⊆": "⊈",
    "≈": "≉",
    "≡": "≢",
    "<": "≮",
    ">": "≯",
    "≤": "≰",
    "≥": "≱",
    "∼": "≁",
    "∣": "∤",
    "→": "↛",
    "⇒": "⇏",
    "∥": "∦",
}


def negated(relation: Relation) -> Relation:
    """Return the relation struck through."""
    glyph = _NEGATED.get(relation.glyph, relation.glyph + "\u0338")
    ascii_form = "!=" if relation.glyph == "=" else f"not {relation.ascii}"
    words = f"is not {relation.words[3:]}" if relation.words.startswith("is ") else f"not {relation.words}"
    return Relation(glyph, ascii_form, "is not equal to" if relation.glyph == "=" else words)


def letter(char: str, position: int) -> Symbol:
    """Return the symbol of a letter or another character that has no entry here.

    Raises MathError for the characters that LaTeX keeps for itself.
    """
    if char in "&%$#^_{}~":
        raise MathError(f"{char!r} has no meaning here, write \\{char} for the sign", position)
    return Symbol(char, char, f"capital {char}" if char.isupper() else char)
