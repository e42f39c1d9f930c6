"""`studynorm interview`: long questions answered aloud or in notes, and graded by oneself."""

from typing import Any

import click

from studynorm.commands.scope import (
    Failed,
    command,
    desk_of,
    examples,
    formulas_flag,
    note,
    plainly,
    print_json,
    unknown,
)


@command("interview", epilog=examples("interview", "interview --list", "interview warmup --plain --timed"))
@click.argument("question", metavar="[QUESTION]", required=False)
@click.option("--list", "listed", is_flag=True, help="List the questions and what was made of them.")
@click.option("--timed", is_flag=True, help="Say when the question's time has run out.")
@click.option("--plain", is_flag=True, help="Line by line on standard input and output.")
@click.option("--json", "as_json", is_flag=True, help="With --list: one JSON object on standard output.")
@formulas_flag
@click.pass_context
@plainly
def interview(
    context: click.Context,
    question: str | None,
    *,
    listed: bool,
    timed: bool,
    plain: bool,
    as_json: bool,
    formulas: Any,
) -> None:
    """Answer an interview question, then tick the points of its rubric that you made.

    Without a QUESTION the screen lets you choose; --plain asks the one that you never answered, or did worst.
    """
    from studynorm.commands.screen import has_terminal, open_screen
    from studynorm.plain_interview import run_interview
    from studynorm.plain_voice import Voice
    from studynorm.study.interview import Interview, NoQuestions, next_question, questions, records
    from studynorm.study.safekeeping import backed_up

    try:
        asked = questions()
    except NoQuestions as broken:
        raise Failed(str(broken)) from None
    if question is not None and question not in (ids := [one.id for one in asked]):
        raise unknown("question", question, ids, "`studynorm interview --list` shows all")
    if not (listed or as_json or plain or question) and has_terminal():
        open_screen(context, interview=True)
        return
    with desk_of(context) as desk:
        kept = records(asked, desk.store)
        if as_json:
            print_json({"questions": [_json(record) for record in kept]})
        elif listed:
            for record in kept:
                click.echo(_line(record))
        else:
            chosen = next((one for one in asked if one.id == question), None) or next_question(kept)
            begun = Interview(chosen, desk.store, desk.clock, desk.ticks, timed=timed)
            with backed_up(desk, note):
                context.exit(run_interview(begun, Voice(formulas or desk.config.formulas)))


def _line(record: Any) -> str:
    from studynorm.study.plaintext import plain_text

    first = plain_text(record.question.ask, 200).split("\n")[0]
    short = first if len(first) <= 70 else f"{first[:69]}…"
    made = (
        "not answered yet" if record.last is None else f"last {record.last.score:.0%}, best {record.best:.0%}"
    )
    return f"{record.question.id:<20} {record.question.minutes} min  {made:<24} {short}"


def _json(record: Any) -> dict[str, Any]:
    last = record.last
    return {
        "id": record.question.id,
        "minutes": record.question.minutes,
        "question": record.question.ask,
        "points": len(record.question.points),
        "answers": record.times,
        "best": record.best,
        "last": None
        if last is None
        else {
            "at": _utc(last.moment.at),
            "seconds": last.seconds,
            "made": list(last.made),
            "missed": list(last.missed),
        },
    }


def _utc(at: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds")
