"""`studynorm profile`: which profiles there are."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import click

from studynorm.commands.scope import examples, global_flags, home_of, plainly, print_json, profile_of

if TYPE_CHECKING:
    from studynorm.storage.profiles import ProfileSummary

_HEAD = ("profile", "items", "reviews", "newest answer", "size")
_NUMBERS = frozenset({1, 2, 4})


@click.group("profile", epilog=examples("profile list", "profile list --json"))
@global_flags
def profile() -> None:
    """Show the profiles. Any command takes --profile NAME; a new one is made when it is first studied."""


@profile.command("list", epilog=examples("profile list", "profile list --json"))
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@global_flags
@click.pass_context
@plainly
def list_(context: click.Context, *, as_json: bool) -> None:
    """List every profile: what was learned in it, when last, and its size. The one in use has a star.

    Nothing is changed; a file that is no profile of this program says so.
    """
    from studynorm.storage.profiles import profile_summaries

    in_use = profile_of(context)
    found = profile_summaries(home_of(context), in_use)
    if as_json:
        print_json({"in_use": in_use, "profiles": [_json(one) for one in found]})
        return
    for line in _table(found, in_use):
        click.echo(line)


def _table(found: Sequence["ProfileSummary"], in_use: str) -> Iterator[str]:
    from studynorm.content.visible import visible

    names = [
        f"{'*' if one.name == in_use else ' '} {visible(one.name, keep_newlines=False)}" for one in found
    ]
    cells = [
        (name, str(one.items), str(one.reviews), _local(one.newest), _size(one.size))
        for name, one in zip(names, found, strict=True)
    ]
    rows = [(f"  {_HEAD[0]}", *_HEAD[1:]), *cells]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row, one in zip(rows, (None, *found), strict=True):
        if one is not None and one.trouble is not None:
            yield f"{row[0]:{widths[0]}}  {visible(one.trouble, keep_newlines=False)}"
            continue
        placed = (
            f"{cell:>{width}}" if number in _NUMBERS else f"{cell:{width}}"
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(placed).rstrip()


def _local(newest: tuple[int, int] | None) -> str:
    """Return an instant as the local clock showed it then."""
    if newest is None:
        return "never"
    at, offset = newest
    try:
        local = datetime.fromtimestamp(at / 1000, timezone(timedelta(minutes=offset)))
    except (ValueError, OverflowError, OSError):  # no clock ever showed that
        return "unknown"
    return f"{local:%Y-%m-%d %H:%M}"


def _size(size: int) -> str:
    return f"{size / 1024:.0f} KiB" if size < 2**20 else f"{size / 2**20:.1f} MiB"


def _json(one: "ProfileSummary") -> dict[str, Any]:
    return {
        "name": one.name,
        "file": str(one.path),
        "items": one.items,
        "reviews": one.reviews,
        "newest": _utc(one.newest),
        "size": one.size,
        "trouble": one.trouble,
    }


def _utc(newest: tuple[int, int] | None) -> str | None:
    if newest is None:
        return None
    try:
        return datetime.fromtimestamp(newest[0] / 1000, UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return None
