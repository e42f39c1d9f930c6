"""`studynorm export`: take the decks along."""

import time
from pathlib import Path

import click

from studynorm.commands.scope import Failed, command, examples, home_of, note, plainly


@command("export", epilog=examples("export anki studynorm.apkg"))
@click.argument("format_", metavar="anki", type=click.Choice(["anki"]))
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@click.pass_context
@plainly
def export(context: click.Context, format_: str, file: Path, *, force: bool) -> None:
    """Write every deck as an Anki package; importing it again updates and never duplicates."""
    from studynorm.content.library import load_library
    from studynorm.exchange.anki import ExportRefused, export_anki
    from studynorm.locate import content_root

    library = load_library(content_root() / "cards", home_of(context).decks)
    for error in library.errors:
        note(f"studynorm: left out {error}")
    try:
        report = export_anki(library.decks, file, force=force, clock_ms=round(1000 * time.time()))
    except ExportRefused as refused:
        raise Failed(str(refused)) from None
    click.echo(
        f"wrote {report.path}: {report.notes} notes, {report.cards} cards, {len(report.per_deck)} decks"
    )
