"""The command line: finds the subcommand, opens it lazily, and keeps every failure to one clear line."""

import importlib
import os
import sys
from typing import Any

import click

from studynorm.commands.scope import desk_of, global_flags, lacks_terminal, plainly

_COMMANDS = ("review", "due", "problem", "card", "demo", "export", "check")


class _Lazy(click.Group):
    def list_commands(self, context: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module = importlib.import_module(f"studynorm.commands.{name}")
        found: click.Command = getattr(module, name)
        return found

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(context, args)
        except click.UsageError as unknown:
            import difflib

            near = difflib.get_close_matches(args[0], _COMMANDS, 1)
            if near and unknown.message:
                unknown.message += f" Did you mean '{near[0]}'?"
            raise


@click.command(
    cls=_Lazy,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Without a command, studynorm opens its home screen. Example: studynorm review --topic backward",
)
@global_flags
@click.pass_context
@plainly
def studynorm(context: click.Context) -> None:
    """Keep normalization layers and residual networks in your head for good.

    Recall cards and fresh problems whose answers PyTorch verifies, scheduled by FSRS.
    """
    if context.invoked_subcommand is None:
        open_screen(context)


def open_screen(context: click.Context, **options: Any) -> None:
    """Open the full-screen interface, or say in one line why it cannot be opened and exit with 2."""
    missing = lacks_terminal()
    if missing is not None:
        click.echo(f"{missing}; use `studynorm review --plain` for a review line by line", err=True)
        context.exit(2)
    from studynorm.tui.app import run

    context.exit(run(lambda: desk_of(context), **options))


def main() -> None:
    """Run the command line and exit."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        studynorm.main(prog_name="studynorm", standalone_mode=True)
    except BrokenPipeError:
        # The reader of our output has gone; nothing is left to say to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(0)
