"""Questions about the shape of a tree that more than one printer asks."""

from studynorm.mathtext.nodes import (
    Accent,
    Bracket,
    Fraction,
    Group,
    Node,
    Number,
    Operator,
    Overline,
    Scripts,
    Sign,
    Space,
    Styled,
    Symbol,
    Text,
    Underline,
)


def parts(node: Node) -> tuple[Node, ...]:
    """Return the nodes of a group, or the node itself."""
    return node.items if isinstance(node, Group) else (node,)


def alone(node: Node) -> Node:
    """Return the node inside groups that hold nothing else."""
    while isinstance(node, Group) and len(node.items) == 1:
        node = node.items[0]
    return node


def is_short(node: Node) -> bool:
    """Tell whether a part is one sign, number or word, accented or not, so that its end is clear."""
    inner = alone(node)
    while isinstance(inner, Accent | Overline | Underline | Styled):
        inner = alone(inner.body)
    return isinstance(inner, Number | Sign | Text) and not isinstance(inner, Bracket)


def is_letters(node: Node) -> bool:
    """Tell whether a body is made of letters alone."""
    return all(isinstance(part, Symbol) and part.glyph.isalpha() for part in parts(node))


def is_differential(node: Fraction) -> bool:
    """Tell whether the denominator is the lower half of a derivative, such as `∂x`."""
    lower = parts(node.denominator)
    if len(lower) != 2 or not isinstance(lower[0], Symbol):
        return False
    upper = parts(node.numerator)[:1]
    first = upper[0].base if upper and isinstance(upper[0], Scripts) else upper[0] if upper else None
    sign = lower[0].glyph
    return sign == "∂" or (sign == "d" and isinstance(first, Symbol) and first.glyph == "d")


def accent_of(node: Accent | Overline | Underline) -> tuple[str, str]:
    """Return the name of an accent or line, and its combining character."""
    if isinstance(node, Accent):
        return node.name, node.mark
    return ("overline", "\u0305") if isinstance(node, Overline) else ("underline", "\u0332")


def split_primes(sup: Node | None) -> tuple[tuple[Symbol, ...], Node | None]:
    """Split the primes off a superscript."""
    if sup is None:
        return (), None
    primes: list[Symbol] = []
    for part in parts(sup):
        if not isinstance(part, Symbol) or part.glyph != "′":
            break
        primes.append(part)
    if not primes:
        return (), sup
    rest = parts(sup)[len(primes) :]
    return tuple(primes), (Group(rest) if rest else None)


def spelled(node: Node) -> str:
    """Return the plain name that a node spells, or "" when it is no name."""
    if isinstance(node, Group):
        parts = [spelled(item) for item in node.items]
        return "".join(parts) if all(parts) else ""
    if isinstance(node, Text):
        return node.text.strip()
    if isinstance(node, Number):
        return node.digits
    if isinstance(node, Space):
        return " " if node.width > 0 else ""
    if isinstance(node, Styled):
        return spelled(node.body)
    if isinstance(node, Operator):
        return "-" if node.glyph == "−" else ""
    return node.glyph if isinstance(node, Sign) and node.glyph.isalpha() else ""
