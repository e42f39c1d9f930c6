"""Decks, cards and the text on them: read, checked and named by place. Knows no torch and no terminal."""

from studynorm.content.card import Card, Mark
from studynorm.content.deck import Deck, parse_deck
from studynorm.content.library import Library, NoDecks, load_library
from studynorm.content.markup import parse_markup
from studynorm.content.place import ContentError, Place
from studynorm.content.visible import visible

__all__ = [
    "Card",
    "ContentError",
    "Deck",
    "Library",
    "Mark",
    "NoDecks",
    "Place",
    "load_library",
    "parse_deck",
    "parse_markup",
    "visible",
]
