"""A formula as words, for screen readers and for line mode, in the order in which it is written.

Where a part could run on, its end is said too ("end sub"); that of a fraction or a root is left out at the
very end of the formula.
"""

from collections.abc import Iterator, Sequence

from studynorm.mathtext.nodes import (
    Accent,
    Aligned,
    BigOperator,
    Binomial,
    Bracket,
    Cases,
    Fence,
    Fraction,
    Function,
    Group,
    MathError,
    Matrix,
    Node,
    Number,
    Operator,
    Overbrace,
    Overline,
    Relation,
    Root,
    Scripts,
    Sign,
    Space,
    Styled,
    Symbol,
    Text,
    Underbrace,
    Underline,
)
from studynorm.mathtext.parser import parse
from studynorm.mathtext.shapes import accent_of, alone, is_short, parts, split_primes

_ENDS = frozenset(("end fraction", "end root"))
_POWERS = {"2": "squared", "3": "cubed"}
_SUPERSCRIPTS = {"⊤": "transpose", "∘": "degrees", "°": "degrees", "*": "star", "⋆": "star", "†": "dagger"}
_DEGREES = {"2": "square", "3": "cube", "4": "fourth"}
_STYLES = {"bold": "bold", "blackboard": "blackboard", "calligraphic": "script", "fraktur": "fraktur"}
_PAUSES = (",", ";", ":")
_QUAD = 18


def spoken(source: str) -> str:
    """Return a formula in words; one that can't be parsed comes back as it was."""
    try:
        words = [word for word in _words(parse(source)) if word]
    except MathError:
        return source
    while words and words[-1] in _ENDS:
        words.pop()
    return _sentence(words)


def _sentence(words: Sequence[str]) -> str:
    text = ""
    for word in words:
        if word in _PAUSES:
            text = text.rstrip(",;: ") + word
        else:
            text += f" {word}" if text else word
    return text.rstrip(",;: ")


def _words(node: Node) -> Iterator[str]:
    match node:
        case Group():
            for item in node.items:
                yield from _words(item)
        case Number():
            yield node.digits
        case Text():
            yield node.text.strip()
        case Space():
            yield "," if node.width >= _QUAD else ""
        case Fraction():
            yield from _fraction(node)
        case Binomial():
            yield from (*_words(node.upper), "choose", *_words(node.lower))
        case Root():
            yield from _root(node)
        case Scripts():
            yield from _scripts(node)
        case BigOperator():
            yield from _big_operator(node)
        case Accent() | Overline() | Underline():
            yield from _accent(node)
        case Underbrace() | Overbrace():
            yield from _words(node.body)
            if node.label is not None:
                side = "under" if isinstance(node, Underbrace) else "over"
                yield from (",", f"with the {side}brace", *_words(node.label), ",")
        case Fence():
            yield from (node.left.words if node.left else "", *_words(node.body))
            yield node.right.words if node.right else ""
        case Styled():
            yield from _styled(node)
        case Matrix() | Cases() | Aligned():
            yield from _rows(node)
        case _:
            yield node.words


def _is_signed(node: Node) -> bool:
    """Tell whether a part is short, or short with a sign before it."""
    inner = parts(node)
    return is_short(node) or (len(inner) == 2 and isinstance(inner[0], Operator) and is_short(inner[1]))


def _fraction(node: Fraction) -> Iterator[str]:
    halves = (*_words(node.numerator), "over", *_words(node.denominator))
    if is_short(node.numerator) and is_short(node.denominator):
        yield from halves
    else:
        yield from ("the fraction", *halves, "end fraction")


def _root(node: Root) -> Iterator[str]:
    degree = _sentence([*_words(node.index)]) if node.index is not None else "2"
    yield f"the {_DEGREES.get(degree, f'{degree}-th')} root of"
    yield from _words(node.radicand)
    yield "," if is_short(node.radicand) else "end root"


def _scripts(node: Scripts) -> Iterator[str]:
    primes, sup = split_primes(node.sup)
    base = [*_words(node.base)]
    applied = isinstance(alone(node.base), Function) and base[-1].endswith(" of")
    if applied:
        base[-1] = base[-1].removesuffix(" of")
    yield from base
    yield from (prime.words for prime in primes)
    if node.sub is not None:
        yield from ("sub", *_words(node.sub))
        if not _is_signed(node.sub):
            yield "end sub"
    if sup is not None:
        yield from _superscript(sup)
    if applied:
        yield "of"


def _superscript(sup: Node) -> Iterator[str]:
    inner = alone(sup)
    if isinstance(inner, Number) and inner.digits in _POWERS:
        yield _POWERS[inner.digits]
    elif isinstance(inner, Sign) and inner.glyph in _SUPERSCRIPTS:
        yield _SUPERSCRIPTS[inner.glyph]
    elif isinstance(inner, Symbol | Number) or (_is_signed(sup) and not is_short(sup)):
        yield from ("to the", *_words(sup))
    elif isinstance(inner, Sign) or isinstance(parts(sup)[0] if parts(sup) else None, Bracket):
        yield from ("superscript", *_words(sup), "end superscript")
    else:
        yield from ("to the power", *_words(sup), "end power")


def _big_operator(node: BigOperator) -> Iterator[str]:
    yield node.sign.words
    if node.lower is not None:
        lower = [*_words(node.lower)]
        limit = any(isinstance(part, Relation) and part.glyph == "→" for part in parts(node.lower))
        yield from ("as" if limit else "from" if node.upper is not None else "over", *lower)
    if node.upper is not None:
        yield from ("to", *_words(node.upper))
    yield "of"


def _accent(node: Accent | Overline | Underline) -> Iterator[str]:
    name = {"overline": "bar", "underline": "underlined"}.get(accent_of(node)[0], accent_of(node)[0])
    body = alone(node.body)
    if isinstance(body, Scripts) and isinstance(node, Accent) and is_short(body.base):
        yield from _scripts(Scripts(Accent(node.name, node.mark, body.base), body.sub, body.sup))
    elif is_short(body):
        yield from (*_words(body), name)
    else:
        yield from (name, "over", *_words(body), f"end {name}")


def _styled(node: Styled) -> Iterator[str]:
    letters = parts(node.body)
    if len(letters) > 1 and all(isinstance(part, Symbol) and part.glyph.isalpha() for part in letters):
        yield "".join(part.glyph for part in letters if isinstance(part, Symbol))
    else:
        yield from (_STYLES.get(node.style, ""), *_words(node.body))


def _rows(node: Matrix | Cases | Aligned) -> Iterator[str]:
    if isinstance(node, Matrix):
        yield f"the {len(node.rows)} by {len(node.rows[0]) if node.rows else 0} matrix"
        for index, row in enumerate(node.rows, 1):
            yield from (f"row {index}", ":")
            for cell in row:
                yield from (*_words(cell), ",")
            yield ";"
        yield "end matrix"
    elif isinstance(node, Cases):
        yield "the cases"
        yield ":"
        for value, condition in node.rows:
            yield from _words(value)
            if condition is not None:
                said = [*_words(condition)]
                opens = said[0].split()[:1] if said else []
                yield from (("" if opens in (["if"], ["otherwise"], ["for"], ["when"]) else "if"), *said)
            yield ";"
        yield "end cases"
    else:
        for row in node.rows:
            for cell in row:
                yield from _words(cell)
            yield ";"
