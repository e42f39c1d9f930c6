"""`studynorm catchup`: what is waiting after a break, and a plan that spreads it over days."""

from datetime import date
from typing import TYPE_CHECKING, Any

import click

from studynorm.commands.scope import Failed, command, desk_of, examples, plainly, print_json

if TYPE_CHECKING:
    from studynorm.study.catchup import Waiting


@command("catchup", epilog=examples("catchup", "catchup 30", "catchup off", "catchup --json"))
@click.argument("wish", metavar="[N|off]", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.pass_context
@plainly
def catchup(context: click.Context, *, wish: str | None, as_json: bool) -> None:
    """Say what is waiting and by when a plan would be through; begin or change one, or end it.

    With N, at most N reviews come on a study day, the most forgotten first, and new items pause. The plan
    ends by itself on the day on which all that is due fits into N. Learning steps are never held back.
    """
    from studynorm.study.catchup import NoCatchUp, begin, end, foreseen

    number = _number(wish)
    with desk_of(context) as desk:
        ended = wish == "off" and end(desk)
        try:
            waiting = foreseen(desk) if number is None else begin(desk, number)
        except NoCatchUp as refused:
            raise Failed(f"{refused}.") from None
    if as_json:
        print_json(_json(waiting))
    elif wish == "off":
        click.echo("The usual limits hold again." if ended else "No catch-up was at work.")
    else:
        for line in _lines(waiting):
            click.echo(line)


def _number(wish: str | None) -> int | None:
    from studynorm.scheduling.catchup import MOST_A_DAY

    if wish in (None, "off"):
        return None
    text = (wish or "").strip()
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= MOST_A_DAY):
        raise click.UsageError(
            f"“{wish}” is neither “off” nor a number of reviews a day from 1 to {MOST_A_DAY}"
        )
    return int(text)


def _lines(waiting: "Waiting") -> list[str]:
    from studynorm.study.catchup import reckoned_words, through_words, waiting_words

    backlog, plan = waiting.backlog, waiting.plan
    usual = "" if waiting.usual is None else f" Your usual day has {waiting.usual}."
    lines = [f"{waiting_words(backlog.due)}.{usual}"]
    if plan is not None:
        lines.append(f"Catch-up: {plan.per_day} a day, {through_words(backlog, plan.per_day)}.")
        lines.append("`studynorm catchup N` changes it, `studynorm catchup off` ends it.")
        return lines
    choices = backlog.choices(waiting.usual)
    lines += [f"{number:>5} a day: {through_words(backlog, number)}" for number in choices]
    if choices:
        lines += [reckoned_words(backlog), f"`studynorm catchup {choices[len(choices) // 2]}` begins one."]
    return lines


def _json(waiting: "Waiting") -> dict[str, Any]:
    backlog, plan = waiting.backlog, waiting.plan
    return {
        "day": date.fromordinal(backlog.today).isoformat(),
        "waiting": backlog.due,
        "done": backlog.done,
        "usual_day": waiting.usual,
        "offered": waiting.offered,
        "plan": None if plan is None else _plan(waiting, plan.per_day, plan.since),
        "choices": [_plan(waiting, number) for number in backlog.choices(waiting.usual)],
    }


def _plan(waiting: "Waiting", per_day: int, since: int | None = None) -> dict[str, Any]:
    through = waiting.backlog.through(per_day)
    return {
        "per_day": per_day,
        "days": waiting.backlog.days(per_day),
        "through": None if through is None else date.fromordinal(through).isoformat(),
        **({} if since is None else {"since": date.fromordinal(since).isoformat()}),
    }
