"""Signs that grow: brackets of any height, roots, integrals, horizontal braces and lines."""

from studynorm.mathtext.box import Box, beside, blank, stacked, text_box, upright

# Top, extension, bottom and, for braces, the middle.
_PIECES = {
    "(": ("⎛", "⎜", "⎝", ""),
    ")": ("⎞", "⎟", "⎠", ""),
    "[": ("⎡", "⎢", "⎣", ""),
    "]": ("⎤", "⎥", "⎦", ""),
    "{": ("⎧", "⎪", "⎩", "⎨"),
    "}": ("⎫", "⎪", "⎭", "⎬"),
    "⌊": ("⎢", "⎢", "⎣", ""),
    "⌋": ("⎥", "⎥", "⎦", ""),
    "⌈": ("⎡", "⎢", "⎢", ""),
    "⌉": ("⎤", "⎥", "⎥", ""),
    "|": ("│", "│", "│", ""),
    "‖": ("║", "║", "║", ""),
}
_TWO_ROWS = {"{": ("⎰", "⎱"), "}": ("⎱", "⎰")}
_ACCENTS = {
    "hat": "^",
    "tilde": "~",
    "dot": "˙",
    "ddot": "¨",
    "check": "ˇ",
    "breve": "˘",
    "acute": "´",
    "grave": "`",
    "mathring": "˚",
}
_MIRRORED = str.maketrans("╱╲⟨", "╲╱⟩")


def bracket(glyph: str, above: int, below: int) -> Box:
    """Return a bracket with so many rows over and under the baseline."""
    height = above + below + 1
    if height == 1:
        return text_box(glyph)
    if glyph in "⟨⟩":
        return _angle(glyph, height, above)
    if glyph == "/":
        rows = [" " * (height - 1 - row) + "╱" + " " * row for row in range(height)]
        return upright(rows, above)
    if glyph not in _PIECES:
        return text_box(glyph).padded(above, below)
    top, extension, bottom, middle = _PIECES[glyph]
    if height == 2 and glyph in _TWO_ROWS:
        return upright(_TWO_ROWS[glyph], above)
    column = [top, *[extension] * (height - 2), bottom]
    if middle:
        column[above if 0 < above < height - 1 else height // 2] = middle
    return upright(column, above)


def _angle(glyph: str, height: int, baseline: int) -> Box:
    half, odd = divmod(height, 2)
    upper = [half - 1 - row + odd for row in range(half)]
    places = [*upper, *[0] * odd, *reversed(upper)]
    signs = "╱" * half + "⟨" * odd + "╲" * half
    rows = [
        " " * place + sign + " " * (max(places) - place) for place, sign in zip(places, signs, strict=True)
    ]
    if glyph == "⟩":
        rows = [row[::-1].translate(_MIRRORED) for row in rows]
    return upright(rows, baseline)


def rooted(radicand: Box, index: Box | None) -> Box:
    """Return the radicand under a root sign, with its degree before the sign if it has one."""
    sign = upright("│" * radicand.height, radicand.baseline)
    body = beside((sign, radicand))
    body = stacked((text_box("┌" + "─" * (body.width - 1)), body), body.baseline + 1)
    foot = text_box("╲") if index is None else stacked((index, text_box("╲")), index.height, "right")
    whole = beside((foot, body.based(body.height - 1)))
    return whole.based(whole.height - 1 - body.below)


def integral(sign: str, upper: Box | None, lower: Box | None) -> Box:
    """Return an integral sign of three rows with its limits beside it."""
    copies = {"∫": 1, "∬": 2}.get(sign)
    if copies is None:
        column = text_box(sign).padded(1, 1)
    else:
        column = upright(("⌠" * copies, "⎮" * copies, "⌡" * copies), 1)
    high = upper or blank(0)
    low = lower or blank(0)
    width = max(high.width, low.width)
    high, low = high.widened(width, "left"), low.widened(width, "left")
    limits = stacked((high, blank(width), low), high.height)
    return beside((column, limits))


def over(name: str, body: Box) -> Box:
    """Return the body under an accent or a line, or over one that is called "underline"."""
    if name == "underline":
        return stacked((body, text_box("‾" * body.width)), body.baseline)
    if name in ("overline", "bar"):
        line = "_" * body.width
    elif name == "vec":
        line = "─" * (body.width - 1) + "→"
    else:
        line = _ACCENTS.get(name, "˙")
    return stacked((text_box(line), body), body.baseline + 1)


def underbrace(width: int) -> Box:
    """Return a brace that opens upwards, three cells wide or more."""
    half = (width - 3) // 2
    return text_box("╰" + "─" * half + "┬" + "─" * (width - 3 - half) + "╯")


def overbrace(width: int) -> Box:
    """Return a brace that opens downwards, three cells wide or more."""
    half = (width - 3) // 2
    return text_box("╭" + "─" * half + "┴" + "─" * (width - 3 - half) + "╮")
