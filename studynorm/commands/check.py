"""`studynorm check`: prove every family and deck, or the files named."""

from pathlib import Path
from typing import Any

import click

from studynorm.commands.scope import Failed, command, examples, home_of, note, plainly, print_json, torch_lab


@command(
    "check",
    epilog=examples("check", "check cards/batchnorm.md problems/batchnorm/entry.py"),
)
@click.argument("paths", metavar="[PATH]…", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--seeds", type=click.IntRange(1, 100_000), default=200, show_default=True, help="Per family and level."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.pass_context
@plainly
def check(context: click.Context, paths: tuple[Path, ...], *, seeds: int, as_json: bool) -> None:
    """Prove that decks, formulas, claims and families hold; exit code 1 when one does not."""
    for path in paths:
        if not path.exists():
            raise click.BadParameter(f"{path} does not exist", param_hint="PATH")

    def progress(proof: Any) -> None:
        if not as_json:
            count = len(proof.findings)
            state = "ok" if not count else f"{count} finding{'s' if count > 1 else ''}"
            click.echo(f"{proof.family:32} {proof.variants:6} variants  {state}")

    report = _report(context, paths, seeds, progress)
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
                "troubles": [
                    {"place": trouble.place, "message": trouble.message} for trouble in report.troubles
                ],
            }
        )
    else:
        for trouble in report.troubles:
            note(str(trouble))
        click.echo(
            f"{report.decks} decks, {report.cards} cards, {report.claims} claims, "
            f"{report.families} families, {report.variants} variants: "
            + (f"{len(report.troubles)} do not hold" if report.troubles else "all hold")
        )
    if report.troubles:
        context.exit(1)


def _report(context: click.Context, paths: tuple[Path, ...], seeds: int, progress: Any) -> Any:
    from studynorm.content.library import load_library
    from studynorm.demos.registry import demos
    from studynorm.engine.registry import load_families
    from studynorm.locate import content_root
    from studynorm.study.check import check_all, check_paths
    from studynorm.study.claims import load_claims
    from studynorm.study.coverage import inventory_path

    torch = torch_lab().torch_module()
    if paths:
        return check_paths(paths, torch, seeds=seeds, progress=progress)
    library = load_library(content_root() / "cards", home_of(context).decks)
    families, broken = load_families()
    return check_all(
        library,
        families,
        broken,
        load_claims(),
        demos(),
        inventory_path(),
        torch,
        seeds=seeds,
        progress=progress,
    )
