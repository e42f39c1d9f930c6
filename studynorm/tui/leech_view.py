"""What the box on a leech says: how often it slipped, and the ways that help better than repeating it."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from studynorm.content.visible import visible
from studynorm.study.catalogue import Catalogue
from studynorm.study.leech import Leech
from studynorm.study.titles import title_of
from studynorm.tui.offers_screen import titled
from studynorm.tui.theme import Palette
from studynorm.tui.when import counted


@dataclass(frozen=True, slots=True)
class Way:
    """One way on: the key that takes it, and what it does."""

    key: str
    words: str


def ways_of(leech: Leech, catalogue: Catalogue) -> tuple[Way, ...]:
    """Return what there is to do about a leech, the most helpful first."""
    ways = list[Way]()
    deck = catalogue.library.deck(leech.topic)
    if deck is not None and deck.note:
        ways.append(Way("n", f"Read the note: {deck.title}"))
    if leech.easier is not None:
        (words,) = titled((leech.easier,), catalogue)
        ways.append(Way("t", words))
    if leech.editable:
        ways.append(Way("e", "Edit the card: shorter, or in two parts"))
    return (*ways, Way("@", "Suspend it until you resume it"), Way("u", "Take the rating back"))


def leech_title(leech: Leech, catalogue: Catalogue) -> str:
    """Return what the item asks, in one line."""
    card = catalogue.library.card(leech.item)
    if card is not None:
        return title_of(card.question(leech.item.partition("#")[2] or None))
    from studynorm.engine.titles import family_titles

    name = leech.item.partition(":")[2]
    return family_titles().get(name, name)


def leech_view(leech: Leech, title: str, palette: Palette) -> Text:
    """Return what is said of the item, above the ways."""
    text = Text()
    text.append(f"This one keeps slipping: {counted(leech.lapses, 'lapse')}.\n", f"bold {palette.ink}")
    text.append(f"{visible(title, keep_newlines=False)}\n\n", palette.math)
    return text.append("Your rating is saved. What may help more:", palette.quiet)


def ways_view(ways: Sequence[Way], palette: Palette) -> Text:
    """Return the ways, one a line."""
    lines = list[Text]()
    for way in ways:
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append(f"{way.key}  ", f"bold {palette.accent}")
        lines.append(line.append(visible(way.words, keep_newlines=False), palette.ink))
    return Text("\n").join(lines)
