"""`studynorm backup`: a checked copy of a profile, or a list of those there are."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from studynorm.commands.scope import Failed, command, examples, home_of, plainly, print_json, profile_of

if TYPE_CHECKING:
    from studynorm.storage.backups import Copy

_HEAD = ("made", "size", "reviews", "newest answer", "file")
_NUMBERS = frozenset({1, 2})


@command("backup", epilog=examples("backup", "backup copy.sqlite", "backup --list"))
@click.argument("file", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@click.option("--list", "listing", is_flag=True, help="List the copies of this profile, newest first.")
@click.option("--json", "as_json", is_flag=True, help="With --list: one JSON object on standard output.")
@click.pass_context
@plainly
def backup(context: click.Context, file: Path | None, *, force: bool, listing: bool, as_json: bool) -> None:
    """Copy the profile to FILE, else into the backups folder. It may be open in another window meanwhile.

    The copy is made by SQLite itself, checked, and appears whole or not at all. One is made by itself on
    every study day; `studynorm restore` puts one back.
    """
    from studynorm.storage.backups import copies
    from studynorm.storage.home import find_profile

    if as_json and not listing:
        raise click.UsageError("--json goes with --list")
    if listing and (file is not None or force):
        raise click.UsageError("--list only lists; it takes no FILE and no --force")
    home, name = home_of(context), profile_of(context)
    source = find_profile(home, name)
    if not listing:
        _copy(source, file, home.backups, force=force)
        return
    found = copies(name, home.backups)
    if as_json:
        print_json({"profile": name, "folder": str(home.backups), "backups": [_json(copy) for copy in found]})
        return
    if not found:
        click.echo(f"There is no backup of the profile {name} in {home.backups}.")
    for line in _table(found) if found else ():
        click.echo(line)


def _copy(source: Path, file: Path | None, folder: Path, *, force: bool) -> None:
    from studynorm.storage.backup import back_up
    from studynorm.storage.backups import backup_name, inspect

    if not source.exists():
        raise Failed(f"{source} does not exist: nothing was learned in this profile yet.")
    present = inspect(source)
    if present.trouble is not None:
        raise Failed(present.trouble)
    target = file or backup_name(source, folder)
    if target.is_dir():
        raise Failed(f"{target} is a folder. Name a file in it.")
    if file is not None and not target.absolute().parent.is_dir():
        raise Failed(f"{target.absolute().parent} is no folder. Make it, or name another FILE.")
    if target.exists() and source.samefile(target):
        raise Failed(f"{target} is the profile itself. Name another FILE.")
    if target.exists() and not force:
        raise Failed(f"{target} exists and was left as it is; --force overwrites it.")
    back_up(source, target)
    click.echo(f"wrote {target}: {inspect(target).words}")


def _table(found: Sequence["Copy"]) -> Iterator[str]:
    from studynorm.content.visible import visible

    cells = [
        (
            f"{datetime.fromtimestamp(copy.made, UTC).astimezone():%Y-%m-%d %H:%M}",
            f"{copy.size / 1024:.0f} KiB" if copy.size < 2**20 else f"{copy.size / 2**20:.1f} MiB",
            "damaged" if copy.trouble else str(copy.reviews),
            "" if copy.trouble else copy.newest_words,
            visible(copy.path.name, keep_newlines=False),
        )
        for copy in found
    ]
    rows = [_HEAD, *cells]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        placed = (
            f"{cell:>{width}}" if number in _NUMBERS else f"{cell:{width}}"
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(placed).rstrip()
    yield from (
        "",
        f"They are in {visible(str(found[0].path.parent))}; `studynorm restore FILE` puts one back.",
    )


def _json(copy: "Copy") -> dict[str, object]:
    newest = None
    if copy.newest is not None:
        newest = datetime.fromtimestamp(copy.newest[0] / 1000, UTC).isoformat(timespec="milliseconds")
    return {
        "path": str(copy.path),
        "made": datetime.fromtimestamp(copy.made, UTC).isoformat(timespec="seconds"),
        "size": copy.size,
        "reviews": copy.reviews,
        "newest": newest,
        "trouble": copy.trouble,
    }
