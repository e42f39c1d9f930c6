"""`studynorm restore`: a copy takes the place of the profile, which is itself kept."""

import sys
from pathlib import Path

import click

from studynorm.commands.scope import command, examples, home_of, note, plainly, profile_of


@command("restore", epilog=examples("restore copy.sqlite", "restore copy.sqlite --profile work --yes"))
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask back.")
@click.pass_context
@plainly
def restore(context: click.Context, file: Path, *, yes: bool) -> None:
    """Put the copy FILE in the place of the profile. The present one is copied into the backups folder first.

    FILE is one that `studynorm backup`, the daily backup or `studynorm doctor --repair` wrote; it is only
    read. A studynorm that is open in another window goes on with what was restored.
    """
    from studynorm.storage.backups import inspect
    from studynorm.storage.home import find_profile
    from studynorm.storage.restore import check_copy, restore

    home, name = home_of(context), profile_of(context)
    target = find_profile(home, name)
    copy = check_copy(file, target)
    present = inspect(target).words if target.exists() else "nothing yet"
    note(f"The profile {name} holds: {present}\n{file} holds: {copy.words}")
    if not yes:
        if sys.stdin is None or not sys.stdin.isatty():
            raise click.UsageError(
                "this replaces what was learned, and there is no terminal to ask you; say --yes to mean it"
            )
        if not click.confirm("Put it in the place of the profile?", err=True):
            note("Nothing was changed.")
            context.exit(1)
    done = restore(file, target, home.backups)
    if done.kept is not None:
        click.echo(f"kept what was there as {done.kept}")
    if done.aside is not None:
        click.echo(f"moved what was there, which could not be read, to {done.aside}")
    click.echo(f"restored the profile {name}: {inspect(target).words}")
