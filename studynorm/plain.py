"""The daily review as lines on standard input and output: for screen readers, pipes and dumb terminals.

`:hint`, `:solution`, `:undo` and `:quit` work at every prompt; the end of the input ends the session.
"""

import sys
import threading
from datetime import datetime
from types import ModuleType
from typing import assert_never

import click

from studynorm.engine.grading import Verdict
from studynorm.engine.registry import UnknownFamily
from studynorm.scheduling.rating import Rating
from studynorm.storage.errors import StoreError
from studynorm.study.desk import Desk
from studynorm.study.plaintext import plain_text, verdict_text
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt, Done, Pending, ProblemPrompt
from studynorm.study.worked import plain_solution

_COMMANDS = (":hint", ":solution", ":undo", ":quit")


class _Quit(Exception):
    pass


class _Engine:
    """Loads torch beside the review once a problem is coming, so that cards can be answered meanwhile."""

    def __init__(self) -> None:
        self._lab: ModuleType | None = None
        self._fault = ""
        self._thread: threading.Thread | None = None

    def _load(self) -> None:
        try:
            from studynorm.worker import lab
        except (ImportError, OSError) as missing:
            self._fault = str(missing)
        else:
            self._lab = lab

    def serve(self, session: StudySession, *, wait: bool) -> None:
        """Hand the session the variants it wants; `wait` for torch if it is still being loaded.

        Raises StoreError where a problem is waited for and torch cannot be loaded.
        """
        keys = session.wanted(3)
        if not keys:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._load, daemon=True)
            self._thread.start()
        if wait:
            if self._thread.is_alive():
                click.echo("One moment: PyTorch is starting.", err=True)
            self._thread.join()
        if self._lab is None:
            if wait:
                raise StoreError(
                    f"torch cannot be loaded ({self._fault}); `python -c 'import torch'` says more"
                )
            return
        for key in keys:
            try:
                variant = self._lab.variant(key.family, key.level, key.seed)
            except UnknownFamily as gone:
                session.refuse(key, str(gone))
            except Exception as broken:  # noqa: BLE001  a family may fail in any way, and each costs only itself
                session.refuse(key, f"{type(broken).__name__}: {broken}")
            else:
                session.provide(key, variant)

    def close(self) -> None:
        """Wait until torch is loaded: a program that ends in the middle of that may crash."""
        if self._thread is not None:
            self._thread.join()


def run_plain(desk: Desk, *, topic: str | None, limit: int | None) -> int:
    """Run a session on standard input and output; return the exit code, 0 at the end of the input too."""
    session = desk.session(topic=topic, limit=limit)
    engine = _Engine()
    code = 0
    try:
        if not isinstance(session.situation, Done):
            click.echo(f"At every prompt you can type {', '.join(_COMMANDS)}.")
        while not isinstance(session.situation, Done):
            _one(session, engine)
        _say_notice(session)
        if limit is not None and session.answered >= limit:
            click.echo(f"\nThis session ends after {_counted(limit, 'answer')}, as --limit says.")
        _say_done(session.situation, desk)
    except (_Quit, KeyboardInterrupt) as end:
        click.echo(f"\n{_counted(session.answered, 'answer')} saved.")
        code = 130 if isinstance(end, KeyboardInterrupt) else 0
    engine.close()
    return code


def _one(session: StudySession, engine: _Engine) -> None:
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


def _card(session: StudySession, prompt: CardPrompt, engine: _Engine) -> None:
    _say("Question", prompt.card.question(prompt.mark))
    while not prompt.revealed:
        line = _line("Press Enter for the answer:")
        if line == ":undo":
            _undo(session)
            return
        if line == ":hint":
            click.echo("A card has no hints.")
            continue
        session.reveal()
        break
    _say("Answer", prompt.card.answer(prompt.mark))
    if prompt.card.why:
        _say("Why", prompt.card.why)
    _rate(session, engine, Rating.GOOD)


def _problem(session: StudySession, prompt: ProblemPrompt, engine: _Engine) -> None:
    variant = prompt.variant
    _say("Question", variant.prompt)
    click.echo(f"Answer with {variant.kind.how(variant.answer)}.")
    while not prompt.closed:
        line = _line("Your answer:")
        if line == ":undo":
            _undo(session)
            return
        if line == ":hint":
            _hint(session)
        elif line == ":solution":
            session.reveal()
        elif line:
            verdict = session.submit(line)
            assert verdict is not None
            _say_verdict(session, verdict)
        else:
            click.echo("Type an answer, or :solution to see it.")
        assert isinstance(session.situation, ProblemPrompt)
        prompt = session.situation
    if prompt.solution_shown:
        click.echo(plain_solution(variant))
    if variant.verified is not None:
        click.echo(f"Verified with {variant.verified.line()}.")
    _rate(session, engine, session.suggested or Rating.GOOD)


def _hint(session: StudySession) -> None:
    hint = session.hint()
    if hint is None:
        click.echo("There is no further hint.")
    else:
        _say("Hint", hint)


def _say_verdict(session: StudySession, verdict: Verdict) -> None:
    click.echo(verdict_text(verdict))
    prompt = session.situation
    if isinstance(prompt, ProblemPrompt) and not prompt.closed and verdict.graded:
        click.echo("One more try.")


def _rate(session: StudySession, engine: _Engine, suggested: Rating) -> None:
    prompt = session.situation
    assert isinstance(prompt, CardPrompt | ProblemPrompt)
    buttons = ", ".join(f"{rating.value} {rating.label} {text}" for rating, text in prompt.intervals.items())
    while True:
        line = _line(f"Rate: {buttons}. Enter is {suggested.label}:")
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


def _committed(session: StudySession, engine: _Engine, rating: Rating) -> bool:
    """Save a rating; False where it could not be saved and can be tried again."""
    try:
        engine.serve(session, wait=False)
        # Not taken where another window or a new study day came first: what stands now is shown instead.
        session.answer(rating)
    except StoreError as refused:
        click.echo(f"Not saved: {refused}")
        return False
    return True


def _undo(session: StudySession) -> None:
    try:
        undone = session.undo()
    except StoreError as refused:
        click.echo(f"Not undone: {refused}")
        return
    click.echo("Undone. Here it is again." if undone else "There is nothing to undo today.")


def _line(question: str) -> str:
    """Ask and return one line; a command that does not exist is named and asked again."""
    while True:
        # Where the input is no terminal, nobody's Enter ends the line.
        echoed = sys.stdin is not None and sys.stdin.isatty()
        click.echo(f"{question} " if echoed else question, nl=not echoed)
        sys.stdout.flush()
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line or line.strip() in {":quit", ":q"}:
            raise _Quit
        line = line.strip()
        if not line.startswith(":") or line in _COMMANDS:
            return line
        click.echo(f"There is no command {plain_text(line)}; there are {', '.join(_COMMANDS)}.")


def _say(name: str, text: str) -> None:
    """Say what kind of text follows, and the text; a formula or a list begins on its own line."""
    first = plain_text(text)
    click.echo(f"{name}:\n{first}" if first.startswith((" ", "-", "1.")) else plain_text(f"{name}: {text}"))


def _say_notice(session: StudySession) -> None:
    if session.notice:
        click.echo(f"Note: {session.notice}", err=True)
        session.notice = None


def _say_done(done: Done, desk: Desk) -> None:
    summary = done.summary
    click.echo(
        f"\nDone today: {_counted(summary.answers, 'answer')}, {summary.passed} passed, {summary.new} new."
    )
    if done.next_at is not None:
        local = datetime.fromtimestamp(done.next_at / 1000).astimezone()
        click.echo(f"The next item is due at {local:%H:%M}.")
    elif done.next_day is not None:
        days = done.next_day - desk.clock().day
        click.echo(f"The next item is due {'tomorrow' if days == 1 else f'in {days} days'}.")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
