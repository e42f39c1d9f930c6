"""What happened to an item, as a table, and why it is due when it is."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from studynorm.scheduling.rating import Rating
from studynorm.study.history import Happening, Story
from studynorm.study.items import ItemRow
from studynorm.tui.browse_view import number_text
from studynorm.tui.flow import title_flow
from studynorm.tui.theme import Palette

_RATED = {rating.label: rating.name.lower() for rating in Rating}


def history_view(standing: Sequence[tuple[ItemRow, Story]], palette: Palette) -> RenderableType:
    """Return everything that happened to items, oldest first, and why each is due."""
    parts = list[RenderableType]()
    for row, story in standing:
        if parts:
            parts += [Text(), Text()]
        parts += [title_flow(row.title, palette.ink), Text(), Text(story.why, palette.ink), Text()]
        parts.append(_past(story, palette))
    return Group(*parts)


def _past(story: Story, palette: Palette) -> RenderableType:
    if not story.past:
        return Text("Nothing has happened to it yet.", palette.quiet)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style=palette.quiet)
    for name, right in (
        ("when", False),
        ("what", False),
        ("next in", True),
        ("stab", True),
        ("diff", True),
        ("took", True),
    ):
        table.add_column(name, justify="right" if right else "left", no_wrap=name != "what")
    for happening in story.past:
        table.add_row(*_happening(happening, palette))
    return table


def _happening(happening: Happening, palette: Palette) -> list[Text]:
    after = happening.after
    if after is None:
        return [Text(happening.when, palette.quiet), Text(happening.what, palette.accent)]
    colour = str(getattr(palette, _RATED[happening.what]))
    numbers = (
        happening.interval,
        number_text(after.stability),
        f"{after.difficulty:.1f}",
        _took(happening.duration_ms),
    )
    return [
        Text(happening.when, palette.quiet),
        Text(happening.what, colour),
        *(Text(number, palette.quiet) for number in numbers),
    ]


def _took(milliseconds: int) -> str:
    seconds = round(milliseconds / 1000)
    return f"{seconds}s" if seconds < 60 else f"{seconds // 60}m {seconds % 60:02}s"
