"""What a drill says of itself: on the top line while it runs, and at its end."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from studynorm.content.visible import visible
from studynorm.study.course import DrillDone
from studynorm.study.drill import DrillSession
from studynorm.study.situation import ProblemPrompt
from studynorm.tui.theme import Palette
from studynorm.tui.top_bar import Standing
from studynorm.tui.when import counted


def drill_standing(session: DrillSession, title: str, took: float) -> Standing:
    """Return what the top line says; `took` is the time on a closed problem, in seconds."""
    prompt, left = session.situation, session.left
    closed = isinstance(prompt, ProblemPrompt) and prompt.closed
    detail = ["practice"]
    detail += [f"level {prompt.variant.level}"] if isinstance(prompt, ProblemPrompt) else []
    if left is not None:
        detail.append(f"{session.answered + (not closed)} of {session.answered + left}")
    aside = [f"{session.streak} in a row"] if session.streak > 1 else []
    if closed:
        aside.append(f"{took:.0f} s")
    return Standing(title, " · ".join(detail), None, None, session.answered, " · ".join(aside), left)


def drill_summary(
    done: DrillDone, seed: int, *, adaptive: bool, narrow: bool, palette: Palette
) -> RenderableType:
    """Return how a drill went, family by family; with `adaptive` also the level that comes next."""
    if not done.asked:
        return Group(
            Text("No problem was finished.", f"bold {palette.accent}"),
            Text(),
            Text("Nothing was stored, and your schedule is as it was.", palette.quiet),
        )
    unjudged = f", {done.unjudged} not judged" if done.unjudged else ""
    title = f"{counted(done.asked, 'problem')}, {done.right} right at once{unjudged}"
    run = f"{done.best_streak} in a row at best · " if done.best_streak > 1 else ""
    table = Table.grid(padding=(0, 3 if not narrow else 1, 0, 0))
    table.add_column(ratio=1)
    heads = ["right", "time"] + (["next"] if adaptive and not narrow else [])
    for _ in heads:
        table.add_column(justify="right", no_wrap=True)
    table.add_row("", *(Text(head, palette.quiet) for head in heads))
    for result in done.results:
        judged = result.asked - result.unjudged
        share = Text(
            f"{result.right}/{judged}" if judged else "–",
            palette.good if judged and result.right == judged else palette.ink,
        )
        row = [share, Text(f"{result.seconds / result.asked:.0f} s", palette.quiet)]
        if len(heads) == 3:
            row.append(Text(f"level {result.level}", palette.quiet))
        table.add_row(Text(visible(result.title, keep_newlines=False), palette.ink), *row)
    return Group(
        Text(title, f"bold {palette.accent}"),
        Text(f"{run}{done.seconds / done.asked:.0f} s each", palette.quiet),
        Text(),
        table,
        Text(),
        Text("Your schedule is as it was.", palette.quiet),
        Text(f"Seed {seed} brings the same problems again.", palette.quiet),
    )
