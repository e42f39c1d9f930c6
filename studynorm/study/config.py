"""The options in force: what config.toml says, for everyone and for one profile, over the defaults.

A file that is broken, or a value that is not possible, is told and costs only itself.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from studynorm.scheduling.settings import Settings
from studynorm.study.configfile import ConfigError, parsed, read_text
from studynorm.study.optionkinds import NotPossible, Value
from studynorm.study.options import OPTIONS, WEIGHTS, Option, nearest, toml_text

PROFILES = "profile"
"""The table that holds a table of options for each profile."""
_MOST_TROUBLES = 10
_LONGEST = 40
_SETTINGS = tuple(one.name for one in fields(Settings))


class Source(StrEnum):
    """Where the value of an option comes from."""

    DEFAULT = "default"
    FILE = "file"
    PROFILE = "profile"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something in the file that cannot be used, in one line; `key` names the option that it is about."""

    text: str
    key: str | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Config:
    """The options of one profile.

    `troubles` says what in the file at `path` is not as it should be; with `broken` none of it could be
    read, and nothing may be written.
    """

    settings: Settings = field(default_factory=Settings)
    theme: str = "studynorm"
    formulas: Literal["unicode", "ascii", "words"] = "unicode"
    backups: int = 7
    path: Path | None = None
    sources: Mapping[str, Source] = field(default_factory=dict)
    troubles: tuple[Trouble, ...] = ()
    broken: bool = False

    def value(self, key: str) -> Value:
        """Return the value of an option."""
        found: Value = getattr(self.settings if key in _SETTINGS else self, key)
        return found

    def source(self, key: str) -> Source:
        """Return where the value of an option comes from."""
        return self.sources.get(key, Source.DEFAULT)


def read_config(path: Path, profile: str) -> Config:
    """Return the options of a profile. Never fails: what cannot be used is told, and its default holds."""
    try:
        table = parsed(path, read_text(path))
    except ConfigError as error:
        told = f"{error.reason}. Until it is mended every option has its default."
        return Config(path=path, troubles=(Trouble(told),), broken=True)
    reading = _Reading()
    profiles = table.pop(PROFILES, {})
    reading.take(table, "", Source.FILE)
    if isinstance(profiles, dict):
        reading.take_profile(profiles, profile)
    else:
        reading.tell(f"{PROFILES} is no option; a profile's options stand below [profile.NAME]")
    return reading.config(path)


def known_theme(config: Config, themes: Collection[str]) -> Config:
    """Return a config whose theme is one of `themes`; for another one the default, and it is told."""
    if config.theme in themes:
        return config
    option = OPTIONS["theme"]
    told = f"there is no theme {shown(config.theme)}; {option.default_text} is used"
    return replace(config, theme=option.default_text, troubles=(*config.troubles, Trouble(told, option.key)))


@dataclass
class _Reading:
    values: dict[str, Value] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    troubles: list[Trouble] = field(default_factory=list)

    def tell(self, text: str, key: str | None = None) -> None:
        self.troubles.append(Trouble(text, key))

    def take(self, table: Mapping[str, Any], place: str, source: Source) -> None:
        for key, raw in table.items():
            option = OPTIONS.get(key)
            if option is None:
                self.tell(f"{place}{_unknown(key, raw)}")
                continue
            try:
                self.values[key] = option.kind.take(raw)
            except NotPossible:
                used = option.text(self.values.get(key, option.default))
                self.tell(f"{place}{_not_possible(option, raw)}; {used} is used", key)
            else:
                self.sources[key] = source

    def take_profile(self, profiles: Mapping[str, Any], name: str) -> None:
        own = profiles.get(name)
        if isinstance(own, dict):
            self.take(own, f"[{PROFILES}.{name}] ", Source.PROFILE)
        elif own is not None:
            self.tell(f"{PROFILES}.{name} is no table; its options stand below [profile.{name}]")
        for other in profiles:
            if other != name and other.casefold() == name.casefold():
                self.tell(f"[{PROFILES}.{shown_key(other)}] is not read: the profile is called {name}")

    def config(self, path: Path) -> Config:
        chosen = dict(self.values)
        settings = Settings(**{key: chosen.pop(key) for key in _SETTINGS if key in chosen})  # type: ignore[arg-type]
        more = len(self.troubles) - _MOST_TROUBLES
        troubles = self.troubles[:_MOST_TROUBLES] + ([Trouble(f"and {more} more")] if more > 0 else [])
        return Config(settings, path=path, sources=self.sources, troubles=tuple(troubles), **chosen)  # type: ignore[arg-type]


def shown(raw: object) -> str:
    """Return a value of the file as it stands there, cut to a length that fits a line."""
    try:
        text = toml_text(raw) if isinstance(raw, str | bool | int | float) else str(raw)
    except ValueError:  # a whole number of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def shown_key(key: str) -> str:
    """Return a key of the file, cut to a length that fits a line."""
    return key if len(key) <= _LONGEST else f"{key[: _LONGEST - 1]}…"


def _not_possible(option: Option, raw: object) -> str:
    stored = option.kind.give(option.default)
    written = f", written as {toml_text(stored)}" if type(stored) is not type(raw) else ""
    return f"{option.key} = {shown(raw)} is not possible; allowed: {option.kind.allowed}{written}"


def _unknown(key: str, raw: object) -> str:
    if key in WEIGHTS:
        number = len(raw) if isinstance(raw, list) else 0
        older = f"; these {number} are of an older FSRS" if number in (17, 19) else ""
        return (
            f"{key} is no option: FSRS' weights are kept in the profile, and “studynorm optimize” fits them "
            f"to your reviews{older}"
        )
    if isinstance(raw, dict):
        return (
            f"[{shown_key(key)}] is no table of this file; options stand at its top, or below [profile.NAME]"
        )
    near = nearest(key)
    hint = f"did you mean {near}?" if near else "“studynorm config show” lists all"
    return f"there is no option {shown_key(key)}; {hint}"
