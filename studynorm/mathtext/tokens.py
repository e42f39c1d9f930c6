"""LaTeX source cut into tokens, each with its offset, so that every error can point at a character."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from studynorm.mathtext.nodes import MathError

MAX_CHARACTERS = 4000
_TOKEN = re.compile(r"\\(?P<macro>operatorname\*|[A-Za-z]+|[\s\S])|(?P<space>[ \t\r\n]+)|(?P<char>[\s\S])")


@dataclass(frozen=True, slots=True)
class Token:
    """A macro (its name without the backslash), a run of blanks, a character, or the end of the source."""

    kind: Literal["macro", "space", "char", "end"]
    text: str
    position: int


def tokenize(source: str) -> tuple[Token, ...]:
    """Return the tokens of `source` with one of kind "end" behind them.

    A combining mark belongs to the character before it. Raises MathError for control characters, a backslash
    at the very end, and sources of more than 4000 characters.
    """
    if len(source) > MAX_CHARACTERS:
        raise MathError(f"the formula has more than {MAX_CHARACTERS} characters", MAX_CHARACTERS)
    tokens: list[Token] = []
    for match in _TOKEN.finditer(source):
        kind, text = match.lastgroup, match[0]
        if kind == "macro":
            macro = match["macro"]
            tokens.append(Token("macro", " " if macro.isspace() else macro, match.start()))
        elif kind == "space":
            tokens.append(Token("space", " ", match.start()))
        elif unicodedata.combining(text) and tokens and tokens[-1].kind == "char":
            tokens[-1] = Token("char", tokens[-1].text + text, tokens[-1].position)
        elif text == "\\":
            raise MathError("a backslash with nothing behind it", match.start())
        elif unicodedata.category(text) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            raise MathError(f"the character U+{ord(text):04X} can't be shown", match.start())
        else:
            tokens.append(Token("char", text, match.start()))
    tokens.append(Token("end", "", len(source)))
    return tuple(tokens)
