"""Text made safe to show: what a terminal would obey, and what an eye would miss, becomes a visible stand-in.

Separate because every way out to a screen needs it, for file names and messages as much as for cards.
"""

import re

_TAB = "    "
# Shown by a terminal as nothing, as an order, or as a change of direction. Combining marks and variation
# selectors stay: a letter with a hat and an emoji need them.
_HIDDEN = (
    "\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f"  # C0 without the line feed, DEL, C1
    "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f"
    "\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff\\ud800-\\udfff"
    "\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e007f"
)
_EMOJI = "\\u2190-\\u21ff\\u2300-\\u23ff\\u2600-\\u27bf\\u2b00-\\u2bff\\U0001f000-\\U0001faff"
# A zero width joiner between two emoji joins them into one picture and stays.
_STAND_IN = re.compile(f"(?P<joined>(?<=[{_EMOJI}\\ufe0f])\\u200d(?=[{_EMOJI}]))|[{_HIDDEN}]")
_STAND_IN_OR_NEWLINE = re.compile(_STAND_IN.pattern + "|\\n")


def _stand_in(match: re.Match[str]) -> str:
    if match["joined"]:
        return match[0]
    code = ord(match[0])
    if code == 0x09:
        return _TAB
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"⟨U+{code:04X}⟩"


def visible(text: str, *, keep_newlines: bool = True) -> str:
    """Return `text` with nothing in it that a terminal acts upon or hides.

    Control characters become Control Pictures (`␛`), a tab becomes four blanks, and C1 controls, direction
    marks, characters of no width and stray surrogates become their code (`⟨U+202E⟩`). A line feed is kept, or
    shown as `␊`. Everything else comes back as it was, brackets and backslashes included.
    """
    return (_STAND_IN if keep_newlines else _STAND_IN_OR_NEWLINE).sub(_stand_in, text)
