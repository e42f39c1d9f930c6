"""`studynorm export`: take the decks along to Anki, or everything that was learned to any other program."""

import sys
import time
from pathlib import Path
from typing import Any

import click

from studynorm.commands.scope import Failed, command, desk_of, examples, home_of, note, plainly

_STDOUT = Path("-")


@command(
    "export",
    epilog=examples("export anki studynorm.apkg", "export json everything.json", "export csv revlog.csv"),
)
@click.argument("format_", metavar="anki|json|csv", type=click.Choice(["anki", "json", "csv"]))
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@click.pass_context
@plainly
def export(context: click.Context, format_: str, file: Path, *, force: bool) -> None:
    """Write the decks as an Anki package, or the profile as JSON or CSV; FILE is - for standard output.

    anki: every deck; importing it again updates and never duplicates. json: everything that the profile
    holds, in one object. csv: the log of reviews, in the columns that FSRS optimizers read.
    """
    if format_ == "anki":
        _anki(context, file, force=force)
    else:
        _profile(context, format_, file, force=force)


def _anki(context: click.Context, file: Path, *, force: bool) -> None:
    from studynorm.content.library import load_library
    from studynorm.exchange.anki import export_anki
    from studynorm.exchange.target import ExportRefused
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


def _profile(context: click.Context, format_: str, file: Path, *, force: bool) -> None:
    from studynorm.exchange.target import ExportRefused, fresh, stream
    from studynorm.storage.snapshot import snapshot

    with desk_of(context) as desk:
        if not desk.path.exists():
            raise Failed(f"{desk.path} does not exist: nothing was learned in this profile yet.")
        desk.store  # noqa: B018  upgrades an older profile, and lets others write while it is read
        to_stdout = file == _STDOUT
        written = stream(sys.stdout.buffer) if to_stdout else fresh(file, force=force)
        try:
            with written as out, snapshot(desk.path) as shot:
                told = _write(format_, shot, out)
        except ExportRefused as refused:
            raise Failed(str(refused)) from None
    if not to_stdout:
        click.echo(f"wrote {file}: {told}")


def _write(format_: str, shot: Any, out: Any) -> str:
    """Write the profile, and return in words what was written."""
    if format_ == "json":
        from studynorm.exchange.jsonlog import write_json

        written = write_json(shot, out)
        shown = ("memories", "reviews", "attempts", "events", "interviews")
        return ", ".join(f"{written[part]} {part}" for part in shown)
    from studynorm.exchange.csvlog import write_csv

    report = write_csv(shot, out)
    if report.left_out:
        note(f"studynorm: left out {report.left_out} damaged reviews; `studynorm doctor` says which")
    return f"{report.reviews} reviews"
