"""Every option there is, once: its key in config.toml, its default, what is possible, and what it does."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from types import MappingProxyType

from studynorm.scheduling import settings as limits
from studynorm.scheduling.settings import Settings
from studynorm.study.optionkinds import (
    Choice,
    Day,
    Flag,
    Hour,
    Kind,
    NotPossible,
    Share,
    Stored,
    Value,
    Whole,
)
from studynorm.study.optiontimes import Span, Steps

WEIGHTS = frozenset({"weights", "w", "parameters", "fsrs_weights", "fsrs_params"})
"""Names under which people look for FSRS' weights, which are no option."""
_SET = Settings()


class Group(StrEnum):
    """Where an option stands in a list."""

    SCHEDULING = "Scheduling"
    DAY = "Study day"
    PROGRAM = "Program"


@dataclass(frozen=True)
class Option:
    """One option. `variable` names the variable of the environment that wins over the file."""

    key: str
    title: str
    group: Group
    kind: Kind
    default: Value
    help: str
    variable: str | None = None

    def read(self, typed: str) -> Value:
        """Return the value that was typed. Raises OptionError, which says what is possible."""
        try:
            return self.kind.read(typed)
        except NotPossible:
            raise OptionError(self, typed) from None

    def text(self, value: Value) -> str:
        """Return a value as it is typed."""
        return self.kind.text(value)

    @property
    def default_text(self) -> str:
        """The default as it is typed."""
        return self.text(self.default)


class OptionError(ValueError):
    """A value that an option cannot have; the message is one line with the option and what is possible."""

    def __init__(self, option: Option, typed: str) -> None:
        shown = typed if len(typed) <= 40 else f"{typed[:39]}…"
        super().__init__(f"{option.key} cannot be “{shown}”; allowed: {option.kind.allowed}")
        self.option = option


def _whole(field: str) -> Whole:
    lowest, highest, unit = limits.WHOLE[field]
    return Whole(lowest, highest, unit)


_ALL = (
    Option(
        "desired_retention",
        "Desired retention",
        Group.SCHEDULING,
        Share(*limits.RETENTION),
        _SET.desired_retention,
        "The chance of recalling an item on the day it is due. Higher: shorter intervals, more reviews.",
    ),
    Option(
        "learning_steps",
        "Learning steps",
        Group.SCHEDULING,
        Steps(limits.MOST_STEPS, limits.LONGEST_STEP, "1m 10m"),
        _SET.learning_steps,
        "When a new item comes back within the day, until its intervals are days.",
    ),
    Option(
        "relearning_steps",
        "Relearning steps",
        Group.SCHEDULING,
        Steps(limits.MOST_STEPS, limits.LONGEST_STEP, "10m"),
        _SET.relearning_steps,
        "When a forgotten item comes back within the day, until its intervals are days again.",
    ),
    Option(
        "maximum_interval",
        "Maximum interval",
        Group.SCHEDULING,
        _whole("maximum_interval"),
        _SET.maximum_interval,
        "The longest time until an item comes back, in study days.",
    ),
    Option(
        "leech_at",
        "Leech at",
        Group.SCHEDULING,
        _whole("leech_at"),
        _SET.leech_at,
        "An item forgotten so often is marked as a leech: it wants other words or an easier one before it.",
    ),
    Option(
        "new_per_day",
        "New items a day",
        Group.DAY,
        _whole("new_per_day"),
        _SET.new_per_day,
        "At most so many new items on one study day.",
    ),
    Option(
        "reviews_per_day",
        "Reviews a day",
        Group.DAY,
        _whole("reviews_per_day"),
        _SET.reviews_per_day,
        "At most so many due reviews on one study day; learning steps do not count.",
    ),
    Option(
        "learn_ahead",
        "Learn ahead",
        Group.DAY,
        Span(limits.WHOLE["learn_ahead"][1], "20m"),
        _SET.learn_ahead,
        "When nothing else is left, steps that come due within this time are asked at once.",
    ),
    Option(
        "day_starts_at",
        "Study day starts at",
        Group.DAY,
        Hour(),
        _SET.day_starts_at,
        "The local hour at which a study day begins. Days that are over stay as they are.",
    ),
    Option(
        "interview_date",
        "Interview date",
        Group.DAY,
        Day(),
        _SET.interview_date,
        "The day you prepare for: predictions and the final pass are made for it.",
    ),
    Option(
        "confidence",
        "Ask how sure I am",
        Group.PROGRAM,
        Flag(),
        _SET.confidence,
        "Ask how sure you are before an answer is shown, and compare it with what you knew.",
    ),
    Option(
        "theme",
        "Theme",
        Group.PROGRAM,
        Choice(what="the name of a theme"),
        "studynorm",
        "The colours of the screen: dark, light, or those of your terminal.",
    ),
    Option(
        "formulas",
        "Formulas in plain lines",
        Group.PROGRAM,
        Choice(("unicode", "ascii", "words")),
        "unicode",
        "How plain lines have formulas: in signs, in 7-bit characters, or in words to listen to.",
        "STUDYNORM_FORMULAS",
    ),
    Option(
        "backups",
        "Daily backups",
        Group.PROGRAM,
        Whole(0, 365, "copies"),
        7,
        "How many daily backups of a profile are kept.",
    ),
)

OPTIONS: Mapping[str, Option] = MappingProxyType({option.key: option for option in _ALL})
"""Every option by its key, in the order of lists."""


def with_themes(themes: Collection[str]) -> Mapping[str, Option]:
    """Return every option, that of the theme with the themes there are."""
    return {**OPTIONS, "theme": replace(OPTIONS["theme"], kind=Choice(tuple(themes)))}


def nearest(key: str) -> str | None:
    """Return the key that was probably meant; None where none is near."""
    import difflib

    near = difflib.get_close_matches(key.lower().replace("-", "_"), list(OPTIONS), 1, 0.6)
    return near[0] if near else None


def toml_text(value: Stored) -> str:
    """Return a value as it stands in a TOML file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    return value.isoformat() if isinstance(value, date) else repr(value)
