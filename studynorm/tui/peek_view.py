"""What an item looks like when it is read outside a session: its words, its memory, and where it leads."""

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from studynorm.content.card import Card
from studynorm.content.visible import visible
from studynorm.scheduling.memory import Memory
from studynorm.study.history import Story
from studynorm.study.item_sheet import ItemSheet, Link
from studynorm.study.items import ItemRow
from studynorm.study.ordering import state_words
from studynorm.tui.browse_view import number_text
from studynorm.tui.card_view import card_view, labelled
from studynorm.tui.home_view import SIGNS
from studynorm.tui.markup_view import markup
from studynorm.tui.offers_screen import MOST_KEYS
from studynorm.tui.theme import Palette
from studynorm.tui.when import counted


def peek_view(sheet: ItemSheet, palette: Palette) -> RenderableType:
    """Return a card with its answer, or a family with its levels, and what is remembered of it."""
    parts: list[RenderableType] = []
    if sheet.card is None:
        parts.append(Text(visible(sheet.title, keep_newlines=False), f"bold {palette.ink}"))
        parts.append(_family_line(sheet, palette))
    elif sheet.mark is None:
        parts.append(card_view(sheet.card, palette))
    else:
        parts.append(_marked(sheet.card, sheet.mark, palette))
    parts += [Text(), Rule(style=palette.faint)]
    several = len(sheet.standing) > 1
    parts += [_standing(row, story, palette, named=several) for row, story in sheet.standing]
    return Group(*parts)


def _marked(card: Card, mark: str, palette: Palette) -> RenderableType:
    parts: list[RenderableType] = [
        markup(card.question(mark), palette),
        Rule(style=palette.faint),
        markup(card.answer(mark), palette),
    ]
    if card.why:
        parts += [Text(), labelled("Why", card.why, palette)]
    return Group(*parts)


def _family_line(sheet: ItemSheet, palette: Palette) -> Text:
    if sheet.fault:
        return Text(visible(sheet.fault, keep_newlines=False), palette.hard)
    levels = ", ".join(map(str, sheet.levels))
    word = "level" if len(sheet.levels) == 1 else "levels"
    return Text(f"A problem with fresh numbers every time, {word} {levels}", palette.quiet)


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


def _standing(row: ItemRow, story: Story, palette: Palette, *, named: bool) -> Text:
    text = Text()
    if named:
        text.append(f"{visible(row.item.partition('#')[2], keep_newlines=False)}   ", palette.quiet)
    text.append(f"{SIGNS[row.strength]} {' · '.join(state_words(row))}", f"bold {palette.accent}")
    words = memory_words(row.memory, row.recall)
    if words:
        text.append(f"   {words}", palette.quiet)
    return text.append(f"\n{story.why}", palette.ink)


def link_line(number: int, link: Link, palette: Palette) -> Text:
    """Return one link behind its key, counted from 1."""
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(f"{number}  " if number <= MOST_KEYS else "   ", f"bold {palette.accent}")
    text.append(f"{link.kind:<8}", palette.quiet)
    return text.append(visible(link.title, keep_newlines=False), palette.ink)


def known_links(links: Sequence[Link], demo_titles: Mapping[str, str]) -> tuple[Link, ...]:
    """Return the links with demos by their titles; without those to demos that are not there."""
    found = list[Link]()
    for link in links:
        if link.kind != "demo":
            found.append(link)
        elif (title := demo_titles.get(link.id.removeprefix("demo:"))) is not None:
            found.append(Link("demo", link.id, title))
    return tuple(found)


def foot_words(links: int, *, edits: bool, practises: bool, asks: bool) -> str:
    """Return the line on the keys under the box."""
    keys = min(links, MOST_KEYS)
    words = [f"1–{keys} turn to" if keys > 1 else "1 turns to"] if keys else []
    if links > MOST_KEYS:
        words.append("o lists all")
    told = (("h history", True), ("g grades now", asks), ("D due", asks))
    words += [word for word, works in (*told, ("e edits", edits), ("p practises", practises)) if works]
    return " · ".join([*words, "Esc closes"])
