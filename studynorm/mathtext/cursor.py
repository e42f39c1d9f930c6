"""A place in the tokens of a formula, and the reading of what has no structure of its own.

Separate from the parser, which knows what nests in what and leaves the counting of tokens to this.
"""

import re

from studynorm.mathtext.nodes import Bracket, MathError
from studynorm.mathtext.signs import BRACKETS, CHARACTER_BRACKETS
from studynorm.mathtext.tokens import Token, tokenize
from studynorm.mathtext.typed import meant

_ROW_GAP = re.compile(r"\s*\[\s*-?[\d.]+\s*(?:em|ex|pt|mu|mm|cm)\s*\]")
_TEXT_SIGN = re.compile(r"\\([\s\S])|[~{}]")


class Cursor:
    """Hands out the tokens of a source one by one, blanks left out."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._tokens = tuple(meant(tokenize(source)))
        self._index = 0

    def peek(self) -> Token:
        """Return the next token, which stays the next."""
        while self._tokens[self._index].kind == "space":
            self._index += 1
        return self._tokens[self._index]

    def take(self) -> Token:
        """Return the next token and go behind it; the end is never passed."""
        token = self.peek()
        if token.kind != "end":
            self._index += 1
        return token

    def at(self, kind: str, *texts: str) -> bool:
        """Tell whether the next token is of this kind and one of these texts."""
        token = self.peek()
        return token.kind == kind and token.text in texts

    def expect(self, char: str, purpose: str) -> Token:
        """Take this character, or raise MathError: it is missing for the purpose."""
        token = self.take()
        if token.kind != "char" or token.text != char:
            raise MathError(f"{char!r} is missing {purpose}", token.position)
        return token

    def raw(self, name: str) -> str:
        """Read the words in the braces behind a text macro, with their blanks."""
        opening = self.expect("{", f"behind \\{name}")
        depth = 1
        while depth:
            token = self._tokens[self._index]
            if token.kind == "end":
                raise MathError(f"'}}' is missing for \\{name}", opening.position)
            if token.kind == "macro" and token.text not in "{}_%$#& ,":
                raise MathError(f"\\{token.text} inside \\{name}", token.position)
            if token.kind == "char":
                depth += {"{": 1, "}": -1}.get(token.text, 0)
            self._index += 1
        raw = self._source[opening.position + 1 : self._tokens[self._index - 1].position]
        return re.sub(r"\s+", " ", _TEXT_SIGN.sub(_text_sign, raw))

    def environment_name(self, macro: Token) -> str:
        r"""Read the name in braces behind `\\begin` or `\\end`."""
        self.expect("{", f"behind \\{macro.text}")
        name = ""
        while not self.at("char", "}"):
            token = self.take()
            if token.kind != "char":
                raise MathError(f"\\{macro.text} has no name in braces", macro.position)
            name += token.text
        self.take()
        return name

    def delimiter(self, macro: Token) -> Bracket | None:
        """Read the bracket that `macro` applies to; None for the empty one, a point."""
        token = self.take()
        if token.kind == "char" and token.text == ".":
            return None
        table = CHARACTER_BRACKETS if token.kind == "char" else BRACKETS
        name = {"<": "⟨", ">": "⟩"}.get(token.text, token.text) if token.kind == "char" else token.text
        if token.kind == "char" and token.text == "/":
            return Bracket("/", "/", "over", "middle")
        if name not in table:
            raise MathError(f"\\{macro.text} needs a bracket behind it", token.position)
        return table[name]

    def skip_row_gap(self) -> None:
        r"""Pass over the extra space in `\\[2pt]` behind a line's end."""
        gap = _ROW_GAP.match(self._source, self._tokens[self._index].position)
        while gap and self._tokens[self._index].position < gap.end():
            self._index += 1


def _text_sign(match: re.Match[str]) -> str:
    if match[1]:
        return " " if match[1] in ", \t\n\r" else match[1]
    return " " if match[0] == "~" else ""
