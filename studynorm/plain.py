"""The daily review as lines on standard input and output: for screen readers, pipes and dumb terminals.

`:hint`, `:solution`, `:undo` and `:quit` work at every prompt; the end of the input ends the session.
"""

import sys
import threading
from datetime import datetime
from types import ModuleType
from typing import assert_never

import click

from studynorm.engine.grading import Outcome
from studynorm.scheduling.rating import Rating
from studynorm.storage.errors import StoreError
from studynorm.study.desk import Desk
from studynorm.study.plaintext import plain_text
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt, Done, Pending, ProblemPrompt
from studynorm.study.worked import plain_solution


class _Quit(Exception):
    pass


class _Engine:
    """Loads torch beside the review, so that cards can be answered meanwhile."""

    def __init__(self) -> None:
        self._lab: ModuleType | None = None
        self._thread = threading.Thread(target=self._load, daemon=True)
        self._thread.start()

    def _load(self) -> None:
        from studynorm.worker import lab

        self._lab = lab

    def serve(self, session: StudySession, *, wait: bool) -> None:
        """Hand the session the variants it wants; `wait` for torch if it is still being loaded."""
        if wait:
            self._thread.join()
        if self._lab is None:
            if wait:
                raise StoreError("torch could not be loaded; `python -c 'import torch'` says why")
            return
        from studynorm.engine.oracle import Disagreement
        from studynorm.engine.variant import NoVariant

        for key in session.wanted(3):
            try:
                session.provide(key, self._lab.variant(key.family, key.level, key.seed))
            except (Disagreement, NoVariant, self._lab.FamilyUnusable) as broken:
                session.refuse(key, str(broken))


def run_plain(desk: Desk, *, topic: str | None, limit: int | None) -> int:
    """Run a session on standard input and output; return the exit code, 0 at the end of the input too."""
    engine = _Engine()
    session = desk.session(topic=topic, limit=limit)
    try:
        while not isinstance(session.situation, Done):
            _one(session, engine)
        _say_done(session.situation, desk)
    except _Quit:
        click.echo(f"\n{session.answered} answers saved.")
    except KeyboardInterrupt:
        click.echo(f"\n{session.answered} answers saved.")
        return 130
    return 0


def _one(session: StudySession, engine: _Engine) -> None:
    """Show what the session stands at and take one line."""
    if session.notice:
        click.echo(f"({session.notice})", err=True)
        session.notice = None
    engine.serve(session, wait=isinstance(session.situation, Pending))
    prompt = session.situation
    if isinstance(prompt, Done | Pending):
        return
    counts = session.counts
    click.echo(
        f"\n[{prompt.stage}] {prompt.topic} · left: {counts.new} new + {counts.learning} learning + "
        f"{counts.review} review"
    )
    session.gate.painted()
    match prompt:
        case CardPrompt():
            _card(session, prompt, engine)
        case ProblemPrompt():
            _problem(session, prompt, engine)
        case _:
            assert_never(prompt)


def _card(session: StudySession, prompt: CardPrompt, engine: _Engine) -> None:
    click.echo(plain_text(prompt.card.question(prompt.mark)))
    if not prompt.revealed:
        if _line("Press Enter to see the answer. ") == ":undo":
            _undo(session)
            return
        session.reveal()
    click.echo(plain_text(prompt.card.answer(prompt.mark)))
    if prompt.card.why:
        click.echo("Why: " + plain_text(prompt.card.why))
    _rate(session, engine, Rating.GOOD)


def _problem(session: StudySession, prompt: ProblemPrompt, engine: _Engine) -> None:
    variant = prompt.variant
    click.echo(plain_text(variant.prompt))
    click.echo(f"({variant.kind.how(variant.answer)})")
    while isinstance(prompt, ProblemPrompt) and not prompt.closed:
        line = _line("Answer: ")
        if line == ":undo":
            _undo(session)
            return
        if line == ":hint":
            click.echo(
                plain_text(session.hint() or "There is no further hint; :solution shows the solution.")
            )
        elif line == ":solution":
            session.reveal()
        elif line:
            verdict = session.submit(line)
            assert verdict is not None
            if verdict.read_as:
                click.echo(f"read as {verdict.read_as}")
            click.echo(plain_text(verdict.message))
            if verdict.outcome is Outcome.WRONG and verdict.marks and len(verdict.marks) > 1:
                click.echo("entries: " + " ".join("right" if mark else "wrong" for mark in verdict.marks))
        assert isinstance(session.situation, ProblemPrompt)
        prompt = session.situation
    if isinstance(prompt, ProblemPrompt) and prompt.solution_shown:
        click.echo(plain_solution(variant))
    if variant.verified is not None:
        click.echo(f"verified: {variant.verified.line()}")
    _rate(session, engine, session.suggested or Rating.GOOD)


def _rate(session: StudySession, engine: _Engine, suggested: Rating) -> None:
    prompt = session.situation
    assert isinstance(prompt, CardPrompt | ProblemPrompt)
    buttons = ", ".join(f"{rating.value} {rating.label} {text}" for rating, text in prompt.intervals.items())
    while True:
        line = _line(f"{buttons}. Enter is {suggested.label}: ")
        if line == ":undo":
            _undo(session)
            return
        if line == ":solution" and isinstance(prompt, ProblemPrompt):
            click.echo(plain_solution(prompt.variant))
            continue
        if line == ":hint":
            click.echo("There is nothing left to hint at: rate with 1 to 4.")
            continue
        if line not in {"", "1", "2", "3", "4"}:
            click.echo("Type 1, 2, 3 or 4, or press Enter.")
            continue
        engine.serve(session, wait=False)
        try:
            if not session.answer(Rating(int(line)) if line else suggested):
                return
        except StoreError as refused:
            click.echo(f"Not saved: {refused}")
            continue
        return


def _undo(session: StudySession) -> None:
    click.echo("Undone." if session.undo() else "There is nothing to undo today.")


def _line(question: str) -> str:
    click.echo(question, nl=False)
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not line:
        raise _Quit
    line = line.strip()
    if line in {":quit", ":q"}:
        raise _Quit
    return line


def _say_done(done: Done, desk: Desk) -> None:
    summary = done.summary
    click.echo(f"\nDone for today: {summary.answers} answers, {summary.passed} passed, {summary.new} new.")
    if done.next_at is not None:
        local = datetime.fromtimestamp(done.next_at / 1000).astimezone()
        click.echo(f"The next item is due at {local:%H:%M}.")
    elif done.next_day is not None:
        days = done.next_day - desk.clock().day
        click.echo(f"The next item is due {'tomorrow' if days == 1 else f'in {days} days'}.")
