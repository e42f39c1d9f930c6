"""What a demo screen says in words: the question, the prediction beside the result, and the table."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from studynorm.content.visible import visible
from studynorm.demos.demo import Cell, Demo, Result, Setting, Table
from studynorm.tui.flow import Flow
from studynorm.tui.markup_view import markup, markup_line
from studynorm.tui.theme import Palette


def question_view(demo: Demo, palette: Palette) -> RenderableType:
    """Return the question to predict, with a key before each option."""
    options = RichTable.grid(padding=(0, 2, 0, 0))
    for number, option in enumerate(demo.options, 1):
        options.add_row(Text(str(number), f"bold {palette.accent}"), markup(option, palette))
    ask = Text("What do you expect?", palette.quiet)
    return Group(markup(demo.question, palette), Text(), ask, Text(), options)


def comparison(demo: Demo, chosen: int | None, palette: Palette) -> RenderableType:
    """Return the prediction beside what is the case; only the case where nothing was predicted."""
    lines: list[RenderableType] = []
    if chosen is not None:
        right = demo.right is None or chosen == demo.right
        sign, colour = ("✓", palette.good) if right else ("✗", palette.again)
        guess = Flow(f"{sign} Your prediction: " if demo.right is not None else "Your prediction: ", colour)
        lines.append(guess.append_text(markup_line(demo.options[chosen], palette)))
    if demo.right is not None and chosen != demo.right:
        answer = Flow("Measured: " if chosen is not None else "The answer: ", palette.quiet)
        lines.append(answer.append_text(markup_line(demo.options[demo.right], palette)))
    lines.append(markup(demo.explanation, palette, palette.quiet))
    return Group(*lines)


def result_words(
    demo: Demo, result: Result, notes: Sequence[str], chosen: int | None, palette: Palette, *, table: bool
) -> RenderableType:
    """Return what stands beside or instead of the plot: comparison, summary, notes, the table if asked."""
    parts: list[RenderableType] = [table_view(result.table, palette), Text()] if table else []
    parts += [comparison(demo, chosen, palette), Text()]
    parts += [Text(visible(line, keep_newlines=False), palette.ink) for line in result.summary]
    parts += [Text(f"! {visible(note, keep_newlines=False)}", palette.hard) for note in notes]
    return Group(*parts)


def table_view(table: Table, palette: Palette) -> RenderableType:
    """Return a demo's table: its name, then columns set to the right."""
    shown = RichTable(box=None, padding=(0, 3, 0, 0), pad_edge=False, header_style=palette.quiet)
    for title in table.header:
        shown.add_column(Text(visible(title, keep_newlines=False)), justify="right")
    for row in table.rows:
        shown.add_row(*(Text(cell_text(cell), palette.ink) for cell in row))
    return Group(Text(visible(table.name, keep_newlines=False), f"bold {palette.accent}"), shown)


def cell_text(cell: Cell) -> str:
    """Return a cell of a table: four significant digits, a dash for nothing."""
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.4g}".replace("-", "−")
    return (
        visible(str(cell), keep_newlines=False).replace("-", "−") if isinstance(cell, int) else visible(cell)
    )


def progress_text(fraction: float, words: str, width: int, palette: Palette) -> Text:
    """Return a bar of a running demo with what it is doing now."""
    bar = max(10, min(40, width // 2))
    done = round(bar * min(1.0, max(0.0, fraction)))
    text = Text("━" * done, palette.accent, no_wrap=True, overflow="ellipsis")
    text.append("─" * (bar - done), palette.faint)
    text.append(f"  {round(100 * fraction)} %", palette.ink)
    return text.append(f"  {visible(words, keep_newlines=False)}", palette.quiet)


def setting_hint(setting: Setting) -> str:
    """Return what a setting means and takes, in one line."""
    meaning = f"{setting.help}; " if setting.help else ""
    return f"{meaning}{setting.allowed}"
