"""What a recall card or a cloze mark looks like: question above, answer and reason below."""

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from studynorm.content.card import Card
from studynorm.study.situation import CardPrompt
from studynorm.tui.markup_view import markup
from studynorm.tui.theme import Palette


def card_question(prompt: CardPrompt, palette: Palette) -> RenderableType:
    """Return the question of a card."""
    return markup(prompt.card.question(prompt.mark), palette)


def card_answer(prompt: CardPrompt, palette: Palette) -> RenderableType:
    """Return the answer and, where the card has one, the reason under it."""
    parts: list[RenderableType] = [markup(prompt.card.answer(prompt.mark), palette)]
    if prompt.card.why:
        parts += [Text(), labelled("Why", prompt.card.why, palette)]
    return Group(*parts)


def labelled(label: str, source: str, palette: Palette) -> RenderableType:
    """Return Markdown with a quiet label in a column of its own."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column()
    grid.add_row(Text(label, palette.quiet), markup(source, palette))
    return grid


def card_view(card: Card, palette: Palette) -> RenderableType:
    """Return question, answer and reason of a card."""
    parts: list[RenderableType] = []
    if card.marks:
        parts.append(markup(card.answer(card.marks[0].id), palette))
    else:
        parts += [markup(card.question(), palette), Rule(style=palette.faint), markup(card.answer(), palette)]
    if card.why:
        parts += [Text(), labelled("Why", card.why, palette)]
    return Group(*parts)
