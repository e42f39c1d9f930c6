"""Text in the characters that every terminal and every braille line has: 7-bit ASCII, meaning kept.

Only what has no such form, such as a Chinese character, stays as it is: nothing is lost.
"""

import re
import unicodedata

from studynorm.mathtext import ascii_line

_SIGNS = {
    **dict.fromkeys("‘’‚′", "'"),
    **dict.fromkeys("“”„″«»", '"'),
    **dict.fromkeys("–‐‑‒−", "-"),
    **dict.fromkeys("\u00a0\u2009\u202f\u2002\u2003", " "),
    **dict.fromkeys("─━═", "-"),
    **dict.fromkeys("│┃║⎜⎟⎢⎥⎪⎮", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯╔╗╚╝⊞⎧⎨⎩⎫⎬⎭⎛⎞⎝⎠⎡⎤⎣⎦", "+"),
    **dict.fromkeys("•▪◦▸►▶", "*"),
    "—": "--",
    "▼": "v",
    "▲": "^",
    "◀": "<",
    "…": "...",
    "×": "x",
    "÷": "/",
    "°": " degrees",
    "√": "sqrt",
    "∑": "sum",
    "∏": "prod",
    "∫": "int",
    "✓": "ok",
    "✗": "x",
    "½": "1/2",
    "¼": "1/4",
    "¾": "3/4",
    "ß": "ss",
    "€": "EUR",
    "𝔼": "E",
}
_MARKS = {
    "\u0302": "_hat",
    "\u0304": "_bar",
    "\u0303": "_tilde",
    "\u20d7": "_vec",
    "\u0307": "_dot",
}
_HIGH = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵀᴸ"
_LOW = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"
_RUN = re.compile(f"[{_HIGH}]+|[{_LOW}]+")
_HATS = "".join(_MARKS)
# A letter of its own, as in a formula; inside a word it is spelling, as in "piñata".
_LETTER = re.compile(f"(?<![A-Za-z])([^\\W\\d_])([{_HATS}])(?![A-Za-z](?![{_HATS}]))")


def seven_bit(text: str) -> str:
    """Return `text` in ASCII as far as its characters have a form there: `σ̂² → 0` is `sigma_hat^2 -> 0`."""
    if text.isascii():
        return text
    text = _LETTER.sub(_marked, _RUN.sub(_script, _decomposed(text)))
    written = ""
    word = False
    for char in text:
        spelled = _spelled(char)
        named = len(spelled) > 1 and spelled.isalpha()
        if written[-1:].isalnum() and spelled[:1].isalnum() and (word or named):
            written += " "
        written += spelled
        word = named
    return written


def _marked(match: re.Match[str]) -> str:
    """Return a letter with the name of its hat, apart from a letter behind it."""
    following = match.string[match.end() : match.end() + 1]
    return _spelled(match[1]) + _MARKS[match[2]] + (" " if following.isalnum() else "")


def _decomposed(text: str) -> str:
    """Return the text with the hats and bars of its letters as characters of their own."""
    return "".join(
        parts if len(parts := unicodedata.normalize("NFD", char)) == 2 and parts[1] in _MARKS else char
        for char in text
    )


def _script(match: re.Match[str]) -> str:
    plain = unicodedata.normalize("NFKC", match[0]).replace("−", "-")
    sign = "^" if match[0][0] in _HIGH else "_"
    return sign + (plain if len(plain) == 1 or plain.isdecimal() else f"({plain})")


def _spelled(char: str) -> str:
    if char.isascii():
        return char
    if char in _SIGNS:
        return _SIGNS[char]
    base, *marks = map(str, unicodedata.normalize("NFD", char))
    if marks and base.isascii() and all(map(unicodedata.combining, marks)):  # é, ñ, ü
        return base
    if unicodedata.category(char) in ("Sm", "So", "Lu", "Ll", "Ps", "Pe", "Po"):
        line = ascii_line(char)
        if "<U+" not in line:
            return line
    if unicodedata.combining(char):
        return ""
    plain = unicodedata.normalize("NFKD", char)
    bare = "".join(part for part in plain if not unicodedata.combining(part))
    return bare if bare and bare.isascii() else char
