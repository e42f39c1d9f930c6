"""Signs that people type or paste into formulas, as the LaTeX they stand for: `x̂²`, `½`, `√2`, `xᵢ`.

So every printer knows what they mean; a glyph that is merely shown would be lost in 7-bit text and in words.
"""

import unicodedata
from collections.abc import Iterator, Sequence

from studynorm.mathtext.forms import lowered_signs, raised_signs
from studynorm.mathtext.macros import ACCENTS, TEXTS
from studynorm.mathtext.tokens import Token

_ACCENT_OF = {mark: name for name, mark in reversed(ACCENTS.items()) if not name.startswith("wide")}
_SCRIPT_OF = {**dict.fromkeys(raised_signs(), "^"), **dict.fromkeys(lowered_signs(), "_")}
_BASE_OF = {**raised_signs(), **lowered_signs()}


def meant(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens of a formula with typed signs replaced, each at the position of its sign.

    The words of a text macro stay as they are.
    """
    index = 0
    while index < len(tokens):
        token = tokens[index]
        index += 1
        if token.kind == "macro" and token.text in TEXTS:
            yield token
            end = _end_of_words(tokens, index)
            yield from tokens[index:end]
            index = end
        elif token.kind != "char" or token.text.isascii():
            yield token
        elif mark := _SCRIPT_OF.get(token.text):
            run = [token]
            while _SCRIPT_OF.get(tokens[index].text) == mark and tokens[index].kind == "char":
                run.append(tokens[index])
                index += 1
            yield Token("char", mark, token.position)
            yield from _braced(Token("char", _BASE_OF[one.text], one.position) for one in run)
        elif token.text == "√" and (body := _radicand(tokens, index)):
            index += len(body)
            yield Token("macro", "sqrt", token.position)
            yield from _braced(body)
        else:
            yield from _spelled(token)


def _end_of_words(tokens: Sequence[Token], index: int) -> int:
    """Return the index behind the braces that follow, or behind everything where they are never closed."""
    depth = 0
    while index < len(tokens):
        token = tokens[index]
        index += 1
        depth += (token.kind == "char") * ((token.text == "{") - (token.text == "}"))
        if depth < 1 and token.kind != "space":
            break
    return index


def _radicand(tokens: Sequence[Token], index: int) -> Sequence[Token]:
    """Return what a typed root stands over: a number or a single letter."""
    end = index
    while tokens[end].kind == "char" and tokens[end].text in "0123456789.":
        end += 1
    if end == index and tokens[end].kind == "char" and tokens[end].text[:1].isalpha():
        end += 1
    return tokens[index:end]


def _spelled(token: Token) -> Iterator[Token]:
    """Yield a letter behind its accents, or a typed fraction as one."""
    decomposed = unicodedata.normalize("NFD", token.text)
    base, marks = decomposed[:1], decomposed[1:]
    upper, slash, lower = unicodedata.normalize("NFKD", token.text).partition("\u2044")
    if marks and base.isalpha() and all(mark in _ACCENT_OF for mark in marks):
        yield from (Token("macro", _ACCENT_OF[mark], token.position) for mark in reversed(marks))
        yield Token("char", base, token.position)
    elif slash and upper.isdigit() and lower.isdigit():
        yield Token("macro", "frac", token.position)
        for part in (upper, lower):
            yield from _braced(Token("char", digit, token.position) for digit in part)
    else:
        yield token


def _braced(tokens: "Iterator[Token] | Sequence[Token]") -> Iterator[Token]:
    inner = list(tokens)
    yield Token("char", "{", inner[0].position)
    yield from inner
    yield Token("char", "}", inner[-1].position)
