"""The macros of the subset that change or arrange others: blanks, accents, alphabets, sizes, environments.

Data only; the signs themselves are in `signs`.
"""

from typing import cast

from studynorm.mathtext.nodes import Size

SPACES = {
    ",": 3,
    "thinspace": 3,
    ":": 4,
    ">": 4,
    ";": 5,
    "!": -3,
    " ": 6,
    "quad": 18,
    "qquad": 36,
    "enspace": 9,
}
IGNORED = frozenset(
    ("displaystyle", "textstyle", "scriptstyle", "scriptscriptstyle", "limits", "nolimits", "nonumber")
)
ACCENTS = {
    "hat": "\u0302",
    "widehat": "\u0302",
    "bar": "\u0304",
    "tilde": "\u0303",
    "widetilde": "\u0303",
    "vec": "\u20d7",
    "dot": "\u0307",
    "ddot": "\u0308",
    "check": "\u030c",
    "breve": "\u0306",
    "acute": "\u0301",
    "grave": "\u0300",
    "mathring": "\u030a",
}
STYLES = {
    "mathrm": "roman",
    "mathbf": "bold",
    "boldsymbol": "bold",
    "bm": "bold",
    "mathit": "italic",
    "mathsf": "sans",
    "mathtt": "mono",
    "mathbb": "blackboard",
    "mathcal": "calligraphic",
    "mathscr": "calligraphic",
    "mathfrak": "fraktur",
}
TEXTS = {
    "text": "roman",
    "textrm": "roman",
    "mbox": "roman",
    "textbf": "bold",
    "textit": "italic",
    "emph": "italic",
    "texttt": "mono",
    "textsf": "sans",
}
SIZES = {
    f"{name}{side}": cast(Size, size)
    for size, name in enumerate(("big", "Big", "bigg", "Bigg"), 1)
    for side in ("", "l", "r", "m")
}
MATRICES = ("matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "smallmatrix")
ALIGNED = ("aligned", "align", "align*", "gathered", "split")
