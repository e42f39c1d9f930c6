"""A card or family to read outside a session: what it is, what is remembered of it, and where it leads."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from studynorm.content.card import Card
from studynorm.engine.registry import BrokenFamily, UnknownFamily, load_family
from studynorm.engine.titles import family_titles
from studynorm.study.catalogue import Catalogue
from studynorm.study.history import Story, story_of
from studynorm.study.items import ItemRow, item_rows
from studynorm.study.titles import title_of

if TYPE_CHECKING:
    from studynorm.study.desk import Desk


_NO_CARD = "Its card is in no deck any more."


@dataclass(frozen=True, slots=True)
class Link:
    """Where an item leads: the id of a card, family or demo, and its title; a demo's title is its name."""

    kind: Literal["card", "family", "demo"]
    id: str
    title: str


@dataclass(frozen=True, slots=True)
class ItemSheet:
    """A card, or a family with its title and levels.

    `mark` is the mark that was asked for; without one a cloze stands for all its marks. `standing` is each
    item of it as a row, with its story. `fault` says why there is no card and no usable family.
    """

    item: str
    title: str
    standing: tuple[tuple[ItemRow, Story], ...]
    links: tuple[Link, ...]
    card: Card | None = None
    mark: str | None = None
    levels: tuple[int, ...] = ()
    fault: str = ""

    @property
    def is_family(self) -> bool:
        """Whether this is a family, be it unusable."""
        return self.item.startswith("family:")


def item_sheet(desk: "Desk", item: str) -> ItemSheet | None:
    """Return the sheet of a card, with or without a mark, or of a family; None where there is no such item.

    Of one that is gone the memory is left, and that makes a sheet too. Raises StoreError.
    """
    catalogue = desk.catalogue
    card = catalogue.library.card(item)
    if card is not None:
        mark = item.partition("#")[2] or None
        title = title_of(card.question(mark))
        items = (item,) if mark else card.item_ids
        return ItemSheet(item, title, _standing(desk, items), links_of(catalogue, card.see), card, mark)
    name = item.partition(":")[2]
    if item not in catalogue.candidates:
        left = _standing(desk, (item,))
        fault = "Its file is not there any more." if item.startswith("family:") else _NO_CARD
        return ItemSheet(item, name, left, (), fault=fault) if left else None
    try:
        family = load_family(name)
    except UnknownFamily as unknown:  # its file went since the families were found
        return ItemSheet(item, name, _standing(desk, (item,)), (), fault=str(unknown))
    if isinstance(family, BrokenFamily):
        return ItemSheet(item, name, _standing(desk, (item,)), (), fault=str(family))
    leads = (
        *family.cards,
        *(f"family:{required}" for required in family.requires),
        *([f"demo:{family.demo}"] if family.demo else []),
    )
    links, levels = links_of(catalogue, leads), tuple(sorted(family.levels))
    return ItemSheet(item, family.title, _standing(desk, (item,)), links, levels=levels)


def _standing(desk: "Desk", items: Sequence[str]) -> tuple[tuple[ItemRow, Story], ...]:
    return tuple((row, story_of(desk, row)) for row in item_rows(desk, frozenset(items)))


def links_of(catalogue: Catalogue, targets: Iterable[str]) -> tuple[Link, ...]:
    """Return the links to those targets that are cards or families of the catalogue, and to demos."""
    found = list[Link]()
    titles = family_titles()
    for target in targets:
        kind, _, name = target.partition(":")
        card = catalogue.library.card(target)
        if card is not None:
            found.append(Link("card", target, title_of(card.question(target.partition("#")[2] or None))))
        elif kind == "demo" or (kind == "family" and target in catalogue.candidates):
            found.append(Link(cast("Literal['family', 'demo']", kind), target, titles.get(name, name)))
    return tuple(found)
