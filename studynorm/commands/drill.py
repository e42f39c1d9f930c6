"""`studynorm drill`: practice beside the schedule."""

import secrets
from typing import Any

import click

from studynorm.commands.scope import (
    command,
    desk_of,
    examples,
    formulas_flag,
    note,
    note_broken,
    plainly,
    unknown,
)


@command(
    "drill",
    epilog=examples("drill batchnorm.entry --count 5", "drill --topic residual --level 2", "drill --weak"),
)
@click.argument("families", metavar="[FAMILY]…", nargs=-1)
@click.option("--topic", metavar="T", help="Every family of this topic.")
@click.option(
    "--level", metavar="L", type=click.IntRange(1, 3), help="Stay at this level; else it follows you."
)
@click.option("--seed", metavar="N", type=click.IntRange(0, 2**63 - 1), help="The same problems again.")
@click.option("--count", metavar="N", type=click.IntRange(1, 9999), help="Stop after N problems.")
@click.option("--weak", is_flag=True, help="What went wrong in the last 30 days.")
@click.option("--plain", is_flag=True, help="Line by line on standard input and output.")
@formulas_flag
@click.pass_context
@plainly
def drill(
    context: click.Context,
    families: tuple[str, ...],
    *,
    topic: str | None,
    level: int | None,
    seed: int | None,
    count: int | None,
    weak: bool,
    plain: bool,
    formulas: Any,
) -> None:
    """Practise problems; your schedule stays as it is, and every graded answer is saved at once.

    Without anything named the screen lets you choose. Where no screen can be drawn it goes line by line.
    """
    from studynorm.commands.screen import has_terminal
    from studynorm.engine.files import family_files
    from studynorm.plain_drill import run_drill
    from studynorm.plain_voice import Voice
    from studynorm.study.drill import DrillSession, shuffled, weak_families
    from studynorm.study.safekeeping import backed_up

    chosen = _chosen(families, topic, tuple(family_files()))
    if not plain and has_terminal():
        _on_screen(
            context, chosen, named=families, topic=topic, level=level, seed=seed, count=count, weak=weak
        )
        return
    seed = secrets.randbelow(2**31) if seed is None else seed
    with desk_of(context) as desk:
        note_broken(desk.catalogue.library)
        if weak:
            chosen = weak_families(desk.store, desk.clock(), chosen)
            if not chosen:
                click.echo("No misconception was named in the last 30 days: there is nothing weak to drill.")
                return
        elif not families:
            chosen = shuffled(chosen, seed)
        click.echo(f"Seed {seed}.")
        session = DrillSession(desk.store, chosen, desk.clock, seed=seed, level=level, count=count)
        with backed_up(desk, note):
            context.exit(run_drill(desk, session, Voice(formulas or desk.config.formulas)))


def _on_screen(
    context: click.Context,
    chosen: tuple[str, ...],
    *,
    named: tuple[str, ...],
    topic: str | None,
    level: int | None,
    seed: int | None,
    count: int | None,
    weak: bool,
) -> None:
    """Open the drill, or the choice of one where nothing is asked for, in the full-screen interface."""
    from studynorm.commands.screen import open_screen
    from studynorm.tui.practice import Practice

    asked = any((named, topic, level, seed is not None, count, weak))
    wish = Practice(chosen, level, seed, count, weak=weak, mixed=not named) if asked else Practice()
    open_screen(context, drill=wish)


def _chosen(families: tuple[str, ...], topic: str | None, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the families that are named and those of the topic; all where neither is given."""
    for family in families:
        if family not in known:
            raise unknown("family", family, known, "`studynorm problem list` shows all")
    if topic is None:
        return families or known
    topics = list(dict.fromkeys(family.partition(".")[0] for family in known))
    if topic not in topics:
        raise unknown("topic", topic, topics, f"there are {', '.join(topics)}")
    of_topic = (family for family in known if family.partition(".")[0] == topic)
    return tuple(dict.fromkeys((*families, *of_topic)))
