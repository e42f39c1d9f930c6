"""Opens the full-screen interface, or says in one line why it cannot be opened."""

import os
import sys
from typing import Any

import click

from studynorm.commands.scope import config_of, desk_of


def open_screen(context: click.Context, **options: Any) -> None:
    """Open the full-screen interface and exit with its code; exit with 2 where no screen can be drawn."""
    need_terminal(context)
    from studynorm.tui.app import run

    theme = config_of(context).theme
    context.exit(run(lambda: desk_of(context, noted=False), theme=theme, **options))


def has_terminal() -> bool:
    """Tell whether a screen can be drawn."""
    return _missing() is None


def need_terminal(context: click.Context) -> None:
    """Exit with 2 and one line on standard error where no screen can be drawn."""
    missing = _missing()
    if missing is not None:
        click.echo(f"{missing}; use `studynorm review --plain` for a review line by line", err=True)
        context.exit(2)


def _missing() -> str | None:
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        return "studynorm needs a terminal"
    if os.name == "posix" and os.environ.get("TERM", "") in {"", "dumb"}:
        return "this terminal cannot draw a screen (TERM is unset or dumb)"
    return None
