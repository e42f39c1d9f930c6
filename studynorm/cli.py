"""The command line: finds the subcommand, opens it lazily, and keeps every failure to one clear line."""

import errno
import importlib
import os
import sys

import click

from studynorm.commands.ending import Ended, heed_signals, leave, tell_unforeseen
from studynorm.commands.scope import examples, global_flags, note, plainly
from studynorm.commands.screen import open_screen

_COMMANDS = (
    "review",
    "drill",
    "interview",
    "due",
    "catchup",
    "ready",
    "stats",
    "items",
    "problem",
    "attempt",
    "card",
    "demo",
    "reference",
    "config",
    "profile",
    "backup",
    "restore",
    "export",
    "check",
    "doctor",
    "optimize",
    "fmt",
)


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
        except click.UsageError as missing:
            import difflib

            near = difflib.get_close_matches(args[0], _COMMANDS, 1)
            if not near or near[0] in missing.message:
                raise
            raise click.UsageError(f"{missing.message} Did you mean '{near[0]}'?", context) from None


@click.command(
    cls=_Lazy,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Without a command, studynorm opens its home screen.\n\n"
    + examples("review --topic backward", "due", "problem show batchnorm.vector"),
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


def main() -> None:
    """Run the command line and exit."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        heed_signals()
        code = _run()
    except Ended as ended:
        code = ended.code
    except KeyboardInterrupt:
        code = 130
    if code > 128:
        leave(code)
    sys.exit(code)


def _run() -> int:
    """Return the exit code: 1 for a refusal, 2 for a usage error, 70 for an error of the program itself.

    130 stands for Ctrl-C, and 128 and its number for any other signal.
    """
    flags: dict[str, str] = {}
    try:
        code = studynorm.main(prog_name="studynorm", standalone_mode=False, obj=flags)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.ClickException as refusal:
        _tell(refusal)
        return refusal.exit_code
    except (click.Abort, KeyboardInterrupt):
        return 130
    except OSError as error:
        _drop_output()
        if error.errno != errno.EPIPE:  # a reader that has gone wants to hear nothing more
            where = f"{error.filename}: " if error.filename else ""
            note(f"studynorm: {where}{error.strerror or error}")
        return 1
    except Exception as error:  # noqa: BLE001  whatever it is, a person gets one line
        return tell_unforeseen(error, flags)
    return code or 0


def _tell(refusal: click.ClickException) -> None:
    """Print a refusal as click does, but with nothing in it that a terminal would obey."""
    context = refusal.ctx if isinstance(refusal, click.UsageError) else None
    if context is not None:
        note(f"{context.get_usage()}\nTry '{context.command_path} --help' for help.\n")
    if isinstance(refusal, click.UsageError):
        note(f"Error: {refusal.format_message()}")
    else:
        refusal.show()


def _drop_output() -> None:
    """Let nothing that is still held back fail again when the program ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
