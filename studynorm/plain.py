"""The daily review as lines on standard input and output: for screen readers, pipes and dumb terminals.

`:hint`, `:solution`, `:undo` and `:quit` work at every prompt; the end of the input ends the session.
Where confidence is asked, `:sure 70` says it before the answer.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import assert_never

from studynorm.plain_problem import Engine, pose, say_offers
from studynorm.plain_voice import Quit, Voice, counted
from studynorm.scheduling.rating import Rating
from studynorm.storage.errors import StoreError
from studynorm.study.confidence import percent_of
from studynorm.study.desk import Desk
from studynorm.study.leech import Leech
from studynorm.study.offers import offers
from studynorm.study.safekeeping import backed_up
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt, Done, Pending, ProblemPrompt

_COMMANDS = (":hint", ":solution", ":undo", ":quit")
_SURE = ":sure N"
_OF_A_LEECH = (":note", ":easier", ":suspend", ":undo", ":quit")


def run_plain(
    desk: Desk, voice: Voice, *, topic: str | None, limit: int | None, items: Sequence[str] | None = None
) -> int:
    """Run a session on standard input and output; return the exit code, 0 at the end of the input too."""
    session = desk.session(topic=topic, limit=limit, items=items)
    with backed_up(desk, lambda line: voice.tell(f"Note: {line}", err=True)):
        return _run(desk, voice, session, limit)


def _run(desk: Desk, voice: Voice, session: StudySession, limit: int | None) -> int:
    engine = Engine()
    code = 0
    try:
        if not isinstance(session.situation, Done):
            voice.tell(f"At every prompt you can type {', '.join(_COMMANDS)}.")
            if desk.settings.confidence:
                voice.tell("Before an answer, :sure 70 says that you are sure by 70 per cent.")
        while not isinstance(session.situation, Done):
            _one(voice, desk, session, engine)
        _say_notice(voice, session)
        if limit is not None and session.answered >= limit:
            voice.tell(f"\nThis session ends after {counted(limit, 'answer')}, as --limit says.")
        _say_done(voice, session.situation, desk)
    except (Quit, KeyboardInterrupt) as end:
        voice.tell(f"\n{counted(session.answered, 'answer')} saved.")
        code = 130 if isinstance(end, KeyboardInterrupt) else 0
    engine.close()
    return code


def _one(voice: Voice, desk: Desk, session: StudySession, engine: Engine) -> None:
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
            rated = _card(voice, session, prompt, engine)
        case ProblemPrompt():
            rated = _problem(voice, session, prompt, engine)
        case _:
            assert_never(prompt)
    if rated and session.leech is not None:
        _slipping(voice, desk, session, session.leech)


def _card(voice: Voice, session: StudySession, prompt: CardPrompt, engine: Engine) -> bool:
    """Ask a card; return whether a rating was saved."""
    voice.say("Question", prompt.card.question(prompt.mark))
    while not prompt.revealed:
        line = voice.ask("Press Enter for the answer:", _commands(session))
        if line == ":undo":
            return _undo(voice, session)
        if line == ":hint":
            voice.tell("A card has no hints.")
            continue
        if line.startswith(_SURE[:-2]) and not _sure(voice, session, line):
            continue
        session.reveal()
        break
    voice.say("Answer", prompt.card.answer(prompt.mark))
    if prompt.card.why:
        voice.say("Why", prompt.card.why)
    return _rate(voice, session, engine, Rating.GOOD)


def _problem(voice: Voice, session: StudySession, prompt: ProblemPrompt, engine: Engine) -> bool:
    """Pose a problem; return whether a rating was saved."""
    undo = {":undo": lambda: _undo(voice, session)}

    def takes(line: str) -> bool:
        sure = line.startswith(_SURE[:-2])
        if sure and _sure(voice, session, line):
            voice.tell("Noted.")
        return sure

    offered = offers(prompt.variant)
    if pose(voice, session, prompt, _commands(session), undo, lambda: say_offers(voice, offered), takes):
        return _rate(voice, session, engine, session.suggested or Rating.GOOD)
    return False


def _commands(session: StudySession) -> tuple[str, ...]:
    return (*_COMMANDS, _SURE) if session.asks_confidence else _COMMANDS


def _sure(voice: Voice, session: StudySession, line: str) -> bool:
    """Note how sure the learner is; False where the line does not say it or it is too late."""
    percent = percent_of(line.removeprefix(_SURE[:-2]))
    if percent is None:
        voice.tell("Say it from 0 to 100, as in :sure 70.")
        return False
    if not session.be_sure(percent):
        voice.tell("How sure you are counts before the answer alone.")
        return False
    return True


def _slipping(voice: Voice, desk: Desk, session: StudySession, leech: Leech) -> None:
    """Say that an item slips again and again, and which ways there are, until the learner goes on."""
    voice.tell(f"\nThis one keeps slipping: {counted(leech.lapses, 'lapse')}.")
    while True:
        match voice.ask("Type :note, :easier or :suspend, or press Enter to go on:", _OF_A_LEECH):
            case ":note":
                deck = desk.catalogue.library.deck(leech.topic)
                if deck is not None and deck.note:
                    voice.say("Note", deck.note)
                else:
                    voice.tell("Its topic has no note.")
            case ":easier":
                _easier(voice, desk, leech)
            case ":suspend":
                if _suspended(voice, session):
                    return
            case ":undo":
                _undo(voice, session)
                return
            case _:
                session.resume_timing()
                return


def _easier(voice: Voice, desk: Desk, leech: Leech) -> None:
    """Read out the card beneath a leech, or name the drill that is easier."""
    offer = leech.easier
    card = None if offer is None else desk.catalogue.library.card(offer.id)
    if offer is not None and card is not None:
        mark = offer.id.partition("#")[2] or (card.marks[0].id if card.marks else None)
        voice.say("Card", card.question(mark))
        voice.say("Answer", card.answer(mark))
    elif offer is not None:
        voice.tell(f"Easier, beside the schedule: studynorm drill {offer.family} --level {offer.level}")
    else:
        voice.tell("There is nothing easier than this.")


def _suspended(voice: Voice, session: StudySession) -> bool:
    try:
        session.suspend_leech()
    except StoreError as refused:
        voice.tell(f"Not suspended: {refused}")
        return False
    voice.tell("Suspended. `studynorm items is:suspended --resume` asks it again.")
    return True


def _rate(voice: Voice, session: StudySession, engine: Engine, suggested: Rating) -> bool:
    """Take the rating; return whether one was saved."""
    prompt = session.situation
    assert isinstance(prompt, CardPrompt | ProblemPrompt)
    buttons = ", ".join(f"{rating.value} {rating.label} {text}" for rating, text in prompt.intervals.items())
    while True:
        line = voice.ask(f"Rate: {buttons}. Enter is {suggested.label}:", _COMMANDS)
        match line:
            case ":undo":
                return _undo(voice, session)
            case ":solution" if isinstance(prompt, ProblemPrompt):
                voice.solution(prompt.variant)
            case ":solution":
                voice.tell("The answer is shown above: rate it.")
            case ":hint":
                voice.tell("There is nothing left to hint at: rate it.")
            case "" | "1" | "2" | "3" | "4":
                try:
                    engine.serve(session, wait=False)
                    # Not taken where another window or a new study day came first: what stands is shown then.
                    return session.answer(Rating(int(line)) if line else suggested)
                except StoreError as refused:
                    voice.tell(f"Not saved: {refused}")
            case _:
                voice.tell("Type 1, 2, 3 or 4, or press Enter.")


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
