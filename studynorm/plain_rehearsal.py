"""A final pass as lines on standard input and output; it works in any terminal and in a pipe.

`:hint`, `:solution`, `:undo` and `:quit` work at every prompt; the end of the input ends it.
"""

from studynorm.plain_problem import Engine, pose, say_offers
from studynorm.plain_voice import Quit, Voice, counted
from studynorm.scheduling.rating import Rating
from studynorm.study.offers import offers
from studynorm.study.rehearsal import Rehearsal
from studynorm.study.situation import CardPrompt, Done, Pending, ProblemPrompt

_COMMANDS = (":hint", ":solution", ":undo", ":quit")


def run_rehearsal(session: Rehearsal, voice: Voice) -> int:
    """Run a pass on standard input and output; return the exit code, 0 at the end of the input too."""
    engine = Engine()
    code = 0
    try:
        voice.tell(f"Final pass over {counted(session.left, 'item')}. Nothing of it is scheduled.")
        voice.tell(f"At every prompt you can type {', '.join(_COMMANDS)}.")
        while not isinstance(session.situation, Done):
            _one(voice, session, engine)
    except (Quit, KeyboardInterrupt) as end:
        code = 130 if isinstance(end, KeyboardInterrupt) else 0
    _say_notice(voice, session)
    _say_done(voice, session)
    engine.close()
    return code


def _one(voice: Voice, session: Rehearsal, engine: Engine) -> None:
    """Show what the pass stands at and take one line."""
    _say_notice(voice, session)
    engine.serve(session, wait=isinstance(session.situation, Pending))
    prompt = session.situation
    if isinstance(prompt, Done | Pending):
        return
    kind = "card" if isinstance(prompt, CardPrompt) else "problem"
    voice.tell(f"\nA {kind}. Topic: {prompt.topic}. {session.left} left.")
    session.gate.painted()
    if isinstance(prompt, CardPrompt):
        _card(voice, session, prompt)
    else:
        _problem(voice, session, prompt)


def _card(voice: Voice, session: Rehearsal, prompt: CardPrompt) -> None:
    voice.say("Question", prompt.card.question(prompt.mark))
    if not prompt.revealed:
        while (line := voice.ask("Press Enter for the answer:", _COMMANDS)) == ":hint":
            voice.tell("A card has no hints.")
        if line == ":undo":
            _undo(voice, session)
            return
        session.reveal()
    voice.say("Answer", prompt.card.answer(prompt.mark))
    if prompt.card.why:
        voice.say("Why", prompt.card.why)
    _judge(voice, session, Rating.GOOD)


def _problem(voice: Voice, session: Rehearsal, prompt: ProblemPrompt) -> None:
    undo = {":undo": lambda: _undo(voice, session)}
    if pose(voice, session, prompt, _COMMANDS, undo, lambda: say_offers(voice, offers(prompt.variant))):
        _judge(voice, session, session.suggested or Rating.GOOD)


def _judge(voice: Voice, session: Rehearsal, suggested: Rating) -> None:
    prompt = session.situation
    assert isinstance(prompt, CardPrompt | ProblemPrompt)
    while True:
        line = voice.ask(f"1 comes again, 3 known. Enter is {int(suggested)}:", _COMMANDS)
        match line:
            case ":undo":
                _undo(voice, session)
                return
            case ":solution" if isinstance(prompt, ProblemPrompt):
                voice.solution(prompt.variant)
            case ":solution" | ":hint":
                voice.tell("There is nothing left to show: judge it.")
            case "" | "1" | "3":
                session.answer(Rating(int(line)) if line else suggested)
                return
            case _:
                voice.tell("Type 1 or 3, or press Enter.")


def _undo(voice: Voice, session: Rehearsal) -> bool:
    """Take back the newest rating; always False, as the prompt is then shown anew."""
    voice.tell("Undone. Here it is again." if session.undo() else "There is nothing to undo in this pass.")
    return False


def _say_notice(voice: Voice, session: Rehearsal) -> None:
    if session.notice:
        voice.tell(f"Note: {session.notice}", err=True)
        session.notice = None


def _say_done(voice: Voice, session: Rehearsal) -> None:
    voice.tell(
        f"\n{counted(session.answered, 'item')} known, {session.left} left. Your schedule is as it was."
    )
    if session.forgotten:
        voice.tell("Forgotten at first; to count one, find it in the browser (b) and grade it there (g):")
    for item in session.forgotten:
        voice.tell(f"  {item}")
