"""The daily review as lines on standard input and output: for screen readers, pipes and dumb terminals.

`:hint`, `:solution`, `:undo` and `:quit` work at every prompt; the end of the input ends the session.
"""

from datetime import datetime
from typing import assert_never

import click

from studynorm.plain_problem import Engine, Quit, ask, counted, pose, say, say_offers
from studynorm.scheduling.rating import Rating
from studynorm.storage.errors import StoreError
from studynorm.study.desk import Desk
from studynorm.study.offers import offers
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt, Done, Pending, ProblemPrompt
from studynorm.study.worked import plain_solution

_COMMANDS = (":hint", ":solution", ":undo", ":quit")


def run_plain(desk: Desk, *, topic: str | None, limit: int | None) -> int:
    """Run a session on standard input and output; return the exit code, 0 at the end of the input too."""
    session = desk.session(topic=topic, limit=limit)
    engine = Engine()
    code = 0
    try:
        if not isinstance(session.situation, Done):
            click.echo(f"At every prompt you can type {', '.join(_COMMANDS)}.")
        while not isinstance(session.situation, Done):
            _one(session, engine)
        _say_notice(session)
        if limit is not None and session.answered >= limit:
            click.echo(f"\nThis session ends after {counted(limit, 'answer')}, as --limit says.")
        _say_done(session.situation, desk)
    except (Quit, KeyboardInterrupt) as end:
        click.echo(f"\n{counted(session.answered, 'answer')} saved.")
        code = 130 if isinstance(end, KeyboardInterrupt) else 0
    engine.close()
    return code


def _one(session: StudySession, engine: Engine) -> None:
    """Show what the session stands at and take one line."""
    _say_notice(session)
    engine.serve(session, wait=isinstance(session.situation, Pending))
    prompt = session.situation
    if isinstance(prompt, Done | Pending):
        return
    counts = session.counts
    kind = "card" if isinstance(prompt, CardPrompt) else "problem"
    click.echo(f"\nA {kind}, {prompt.stage}. Topic: {prompt.topic}.")
    click.echo(f"Left: {counts.new} new, {counts.learning} learning, {counts.review} review.")
    session.gate.painted()
    match prompt:
        case CardPrompt():
            _card(session, prompt, engine)
        case ProblemPrompt():
            _problem(session, prompt, engine)
        case _:
            assert_never(prompt)


def _card(session: StudySession, prompt: CardPrompt, engine: Engine) -> None:
    say("Question", prompt.card.question(prompt.mark))
    while not prompt.revealed:
        line = ask("Press Enter for the answer:", _COMMANDS)
        if line == ":undo":
            _undo(session)
            return
        if line == ":hint":
            click.echo("A card has no hints.")
            continue
        session.reveal()
        break
    say("Answer", prompt.card.answer(prompt.mark))
    if prompt.card.why:
        say("Why", prompt.card.why)
    _rate(session, engine, Rating.GOOD)


def _problem(session: StudySession, prompt: ProblemPrompt, engine: Engine) -> None:
    undo = {":undo": lambda: _undo(session)}
    if pose(session, prompt, _COMMANDS, undo, lambda: say_offers(offers(prompt.variant))):
        _rate(session, engine, session.suggested or Rating.GOOD)


def _rate(session: StudySession, engine: Engine, suggested: Rating) -> None:
    prompt = session.situation
    assert isinstance(prompt, CardPrompt | ProblemPrompt)
    buttons = ", ".join(f"{rating.value} {rating.label} {text}" for rating, text in prompt.intervals.items())
    while True:
        line = ask(f"Rate: {buttons}. Enter is {suggested.label}:", _COMMANDS)
        match line:
            case ":undo":
                _undo(session)
                return
            case ":solution" if isinstance(prompt, ProblemPrompt):
                click.echo(plain_solution(prompt.variant))
            case ":solution":
                click.echo("The answer is shown above: rate it.")
            case ":hint":
                click.echo("There is nothing left to hint at: rate it.")
            case "" | "1" | "2" | "3" | "4":
                if _committed(session, engine, Rating(int(line)) if line else suggested):
                    return
            case _:
                click.echo("Type 1, 2, 3 or 4, or press Enter.")


def _committed(session: StudySession, engine: Engine, rating: Rating) -> bool:
    """Save a rating; False where it could not be saved and can be tried again."""
    try:
        engine.serve(session, wait=False)
        # Not taken where another window or a new study day came first: what stands now is shown instead.
        session.answer(rating)
    except StoreError as refused:
        click.echo(f"Not saved: {refused}")
        return False
    return True


def _undo(session: StudySession) -> bool:
    """Take back the newest answer; always False, as the prompt is then shown anew."""
    try:
        undone = session.undo()
    except StoreError as refused:
        click.echo(f"Not undone: {refused}")
        return False
    click.echo("Undone. Here it is again." if undone else "There is nothing to undo today.")
    return False


def _say_notice(session: StudySession) -> None:
    if session.notice:
        click.echo(f"Note: {session.notice}", err=True)
        session.notice = None


def _say_done(done: Done, desk: Desk) -> None:
    summary = done.summary
    click.echo(
        f"\nDone today: {counted(summary.answers, 'answer')}, {summary.passed} passed, {summary.new} new."
    )
    if done.next_at is not None:
        local = datetime.fromtimestamp(done.next_at / 1000).astimezone()
        click.echo(f"The next item is due at {local:%H:%M}.")
    elif done.next_day is not None:
        days = done.next_day - desk.clock().day
        click.echo(f"The next item is due {'tomorrow' if days == 1 else f'in {days} days'}.")
