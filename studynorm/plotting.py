"""Draws a demo's plot as lines of text; the only module that meets plotext.

Plotext paints the lines of the canvas. Axes, ticks and legend are ours, so that no line is wider than asked,
labels stay short on log axes, and series can be told apart without colour.
"""

import math
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from studynorm.demos.demo import Plot, Series

_MARKERS, _ASCII_MARKERS = "●■▲◆○□", "ox+*#@"
_COLOURS = (33, 208, 35, 170, 37, 136)  # of the 256: readable on black and on white
_MARKS_PER_LINE = 6  # markers on a line of many points, so that the line stays visible
_ASCII = {
    "…": "...",
    "√": "sqrt ",
    "·": "*",
    "²": "^2",
    "−": "-",
    "│": "|",
    "└": "+",
    "─": "-",
    "┬": "+",
    "┤": "+",
}
_SMALLEST = (20, 5)  # below this width or height there is a sentence instead of a plot


@dataclass(frozen=True, slots=True)
class _Line:
    """A series on the axes' own scales: runs of points without a gap, vertical bars, and how many were left out."""

    name: str
    runs: tuple[tuple[tuple[float, float], ...], ...]
    bars: tuple[tuple[float, float, float], ...]
    skipped: int


@dataclass(frozen=True, slots=True)
class _Axis:
    """One direction of the canvas: its range on its own scale and the ticks (position, label)."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    def place(self, value: float) -> float:
        """Return 0..1 for a value within the range; halves keep a range beyond the largest float finite."""
        return (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)


def draw(plot: Plot, width: int, height: int, *, colour: bool, ascii_only: bool = False) -> str:
    """Return the plot as at most `height` lines of at most `width` cells, without a final newline.

    With `colour` there are ANSI colours in it, else plain text. Points that are not finite, or not positive on
    a log axis, are left out and counted in a line below. A size under 20 by 5 gives `describe` on one line.
    """
    lines = [_scaled(plot, series) for series in plot.series]
    x_values = [x for line in lines for run in line.runs for x, _ in run]
    if width < _SMALLEST[0] or height < _SMALLEST[1] or not x_values:
        return _clip(_plain(describe(plot), ascii_only), width)
    y_values = [y for line in lines for run in line.runs for _, y in run]
    y_values += [end for line in lines for _, low, high in line.bars for end in (low, high)]
    symbols = _ASCII_MARKERS if ascii_only else _MARKERS
    note = _note(plot, lines)
    above, below, rows = _share(plot, height, bool(note))
    y_axis = _axis(y_values, plot.log_y or plot.y_is_log10, max(2, min(6, rows // 3)))
    gutter = max(len(label) for _, label in y_axis.ticks)
    columns = width - gutter - 1
    x_axis = _axis(x_values, plot.log_x, max(2, min(8, columns // 10)))
    canvas = _canvas(lines, x_axis, y_axis, columns, rows, symbols, colour, ascii_only)
    labels = {round((1 - y_axis.place(at)) * (rows - 1)): label for at, label in y_axis.ticks}
    text = [
        f"{labels.get(row, ''):>{gutter}}{_plain('┤' if row in labels else '│', ascii_only)}{painted}"
        for row, painted in enumerate(canvas)
    ]
    shown = {
        "title": _clip(_plain(plot.title, ascii_only), width),
        "legend": _legend(plot, width, symbols, colour, ascii_only),
        "y_label": _clip(_plain(plot.y_label, ascii_only), width),
        "x_label": _clip(_plain(plot.x_label, ascii_only), width).rjust(width),
        "note": _clip(_plain(note, ascii_only), width),
    }
    ruler = [_plain(line, ascii_only) for line in _ruler(x_axis, gutter, columns)]
    return "\n".join(
        line if colour else line.rstrip()
        for line in [*(shown[part] for part in above), *text, *ruler, *(shown[part] for part in below)]
    )


def describe(plot: Plot) -> str:
    """Return one line that says in words where each series starts and ends, for screen readers."""
    log_y = plot.log_y or plot.y_is_log10
    said = []
    for series in plot.series:
        line = _scaled(plot, series)
        points = [point for run in line.runs for point in run]
        if not points:
            said.append(f"{series.name} has no point to show")
            continue
        (x0, y0), (x1, y1) = (
            (_number(x, plot.log_x), _number(y, log_y)) for x, y in (min(points), max(points))
        )
        way = f"{y0} at {x0}" if len(points) == 1 else f"from {y0} at {x0} to {y1} at {x1}"
        left = f" ({line.skipped} points left out)" if line.skipped else ""
        said.append(f"{series.name} {way}{left}")
    return f"{plot.title} ({plot.y_label} against {plot.x_label}): {'; '.join(said) or 'nothing to show'}."


def _scaled(plot: Plot, series: Series) -> _Line:
    """Return what can be drawn: log axes become exponents of ten, and every gap starts a new run."""
    to_x = _log10 if plot.log_x else float
    to_y = _log10 if plot.log_y and not plot.y_is_log10 else float
    runs: list[list[tuple[float, float]]] = [[]]
    bars, skipped = [], 0
    for n, (x, y) in enumerate(zip(map(to_x, series.x), map(to_y, series.y), strict=False)):
        if not (math.isfinite(x) and math.isfinite(y)):
            skipped += 1
            runs.append([])
            continue
        runs[-1].append((x, y))
        if series.spread is not None and n < len(series.spread):
            low, high = map(to_y, series.spread[n])
            if math.isfinite(low) and math.isfinite(high):
                bars.append((x, low, high))
    return _Line(series.name, tuple(tuple(run) for run in runs if run), tuple(bars), skipped)


def _log10(value: float) -> float:
    return math.log10(value) if 0 < value < math.inf else math.nan


def _note(plot: Plot, lines: Sequence[_Line]) -> str:
    left_out = [f"{line.name}: {line.skipped}" for line in lines if line.skipped]
    if not left_out:
        return ""
    log = plot.log_x or plot.log_y or plot.y_is_log10
    return (
        f"Points left out ({'zero, negative or not finite' if log else 'not finite'}): {', '.join(left_out)}"
    )


def _share(plot: Plot, height: int, noted: bool) -> tuple[list[str], list[str], int]:
    """Return what stands above and below the canvas, most needed first, and the rows left for the canvas."""
    rows, kept = height - 2, set[str]()
    for part, least in (("legend", 2), ("note", 1), ("title", 4), ("x_label", 6), ("y_label", 7)):
        wanted = {"legend": len(plot.series) > 1, "note": noted}.get(part, bool(getattr(plot, part, "")))
        if wanted and rows - 1 >= least:
            kept.add(part)
            rows -= 1
    above = [part for part in ("title", "legend", "y_label") if part in kept]
    return above, [part for part in ("x_label", "note") if part in kept], rows


def _axis(values: Sequence[float], log: bool, most: int) -> _Axis:
    """Return an axis that holds all values, with at most about `most` ticks at round numbers or at the data."""
    low, high = min(values), max(values)
    if high - low <= 1e-12 * max(abs(low), abs(high)):  # constant: some room around it
        room = 0.5 if log else abs(low) / 2 or 1.0
        low, high = low - room, high + room
    seen = sorted(set(values))
    if len(seen) <= min(most, 5) and _apart(seen, low, high, most):
        positions = seen
    elif log:
        positions = _decades(low, high, most)
    else:
        positions = _round_numbers(low, high, most)
    inside = [at for at in positions if low <= at <= high]
    if len(inside) < 2:
        inside = [low, high]
    return _Axis(low, high, tuple((at, _number(at, log)) for at in inside))


def _apart(seen: Sequence[float], low: float, high: float, most: int) -> bool:
    gaps = [b / 2 - a / 2 for a, b in zip(seen, seen[1:], strict=False)]
    return len(seen) > 1 and min(gaps) >= (high / 2 - low / 2) / (2 * most)


def _decades(low: float, high: float, most: int) -> list[float]:
    """Return whole exponents; within two decades also those of 2 and 5."""
    first, last = math.ceil(low), math.floor(high)
    if high - low <= 2:
        digits = [n + math.log10(d) for n in range(first - 1, last + 1) for d in (1, 2, 5)]
        return digits if high - low > 0.5 else _round_numbers(low, high, most)
    step = max(1, math.ceil((last - first + 1) / most))
    return [float(n) for n in range(-(-first // step) * step, last + 1, step)]


def _round_numbers(low: float, high: float, most: int) -> list[float]:
    """Return multiples of 1, 2 or 5 times a power of ten."""
    rough = (high / 2 - low / 2) / most * 2
    if not 1e-300 < rough < 1e300:
        return [low, high]
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * digit for digit in (1, 2, 5, 10) if power * digit >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [(first + n) * step for n in range(int((high - first * step) / step + 1e-9) + 1)][: 2 * most]


def _number(value: float, log: bool) -> str:
    """Write a number in a few characters; `log` means that it is an exponent of ten."""
    if log and not -3 < value < 5:
        whole = math.floor(value)
        digits = round(10 ** (value - whole), 1)
        return f"1e{whole + (digits >= 10)}" if digits in {1, 10} else f"{digits:g}e{whole}"
    number = 10**value if log else value
    text = f"{number:.3g}" if abs(number) < 1000 else f"{number:.6g}"
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else "0" if text == "-0" else text


def _canvas(
    lines: Sequence[_Line],
    x_axis: _Axis,
    y_axis: _Axis,
    columns: int,
    rows: int,
    symbols: str,
    colour: bool,
    ascii_only: bool,
) -> list[str]:
    """Return the painted rows: lines in braille dots with a marker of their own, or markers alone in ASCII."""
    import plotext

    figure: Any = plotext.figure
    plotext.terminal.limit(False, False)
    figure.clear()  # plotext has one figure for the whole program
    figure.theme("colorless").canvas("default").axes(False).plot_size(columns, rows)
    for axis, side in (("x", "lower"), ("y", "left")):
        figure.ruler(axis, side).lim(0, 1)
        figure.ruler(axis, side).frequency(0)

    def paint(points: Iterable[tuple[float, float]], symbol: str, number: int, joined: bool) -> None:
        placed = [(x_axis.place(x), y_axis.place(y)) for x, y in points]
        marker = plotext.marker(symbol, _COLOURS[number % len(_COLOURS)])
        signal = figure.signal([x for x, _ in placed], [y for _, y in placed], marker=marker)
        figure.draw(signal.lines(joined))

    for number, line in enumerate(lines):
        dots = symbols[number % len(symbols)] if ascii_only else "braille"
        for x, low, high in line.bars:
            paint([(x, low), (x, high)], "|" if ascii_only else dots, number, True)
        for run in line.runs:
            paint(run, dots, number, True)
    for number, line in enumerate(lines):
        points = [point for run in line.runs for point in run]
        every = -(-len(points) // _MARKS_PER_LINE)
        start = number * every // max(1, len(lines))  # neighbours on one curve stay visible
        paint(
            points[start % len(points) :: every] if points else [],
            symbols[number % len(symbols)],
            number,
            False,
        )
    painted: list[str] = figure.build().string(colorless=not colour).rstrip("\n").split("\n")
    figure.clear()
    return painted


def _ruler(axis: _Axis, gutter: int, columns: int) -> tuple[str, str]:
    """Return the x axis and its labels; a label that would touch the one before it is left out."""
    rule, labels = ["─"] * columns, " " * (gutter + 1)
    for at, label in axis.ticks:
        column = round(axis.place(at) * (columns - 1))
        rule[column] = "┬"
        start = max(0, min(gutter + 1 + column - len(label) // 2, gutter + 1 + columns - len(label)))
        if start > len(labels.rstrip()) or not labels.strip():
            labels = labels.rstrip().ljust(start) + label
    return " " * gutter + "└" + "".join(rule), labels


def _legend(plot: Plot, width: int, symbols: str, colour: bool, ascii_only: bool) -> str:
    """Return the markers with their names on one line; names are cut evenly where they do not fit."""
    count = len(plot.series)
    names = [_plain(series.name, ascii_only) for series in plot.series]
    room = width - 4 * count + 2
    if sum(map(_cells, names)) > room:
        names = [_clip(name, max(1, room // count)) for name in names]
    entries = [f"{symbols[n % len(symbols)]} {name}" for n, name in enumerate(names)]
    if sum(map(_cells, entries)) + 2 * (count - 1) > width:
        return _clip("  ".join(entries), width)
    if colour:
        entries = [
            f"\x1b[38;5;{_COLOURS[n % len(_COLOURS)]}m{entry}\x1b[0m" for n, entry in enumerate(entries)
        ]
    return "  ".join(entries)


def _plain(text: str, ascii_only: bool) -> str:
    """Return text without control characters, in ASCII if asked."""
    shown = "".join(c if c.isprintable() else " " for c in text)
    if not ascii_only:
        return shown
    return "".join(_ASCII.get(c, c) for c in shown).encode("ascii", "replace").decode()


def _cells(text: str) -> int:
    """Return how many terminal cells a text takes."""
    return sum(_cell(c) for c in text)


_cell: Callable[[str], int] = lambda c: (
    0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
)


def _clip(text: str, width: int) -> str:
    """Return the text, cut with an ellipsis to at most `width` cells."""
    if _cells(text) <= width:
        return text
    mark = "..." if text.isascii() else "…"
    while text and _cells(text) + len(mark) > width:
        text = text[:-1]
    return (text + mark)[: max(0, width)]
