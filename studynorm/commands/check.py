"""`studynorm check`: prove every family and deck, or the files named."""

import os
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

import click

from studynorm.commands.scope import Failed, command, examples, home_of, note, plainly, print_json, torch_lab

_TITLES = (
    f"{'family':40} {'variants':>8} {'rejected':>9} {'statements':>10} {'slips named':>13} {'ms each':>8}"
)
_CLEAR = "\r\x1b[K"


@command(
    "check",
    epilog=examples("check", "check cards/batchnorm.md problems/batchnorm/entry.py"),
)
@click.argument("paths", metavar="[PATH]…", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--seeds", type=click.IntRange(1, 100_000), default=200, show_default=True, help="Per family and level."
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    help="Processes that prove families at once [one for each core, up to 4].",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.pass_context
@plainly
def check(
    context: click.Context, paths: tuple[Path, ...], *, seeds: int, jobs: int | None, as_json: bool
) -> None:
    """Prove that decks, formulas, claims and families hold; exit code 1 when one does not."""
    for path in paths:
        if not path.exists():
            raise click.BadParameter(f"{path} does not exist", param_hint="PATH")

    report = _report(context, paths, seeds, jobs or min(4, os.cpu_count() or 1), table=not as_json)
    if paths and not (report.troubles or report.decks or report.families):
        raise Failed(f"there is no deck (.md) and no family (.py) in {', '.join(map(str, paths))}")
    if as_json:
        print_json(
            {
                "decks": report.decks,
                "cards": report.cards,
                "claims": report.claims,
                "families": report.families,
                "variants": report.variants,
                "table": [
                    {
                        "family": proof.family,
                        "variants": proof.variants,
                        "rejection_rate": proof.rejection_rate,
                        "statements": proof.statements,
                        "slips": proof.slips,
                        "recognised": proof.recognised,
                        "ms": proof.ms,
                        "findings": len(proof.findings),
                    }
                    for proof in report.proofs
                ],
                "troubles": [
                    {"place": trouble.place, "message": trouble.message} for trouble in report.troubles
                ],
            }
        )
    else:
        for trouble in report.troubles:
            note(str(trouble))
        tried = ", ".join(
            _counted(count, one, many)
            for count, one, many in (
                (report.decks, "deck", "decks"),
                (report.cards, "card", "cards"),
                (report.claims, "claim", "claims"),
                (report.families, "family", "families"),
                (report.variants, "variant", "variants"),
            )
        )
        wrong = len(report.troubles)
        click.echo(f"{tried}: {_counted(wrong, 'does', 'do')} not hold" if wrong else f"{tried}: all hold")
    if report.troubles:
        context.exit(1)


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _progress(*, table: bool) -> Any:
    """Return what prints the table row by row and, on a terminal, says on standard error what is tried."""
    from studynorm.study.check import Progress

    live = sys.stderr is not None and sys.stderr.isatty()
    titles = [_TITLES] if table else []

    def begun(number: int, total: int, family: str) -> None:
        if live:
            click.echo(f"{_CLEAR}{number} of {total}: {family}", nl=False, err=True)

    def proved(proof: Any) -> None:
        if live:
            click.echo(_CLEAR, nl=False, err=True)
        if table:
            click.echo("\n".join([*titles, _row(proof)]))
            titles.clear()

    return Progress(begun, proved)


def _row(proof: Any) -> str:
    count = len(proof.findings)
    state = "ok" if not count else f"{count} finding{'s' if count > 1 else ''}"
    return (
        f"{proof.family:40} {proof.variants:8} {proof.rejection_rate:9.0%} {proof.statements:10} "
        f"{f'{proof.recognised}/{proof.slips}':>13} {proof.ms:8.2f}  {state}"
    )


def _prove(seeds: int, jobs: int, families: Sequence[str]) -> Iterator[Any]:
    """Give the proofs of families in their order, worked on by so many processes."""
    from studynorm.worker import lab

    if jobs == 1:
        yield from (lab.proof(family, seeds) for family in families)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # Not by forking: torch has threads by now.
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(lab.proof, families, repeat(seeds))


def _report(context: click.Context, paths: tuple[Path, ...], seeds: int, jobs: int, *, table: bool) -> Any:
    from studynorm.content.library import load_library
    from studynorm.content.referencefile import shipped_reference
    from studynorm.demos.registry import demos
    from studynorm.engine.registry import load_families
    from studynorm.locate import content_root
    from studynorm.study.check import check_all, check_paths
    from studynorm.study.claims import load_claims
    from studynorm.study.coverage import inventory_path

    torch = torch_lab().torch_module()
    progress = _progress(table=table)
    if paths:
        return check_paths(paths, torch, seeds=seeds, progress=progress)
    library = load_library(content_root() / "cards", home_of(context).decks)
    for notice in (*library.notices, *library.unfinished):
        note(f"studynorm: {notice}")
    families, broken = load_families()
    return check_all(
        library,
        families,
        broken,
        load_claims(),
        demos(),
        inventory_path(),
        torch,
        prover=partial(_prove, seeds, jobs),
        progress=progress,
        reference=shipped_reference(),
    )
