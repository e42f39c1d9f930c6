"""What every command shares: the flags for home and profile, the desk they open, and how JSON is printed."""

import functools
import json
import os
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

from studynorm import __version__

F = TypeVar("F", bound=Callable[..., Any])

SCHEMA = 1


def global_flags(function: F) -> F:
    """Add --home, --profile and --version, which stand before or after the subcommand alike."""
    for flag in (
        click.option(
            "--home", metavar="DIR", expose_value=False, callback=_keep, help="Folder for all data."
        ),
        click.option(
            "--profile",
            metavar="NAME",
            expose_value=False,
            callback=_keep,
            help="Profile [else STUDYNORM_PROFILE, else default].",
        ),
        click.version_option(__version__, prog_name="studynorm", message="%(prog)s %(version)s"),
    ):
        function = flag(function)
    return function


def _keep(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        assert parameter.name is not None
        context.find_root().ensure_object(dict)[parameter.name] = value


def home_of(context: click.Context) -> Any:
    """Return the Home that flags and environment name."""
    from studynorm.storage.home import find_home

    return find_home(context.find_root().ensure_object(dict).get("home"), os.environ)


def profile_of(context: click.Context) -> str:
    """Return the name of the profile: the flag, else `STUDYNORM_PROFILE`, else `default`; empty is unset."""
    return named_profile(context) or os.environ.get("STUDYNORM_PROFILE") or "default"


def named_profile(context: click.Context) -> str | None:
    """Return the profile that the flag names; None where there is none."""
    return context.find_root().ensure_object(dict).get("profile") or None


def config_of(context: click.Context) -> Any:
    """Return the options that hold for the home and the profile which flags and environment name."""
    from studynorm.study.config import read_config

    return read_config(home_of(context).config_file, profile_of(context))


def desk_of(context: click.Context, *, noted: bool = True) -> Any:
    """Open the desk that flags and environment name; close it by `with`.

    Where `noted`, what is wrong with options and time zone is said on standard error.
    """
    from studynorm.study.desk import open_desk

    desk = open_desk(home_of(context), profile_of(context))
    for trouble in desk.troubles if noted else ():
        note(f"studynorm: {trouble}")
    return desk


def command(name: str, **attributes: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """Declare a subcommand that takes the global flags too."""

    def declare(function: Callable[..., Any]) -> click.Command:
        declared: click.Command = click.command(name, click.Command, **attributes)(global_flags(function))
        return declared

    return declare


def formulas_flag(function: F) -> F:
    """Add --formulas, which says how plain lines have formulas; a variable or an option sets it for good.

    The command is given None where neither flag nor variable says; then the option `formulas` holds.
    """
    return click.option(
        "--formulas",
        type=click.Choice(["unicode", "ascii", "words"]),
        envvar="STUDYNORM_FORMULAS",
        show_envvar=True,
        help="How plain lines have formulas: as signs, in 7-bit characters, or as words to listen to.",
    )(function)


def maths_of(context: click.Context) -> Any:
    """Return how a command without --formulas writes them: by the variable, else by the option `formulas`."""
    kept = context.find_root().ensure_object(dict)
    if "formulas" not in kept:
        kept["formulas"] = _formulas(context)
    return kept["formulas"]


def _formulas(context: click.Context) -> str:
    from studynorm.storage.errors import StoreError
    from studynorm.study.options import OPTIONS, OptionError

    option = OPTIONS["formulas"]
    named = os.environ.get(str(option.variable), "")
    try:
        return str(option.read(named) if named else config_of(context).formulas)
    except OptionError as error:
        raise click.UsageError(f"{option.variable}: {error}") from None
    except StoreError:  # no home: nothing is kept, and nothing is needed from there
        return option.default_text


def plain_text(text: str, width: int = 78) -> str:
    """Return Markdown with LaTeX as lines, with formulas as the running command writes them."""
    from studynorm.study import plaintext

    return plaintext.plain_text(text, width, maths_of(click.get_current_context()))


def examples(*commands: str) -> str:
    """Return the epilog of a command: examples that can be copied as they stand, one a line."""
    title = "Example:" if len(commands) == 1 else "Examples:"
    return "\b\n" + "\n".join([title, *(f"  studynorm {command}" for command in commands)])


def print_json(payload: dict[str, Any]) -> None:
    """Print one JSON object on standard output, with its schema number first."""
    click.echo(json.dumps({"schema": SCHEMA, **payload}, ensure_ascii=False, allow_nan=False))


def note(message: str) -> None:
    """Say something on standard error, where it disturbs no pipe and no terminal obeys it."""
    from studynorm.content.visible import visible

    click.echo(visible(message), err=True)


def note_broken(library: Any) -> None:
    """Name the decks and cards that cannot be used; each costs only itself."""
    for trouble in (*library.errors, *library.notices, *library.unfinished):
        note(f"studynorm: {trouble}")


def torch_lab() -> Any:
    """Return what torch does for this program; a torch that cannot be loaded is a failure."""
    try:
        from studynorm.worker import lab
    except (ImportError, OSError) as missing:
        raise Failed(f"torch cannot be loaded ({missing}); `python -c 'import torch'` says more") from None
    return lab


def unknown(kind: str, name: str, known: Iterable[str], more: str) -> click.UsageError:
    """Return the error for a name that does not exist, with the nearest one that does and how to list all."""
    import difflib

    near = difflib.get_close_matches(name, list(known), 1, 0.6)
    hint = f"did you mean {near[0]}? " if near else ""
    return click.UsageError(f"there is no {kind} “{name}”; {hint}{more}")


class Failed(click.ClickException):
    """A failure that is not a usage error: one clear line on standard error, exit code 1."""

    exit_code = 1

    def show(self, file: Any = None) -> None:
        """Print the line without click's “Error:” prefix."""
        from studynorm.content.visible import visible

        click.echo(visible(f"studynorm: {self.format_message()}"), file=file, err=file is None)


def plainly(function: F) -> F:
    """Turn the refusals of the layers below into one clear line and a sane exit code."""

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except _refusals() as refusal:
            raise Failed(str(refusal)) from None

    return wrapped  # type: ignore[return-value]


def _refusals() -> tuple[type[Exception], ...]:
    from studynorm.content.library import NoDecks
    from studynorm.engine.files import NoFamilies
    from studynorm.storage.errors import StoreError
    from studynorm.study.configfile import ConfigError

    return StoreError, NoDecks, NoFamilies, ConfigError
