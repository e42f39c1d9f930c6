"""A card to read over a problem that went wrong: nothing is asked and nothing is stored."""

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from studynorm.content.card import Card
from studynorm.content.visible import visible
from studynorm.tui.card_view import labelled
from studynorm.tui.markup_view import markup
from studynorm.tui.overlay import Overlay
from studynorm.tui.theme import Palette


class CardScreen(Overlay):
    """Shows a card with its answer; of a card with several marks all are shown."""

    def __init__(self, card: Card, palette: Palette) -> None:
        super().__init__(
            visible(f"card:{card.deck_id}/{card.id}", keep_newlines=False), card_view(card, palette)
        )
        self.add_class("wide")


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
