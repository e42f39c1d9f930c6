"""Options: how each is typed, what a broken file costs, and what the desk makes of them."""

import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from studynorm.scheduling.rating import Rating
from studynorm.scheduling.settings import WHOLE, SettingError, Settings
from studynorm.storage.errors import StoreError
from studynorm.storage.home import Home
from studynorm.study import desk as desks
from studynorm.study.config import Config, Source, read_config
from studynorm.study.desk import SystemClock, open_desk
from studynorm.study.options import OPTIONS, OptionError, toml_text
from studynorm.study.zone import zone_trouble
from studynorm.tui.theme import THEME

NOT_ROOT = not hasattr(os, "geteuid") or os.geteuid() != 0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The place of a file of options that is not there yet."""
    return tmp_path / "home" / "config.toml"


def put(path: Path, text: str | bytes) -> Path:
    """Write a file of options by hand."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def short(value: object) -> str:
    """Return an id of a case that fits a line."""
    return repr(value)[:30]


def told(path: Path, text: str | bytes, profile: str = "default") -> list[str]:
    """Return what is told about a file."""
    return [str(trouble) for trouble in read_config(put(path, text), profile).troubles]


# -- what can be typed -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("key", "typed", "value", "text"),
    [
        ("desired_retention", "0.9", 0.9, "0.90"),
        ("desired_retention", " 0.925 ", 0.925, "0.925"),
        ("desired_retention", ".7", 0.7, "0.70"),
        ("desired_retention", "99 %", 0.99, "0.99"),
        ("desired_retention", "87.5%", 0.875, "0.875"),
        ("learning_steps", "1m 10m", (60, 600), "1m 10m"),
        ("learning_steps", "1m,10m", (60, 600), "1m 10m"),
        ("learning_steps", "90s 1h30m 23h59m59s", (90, 5400, 86_399), "1m30s 1h30m 23h59m59s"),
        ("learning_steps", "none", (), "none"),
        ("relearning_steps", "", (), "none"),
        ("maximum_interval", "1", 1, "1"),
        ("maximum_interval", "36500", 36_500, "36500"),
        ("new_per_day", "0", 0, "0"),
        ("learn_ahead", "20m", 1200, "20m"),
        ("learn_ahead", "0", 0, "0m"),
        ("learn_ahead", "1200s", 1200, "20m"),
        ("day_starts_at", "4", 4, "04:00"),
        ("day_starts_at", "23:00", 23, "23:00"),
        ("day_starts_at", "04", 4, "04:00"),
        ("interview_date", "2028-02-29", date(2028, 2, 29), "2028-02-29"),
        ("interview_date", "none", None, "none"),
        ("confidence", "on", True, "on"),
        ("confidence", "False", False, "off"),
        ("theme", "nord", "nord", "nord"),
        ("formulas", "words", "words", "words"),
        ("backups", "365", 365, "365"),
    ],
)
def test_values_are_read_and_shown_as_people_write_them(
    key: str, typed: str, value: object, text: str
) -> None:
    """What is shown can be typed again, and so can what stands in the file."""
    option = OPTIONS[key]
    read = option.read(typed)
    assert read == value
    assert type(read) is type(value)
    assert option.text(read) == text
    assert option.read(text) == value
    assert option.kind.take(tomllib.loads(f"x = {toml_text(option.kind.give(read))}")["x"]) == value


@pytest.mark.parametrize(
    ("key", "typed"),
    [
        *(
            ("desired_retention", typed)
            for typed in ("0.69", "1", "nan", "inf", "0,9", "", "٠٫٩", "9e-1", "90")
        ),
        *(("desired_retention", typed) for typed in ("-0.9", "٠.٩", "0.9" + "0" * 500)),
        *(("learning_steps", typed) for typed in ("10", "1d", "24h", "0s", "1m -", "m", "1.5m", "1m " * 11)),
        *(
            ("maximum_interval", typed)
            for typed in ("0", "-1", "36501", "10000000", "1e3", "9" * 5000, "1_0")
        ),
        *(("new_per_day", typed) for typed in ("-1", "10000", "twenty", "2.0", "")),
        *(("learn_ahead", typed) for typed in ("24h", "20", "20 min", "m20", "-20m", "1h 5m")),
        *(("leech_at", typed) for typed in ("0", "8.0", "８")),
        *(("day_starts_at", typed) for typed in ("24", "04:30", "-1", "4 am")),
        *(
            ("interview_date", typed)
            for typed in ("2027-02-29", "20270301", "2027-W09-1", "1.3.2027", "soon")
        ),
        *(("confidence", typed) for typed in ("1", "maybe", "")),
        *(("theme", typed) for typed in ("", "two words", "../x", "\x1b[2J", "x" * 100)),
        *(("formulas", typed) for typed in ("braille", "Unicode", "")),
        *(("backups", typed) for typed in ("-1", "366")),
    ],
    ids=short,
)
def test_anything_else_is_refused_with_what_is_allowed(key: str, typed: str) -> None:
    """The message is one line with the option and its range."""
    with pytest.raises(OptionError) as caught:
        OPTIONS[key].read(typed)
    assert str(caught.value).startswith(f"{key} cannot be “")
    assert str(caught.value).endswith(f"”; allowed: {OPTIONS[key].kind.allowed}")
    assert len(str(caught.value)) < 160


def test_every_setting_is_an_option_with_the_same_default() -> None:
    """A field of Settings cannot be forgotten, and the defaults of screen and program are known there."""
    for field in fields(Settings):
        assert OPTIONS[field.name].default == getattr(Settings(), field.name)
    assert set(OPTIONS) == {field.name for field in fields(Settings)} | {"theme", "formulas", "backups"}
    assert OPTIONS["theme"].default == THEME.name
    assert all(Config().value(key) == option.default for key, option in OPTIONS.items())


@pytest.mark.parametrize("key", WHOLE)
def test_an_option_allows_what_settings_allow(key: str) -> None:
    """At both ends of the range and one beyond: what can be set makes Settings, and nothing else does."""
    lowest, highest, _ = WHOLE[key]
    for value in (lowest, highest):
        assert OPTIONS[key].text(value)
        Settings(**{key: value})  # type: ignore[arg-type]
    for value in (lowest - 1, highest + 1):
        with pytest.raises(SettingError):
            Settings(**{key: value})  # type: ignore[arg-type]
        with pytest.raises(OptionError):
            OPTIONS[key].read(f"{value}s" if key == "learn_ahead" else str(value))


# -- reading a file --------------------------------------------------------------------------------------
def test_without_a_file_there_are_the_defaults(path: Path) -> None:
    """And nothing is told; an empty file and one with comments are the same."""
    assert read_config(path, "default") == Config(path=path)
    for text in ("", "# nothing yet\n", "\ufeff"):
        assert read_config(put(path, text), "default") == Config(path=path)


EVERYTHING = """
desired_retention = 0.85
learning_steps = "30s 5m"
relearning_steps = ["10m", "1h"]
maximum_interval = 365
new_per_day = 5
reviews_per_day = 100
learn_ahead = "1h"
leech_at = 4
day_starts_at = 0
interview_date = 2027-03-01
confidence = true
theme = "nord"
formulas = "ascii"
backups = 30
"""


def test_every_option_can_stand_in_the_file(path: Path) -> None:
    """In the forms that TOML has for it; windows' line ends and a byte-order mark do no harm."""
    wanted = Settings(
        0.85, (30, 300), (600, 3600), 365, 5, 100, 3600, 4, 0, date(2027, 3, 1), confidence=True
    )
    for text in (EVERYTHING, EVERYTHING.replace("\n", "\r\n"), "\ufeff" + EVERYTHING):
        config = read_config(put(path, text), "default")
        assert config.troubles == ()
        assert config.settings == wanted
        assert (config.theme, config.formulas, config.backups) == ("nord", "ascii", 30)
        assert {config.source(key) for key in OPTIONS} == {Source.FILE}


def test_a_profile_has_values_of_its_own(path: Path) -> None:
    """They win over those of everyone, which win over the defaults; other profiles are not asked."""
    text = (
        'new_per_day = 5\ntheme = "nord"\n[profile.exam]\nnew_per_day = 50\n[profile.x]\nnew_per_day = -1\n'
    )
    exam = read_config(put(path, text), "exam")
    assert (exam.settings.new_per_day, exam.theme, exam.settings.leech_at) == (50, "nord", 8)
    assert [exam.source(key).value for key in ("new_per_day", "theme", "leech_at")] == [
        "profile",
        "file",
        "default",
    ]
    assert exam.troubles == ()
    assert read_config(path, "default").settings.new_per_day == 5


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "desired_retention = 1.5",
            "desired_retention = 1.5 is not possible; allowed: 0.70 to 0.99; 0.90 is used",
        ),
        ("desired_retention = nan", "desired_retention = nan is not possible"),
        ("desired_retention = inf", "allowed: 0.70 to 0.99"),
        ("desired_retention = true", "desired_retention = true is not possible"),
        ('desired_retention = "0.9"', "allowed: 0.70 to 0.99, written as 0.9; 0.90 is used"),
        (
            "maximum_interval = 0",
            "maximum_interval = 0 is not possible; allowed: 1 to 36500 days; 36500 is used",
        ),
        ("maximum_interval = 10_000_000", "maximum_interval = 10000000 is not possible"),
        ("maximum_interval = 30.0", "allowed: 1 to 36500 days, written as 36500"),
        ("new_per_day = true", "new_per_day = true is not possible"),
        ("new_per_day = 0x" + "f" * 20_000, "new_per_day = a number of thousands of digits is not possible"),
        ('new_per_day = "' + "x" * 500 + '"', "xxx… is not possible"),
        ("learning_steps = [60, 600]", "learning_steps = [60, 600] is not possible"),
        ('learning_steps = ["1m", 600]', 'written as "1m 10m"; 1m 10m is used'),
        ("learn_ahead = 20", 'allowed: less than 24h, such as 20m, written as "20m"; 20m is used'),
        ("day_starts_at = 04:00:00", "allowed: a full hour from 00:00 to 23:00, written as 4"),
        ("interview_date = 2027-03-01T10:00:00", "allowed: a date as YYYY-MM-DD, or none"),
        ("confidence = 1", "allowed: on or off, written as false"),
        ("theme = []", "theme = [] is not possible; allowed: the name of a theme"),
        ('formulas = "braille"', "allowed: unicode, ascii or words"),
        ("backups = {}", "backups = {} is not possible"),
        ("new_per_dya = 3", "there is no option new_per_dya; did you mean new_per_day?"),
        ("new-per-day = 3", "did you mean new_per_day?"),
        ("zebra = 3", "there is no option zebra; “studynorm config show” lists all"),
        ("[scheduling]\nnew_per_day = 3", "[scheduling] is no table of this file; options stand at its top"),
        ("profile = 3", "a profile's options stand below [profile.NAME]"),
        ("[profile]\ndefault = 3", "profile.default is no table"),
        (
            "[profile.Default]\nnew_per_day = 3",
            "[profile.Default] is not read: the profile is called default",
        ),
        ("[profile.default]\nnew_per_day = -3", "[profile.default] new_per_day = -3 is not possible"),
        (
            f"weights = {[0.1] * 17}",
            "FSRS' weights are kept in the profile, and “studynorm optimize” fits them",
        ),
        (f"weights = {[0.1] * 19}", "these 19 are of an older FSRS"),
        (f"parameters = [{', '.join(['nan'] * 21)}]", "parameters is no option: FSRS' weights"),
        ('"\\u001b[2J" = 1', "there is no option \x1b[2J"),
    ],
    ids=short,
)
def test_what_is_not_possible_costs_only_itself(path: Path, line: str, words: str) -> None:
    """It is named with what is allowed; the option has its default, and every other one its value."""
    config = read_config(put(path, f"leech_at = 3\n{line}\n"), "default")
    (trouble,) = config.troubles
    assert words in str(trouble)
    assert "\n" not in str(trouble)
    assert len(str(trouble)) < 200
    assert config.settings == Settings(leech_at=3)
    assert (config.theme, config.formulas, config.backups, config.broken) == (
        "studynorm",
        "unicode",
        7,
        False,
    )


def test_a_value_that_is_not_possible_for_a_profile_leaves_that_of_everyone(path: Path) -> None:
    """And that is the one named as used."""
    config = read_config(put(path, "new_per_day = 30\n[profile.exam]\nnew_per_day = -1\n"), "exam")
    assert config.settings.new_per_day == 30
    assert config.source("new_per_day") is Source.FILE
    assert str(config.troubles[0]).endswith("; 30 is used")


def test_of_many_troubles_ten_are_told(path: Path) -> None:
    """The rest is counted."""
    lines = told(path, "".join(f"x{number} = 1\n" for number in range(1000)))
    assert len(lines) == 11
    assert lines[-1] == "and 990 more"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("leech_at = 3\ntheme = nord\n", 'line 2, column 9: this is no value; text stands in "quotes"'),
        ("leech_at = 3\nleech_at = 4\n", "line 2, column 13: this key stands in the file twice"),
        ("leech_at = 3\n\nleech_at\n", "line 3, column 9: Expected '=' after a key"),
        ("leech_at = 3\n\n\n[profile.exam", "line 4: Expected ']' at the end of a table declaration"),
        ("a = 1\n[profile]\n[profile]\n", "line 3, column 9: Cannot declare ('profile',) twice"),
        (b"# \xc3\xa4\r\nleech_at = 3 # \xe4\n", "line 2: this is not UTF-8; save it as UTF-8"),
        (b"\xff\xfel\x00", "line 1: this is not UTF-8"),
        (b"\x00\x01\x02", "line 1, column 1: Invalid"),
        ("x = " + "9" * 5000, "this is no TOML that can be read"),
        ("x = " + "[" * 20_000, "this is no TOML that can be read"),
        ("#" * 300_000, "this is larger than 256 KiB"),
    ],
    ids=short,
)
def test_a_broken_file_is_told_by_its_line_and_everything_has_its_default(
    path: Path, text: str | bytes, words: str
) -> None:
    """The program starts with all defaults, and knows that it may not write."""
    config = read_config(put(path, text), "default")
    (trouble,) = config.troubles
    assert str(trouble).startswith(words)
    assert str(trouble).endswith("Until it is mended every option has its default.")
    assert "\n" not in str(trouble)
    assert config == Config(path=path, troubles=(trouble,), broken=True)


def test_what_is_no_file_is_told_and_not_waited_for(path: Path) -> None:
    """A folder, a pipe that nobody writes to, a link in a circle."""
    path.mkdir(parents=True)
    assert "this is a folder; move it away" in str(read_config(path, "default").troubles[0])
    path.rmdir()
    os.mkfifo(path)
    assert "this is no regular file; move it away" in str(read_config(path, "default").troubles[0])
    path.unlink()
    path.symlink_to(path)
    assert "this cannot be read (Too many levels of symbolic links); choose another" in str(
        read_config(path, "default").troubles[0]
    )


def test_a_home_that_is_a_file_has_no_options(path: Path) -> None:
    """Whoever opens the profile says what is wrong there."""
    path.parent.parent.mkdir(parents=True, exist_ok=True)
    path.parent.write_text("mine")
    assert read_config(path, "default") == Config(path=path)


# -- the desk --------------------------------------------------------------------------------------------
def test_the_desk_goes_by_the_file(tmp_path: Path) -> None:
    """Its settings, its clock and its scheduler are those of the profile in use."""
    put(
        tmp_path / "config.toml",
        "day_starts_at = 2\n[profile.exam]\nmaximum_interval = 30\nday_starts_at = 6\n",
    )
    with open_desk(Home(tmp_path), "exam") as desk:
        assert desk.settings.maximum_interval == 30
        assert isinstance(desk.clock, SystemClock)
        assert desk.clock.day_starts_at == 6
        assert desk.scheduler.settings == desk.settings
    with open_desk(Home(tmp_path)) as desk:
        assert (desk.name, desk.settings) == ("default", Settings(day_starts_at=2))


@pytest.fixture
def in_utc() -> Iterator[None]:
    """Let the system's zone be UTC."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("in_utc")
def test_a_new_beginning_of_the_day_holds_at_once_and_past_days_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 03:00 it is yesterday's study day; with days from 02:00 it is today's. Reviews keep their day."""

    class Three(datetime):
        """Three in the morning, UTC."""

        @classmethod
        def now(cls, tz: object = None) -> "Three":
            return cls(2026, 3, 2, 3, tzinfo=UTC)

    monkeypatch.setattr(desks, "datetime", Three)
    with open_desk(Home(tmp_path)) as desk:
        clock = desk.clock
        assert date.fromordinal(clock().day) == date(2026, 3, 1)
        session = desk.session()
        session.reveal()
        assert session.answer(Rating.GOOD)
        put(tmp_path / "config.toml", "day_starts_at = 2\n")
        desk.use(read_config(desk.home.config_file, desk.name))
        assert date.fromordinal(clock().day) == date(2026, 3, 2)
        assert desk.store.day_summary(date(2026, 3, 1).toordinal()).answers == 1
        assert desk.store.day_summary(date(2026, 3, 2).toordinal()).answers == 0


def test_a_name_of_upper_and_lower_case_is_one_profile(tmp_path: Path) -> None:
    """Two that differ so would be one file on some systems; the one that exists is named."""
    home = Home(tmp_path)
    with open_desk(home, "Exam") as desk:
        assert desk.store.path == tmp_path / "profiles" / "Exam.sqlite"
    for name in ("exam", "EXAM"):
        with pytest.raises(StoreError, match=r"There is no profile '(exam|EXAM)', but 'Exam'"):
            open_desk(home, name)
    open_desk(home, "Exam").close()
    shutil.copy(tmp_path / "profiles" / "Exam.sqlite", tmp_path / "profiles" / "exam.sqlite")
    if len(list((tmp_path / "profiles").glob("*.sqlite"))) == 2:  # this system tells them apart
        open_desk(home, "exam").close()
        open_desk(home, "Exam").close()


# -- the time zone ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "zone",
    [
        *("", "UTC", "Europe/Berlin", ":Europe/Berlin", "Pacific/Kiritimati", "EST5EDT", "UTC0"),
        *("<+0330>-3:30", "CET-1CEST,M3.5.0,M10.5.0/3", "/usr/share/zoneinfo/Asia/Tokyo"),
    ],
)
def test_a_zone_that_exists_is_no_trouble(zone: str) -> None:
    """Names, names behind a colon, whole paths, and rules as POSIX has them."""
    assert zone_trouble({"TZ": zone}) is None
    assert zone_trouble({}) is None


@pytest.mark.parametrize(
    "zone", ["Nowhere/None", "Europe/Berln", "Berlin", "../../etc/passwd\n", "UTC+25", "x\0y"]
)
def test_a_zone_that_does_not_exist_is_told(zone: str) -> None:
    """One line that names it and says what holds instead."""
    trouble = zone_trouble({"TZ": zone})
    assert trouble is not None
    assert trouble.startswith(f"TZ={zone} names no time zone here, so UTC is used")


def test_an_unknown_zone_is_utc_indeed() -> None:
    """The program's clock under such a zone has the offset of UTC, and its own study day."""
    code = "from studynorm.study.desk import SystemClock as C; print(C(4)().offset)"
    env = {**os.environ, "TZ": "Nowhere/None"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"
