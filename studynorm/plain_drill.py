"""A drill as lines on standard input and output; it works in any terminal and in a pipe.

`:hint`, `:solution`, `:card`, `:easier` and `:quit` work at every prompt; the end of the input ends it.
"""

from studynorm.plain_problem import Engine, pose, say_offers
from studynorm.plain_voice import Quit, Voice, counted
from studynorm.study.course import DrillDone
from studynorm.study.desk import Desk
from studynorm.study.drill import DrillSession
from studynorm.study.situation import Pending, ProblemPrompt

_COMMANDS = (":hint", ":solution", ":card", ":easier", ":quit")


def run_drill(desk: Desk, session: DrillSession, voice: Voice) -> int:
    """Run a drill on standard input and output; return the exit code, 0 at the end of the input too."""
    engine = Engine()
    code = 0
    try:
        voice.tell(f"At every prompt you can type {', '.join(_COMMANDS)}.")
        while not isinstance(session.situation, DrillDone):
            _one(voice, desk, session, engine)
    except (Quit, KeyboardInterrupt) as end:
        voice.tell()
        code = 130 if isinstance(end, KeyboardInterrupt) else 0
    _say_notice(voice, session)
    _say_done(voice, session.stop(), adaptive=session.level is None)
    engine.close()
    return code


def _one(voice: Voice, desk: Desk, session: DrillSession, engine: Engine) -> None:
    """Pose one problem, or wait for it."""
    _say_notice(voice, session)
    engine.serve(session, wait=isinstance(session.situation, Pending))
    prompt = session.situation
    if not isinstance(prompt, ProblemPrompt):
        return
    of = "" if session.left is None else f" of {session.answered + session.left}"
    variant = prompt.variant
    voice.tell(f"\nProblem {session.answered + 1}{of}. {variant.family}, level {variant.level}.")
    session.gate.painted()
    others = {":card": lambda: _card(voice, desk, session), ":easier": lambda: _easier(voice, session)}
    before = session.streak
    pose(voice, session, prompt, _COMMANDS, others, lambda: say_offers(voice, session.offers))
    if session.streak > max(1, before):
        voice.tell(f"{session.streak} right in a row.")
    if session.left == 0:
        session.next()
        return
    while (line := voice.ask("Press Enter for the next problem:", _COMMANDS)) != "":
        match line:
            case ":card" | ":easier":
                others[line]()
            case ":solution":
                voice.solution(variant)
            case ":hint":
                voice.tell("This problem is done; there is nothing left to hint at.")
            case _:
                voice.tell("This problem is done.")
    session.next()


def _card(voice: Voice, desk: Desk, session: DrillSession) -> bool:
    """Show the cards that are on offer; the problem goes on."""
    cards = [offer.id for offer in session.offers if offer.kind == "card"]
    shown = [card for card in map(desk.catalogue.library.card, cards) if card is not None]
    for card in shown:
        mark = card.marks[0].id if card.marks else None
        voice.say("Card", card.question(mark))
        voice.say("Answer", card.answer(mark))
    if not shown:
        voice.tell("There is no card to show." if session.offers else "A card is shown after a wrong answer.")
    return True


def _easier(voice: Voice, session: DrillSession) -> bool:
    """Put what is easier next; the problem goes on."""
    easier = [offer for offer in session.offers if offer.kind == "twin"]
    easier += [offer for offer in session.offers if offer.kind == "basis"]
    if not session.offers:
        voice.tell("Something easier is offered after a wrong answer.")
    elif easier and session.take(easier[0]):
        voice.tell(f"Next comes {easier[0].text}.")
    else:
        voice.tell("There is nothing easier than this.")
    return True


def _say_notice(voice: Voice, session: DrillSession) -> None:
    if session.notice:
        voice.tell(f"Note: {session.notice}", err=True)
        session.notice = None


def _say_done(voice: Voice, done: DrillDone, *, adaptive: bool) -> None:
    if not done.asked:
        voice.tell("No problem was finished.")
        return
    run = f", {done.best_streak} in a row" if done.best_streak > 1 else ""
    unjudged = f", {done.unjudged} not judged" if done.unjudged else ""
    voice.tell(
        f"\nDrill done: {counted(done.asked, 'problem')}, {done.right} right at once{run}{unjudged}, "
        f"{done.seconds / done.asked:.0f} s each."
    )
    for result in done.results:
        level = f", next at level {result.level}" if adaptive else ""
        unjudged = f"{result.unjudged} not judged, " if result.unjudged else ""
        voice.tell(
            f"{result.family}: {result.asked} asked, {result.right} right at once, {result.wrong} wrong, "
            f"{unjudged}"
            f"{result.seconds / result.asked:.0f} s each{level}."
        )
