"""`studynorm config`: the options, where they are kept, and changing one."""

import os
import textwrap
from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING, Any

import click

from studynorm.commands.scope import (
    config_of,
    examples,
    global_flags,
    home_of,
    named_profile,
    note,
    plainly,
    print_json,
    profile_of,
    unknown,
)

if TYPE_CHECKING:
    from studynorm.study.config import Config
    from studynorm.study.options import Option

_KEY, _VALUE, _WIDTH = 18, 16, 90


@click.group("config", epilog=examples("config show", "config set new_per_day 30", "config path"))
@global_flags
def config() -> None:
    """Show the options and change them."""


@config.command("show", cls=click.Command, epilog=examples("config show", "config show --json"))
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@global_flags
@click.pass_context
@plainly
def show(context: click.Context, *, as_json: bool) -> None:
    """Show every option: its value, where that comes from, its default, what it can be, and what it does."""
    from studynorm.content.visible import visible
    from studynorm.study.options import OPTIONS

    path, profile, now = home_of(context).config_file, profile_of(context), _checked(config_of(context))
    for trouble in now.troubles:
        note(f"studynorm: {path}: {trouble}")
    rows = [(option, *_in_force(option, now)) for option in OPTIONS.values()]
    if as_json:
        options = [_json(option, value, source) for option, value, source in rows]
        print_json({"path": str(path), "profile": profile, "options": options})
        return
    click.echo(f"{visible(str(path), keep_newlines=False)}, profile {profile}\n")
    group = None
    for option, value, source in rows:
        if option.group is not group:
            click.echo(f"{'' if group is None else chr(10)}{option.group.value}")
            group = option.group
        for line in _lines(option, value, source, profile):
            click.echo(line)


@config.command("path", cls=click.Command, epilog=examples("config path"))
@global_flags
@click.pass_context
@plainly
def path(context: click.Context) -> None:
    """Say where the file of the options is, or would be."""
    click.echo(home_of(context).config_file)


@config.command(
    "set",
    cls=click.Command,
    # A negative number is a value and no option.
    context_settings={"ignore_unknown_options": True, "help_option_names": ["-h", "--help"]},
    epilog=examples(
        "config set desired_retention 0.85",
        "config set learning_steps 1m 10m",
        "config set interview_date 2027-03-01 --profile interview",
        "config set desired_retention default",
    ),
)
@click.argument("key", metavar="KEY")
@click.argument("words", metavar="VALUE", nargs=-1, required=True, type=click.UNPROCESSED)
@global_flags
@click.pass_context
@plainly
def set_(context: click.Context, *, key: str, words: tuple[str, ...]) -> None:
    """Give an option a value, for every profile or with --profile for that one alone.

    The VALUE "default" takes the option out of the file. `studynorm config show` lists all keys.
    """
    from studynorm.storage.home import find_profile
    from studynorm.study.config import Source, read_config
    from studynorm.study.configedit import unset_option, write_option

    for word in words:
        if word.startswith("--"):
            raise click.UsageError(f"No such option: {word}")
    option, typed, profile = _option(key), " ".join(words), named_profile(context)
    home = home_of(context)
    if profile is not None:
        find_profile(home, profile)
    if typed.strip() == "default":
        unset_option(home.config_file, option, profile)
    else:
        write_option(home.config_file, option, _value(option, typed), profile)
    using = profile_of(context)
    value, source = _in_force(option, read_config(home.config_file, using))
    click.echo(f"{key} = {option.text(value)} ({_where(option, source, using)})")
    if source is Source.ENVIRONMENT:
        note(f"studynorm: the variable {option.variable} wins over the file; unset it to go by the file")
    elif source is Source.PROFILE and profile is None:
        note(f"studynorm: the profile {using} has its own value; change that with --profile {using}")


def _option(key: str) -> "Option":
    from studynorm.study.options import OPTIONS, WEIGHTS, nearest

    if key in OPTIONS:
        return OPTIONS[key]
    if key in WEIGHTS:
        raise click.UsageError(
            f"{key} is no option: FSRS' weights are kept in the profile, and `studynorm optimize` fits them"
        )
    near = nearest(key)
    hint = f"did you mean {near}? " if near else ""
    raise click.UsageError(f"there is no option “{key}”; {hint}`studynorm config show` lists all")


def _value(option: "Option", typed: str) -> Any:
    from studynorm.study.options import OptionError

    try:
        value = option.read(typed)
    except OptionError as error:
        raise click.UsageError(str(error)) from None
    if option.key == "theme":
        from studynorm.tui.theme import theme_names

        if value not in (names := theme_names()):
            raise unknown("theme", str(value), names, f"there are {', '.join(names)}")
    return value


def _checked(now: "Config") -> "Config":
    """Return the options with a theme that exists; textual is loaded only for one that was chosen."""
    from studynorm.study.config import Source, known_theme

    if now.source("theme") is Source.DEFAULT:
        return now
    from studynorm.tui.theme import theme_names

    return known_theme(now, theme_names())


def _in_force(option: "Option", now: "Config") -> tuple[Any, Any]:
    """Return the value that holds and where it comes from; a variable wins over the file."""
    from studynorm.study.config import Source
    from studynorm.study.options import OptionError

    named = os.environ.get(option.variable, "") if option.variable else ""
    if named:
        try:
            return option.read(named), Source.ENVIRONMENT
        except OptionError as error:
            note(f"studynorm: {option.variable}: {error}")
    return now.value(option.key), now.source(option.key)


def _where(option: "Option", source: str, profile: str) -> str:
    match source:
        case "file":
            return "all profiles"
        case "profile":
            return f"profile {profile}"
        case "environment":
            return str(option.variable)
    return "default"


def _lines(option: "Option", value: Any, source: Any, profile: str) -> Iterator[str]:
    """Yield what is said about one option: its value in one line, then what it can be and does."""
    where = f"{_where(option, source, profile)}; default {option.default_text}" if source != "default" else ""
    yield f"  {option.key:{_KEY}}{option.text(value):{_VALUE}}{where}".rstrip()
    told = f"{option.help} Allowed: {option.kind.allowed}."
    yield from textwrap.wrap(told, _WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)


def _json(option: "Option", value: Any, source: Any) -> dict[str, Any]:
    return {
        "key": option.key,
        "group": option.group.value,
        "value": _json_value(option, value),
        "default": _json_value(option, option.default),
        "source": source.value,
        "allowed": option.kind.allowed,
        "help": option.help,
    }


def _json_value(option: "Option", value: Any) -> Any:
    stored = option.kind.give(value)
    if value is None:
        return None
    return stored.isoformat() if isinstance(stored, date) else stored
