"""A drill as lines on standard input and output; it works in any terminal and in a pipe.

`:hint`, `:solution`, `:card`, `:easier` and `:quit` work at every prompt; the end of the input ends it.
"""

import click

from studynorm.plain_problem import Engine, Quit, ask, counted, pose, say, say_offers
from studynorm.study.course import DrillDone
from studynorm.study.desk import Desk
from studynorm.study.drill import DrillSession
from studynorm.study.situation import Pending, ProblemPrompt
from studynorm.study.worked import plain_solution

_COMMANDS = (":hint", ":solution", ":card", ":easier", ":quit")


def run_drill(desk: Desk, session: DrillSession) -> int:
    """Run a drill on standard input and output; return the exit code, 0 at the end of the input too."""
    engine = Engine()
    code = 0
    try:
        click.echo(f"At every prompt you can type {', '.join(_COMMANDS)}.")
        while not isinstance(session.situation, DrillDone):
            _one(desk, session, engine)
    except (Quit, KeyboardInterrupt) as end:
        click.echo()
        code = 130 if isinstance(end, KeyboardInterrupt) else 0
    _say_notice(session)
    _say_done(session.stop(), adaptive=session.level is None)
    engine.close()
    return code


def _one(desk: Desk, session: DrillSession, engine: Engine) -> None:
    """Pose one problem, or wait for it."""
    _say_notice(session)
    engine.serve(session, wait=isinstance(session.situation, Pending))
    prompt = session.situation
    if not isinstance(prompt, ProblemPrompt):
        return
    of = "" if session.left is None else f" of {session.answered + session.left}"
    variant = prompt.variant
    click.echo(f"\nProblem {session.answered + 1}{of}. {variant.family}, level {variant.level}.")
    session.gate.painted()
    others = {":card": lambda: _card(desk, session), ":easier": lambda: _easier(session)}
    before = session.streak
    pose(session, prompt, _COMMANDS, others, lambda: say_offers(session.offers))
    if session.streak > max(1, before):
        click.echo(f"{session.streak} right in a row.")
    if session.left == 0:
        session.next()
        return
    while (line := ask("Press Enter for the next problem:", _COMMANDS)) != "":
        match line:
            case ":card" | ":easier":
                others[line]()
            case ":solution":
                click.echo(plain_solution(variant))
            case ":hint":
                click.echo("This problem is done; there is nothing left to hint at.")
            case _:
                click.echo("This problem is done.")
    session.next()


def _card(desk: Desk, session: DrillSession) -> bool:
    """Show the cards that are on offer; the problem goes on."""
    cards = [offer.id for offer in session.offers if offer.kind == "card"]
    shown = [card for card in map(desk.catalogue.library.card, cards) if card is not None]
    for card in shown:
        mark = card.marks[0].id if card.marks else None
        say("Card", card.question(mark))
        say("Answer", card.answer(mark))
    if not shown:
        click.echo("There is no card to show." if session.offers else "A card is shown after a wrong answer.")
    return True


def _easier(session: DrillSession) -> bool:
    """Put what is easier next; the problem goes on."""
    easier = [offer for offer in session.offers if offer.kind == "twin"]
    easier += [offer for offer in session.offers if offer.kind == "basis"]
    if not session.offers:
        click.echo("Something easier is offered after a wrong answer.")
    elif easier and session.take(easier[0]):
        click.echo(f"Next comes {easier[0].text}.")
    else:
        click.echo("There is nothing easier than this.")
    return True


def _say_notice(session: DrillSession) -> None:
    if session.notice:
        click.echo(f"Note: {session.notice}", err=True)
        session.notice = None


def _say_done(done: DrillDone, *, adaptive: bool) -> None:
    if not done.asked:
        click.echo("No problem was finished.")
        return
    run = f", {done.best_streak} in a row" if done.best_streak > 1 else ""
    unjudged = f", {done.unjudged} not judged" if done.unjudged else ""
    click.echo(
        f"\nDrill done: {counted(done.asked, 'problem')}, {done.right} right at once{run}{unjudged}, "
        f"{done.seconds / done.asked:.0f} s each."
    )
    for result in done.results:
        level = f", next at level {result.level}" if adaptive else ""
        unjudged = f"{result.unjudged} not judged, " if result.unjudged else ""
        click.echo(
            f"{result.family}: {result.asked} asked, {result.right} right at once, {result.wrong} wrong, "
            f"{unjudged}"
            f"{result.seconds / result.asked:.0f} s each{level}."
        )
