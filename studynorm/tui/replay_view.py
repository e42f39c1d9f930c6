"""What a past answer looks like: a row of the list, and the whole of it as it was then."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from studynorm.content.visible import visible
from studynorm.engine.registry import BrokenFamily, UnknownFamily, load_family
from studynorm.study.replay import Replay
from studynorm.study.worked import value_text
from studynorm.tui.markup_view import markup
from studynorm.tui.theme import Palette

_SIGNS = {"correct": ("✓", "good"), "wrong": ("✗", "again")}


def replay_row(replay: Replay, palette: Palette) -> Table:
    """Return the row of an answer: when, whether it was right, where, and what was typed."""
    sign, colour = _SIGNS.get(replay.verdict, ("·", "quiet"))
    row = Table.grid(expand=True, padding=(0, 2, 0, 0))
    for width in (12, 1, 30):
        row.add_column(width=width, no_wrap=True, overflow="ellipsis")
    row.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    at = replay.at.astimezone()
    row.add_row(
        Text(f"{at.day} {at:%b %H:%M}", palette.quiet),
        Text(sign, str(getattr(palette, colour))),
        Text(visible(f"{replay.family} {replay.level}", keep_newlines=False), palette.ink),
        Text(visible(replay.typed, keep_newlines=False), palette.quiet),
    )
    return row


def replay_view(replay: Replay, palette: Palette) -> RenderableType:
    """Return a past answer with everything around it."""
    change = replay.change(_version_now(replay.family))
    parts: list[RenderableType] = [] if change is None else [Text(change, palette.hard), Text()]
    sign, colour = _SIGNS.get(replay.verdict, ("·", "quiet"))
    facts = Table.grid(padding=(0, 2, 0, 0))
    facts.add_column(no_wrap=True)
    facts.add_column()
    hints = f" after {replay.hints} hint{'s' * (replay.hints > 1)}" if replay.hints else ""
    typed = visible(replay.typed, keep_newlines=False)
    facts.add_row(Text("You typed", palette.quiet), Text(typed, palette.ink))
    facts.add_row(
        Text("Verdict", palette.quiet), Text(f"{sign} {replay.verdict}{hints}", str(getattr(palette, colour)))
    )
    if replay.confidence is not None:
        facts.add_row(Text("How sure", palette.quiet), Text(f"{replay.confidence} %", palette.ink))
    if not replay.unjudged:
        facts.add_row(Text("Right", palette.quiet), Text(value_text(replay.truth), palette.math))
    parts += [markup(replay.prompt, palette), Text(), facts]
    for slip in replay.misconceptions:
        if slip.made:
            parts += [
                Text(),
                Text(slip.id.replace("_", " "), f"bold {palette.hard}"),
                markup(slip.why, palette),
            ]
    if replay.unjudged:
        parts += [Text(), Text("Model answer", f"bold {palette.accent}"), markup(str(replay.truth), palette)]
    where = f"{replay.family} version {replay.version} · level {replay.level} · seed {replay.seed}"
    return Group(*parts, Text(), Text(visible(where, keep_newlines=False), palette.quiet))


def _version_now(family: str) -> int | None:
    try:
        found = load_family(family)
    except UnknownFamily:
        return None
    return None if isinstance(found, BrokenFamily) else found.version
