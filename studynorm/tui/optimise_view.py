"""How fitting FSRS' weights reads on the screen: what there is to fit to, what came of it, all weights."""

from rich.text import Text

from studynorm.scheduling.evidence import NEEDED, Evidence
from studynorm.scheduling.fit import Fit
from studynorm.study import optimise_words as words
from studynorm.study.weights import Kept
from studynorm.tui.theme import Palette


def evidence_view(evidence: Evidence | None, palette: Palette) -> Text:
    """Return what the log gives to fit to; None while it is read."""
    if evidence is None:
        return Text("Reading your reviews …", palette.quiet)
    text = Text(words.needed_words(evidence), palette.ink)
    if evidence.missing:
        done = round(30 * evidence.countable / NEEDED)
        text.append("\n" + "━" * done, palette.accent).append("─" * (30 - done), palette.faint)
        text.append(f"  {evidence.countable} of {NEEDED}", palette.quiet)
    left_out = words.left_out_words(evidence)
    if left_out:
        text.append(f"\n{left_out}", palette.hard if evidence.skipped else palette.quiet)
    return text.append(f"\n{words.COUNTS}", palette.quiet)


def verdict_view(fit: Fit, before: Kept, palette: Palette, *, adopted: bool) -> Text:
    """Return what a fit came to, measured against the weights in use `before`."""
    verdict, _, rest = words.verdict_words(fit, before, adopted=adopted).partition(":")
    colour = palette.good if fit.is_better else palette.quiet
    text = Text(f"{'✓' if fit.is_better else '='} {verdict}", f"bold {colour}").append(
        f":{rest}", palette.ink
    )
    text.append(f"\n{words.measured_words(fit)} {words.LOSS}", palette.quiet)
    if adopted:
        text.append(f"\n{words.FOLLOWS}", palette.quiet)
    return text


def weights_row(kept: Kept, width: int, palette: Palette) -> Text:
    """Return a row of the list: a sign and a word for those in use, the name, and where they come from."""
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append("● in use  " if kept.in_use else "          ", palette.accent)
    text.append(f"{words.name_words(kept)}", f"bold {palette.ink}" if kept.in_use else palette.ink)
    if kept.number is not None:
        text.append(f"  {words.origin_words(kept)}", palette.quiet)
    text.truncate(width, overflow="ellipsis")
    return text
