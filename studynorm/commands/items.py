"""`studynorm items`: every item with its memory, filtered as in Browse; pauses, forgets and sets them due."""

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime
from typing import Any

import click

from studynorm.commands.scope import command, desk_of, examples, note, note_broken, plainly, print_json

_CHANGES = {
    "suspend": ("Ask them no more until they are resumed.", "suspended"),
    "resume": ("Ask suspended items again.", "resumed"),
    "bury": ("Ask them no more today.", "buried until tomorrow"),
    "unbury": ("Ask buried items again today.", "taken out again"),
    "forget": ("Take their memories away: they are new again.", "forgotten"),
    "remember": ("Give back what was forgotten last.", "remembered again"),
    "undue": ("Give back the due day that they had before it was set.", "due again as before"),
}
_METHODS = {"undue": "unset_due"}
_NUMBERS = 2
"""From this column on they stand at the right."""
_TITLE, _LEAST_TITLE = 60, 16


def _change_flags(function: Callable[..., Any]) -> Callable[..., Any]:
    for name, (what, _) in reversed(_CHANGES.items()):
        function = click.option(f"--{name}", "changes", flag_value=name, multiple=True, help=what)(function)
    return function


@command(
    "items",
    # `-is:new` is a filter and no option.
    context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]},
    epilog=examples(
        "items is:due topic:backward",
        "items 'stability<7' 'lapses>3' --json",
        "items card:batchnorm/forward-pass --suspend",
        "items is:leech --due tomorrow",
    ),
)
@click.argument("words", metavar="[FILTER]", nargs=-1, type=click.UNPROCESSED)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--limit", metavar="N", type=click.IntRange(1), help="At most N items, in learning order.")
@click.option(
    "--due", metavar="DAY", help="Make them due on a day: 0 is today, 5 in five days, fri, 2026-12-24."
)
@_change_flags
@click.option("--why", is_flag=True, help="Say of each why it is due when it is; of a single item always.")
@click.option("--yes", is_flag=True, help="Forget more than one item without asking back.")
@click.pass_context
@plainly
def items(
    context: click.Context,
    words: tuple[str, ...],
    *,
    as_json: bool,
    limit: int | None,
    due: str | None,
    changes: tuple[str, ...],
    why: bool,
    yes: bool,
) -> None:
    """List the items that a FILTER lets through, or change them.

    A FILTER is words, "a phrase", an id such as card:batchnorm/epsilon-place or its beginning,
    is:due is:new is:learning is:young is:mature is:suspended is:buried is:leech is:edited is:gone
    is:card is:cloze is:family, topic:T deck:D tag:G with * for anything, and
    stability difficulty lapses reps recall due with < <= > >= =; - before a term means not, and
    "or" stands between alternatives.
    """
    from studynorm.study.items import item_rows
    from studynorm.study.safekeeping import backed_up

    if words == ("-h",):  # the other commands know it; here it could be a filter
        click.echo(context.get_help())
        return
    _check(words, changes if due is None else (*changes, "due"), as_json=as_json)
    chosen = _filter(" ".join(words))
    with desk_of(context) as desk:
        note_broken(desk.catalogue.library)
        day = None if due is None else _day(due, desk.clock().day)
        rows = chosen.select(item_rows(desk))[:limit]
        if day is not None or changes:
            with backed_up(desk, note):
                _set_due(desk, rows, day) if day is not None else _change(desk, rows, changes[0], yes=yes)
            return
        now, told = desk.clock(), _whys(desk, rows) if why or len(rows) == 1 else {}
        _note_damage(desk)
    if as_json:
        print_json({"items": [_json(row, told.get(row.item)) for row in rows]})
        return
    _print(rows, now)
    _print_whys(told)


def _note_damage(desk: Any) -> None:
    from studynorm.storage.setaside import set_aside_words

    for line in (set_aside_words(desk.store.set_aside()), desk.store.skips.take()):
        if line:
            note(f"studynorm: {line}")


def _check(words: Sequence[str], changes: Sequence[str], *, as_json: bool) -> None:
    for word in words:
        if word.startswith("--"):
            raise click.UsageError(f"No such option: {word}")
    if len(set(changes)) > 1:
        raise click.UsageError(f"--{changes[0]} and --{changes[1]} are two things; choose one")
    if changes and as_json:
        raise click.UsageError(f"--{changes[0]} changes items, and --json lists them; choose one")
    if changes and not words:
        raise click.UsageError(f"--{changes[0]} wants a FILTER that says which items")


def _filter(text: str) -> Any:
    from studynorm.study.filter import FilterError, parse

    found = parse(text)
    if isinstance(found, FilterError):
        lead = "the FILTER is not finished: " if found.unfinished else ""
        raise click.UsageError(f"{lead}{found.message} (at character {found.position + 1} of “{text}”)")
    return found


def _change(desk: Any, rows: Sequence[Any], name: str, *, yes: bool) -> None:
    if name == "forget":
        rows = [row for row in rows if row.memory is not None]
        if len(rows) > 1 and not yes:
            raise click.UsageError(f"this would forget {len(rows)} items; say --yes too if you mean it")
    change = getattr(desk.store.upkeep, _METHODS.get(name, name))
    click.echo(f"{_items(change([row.item for row in rows], desk.clock()))} {_CHANGES[name][1]}.")


def _day(text: str, today: int) -> int:
    from studynorm.study.duedate import NotADueDay, due_day

    try:
        return due_day(text, today)
    except NotADueDay as refused:
        raise click.UsageError(f"--due {text}: {refused}") from None


def _set_due(desk: Any, rows: Sequence[Any], day: int) -> None:
    from studynorm.study.changes import NO_DUE_DAY, has_due_day
    from studynorm.study.duedate import day_words

    now = desk.clock()
    movable = [row.item for row in rows if has_due_day(row)]
    desk.store.upkeep.set_due(movable, day, now)
    if movable or not rows:
        click.echo(f"{_items(len(movable))} due {day_words(day, now.day)}.")
    if len(movable) < len(rows):
        click.echo(NO_DUE_DAY)


def _items(count: int) -> str:
    return f"{count} item{'' if count == 1 else 's'}"


def _print(rows: Sequence[Any], now: Any) -> None:
    if not rows:
        click.echo("No item matches.")
        return
    terminal = sys.stdout is not None and sys.stdout.isatty()
    for line in _table(rows, now, shutil.get_terminal_size().columns if terminal else None):
        click.echo(line)


def _table(rows: Sequence[Any], now: Any, width: int | None) -> Iterator[str]:
    """Yield the lines of the table; ids stay whole, and columns go where the titles would get too narrow."""
    from studynorm.content.visible import visible
    from studynorm.study.ordering import due_text, state_words
    from studynorm.study.titles import shortened

    columns = [
        ["item", *(visible(row.item, keep_newlines=False) for row in rows)],
        ["state", *(",".join(state_words(row)) for row in rows)],
        ["due", *(due_text(row, now) for row in rows)],
        ["stability", *("" if row.memory is None else f"{row.memory.stability:.1f}" for row in rows)],
    ]
    left = _TITLE
    if width is not None:
        while (left := width - sum(len(max(column, key=len)) + 2 for column in columns)) < _LEAST_TITLE:
            if len(columns) == 1:
                break
            columns.pop()
    widths = [len(max(column, key=len)) for column in columns]
    titles = ["title", *(row.title for row in rows)]
    for *cells, title in zip(*columns, titles, strict=True):
        line = "  ".join(
            f"{cell:>{width}}" if number >= _NUMBERS else f"{cell:{width}}"
            for number, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        yield f"{line}  {shortened(title, left)}".rstrip()


def _whys(desk: Any, rows: Sequence[Any]) -> dict[str, str]:
    from studynorm.study.history import story_of

    return {row.item: story_of(desk, row).why for row in rows}


def _print_whys(told: dict[str, str]) -> None:
    from studynorm.content.visible import visible

    if told:
        click.echo()
    for item, why in told.items():
        click.echo(visible(f"{item}: {why}" if len(told) > 1 else why, keep_newlines=False))


def _json(row: Any, why: str | None) -> dict[str, Any]:
    memory = row.memory
    return {
        "id": row.item,
        "kind": row.kind.value,
        "topic": row.topic,
        "title": row.title,
        "tags": list(row.tags),
        "state": row.strength.value,
        "due": _due(memory),
        "due_in": row.due_in,
        "due_now": row.due,
        "stability": None if memory is None else memory.stability,
        "difficulty": None if memory is None else memory.difficulty,
        "reps": 0 if memory is None else memory.reps,
        "lapses": 0 if memory is None else memory.lapses,
        "recall": row.recall,
        "suspended": row.suspended,
        "buried": row.buried,
        "leech": row.leech,
        "edited": row.edited,
        "gone": row.gone,
        "why": why,
    }


def _due(memory: Any) -> str | None:
    """Return the due day as a date, the due instant of a learning step in UTC, None for a new item."""
    if memory is None:
        return None
    if memory.due_day is not None:
        return date.fromordinal(memory.due_day).isoformat()
    return datetime.fromtimestamp(memory.due_at / 1000, UTC).isoformat(timespec="milliseconds")
