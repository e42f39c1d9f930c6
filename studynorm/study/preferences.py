"""Changing an option of an open desk: kept in the file first, and gone by from then on."""

from studynorm.study.config import Source, read_config
from studynorm.study.configedit import unset_option, write_option
from studynorm.study.desk import Desk
from studynorm.study.optionkinds import Value
from studynorm.study.options import Option


def keep(desk: Desk, option: Option, value: Value) -> None:
    """Give an option a value: for everyone on the desk of the profile `default`, else for that profile alone.

    A value that the profile `default` has of its own is changed where it stands. Raises ConfigError, with
    nothing changed, where the file is broken or cannot be written.
    """
    write_option(desk.home.config_file, option, value, _table(desk, option))
    reread(desk)


def keep_default(desk: Desk, option: Option) -> None:
    """Let the default hold again; of a value that only this profile has, first that of everyone.

    A value that is not possible is taken out wherever it stands. Raises as `keep` does.
    """
    if desk.config.source(option.key) is Source.FILE and desk.name != "default":
        keep(desk, option, option.default)  # everyone else keeps theirs
        return
    impossible = desk.config.source(option.key) is Source.DEFAULT
    for table in (None, desk.name) if impossible else (_table(desk, option),):
        unset_option(desk.home.config_file, option, table)
    reread(desk)


def reread(desk: Desk) -> None:
    """Go by what the file says now."""
    desk.use(read_config(desk.home.config_file, desk.name))


def _table(desk: Desk, option: Option) -> str | None:
    own = desk.name != "default" or desk.config.source(option.key) is Source.PROFILE
    return desk.name if own else None
