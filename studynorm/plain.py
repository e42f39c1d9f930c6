"""The daily review as lines on standard input and output: for screen readers, pipes and dumb terminals.

`:hint`, `:solution`, `:undo` and `:quit` work at every prompt; the end of the input ends the session.
"""

from datetime import datetime
from typing import assert_never

from studynorm.plain_problem import Engine, pose, say_offers
from studynorm.plain_voice import Quit, Voice, counted
from studynorm.scheduling.rating import Rating
from studynorm.storage.errors import StoreError
from studynorm.study.desk import Desk
from studynorm.study.offers import offers
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt, Done, Pending, ProblemPrompt

_COMMANDS = (":hint", ":solution", ":undo", ":quit")


def run_plain(desk: Desk, voice: Voice, *, topic: str | None, limit: int | None) -> int:
    """Run a session on standard input and output; return the exit code, 0 at the end of the input too."""
    session = desk.session(topic=topic, limit=limit)
    engine = Engine()
    code = 0
    try:
        if not isinstance(session.situation, Done):
            voice.tell(f"At every prompt you can type {', '.join(_COMMANDS)}.")
        while not isinstance(session.situation, Done):
            _one(voice, session, engine)
        _say_notice(voice, session)
        if limit is not None and session.answered >= limit:
            voice.tell(f"\nThis session ends after {counted(limit, 'answer')}, as --limit says.")
        _say_done(voice, session.situation, desk)
    except (Quit, KeyboardInterrupt) as end:
        voice.tell(f"\n{counted(session.answered, 'answer')} saved.")
        code = 130 if isinstance(end, KeyboardInterrupt) else 0
    engine.close()
    return code


def _one(voice: Voice, session: StudySession, engine: Engine) -> None:
    """Show what the session stands at and take one line."""
    _say_notice(voice, session)
    engine.serve(session, wait=isinstance(session.situation, Pending))
    prompt = session.situation
    if isinstance(prompt, Done | Pending):
        return
    counts = session.counts
    kind = "card" if isinstance(prompt, CardPrompt) else "problem"
    voice.tell(f"\nA {kind}, {prompt.stage}. Topic: {prompt.topic}.")
    voice.tell(f"Left: {counts.new} new, {counts.learning} learning, {counts.review} review.")
    session.gate.painted()
    match prompt:
        case CardPrompt():
            _card(voice, session, prompt, engine)
        case ProblemPrompt():
            _problem(voice, session, prompt, engine)
        case _:
            assert_never(prompt)


def _card(voice: Voice, session: StudySession, prompt: CardPrompt, engine: Engine) -> None:
    voice.say("Question", prompt.card.question(prompt.mark))
    while not prompt.revealed:
        line = voice.ask("Press Enter for the answer:", _COMMANDS)
        if line == ":undo":
            _undo(voice, session)
            return
        if line == ":hint":
            voice.tell("A card has no hints.")
            continue
        session.reveal()
        break
    voice.say("Answer", prompt.card.answer(prompt.mark))
    if prompt.card.why:
        voice.say("Why", prompt.card.why)
    _rate(voice, session, engine, Rating.GOOD)


def _problem(voice: Voice, session: StudySession, prompt: ProblemPrompt, engine: Engine) -> None:
    undo = {":undo": lambda: _undo(voice, session)}
    if pose(voice, session, prompt, _COMMANDS, undo, lambda: say_offers(voice, offers(prompt.variant))):
        _rate(voice, session, engine, session.suggested or Rating.GOOD)


def _rate(voice: Voice, session: StudySession, engine: Engine, suggested: Rating) -> None:
    prompt = session.situation
    assert isinstance(prompt, CardPrompt | ProblemPrompt)
    buttons = ", ".join(f"{rating.value} {rating.label} {text}" for rating, text in prompt.intervals.items())
    while True:
        line = voice.ask(f"Rate: {buttons}. Enter is {suggested.label}:", _COMMANDS)
        match line:
            case ":undo":
                _undo(voice, session)
                return
            case ":solution" if isinstance(prompt, ProblemPrompt):
                voice.solution(prompt.variant)
            case ":solution":
                voice.tell("The answer is shown above: rate it.")
            case ":hint":
                voice.tell("There is nothing left to hint at: rate it.")
            case "" | "1" | "2" | "3" | "4":
                if _committed(voice, session, engine, Rating(int(line)) if line else suggested):
                    return
            case _:
                voice.tell("Type 1, 2, 3 or 4, or press Enter.")


def _committed(voice: Voice, session: StudySession, engine: Engine, rating: Rating) -> bool:
    """Save a rating; False where it could not be saved and can be tried again."""
    try:
        engine.serve(session, wait=False)
        # Not taken where another window or a new study day came first: what stands now is shown instead.
        session.answer(rating)
    except StoreError as refused:
        voice.tell(f"Not saved: {refused}")
        return False
    return True


def _undo(voice: Voice, session: StudySession) -> bool:
    """Take back the newest answer; always False, as the prompt is then shown anew."""
    try:
        undone = session.undo()
    except StoreError as refused:
        voice.tell(f"Not undone: {refused}")
        return False
    voice.tell("Undone. Here it is again." if undone else "There is nothing to undo today.")
    return False


def _say_notice(voice: Voice, session: StudySession) -> None:
    if session.notice:
        voice.tell(f"Note: {session.notice}", err=True)
        session.notice = None


def _say_done(voice: Voice, done: Done, desk: Desk) -> None:
    summary = done.summary
    voice.tell(
        f"\nDone today: {counted(summary.answers, 'answer')}, {summary.passed} passed, {summary.new} new."
    )
    if done.next_at is not None:
        local = datetime.fromtimestamp(done.next_at / 1000).astimezone()
        voice.tell(f"The next item is due at {local:%H:%M}.")
    elif done.next_day is not None:
        days = done.next_day - desk.clock().day
        voice.tell(f"The next item is due {'tomorrow' if days == 1 else f'in {days} days'}.")
