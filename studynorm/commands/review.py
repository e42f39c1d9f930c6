"""`studynorm review`: the daily review, full screen or line by line."""

import click

from studynorm.commands.scope import Failed, command, desk_of, plainly


@command("review", epilog="Example: studynorm review --plain --topic batchnorm --limit 10")
@click.option("--plain", is_flag=True, help="Line by line on standard input and output.")
@click.option("--topic", metavar="T", help="Only this topic, as `studynorm card list` names it.")
@click.option("--limit", metavar="N", type=click.IntRange(1, 9999), help="Stop after N answers.")
@click.pass_context
@plainly
def review(context: click.Context, *, plain: bool, topic: str | None, limit: int | None) -> None:
    """Review what is due, then learn what is new. Every answer is saved at once."""
    if not plain:
        from studynorm.cli import open_screen

        open_screen(context, topic=topic, limit=limit, review=True)
        return
    from studynorm.plain import run_plain

    with desk_of(context) as desk:
        topics = [known.id for known in desk.catalogue.topics]
        if topic is not None and topic not in topics:
            raise Failed(f"there is no topic “{topic}”; there are {', '.join(topics)}")
        context.exit(run_plain(desk, topic=topic, limit=limit))
