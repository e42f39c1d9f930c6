"""What can be done with the situation of a session, and what Enter means in it: rules without a screen."""

from studynorm.engine.grading import Verdict
from studynorm.scheduling.rating import Rating
from studynorm.study.drill import DrillSession, DrillSituation
from studynorm.study.offers import offers
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt, Pending, ProblemPrompt, Situation
from studynorm.tui.reading import Echo, Tone
from studynorm.tui.top_bar import Standing

Shown = Situation | DrillSituation

ASKS_CONFIDENCE = Echo("How sure are you? Enter checks without saying.", Tone.QUIET)
SUSPENDED = "Suspended. To resume it, press b at home and filter is:suspended."
SAME_AGAIN = Echo("The same answer as before: change it, or F3 shows the solution.", Tone.LOOK)


def accepted_rating(session: StudySession) -> Rating | None:
    """Return what Enter and Space give now: the suggestion for a closed problem, Good where there is none."""
    prompt = session.situation
    if isinstance(prompt, CardPrompt) and prompt.revealed:
        return Rating.GOOD
    if isinstance(prompt, ProblemPrompt) and prompt.closed:
        return session.suggested or Rating.GOOD
    return None


def place_in(session: StudySession) -> tuple[object, int]:
    """Return what tells whether a session still stands at the same item: that, and the answers before it."""
    return getattr(session.situation, "item", None), session.answered


def takes_answers(situation: Shown) -> bool:
    """Tell whether an answer can be typed now."""
    return isinstance(situation, ProblemPrompt) and not situation.closed


def begins_again(situation: Shown) -> bool:
    """Tell whether a wrong answer has left another try, so that a minus sign begins an answer."""
    return takes_answers(situation) and isinstance(situation, ProblemPrompt) and bool(situation.verdicts)


def copies(situation: Shown) -> bool:
    """Tell whether there is a program to copy that would give nothing away."""
    return isinstance(situation, ProblemPrompt) and situation.closed and bool(situation.variant.snippet)


def turns_to(situation: Shown) -> bool:
    """Tell whether an answer went wrong, or was looked up, and there is something to turn to."""
    if not isinstance(situation, ProblemPrompt):
        return False
    return bool(situation.wrong or situation.revealed) and bool(offers(situation.variant))


def is_fresh(situation: Shown) -> bool:
    """Tell whether nothing was done with an item yet."""
    if isinstance(situation, ProblemPrompt):
        return not situation.verdicts and not situation.hints and not situation.solution_shown
    return not isinstance(situation, CardPrompt) or not situation.revealed


def problem_offered(action: str, situation: Shown, engine_stopped: bool) -> bool | None:
    """Tell whether an action on a problem would do something; None for one that is about something else."""
    problem = situation if isinstance(situation, ProblemPrompt) else None
    match action:
        case "type":
            return takes_answers(situation)
        case "hint":
            return (
                problem is not None
                and not problem.closed
                and len(problem.hints) < len(problem.variant.ladder)
            )
        case "solution":
            return problem is not None and not problem.solution_shown
        case "copy" | "program":
            return copies(situation)
        case "try_engine":
            return isinstance(situation, Pending) and engine_stopped
    return None


def review_offered(action: str, session: StudySession) -> bool | None:
    """Tell whether an action of a review would do something; None for one that is about something else."""
    prompt = session.situation
    match action:
        case "reveal":
            return isinstance(prompt, CardPrompt) and not prompt.revealed
        case "accept":
            return accepted_rating(session) is not None
        case "rate":
            return session.ratable
        case "edit" | "reload":
            return isinstance(prompt, CardPrompt)
        case "begin":
            return begins_again(prompt)
        case "bury":
            return isinstance(prompt, CardPrompt | ProblemPrompt) and not begins_again(prompt)
        case "suspend" | "why":
            return isinstance(prompt, CardPrompt | ProblemPrompt)
    return None


def drill_offered(action: str, session: DrillSession) -> bool | None:
    """Tell whether an action of a drill would do something; None for one that is about something else."""
    prompt = session.situation
    match action:
        case "next":
            return isinstance(prompt, ProblemPrompt) and prompt.closed
        case "skip":
            return session.finished and takes_answers(prompt)
    return None


def review_standing(session: StudySession, title: str) -> Standing:
    """Return what the top line says of a review."""
    prompt = session.situation
    stage = prompt.stage if isinstance(prompt, CardPrompt | ProblemPrompt) else None
    detail = f"level {prompt.variant.level}" if isinstance(prompt, ProblemPrompt) else ""
    return Standing(title, detail, session.counts, stage, session.answered)


def refusal(verdict: Verdict) -> Echo:
    """Return what the field says about an answer that was not graded; the caret says where."""
    return Echo(verdict.message.partition(" (at character")[0], Tone.LOOK, verdict.position)


def pending_words(engine_stopped: bool) -> str:
    """Say what a session waits for when only problems are left."""
    if engine_stopped:
        return (
            "Only problems are left, and the engine that draws them has stopped. Press r to start it again."
        )
    return "The engine is drawing your next problem …"
