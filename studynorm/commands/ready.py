"""`studynorm ready`: what would be recalled on the day of an interview, and a final pass before it."""

import secrets
from datetime import date
from typing import TYPE_CHECKING, Any

import click

from studynorm.commands.scope import (
    command,
    desk_of,
    examples,
    formulas_flag,
    home_of,
    note_broken,
    plainly,
    print_json,
    unknown,
)

if TYPE_CHECKING:
    from studynorm.study.readiness import Outlook, Readiness


@command(
    "ready",
    epilog=examples(
        "ready", "ready --date 2027-01-15 --json", "ready --pass --limit 20", "ready --pass --plain"
    ),
)
@click.option(
    "--date",
    "day",
    metavar="DAY",
    help="This day and not the interview_date: 2027-01-15, fri, 30 for in 30 days.",
)
@click.option(
    "--pass", "passing", is_flag=True, help="Go through what would be forgotten; nothing is scheduled."
)
@click.option("--topic", metavar="T", help="With --pass: all that you learned of this topic.")
@click.option("--limit", metavar="N", type=click.IntRange(1, 9999), help="With --pass: at most N items.")
@click.option("--plain", is_flag=True, help="With --pass: line by line on standard input and output.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@formulas_flag
@click.pass_context
@plainly
def ready(
    context: click.Context,
    *,
    day: str | None,
    passing: bool,
    topic: str | None,
    limit: int | None,
    plain: bool,
    as_json: bool,
    formulas: Any,
) -> None:
    """Predict, from your memories as they are, how much you would recall on the interview date.

    Set it with `studynorm config set interview_date 2027-01-15`. Without one the prediction is for today.
    --pass is a rehearsal: no due day and no memory changes, so your spacing stays as it is.
    """
    _check(passing=passing, as_json=as_json, only_with_pass={"topic": topic, "limit": limit, "plain": plain})
    _known(context, topic)
    if passing:
        _pass(context, day, topic, limit, plain=plain, formulas=formulas)
        return
    from studynorm.study.readiness import readiness

    with desk_of(context) as desk:
        found = readiness(desk, _day(day, desk.clock().day))
        limits = desk.settings.new_per_day
    if as_json:
        print_json(_json(found))
    else:
        _print(found, limits)


def _check(*, passing: bool, as_json: bool, only_with_pass: dict[str, Any]) -> None:
    for name, value in only_with_pass.items():
        if value and not passing:
            raise click.UsageError(f"--{name} belongs to --pass")
    if passing and as_json:
        raise click.UsageError("--pass asks questions, and --json prints an object; choose one")


def _known(context: click.Context, topic: str | None) -> None:
    if topic is None:
        return
    from studynorm.study.catalogue import open_catalogue

    topics = [known.id for known in open_catalogue(home_of(context).decks).topics]
    if topic not in topics:
        raise unknown("topic", topic, topics, f"there are {', '.join(topics)}")


def _day(text: str | None, today: int) -> int | None:
    if text is None:
        return None
    from studynorm.study.duedate import NotADueDay, due_day

    try:
        return due_day(text, today)
    except NotADueDay as refused:
        raise click.UsageError(f"--date {text}: {refused}") from None


def _pass(
    context: click.Context,
    day: str | None,
    topic: str | None,
    limit: int | None,
    *,
    plain: bool,
    formulas: Any,
) -> None:
    """Begin a pass on the screen or by lines; where nothing is to be rehearsed, only say so."""
    from studynorm.study.readiness import NOTHING, for_pass, pass_day

    with desk_of(context, noted=plain) as desk:
        on = pass_day(desk, _day(day, desk.clock().day))
        items = for_pass(desk, on, topic, limit)
        if not items:
            click.echo(NOTHING)
            return
        if plain:
            from studynorm.plain_rehearsal import run_rehearsal
            from studynorm.plain_voice import Voice
            from studynorm.study.rehearsal import begin_pass

            note_broken(desk.catalogue.library)
            session = begin_pass(desk, items, secrets.randbelow(2**31))
            context.exit(run_rehearsal(session, Voice(formulas or desk.config.formulas)))
    from studynorm.commands.screen import open_screen

    open_screen(context, first=lambda app: app.show_pass(on, topic, limit))


def _print(found: "Readiness", limit: int) -> None:
    from studynorm.content.visible import visible
    from studynorm.study.readiness import below_words, date_words, pace_words

    for words in (date_words(found), below_words(found), pace_words(found, limit)):
        if words:
            click.echo(words)
    if not found.overall.learned:
        return
    click.echo("\n learned   recall     below  topic")
    for topic in found.topics:
        click.echo(f"{_row(topic.outlook)}  {visible(topic.title, keep_newlines=False)}")
    click.echo(f"{_row(found.overall)}  all topics")
    click.echo("\n±: the range for 95 of 100 such days, if nothing is reviewed before.")


def _row(outlook: "Outlook") -> str:
    recall, half = outlook.recall, outlook.half_width
    share = "–" if recall is None or half is None else f"{recall:.0%} ±{100 * half:.0f}"
    return f"{outlook.learned:>4}/{outlook.items:<4} {share:<9} {outlook.below:>6}"


def _json(found: "Readiness") -> dict[str, Any]:
    return {
        "day": _iso(found.today),
        "interview_date": None if found.date is None else _iso(found.date),
        "days_left": found.days_left,
        "predicted_for": _iso(found.on),
        "desired_retention": found.desired,
        "overall": _outlook(found.overall),
        "topics": [
            {"id": topic.id, "title": topic.title, **_outlook(topic.outlook)} for topic in found.topics
        ],
        "below": [{"item": one.item, "topic": one.topic, "recall": one.recall} for one in found.below],
        "pace": None
        if found.pace is None
        else {"left": found.pace.left, "until": _iso(found.pace.until), "per_day": found.pace.per_day},
    }


def _outlook(outlook: "Outlook") -> dict[str, Any]:
    return {
        "items": outlook.items,
        "learned": outlook.learned,
        "recall": outlook.recall,
        "half_width": outlook.half_width,
        "expected": outlook.expected,
        "below": outlook.below,
    }


def _iso(day: int) -> str:
    return date.fromordinal(day).isoformat()
