"""What the screen of the options says, as plain functions: rows, the lines below, the hint of the field."""

from collections.abc import Mapping, Sequence

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from studynorm.content.visible import visible
from studynorm.study.config import Config, Source
from studynorm.study.optionkinds import NotPossible
from studynorm.study.options import Group, Option
from studynorm.tui.theme import Palette

CHANGED, AMISS = "•", "!"
_TITLE, _VALUE = 25, 18
_WHOSE = {Source.FILE: "all profiles", Source.PROFILE: "this profile"}


def group_row(group: Group, palette: Palette) -> Text:
    """Return the heading of a group."""
    return Text(group.value, f"bold {palette.quiet}", no_wrap=True, overflow="ellipsis")


def option_row(option: Option, config: Config, width: int, palette: Palette, *, alone: bool) -> Text:
    """Return one option: its title, its value, and the default where the value is another one.

    Unless it is `alone`, the profile has neighbours, and the row says whose value it is.
    """
    value, source = option.text(config.value(option.key)), config.source(option.key)
    changed = value != option.default_text
    sign, colour = (CHANGED, palette.accent) if changed else (" ", palette.ink)
    if trouble_of(option, config):
        sign, colour = AMISS, palette.hard
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(f"{sign} ", colour)
    text.append(_cut(option.title, min(_TITLE, max(width // 2 - 2, 8))), palette.ink)
    whose = "" if alone or source is Source.DEFAULT else _WHOSE[source]
    notes = [f"default {option.default_text}" if changed else "", whose]
    room = width - text.cell_len
    while notes and room < max(_VALUE, cell_len(value) + 2) + cell_len(_joined(notes)):
        notes.pop()
    shade = f"bold {palette.accent}" if changed else palette.quiet
    if not _joined(notes):
        return text.append(_cut(value, room).rstrip(), shade)
    text.append(_cut(value, max(_VALUE, cell_len(value) + 2)), shade)
    return text.append(_joined(notes), palette.quiet)


def about(option: Option, config: Config, environ: Mapping[str, str], palette: Palette) -> Text:
    """Return the key of an option, what it can be and what it does; or what is wrong with it in the file."""
    trouble = trouble_of(option, config)
    if trouble:
        return Text(f"{AMISS} {visible(trouble, keep_newlines=False)}", palette.hard)
    text = Text(f"{option.key}: {possible(option)}", palette.quiet)
    winner = environ.get(option.variable, "") if option.variable else ""
    if winner:
        words = visible(f"{option.variable}={winner}", keep_newlines=False)
        text.append(f" · {words} wins over it", palette.hard)
    return text.append(f"\n{option.help}", palette.ink)


def trouble_of(option: Option, config: Config) -> str:
    """Return what is wrong with an option in the file; empty when nothing is."""
    return next((trouble.text for trouble in config.troubles if trouble.key == option.key), "")


def troubles_words(config: Config) -> str:
    """Return what is wrong in the file besides single options; these are marked where they stand."""
    others = [trouble.text for trouble in config.troubles if trouble.key is None]
    marked = len(config.troubles) - len(others)
    if marked:
        others.insert(0, f"What is marked {AMISS} has a value in config.toml that is not possible.")
    return " ".join(f"{words.rstrip('.')}." for words in others)


def possible(option: Option) -> str:
    """Return what an option can be; of many words only how many there are."""
    many = len(option.kind.choices)
    return f"one of {many}, ← → try them" if many > 6 else option.kind.allowed


def field_hint(option: Option, typed: str, palette: Palette) -> Text:
    """Return what is said while a value is typed: what is possible, or that this is not."""
    try:
        value = option.kind.read(typed)
    except NotPossible:
        return Text(f"! {option.kind.allowed}", palette.hard)
    text = Text(option.kind.allowed, palette.quiet)
    read = option.text(value)
    return text if read == typed.strip() else text.append(f" · read as {read}", palette.quiet)


def _joined(notes: Sequence[str]) -> str:
    return " · ".join(filter(None, notes))


def _cut(text: str, width: int) -> str:
    if cell_len(text) <= width - 1:
        return set_cell_size(text, width)
    return set_cell_size(set_cell_size(text, max(0, width - 2)).rstrip() + "…", width)
