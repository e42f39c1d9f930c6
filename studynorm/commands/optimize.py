"""`studynorm optimize`: FSRS' weights fitted to the learner's own log, and going back to others."""

import sys
from collections.abc import Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

import click

from studynorm.commands.scope import (
    Failed,
    command,
    desk_of,
    examples,
    note,
    plainly,
    print_json,
    torch_lab,
    unknown,
)

if TYPE_CHECKING:
    from studynorm.scheduling.evidence import Evidence
    from studynorm.scheduling.fit import Fit
    from studynorm.study.desk import Desk
    from studynorm.study.weights import Kept

_PUBLISHED = "published"


@command(
    "optimize",
    epilog=examples("optimize --dry-run", "optimize", "optimize --list", "optimize --use published"),
)
@click.option("--dry-run", is_flag=True, help="Say what would come of it, and change nothing.")
@click.option("--list", "listing", is_flag=True, help="List the weights in use and those used before.")
@click.option("--use", metavar="N|published", help="Use weights of the list again.")
@click.option(
    "--weights", "given", metavar="TEXT", help="Use these 21 numbers (or 17 or 19 of an older FSRS)."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.pass_context
@plainly
def optimize(
    context: click.Context, *, dry_run: bool, listing: bool, use: str | None, given: str | None, as_json: bool
) -> None:
    """Fit FSRS' weights to your own reviews, and use them if they predict better.

    Fitted is to the older four fifths of the reviews that count; new weights are adopted only if they predict
    the newest fifth better than those in use. Weights used before are kept.
    """
    from studynorm.study import weights

    chosen = {
        "--dry-run": dry_run,
        "--list": listing,
        "--use": use is not None,
        "--weights": given is not None,
    }
    if sum(chosen.values()) > 1:
        raise click.UsageError(f"choose one of {', '.join(name for name, there in chosen.items() if there)}")
    with desk_of(context) as desk:
        if use is not None:
            _use(desk, use)
        elif given is not None:
            _use_given(desk, given)
        if any((listing, use is not None, given is not None)):
            kept = weights.kept_weights(desk)
            if as_json:
                print_json(_payload(None, None, kept, adopted=False))
            else:
                _say(_lines(kept) if listing else _in_use(kept))
            return
        _optimize(context, desk, dry_run=dry_run, as_json=as_json)


def _optimize(context: click.Context, desk: "Desk", *, dry_run: bool, as_json: bool) -> None:
    from studynorm.scheduling.evidence import Evidence
    from studynorm.study import optimise_words as words
    from studynorm.study import weights
    from studynorm.study.optimise import read_evidence

    before = weights.weights_in_use(desk)
    evidence = read_evidence(desk.path) if desk.path.exists() else Evidence()
    fit = None if evidence.missing else _fit(evidence, before)
    adopted = fit is not None and fit.is_better and not dry_run
    if fit is not None and adopted:
        try:
            weights.adopt(desk, fit, before)
        except weights.WeightsChanged as changed:
            raise Failed(f"{changed}; nothing was changed") from None
    kept = weights.kept_weights(desk)
    if as_json:
        print_json(_payload(evidence, fit, kept, adopted=adopted))
    else:
        lines = [words.needed_words(evidence), words.left_out_words(evidence)]
        if fit is None:
            lines += [words.COUNTS]
        else:
            lines += [words.measured_words(fit), words.verdict_words(fit, before, adopted=adopted)]
        lines += [*_in_use(kept), words.FOLLOWS if adopted else ""]
        _say(lines)
    if fit is None:
        context.exit(1)


def _fit(evidence: "Evidence", before: "Kept") -> "Fit":
    from studynorm.scheduling.fit import FitFailed
    from studynorm.study.optimise import fit_in, request_of

    shown = -1

    def tell(done: float, _: str) -> None:
        nonlocal shown
        if sys.stderr.isatty() and shown < round(100 * done):
            shown = round(100 * done)
            click.echo(f"\rfitting: {shown} %", nl=False, err=True)

    try:
        return fit_in(torch_lab().optimise(request_of(evidence, before.values), tell))
    except FitFailed as failed:
        raise Failed(f"{failed}. Nothing was changed.") from None
    finally:
        if shown >= 0:
            click.echo("\r" + " " * 20 + "\r", nl=False, err=True)


def _use(desk: "Desk", name: str) -> None:
    from studynorm.study import weights

    kept = weights.kept_weights(desk)
    names = {_PUBLISHED if one.number is None else str(one.number): one for one in kept}
    if name not in names:
        raise unknown("weights", name, names, f"there are {', '.join(names)}; `--list` shows them")
    if names[name].in_use:
        note("These are in use already.")
    else:
        weights.use(desk, names[name])


def _use_given(desk: "Desk", text: str) -> None:
    from studynorm.scheduling.settings import SettingError
    from studynorm.scheduling.weights import weights_in
    from studynorm.study import weights

    try:
        weights.use_given(desk, weights_in(text))
    except SettingError as refused:
        raise click.BadParameter(str(refused), param_hint="--weights") from None


# -- what is printed -----------------------------------------------------------------------------------
def _say(lines: Sequence[str]) -> None:
    for line in lines:
        if line:
            click.echo(line)


def _in_use(kept: Sequence["Kept"]) -> list[str]:
    from studynorm.study.optimise_words import in_use_words

    return [in_use_words(one) for one in kept if one.in_use]


def _lines(kept: Sequence["Kept"]) -> list[str]:
    from studynorm.study.optimise_words import origin_words

    return [line for one in kept for line in _about(one, origin_words(one))]


def _about(one: "Kept", origin: str) -> Iterator[str]:
    name = _PUBLISHED if one.number is None else str(one.number)
    yield f"{'*' if one.in_use else ' '} {name:<9}  {origin}"
    yield f"  {' '.join(f'{value:.4f}'.rstrip('0').rstrip('.') for value in one.values)}"


def _payload(
    evidence: "Evidence | None", fit: "Fit | None", kept: Sequence["Kept"], *, adopted: bool
) -> dict[str, Any]:
    from studynorm.scheduling.evidence import NEEDED

    return {
        "reviews": None
        if evidence is None
        else {
            "whole": evidence.answers,
            "skipped": evidence.skipped,
            "countable": evidence.countable,
            "needed": NEEDED,
            "missing": evidence.missing,
            "used": evidence.used,
        },
        "fit": None
        if fit is None
        else {
            "n_train": fit.n_train,
            "n_held_out": fit.n_held_out,
            "loss_before": fit.before,
            "loss_after": fit.after,
            "better": fit.is_better,
            "values": list(fit.weights),
        },
        "adopted": adopted,
        "weights": [_weights(one) for one in kept],
    }


def _weights(one: "Kept") -> dict[str, Any]:
    return {
        "number": one.number,
        "in_use": one.in_use,
        "since": _iso(one.since),
        "origin": str(one.origin.get("kind", "used")) if one.number is not None else _PUBLISHED,
        "fitted": _iso(one.whole("day")),
        "n_train": one.whole("n_train"),
        "n_held_out": one.whole("n_held_out"),
        "loss_before": one.decimal("loss_before"),
        "loss_after": one.decimal("loss_after"),
        "values": list(one.values),
    }


def _iso(day: int | None) -> str | None:
    try:
        return None if day is None else date.fromordinal(day).isoformat()
    except (ValueError, OverflowError):
        return None
