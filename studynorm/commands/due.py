"""`studynorm due`: what is left today."""

from datetime import date

import click

from studynorm.commands.scope import command, desk_of, examples, note, note_broken, plainly, print_json


@command("due", epilog=examples("due", "due --json"))
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.pass_context
@plainly
def due(context: click.Context, *, as_json: bool) -> None:
    """Say what is left to review today, and in which topics."""
    from studynorm.content.visible import visible
    from studynorm.storage.setaside import set_aside_in, set_aside_words
    from studynorm.study.overview import overview

    with desk_of(context) as desk:
        now = overview(desk)
        note_broken(desk.catalogue.library)
        damaged = set_aside_words(set_aside_in(desk.path))
        if damaged:
            note(f"studynorm: {damaged}")
    day = date.fromordinal(now.moment.day).isoformat()
    if as_json:
        print_json(
            {
                "day": day,
                "new": now.today.new,
                "learning": now.today.learning,
                "review": now.today.review,
                "done": {"answers": now.done.answers, "passed": now.done.passed, "new": now.done.new},
                "next_due_day": date.fromordinal(now.next_day).isoformat() if now.next_day else None,
                "topics": [
                    {
                        "id": topic.id,
                        "title": topic.title,
                        "items": topic.total,
                        "new": topic.today.new,
                        "learning": topic.today.learning,
                        "review": topic.today.review,
                    }
                    for topic in now.topics
                ],
            }
        )
        return
    click.echo(f"{now.today.new} new + {now.today.learning} learning + {now.today.review} review")
    if now.today.total:
        click.echo("\n new  learning  review  topic")
    elif now.next_day is not None:
        click.echo(f"The next item is due on {date.fromordinal(now.next_day).isoformat()}.")
    for topic in now.topics:
        if topic.today.total:
            counts = topic.today
            title = visible(topic.title, keep_newlines=False)
            click.echo(f"{counts.new:4}  {counts.learning:8}  {counts.review:6}  {title}")
