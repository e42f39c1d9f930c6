"""`studynorm review`: the daily review, full screen or line by line."""

from typing import Any

import click

from studynorm.commands.scope import (
    command,
    desk_of,
    examples,
    formulas_flag,
    home_of,
    note_broken,
    plainly,
    unknown,
)


@command("review", epilog=examples("review --topic batchnorm", "review --plain --formulas words --limit 10"))
@click.option("--plain", is_flag=True, help="Line by line on standard input and output.")
@click.option("--topic", metavar="T", help="Only this topic, as `studynorm card list` names it.")
@click.option("--limit", metavar="N", type=click.IntRange(1, 9999), help="Stop after N answers.")
@formulas_flag
@click.pass_context
@plainly
def review(
    context: click.Context, *, plain: bool, topic: str | None, limit: int | None, formulas: Any
) -> None:
    """Review what is due, then learn what is new. Every answer is saved at once."""
    if not plain:
        from studynorm.commands.screen import need_terminal, open_screen

        _known(context, topic)
        need_terminal(context)
        open_screen(context, topic=topic, limit=limit, review=True)
        return
    _known(context, topic)
    from studynorm.plain import run_plain
    from studynorm.plain_voice import Voice

    with desk_of(context) as desk:
        note_broken(desk.catalogue.library)
        context.exit(run_plain(desk, Voice(formulas), topic=topic, limit=limit))


def _known(context: click.Context, topic: str | None) -> None:
    """Refuse a topic that does not exist before a screen is drawn or a profile made."""
    if topic is None:
        return
    from studynorm.study.catalogue import open_catalogue

    topics = [known.id for known in open_catalogue(home_of(context).decks).topics]
    if topic not in topics:
        raise unknown("topic", topic, topics, f"there are {', '.join(topics)}")
