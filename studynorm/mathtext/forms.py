"""The two alphabets in which a formula is written on one line: Unicode glyphs, and 7-bit ASCII.

Separate from the line printer, which arranges and never picks a character.
"""

import unicodedata
from typing import Protocol

from studynorm.mathtext.nodes import Sign

_DIGITS = "0123456789"
_SUB = dict(zip(_DIGITS, "₀₁₂₃₄₅₆₇₈₉", strict=True)) | dict(
    zip("+−=()aehijklmnoprstuvxβγρφχ", "₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ", strict=True)
)
_SUP = (
    dict(zip(_DIGITS, "⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True))
    | dict(zip("+−=()", "⁺⁻⁼⁽⁾", strict=True))
    | dict(zip("abcdefghijklmnoprstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", strict=True))
    | dict(zip("ABDEGHIJKLMNOPRTUVW", "ᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂ", strict=True))
    | dict(zip("βγδθφχ", "ᵝᵞᵟᶿᵠᵡ", strict=True))
    | {"⊤": "ᵀ", "′": "′", "∘": "°", "°": "°"}
)
RAISED = frozenset(_SUP.values())
LOWERED = frozenset(_SUB.values())
_BLACKBOARD = dict(zip("CEHNPQRZ", "ℂ𝔼ℍℕℙℚℝℤ", strict=True))
_CALLIGRAPHIC = dict(zip("BEFHILMRego", "ℬℰℱℋℐℒℳℛℯℊℴ", strict=True))
_FRAKTUR = dict(zip("CHIRZ", "ℭℌℑℜℨ", strict=True))
_ALPHABETS = {"blackboard": _BLACKBOARD, "calligraphic": _CALLIGRAPHIC, "fraktur": _FRAKTUR}


def raised_signs() -> dict[str, str]:
    """Return what each superscript glyph stands for: `²` for `2`, `⁻` for `−`."""
    return {
        glyph: sign for sign, glyph in _SUP.items() if glyph != sign and (sign.isalnum() or sign in "+−=()")
    }


def lowered_signs() -> dict[str, str]:
    """Return what each subscript glyph stands for: `ᵢ` for `i`."""
    return {glyph: sign for sign, glyph in _SUB.items()}


class Forms(Protocol):
    """How the parts of a line are written; None means that there is no glyph for it."""

    root: str

    def sign(self, sign: Sign) -> str:
        """Return the form of a sign."""

    def text(self, text: str) -> str:
        """Return words in this alphabet."""

    def raised(self, text: str) -> str | None:
        """Return `text` in superscript glyphs."""

    def lowered(self, text: str) -> str | None:
        """Return `text` in subscript glyphs."""

    def accented(self, name: str, mark: str, text: str) -> str | None:
        """Return `text` under an accent."""

    def styled(self, style: str, text: str) -> str:
        """Return `text` in another alphabet, as far as it has the letters."""


class UnicodeForms:
    """Glyphs of the Basic Multilingual Plane, and `𝔼`."""

    root = "√"

    def sign(self, sign: Sign) -> str:
        """Return the glyph."""
        return sign.glyph

    def text(self, text: str) -> str:
        """Return the words as they are."""
        return text

    def raised(self, text: str) -> str | None:
        """Return superscript glyphs when every character has one."""
        return _mapped(_SUP, text)

    def lowered(self, text: str) -> str | None:
        """Return subscript glyphs when every character has one."""
        return _mapped(_SUB, text)

    def accented(self, name: str, mark: str, text: str) -> str | None:
        """Return a single letter with the combining mark behind it."""
        letters = [char for char in text if not unicodedata.combining(char)]
        return text + mark if len(letters) == 1 and letters[0].isalnum() else None

    def styled(self, style: str, text: str) -> str:
        """Return the letters of the alphabet that stand in the Basic Multilingual Plane."""
        alphabet = _ALPHABETS.get(style, {})
        return "".join(alphabet.get(char, char) for char in text)


class AsciiForms:
    """Seven-bit characters; letters of other alphabets are spelled."""

    root = "sqrt"

    def sign(self, sign: Sign) -> str:
        """Return the ASCII form."""
        return self.text(sign.ascii)

    def text(self, text: str) -> str:
        """Return the words without diacritics; what has no ASCII form shows its code point."""
        if text.isascii():
            return text
        return "".join(map(_ascii, unicodedata.normalize("NFKD", text)))

    def raised(self, text: str) -> str | None:
        """Return the primes; nothing else is raised."""
        return text if text and not text.strip("'") else None

    def lowered(self, text: str) -> str | None:
        """Return None: there are no such characters."""
        return None

    def accented(self, name: str, mark: str, text: str) -> str | None:
        """Return a name with the accent's name behind it: `x_hat`."""
        return f"{text}_{name}" if text.replace("_", "").isalnum() else None

    def styled(self, style: str, text: str) -> str:
        """Return the text as it is."""
        return text


def _mapped(glyphs: dict[str, str], text: str) -> str | None:
    mapped = [glyphs.get(char) for char in text]
    return "".join(glyph for glyph in mapped if glyph) if text and all(mapped) else None


def _ascii(char: str) -> str:
    if char.isascii():
        return char
    return "" if unicodedata.combining(char) else f"<U+{ord(char):04X}>"
