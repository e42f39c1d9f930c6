"""`studynorm doctor`: prove every memory and due date from the log, and write a profile that is put right."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from studynorm.commands.scope import command, desk_of, examples, note, plainly, print_json

_CLEAR = "\r\x1b[K"
_LISTED = 20
"""So many findings are printed; `--json` lists more."""


@command("doctor", epilog=examples("doctor", "doctor --json", "doctor --repair mended.sqlite"))
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option(
    "--repair",
    "target",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write a new profile in which everything follows from the log.",
)
@click.pass_context
@plainly
def doctor(context: click.Context, *, as_json: bool, target: Path | None) -> None:
    """Prove the profile: replay its whole log from ratings and times, and compare all that is stored.

    Says of each difference what it means; exit code 1 when there is one. The profile itself is never
    changed: --repair writes another file, which `studynorm restore FILE` puts in its place.
    """
    if as_json and target is not None:
        raise click.UsageError("--repair writes a file, and --json says what is wrong; choose one")
    with desk_of(context, noted=False) as desk:
        if target is not None:
            _repair(desk, target)
            return
        from studynorm.study.doctor import examine

        report = examine(desk, _progress("replayed"))
        if as_json:
            print_json(_payload(desk, report))
        else:
            _print(desk, report)
    if not report.proved:
        context.exit(1)


def _print(desk: Any, report: Any) -> None:
    from studynorm.content.visible import visible
    from studynorm.study.doctor import number

    lines = [f"{check.state:6}{check.name:10}{check.message}" for check in report.checks]
    lines += ["", *(finding.message for finding in report.findings[:_LISTED])] if report.findings else []
    if report.found > _LISTED:
        lines.append(f"… and {report.found - _LISTED} more; --json lists {len(report.findings)} of them.")
    if report.found:
        advice = "`studynorm doctor --repair FILE` writes a profile that is put right."
        lines += ["", f"{number(report.found, 'difference')}. {advice}"]
    elif report.proved and report.reviews:
        lines += ["", "Everything that is stored follows from the log."]
    for line in lines:
        click.echo(visible(line, keep_newlines=False))


def _payload(desk: Any, report: Any) -> dict[str, Any]:
    return {
        "profile": desk.name,
        "path": str(desk.path),
        "proved": report.proved,
        "items": report.items,
        "reviews": report.reviews,
        "memories": report.memories,
        "checks": [
            {"name": check.name, "state": check.state, "message": check.message} for check in report.checks
        ],
        "found": report.found,
        "findings": [
            {
                "place": finding.place,
                "item": _plain(finding.item),
                "row": finding.number,
                "field": finding.field,
                "also": list(finding.also),
                "stored": _plain(finding.stored),
                "replayed": _plain(finding.replayed),
                "cause": finding.cause.value,
                "following": finding.following,
                "memory_follows": finding.memory_follows,
                "message": finding.message,
            }
            for finding in report.findings
        ],
    }


def _plain(value: Any) -> Any:
    """Return a stored value as JSON can hold it."""
    if value is None or isinstance(value, int) or (isinstance(value, float) and abs(value) < float("inf")):
        return value
    return value if isinstance(value, str) else repr(value)


def _repair(desk: Any, target: Path) -> None:
    from studynorm.storage.salvage import refuse_existing
    from studynorm.study.doctor import examine, number
    from studynorm.study.doctor_repair import repair

    refuse_existing(target)
    report = examine(desk, _progress("replayed"))
    if report.proved:
        click.echo("Everything that is stored follows from the log: nothing to repair, no file was written.")
        return
    done = repair(desk, target, _progress("written and proved"))
    for finding in report.findings:
        note(finding.message)
    for item, row in done.dropped:
        note(f"left out: {item}, review {row}")
    for line in done.notes:
        note(line)
    right = f"{number(done.reviews, 'review')} and {number(done.memories, 'memory')} put right"
    out = f"{number(len(done.dropped), 'review')} and {number(done.without, 'memory')} left out"
    click.echo(f"wrote {done.path}: {right}, {out}; everything in it is proved.")
    click.echo(f"`studynorm restore {done.path}` puts it in place of {desk.path}, which is as it was.")


def _progress(done_to_them: str) -> Callable[[int, int], None]:
    """Return what says on a terminal's standard error how far the replay is; elsewhere it says nothing."""
    if sys.stderr is None or not sys.stderr.isatty():
        return lambda done, total: None
    told = 0.0

    def tell(done: int, total: int) -> None:
        nonlocal told
        if done >= total:
            click.echo(_CLEAR, nl=False, err=True)
        elif time.monotonic() - told > 0.1:
            told = time.monotonic()
            line = f"{_CLEAR}{done:,} of {total:,} reviews {done_to_them}".replace(",", " ")
            click.echo(line, nl=False, err=True)

    return tell
