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


@command(
    "review",
    epilog=examples(
        "review --topic batchnorm",
        "review --plain --formulas words --limit 10",
        "review --item card:batchnorm/forward-pass --item family:batchnorm.entry",
    ),
)
@click.option("--plain", is_flag=True, help="Line by line on standard input and output.")
@click.option("--topic", metavar="T", help="Only this topic, as `studynorm card list` names it.")
@click.option("--limit", metavar="N", type=click.IntRange(1, 9999), help="Stop after N answers.")
@click.option(
    "--item", "ids", metavar="ID", multiple=True, help="Ask this item now, whenever it is due; repeatable."
)
@formulas_flag
@click.pass_context
@plainly
def review(
    context: click.Context,
    *,
    plain: bool,
    topic: str | None,
    limit: int | None,
    ids: tuple[str, ...],
    formulas: Any,
) -> None:
    """Review what is due, then learn what is new. Every answer is saved at once.

    With --item exactly the named items are asked, whether they are due or not, and beyond the daily limits.
    """
    if topic is not None and ids:
        raise click.UsageError("--topic and --item are two ways to choose; choose one")
    items = _items(context, ids) if ids else None
    _known(context, topic)
    if not plain:
        from studynorm.commands.screen import need_terminal, open_screen

        need_terminal(context)
        open_screen(context, topic=topic, limit=limit, items=items, review=True)
        return
    from studynorm.plain import run_plain
    from studynorm.plain_voice import Voice

    with desk_of(context) as desk:
        note_broken(desk.catalogue.library)
        voice = Voice(formulas or desk.config.formulas)
        context.exit(run_plain(desk, voice, topic=topic, limit=limit, items=items))


def _items(context: click.Context, ids: tuple[str, ...]) -> list[str]:
    """Return the items of some ids, a cloze without a mark as all its marks; refuse one that is none."""
    from studynorm.study.catalogue import open_catalogue

    catalogue = open_catalogue(home_of(context).decks)
    found = list[str]()
    for item in ids:
        card = catalogue.library.card(item)
        if item in catalogue.candidates:
            found.append(item)
        elif card is not None:
            found += card.item_ids
        else:
            raise unknown("item", item, catalogue.candidates, "`studynorm items` lists all")
    return found


def _known(context: click.Context, topic: str | None) -> None:
    """Refuse a topic that does not exist before a screen is drawn or a profile made."""
    if topic is None:
        return
    from studynorm.study.catalogue import open_catalogue

    topics = [known.id for known in open_catalogue(home_of(context).decks).topics]
    if topic not in topics:
        raise unknown("topic", topic, topics, f"there are {', '.join(topics)}")
