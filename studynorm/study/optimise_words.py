"""What is said about fitting FSRS' weights, in the same words on the screen and in lines."""

from datetime import date

from studynorm.scheduling.evidence import NEEDED, Evidence
from studynorm.scheduling.fit import Fit
from studynorm.study import weights
from studynorm.study.progress_words import counted, grouped
from studynorm.study.weights import Kept

COUNTS = "A review counts when its item was answered on an earlier study day too."
LOSS = "Log loss says how far predictions were from what you recalled; lower is better."
FOLLOWS = "Weights count from the next answer to each item on; nothing that is stored changes."


def needed_words(evidence: Evidence) -> str:
    """Say how many reviews count, and how many are missing."""
    if evidence.missing:
        return f"{evidence.countable} of the {NEEDED} reviews that a fit needs: {evidence.missing} missing."
    return f"{counted(evidence.countable, 'review')} count; a fit needs {NEEDED}."


def left_out_words(evidence: Evidence) -> str:
    """Say which reviews are not used; empty where there is nothing to say."""
    told = []
    if evidence.skipped:
        rows = "row of the log is" if evidence.skipped == 1 else "rows of the log are"
        told.append(f"{evidence.skipped} {rows} no whole review: `studynorm doctor` names what is damaged.")
    if evidence.every > 1:
        share = f"one item of {evidence.every}" if evidence.every > 2 else "every second item"
        told.append(f"Of so long a log {share} is used: {counted(evidence.used, 'answer')}.")
    return " ".join(told)


def measured_words(fit: Fit) -> str:
    """Say what was fitted to and measured on."""
    older, newest = counted(fit.n_train, "review"), grouped(fit.n_held_out)
    return f"Fitted to the older {older}, measured on the newest {newest}."


def loss_words(before: float, after: float, n: int) -> str:
    """Return the two losses: `held-out log loss 0.3479 → 0.3431 (n = 412)`."""
    return f"held-out log loss {before:.4f} → {after:.4f} (n = {n})"


def verdict_words(fit: Fit, before: Kept, *, adopted: bool) -> str:
    """Say what a fit came to and why: adopted, or those in use `before` kept."""
    losses = loss_words(fit.before, fit.after, fit.n_held_out)
    if fit.is_better:
        word = "Adopted" if adopted else "Better"
        return f"{word}: {losses}, lower by {fit.gain:.4f}."
    if fit.weights == before.values:
        return f"Kept: the fit gives the weights in use, log loss {fit.after:.4f} (n = {fit.n_held_out})."
    rise = -fit.gain
    why = f"higher by {rise:.4f}" if rise >= 0.00005 else "no lower by four digits"
    return f"Kept: {losses}, {why}."


def name_words(kept: Kept) -> str:
    """Return what weights are called: `the published weights of FSRS-6`, `weights 2`."""
    return "the published weights of FSRS-6" if kept.number is None else f"weights {kept.number}"


def origin_words(kept: Kept) -> str:
    """Say where weights come from, as far as it is known."""
    if kept.number is None:
        return "published with FSRS-6"
    day = kept.whole("day")
    on = "" if day is None else f" {date_words(day)}"
    match kept.origin.get("kind"):
        case weights.FITTED:
            n, held = kept.whole("n_train"), kept.whole("n_held_out")
            before, after = kept.decimal("loss_before"), kept.decimal("loss_after")
            to = "" if n is None else f" to {counted(n, 'review')}"
            if held is None or before is None or after is None:
                return f"fitted{on}{to}"
            return f"fitted{on}{to}, log loss {before:.4f} → {after:.4f} (n = {held})"
        case weights.GIVEN:
            return f"given by hand{on}"
    return "used before"


def in_use_words(kept: Kept) -> str:
    """Say which weights are in use, since when and where they come from, as far as that is known."""
    since = "" if kept.since is None else f" since {date_words(kept.since)}"
    origin = "" if kept.number is None else f", {origin_words(kept)}"
    return f"In use{since}: {name_words(kept)}{origin}."


def date_words(day: int) -> str:
    """Return a study day as `2 March 2026`; a number that is none as `an unknown day`."""
    try:
        then = date.fromordinal(day)
    except (ValueError, OverflowError):
        return "an unknown day"
    return f"{then.day} {then:%B %Y}"
