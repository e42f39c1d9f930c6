"""What an item looks like when it is opened: card or family, its memory, why it is due, and its history."""

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from studynorm.content.card import Card
from studynorm.content.visible import visible
from studynorm.engine.registry import BrokenFamily, UnknownFamily, load_family
from studynorm.scheduling.memory import Memory
from studynorm.scheduling.rating import Rating
from studynorm.study.history import Happening, Story
from studynorm.study.items import ItemRow
from studynorm.study.ordering import state_words
from studynorm.tui.browse_view import number_text
from studynorm.tui.card_view import labelled
from studynorm.tui.markup_view import markup
from studynorm.tui.theme import Palette
from studynorm.tui.when import counted

_RATED = {rating.label: rating.name.lower() for rating in Rating}


def item_view(row: ItemRow, card: Card | None, story: Story, palette: Palette) -> RenderableType:
    """Return an item with its memory and why it is due; `card` is None for a family and for what is gone."""
    if card is not None:
        mark = row.item.partition("#")[2] or None
        parts = _card(card, mark if mark in card.mark_ids else None, palette)
    elif row.item.startswith("family:"):
        parts = _family(row, palette)
    else:
        parts = [Text("Its card is in no deck any more.", palette.hard)]
    return Group(*parts, Text(), Rule(style=palette.faint), *_standing(row, story, palette))


def history_view(row: ItemRow, story: Story, palette: Palette) -> RenderableType:
    """Return everything that happened to an item, oldest first, and why it is due."""
    parts: list[RenderableType] = [
        Text(row.title, palette.ink),
        Text(),
        Text(story.why, palette.ink),
        Text(),
    ]
    if not story.past:
        return Group(*parts, Text("Nothing has happened to it yet.", palette.quiet))
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
    return Group(*parts, table)


def memory_words(memory: Memory | None, recall: float | None) -> str:
    """Return what is remembered of an item, in one line; empty for a new one."""
    if memory is None:
        return ""
    words = [
        f"stability {number_text(memory.stability)} days",
        f"difficulty {memory.difficulty:.1f}",
        counted(memory.reps, "answer"),
        counted(memory.lapses, "lapse"),
    ]
    return " · ".join([*words, *([] if recall is None else [f"recall now {recall:.0%}"])])


def _standing(row: ItemRow, story: Story, palette: Palette) -> list[RenderableType]:
    lines = Text(" · ".join(state_words(row)), f"bold {palette.accent}")
    words = memory_words(row.memory, row.recall)
    if words:
        lines.append(f"   {words}", palette.quiet)
    return [lines, Text(story.why, palette.ink)]


def _card(card: Card, mark: str | None, palette: Palette) -> list[RenderableType]:
    parts: list[RenderableType] = [
        markup(card.question(mark), palette),
        Rule(style=palette.faint),
        markup(card.answer(mark), palette),
    ]
    if card.why:
        parts += [Text(), labelled("Why", card.why, palette)]
    return parts


def _family(row: ItemRow, palette: Palette) -> list[RenderableType]:
    parts: list[RenderableType] = [Text(row.title, f"bold {palette.ink}")]
    try:
        family = load_family(row.name)
    except UnknownFamily:
        return [*parts, Text("Its file is not there any more.", palette.hard)]
    if isinstance(family, BrokenFamily):
        return [*parts, Text(visible(str(family)), palette.hard)]
    levels = ", ".join(str(level) for level in sorted(family.levels))
    kind = family.kind.name.replace("_", " ")
    parts.append(Text(f"A problem with fresh numbers every time · levels {levels} · {kind}", palette.quiet))
    return parts


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
