"""`studynorm fmt`: bring deck files into their tidy form, and show what changed as a diff."""

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from studynorm.commands.scope import command, examples, home_of, note, plainly


@command("fmt", epilog=examples("fmt", "fmt --diff", "fmt --check cards/batchnorm.md"))
@click.argument("paths", metavar="[PATH]…", nargs=-1, type=click.Path(path_type=Path))
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if a file would change.")
@click.option("--diff", is_flag=True, help="Write nothing; show what would change.")
@click.pass_context
@plainly
def fmt(context: click.Context, paths: tuple[Path, ...], *, check: bool, diff: bool) -> None:
    """Fill in missing ids and tidy up deck files; no word of a card is touched.

    Without a path these are the decks in your own folder. What changes is shown as a diff.
    """
    from studynorm.content.deckwrite import NotWritten, write_deck

    for path in paths:
        if not path.exists():
            raise click.BadParameter(f"{path} does not exist", param_hint="PATH")
    home = home_of(context).decks
    files, failures = _files(paths or (home,))
    if not files and not failures:
        click.echo(f"no decks in {_shown(', '.join(map(str, paths or (home,))))}")
    changed = unreadable = 0
    for work in _formatted(files, home):
        unreadable += work.unreadable
        for error in work.errors:
            note(f"studynorm: {error}")
        if work.new == work.old:
            continue
        changed += 1
        if check and not diff:
            click.echo(f"{_shown(str(work.path))} would change")
        else:
            click.echo(_diff(work), nl=False)
        if check or diff:
            continue
        try:
            write_deck(work.path, work.new, was=work.old)
        except NotWritten as refused:
            note(f"studynorm: {refused}")
            failures += 1
            changed -= 1
    if files:
        click.echo(_sum(len(files), changed, unreadable, written=not (check or diff)))
    if failures or unreadable or (check and changed):
        context.exit(1)


@dataclass(frozen=True, slots=True)
class _Work:
    path: Path
    old: str
    new: str
    errors: Sequence[Any]
    unreadable: bool


def _formatted(files: Iterable[Path], home: Path) -> Iterator[_Work]:
    """Format file by file; the ids of the decks that are there, and of those just named, are taken."""
    from studynorm.content.deck import parse_deck
    from studynorm.content.deckfile import read_text
    from studynorm.content.format import format_deck
    from studynorm.content.library import load_library
    from studynorm.locate import content_root

    taken = {deck.id for deck in load_library(content_root() / "cards", home).decks}
    for path in files:
        text, errors = read_text(path)
        if text is None:
            yield _Work(path, "", "", errors, unreadable=True)
            continue
        done = format_deck(text, path, taken)
        if done.text != text and (deck := parse_deck(done.text, path)[0]) is not None:
            taken.add(deck.id)
        yield _Work(path, text, done.text, done.errors, done.unreadable)


def _files(paths: Iterable[Path]) -> tuple[list[Path], int]:
    """Return the deck files, and how many of the places can't be used; these are named."""
    from studynorm.content.deckfile import deck_files, nested_deck_files
    from studynorm.locate import content_root

    root = content_root().resolve()
    shipped = root / "cards"
    found: dict[Path, None] = {}
    failures = 0
    for path in paths:
        if not path.is_dir():
            files: Sequence[Path] = (path,) if path.exists() else ()
        elif path.resolve() == shipped:
            files = deck_files(path)
        else:
            files, errors = nested_deck_files(path)
            failures += len(errors)
            for error in errors:
                note(f"studynorm: {error}")
        found.update(dict.fromkeys(files))
    kept = []
    for path in found:
        if root.name == "_content" and path.resolve().is_relative_to(root):
            note(f"studynorm: {path} is shipped and never written; change a card with `studynorm card edit`")
            failures += 1
        else:
            kept.append(path)
    return kept, failures


def _diff(work: _Work) -> str:
    from studynorm.content.source import lines_of

    old, new = lines_of(work.old), lines_of(work.new)
    lines = difflib.unified_diff(old, new, str(work.path), f"{work.path} (tidy)", lineterm="")
    return "".join(f"{_shown(line)}\n" for line in lines)


def _shown(text: str) -> str:
    from studynorm.content.visible import visible

    return visible(text, keep_newlines=False)


def _sum(files: int, changed: int, unreadable: int, *, written: bool) -> str:
    decks = f"{files} deck{'s' if files > 1 else ''}"
    done = f"{changed} of {decks} {'changed' if written else 'would change'}"
    left = f", {unreadable} can't be read and stayed as they were" if unreadable else ""
    return (done if changed else f"{decks}: nothing to change") + left
