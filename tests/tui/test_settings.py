"""The options on the screen: what is shown, what is typed, what holds at once, and what is never written."""

import tomllib
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from textual.command import CommandPalette
from textual.theme import BUILTIN_THEMES

from studynorm.scheduling.settings import Settings
from studynorm.study.config import Config, Source, read_config
from studynorm.study.desk import Desk
from studynorm.study.options import OPTIONS, with_themes
from studynorm.tui.app import StudyNorm
from studynorm.tui.home_screen import HomeScreen
from studynorm.tui.home_view import amiss_words, name_words
from studynorm.tui.settings_screen import OptionInput, SettingList, SettingsScreen
from studynorm.tui.settings_view import about, field_hint, option_row, troubles_words
from studynorm.tui.theme import ordered, palette_of, theme_names
from tests.tui.conftest import Driver, Running

PALETTE = palette_of({})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file of the options of the program that is run."""
    path = tmp_path / "home" / "config.toml"
    path.parent.mkdir()
    return path


def kept(file: Path) -> dict[str, Any]:
    """Return what is in the file."""
    return tomllib.loads(file.read_text(encoding="utf-8"))


async def to_options(driver: Driver, key: str = "desired_retention") -> None:
    """Open the options from home and go to one of them."""
    await driver.press("o")
    await driver.until(lambda: isinstance(driver.app.screen, SettingsScreen))
    await go_to(driver, key)


async def go_to(driver: Driver, key: str) -> None:
    """Put the cursor on an option."""
    rows = here(driver).query_one(SettingList)
    rows.highlighted = rows.get_option_index(key)
    await driver.pilot.pause()


def here(driver: Driver) -> SettingsScreen:
    """Return the screen of the options."""
    screen = driver.app.screen
    assert isinstance(screen, SettingsScreen)
    return screen


async def typed(driver: Driver, text: str) -> None:
    """Open the field, type a value in place of the old one, and submit it."""
    await driver.press("enter")
    assert isinstance(driver.app.focused, OptionInput)
    await driver.type(text)
    await driver.press("enter")


def opened(desk: Desk, text: str, file: Path, profile: str = "default") -> Desk:
    """Return a desk that goes by a file with this text."""
    file.write_text(text, encoding="utf-8")
    config = read_config(file, profile)
    return replace(desk, config=config, settings=config.settings)


# -- as functions ----------------------------------------------------------------------------------------
def test_a_row_shows_the_value_and_marks_what_is_not_the_default() -> None:
    """With a sign and the default beside it; whose value it is only where profiles differ."""
    option = OPTIONS["new_per_day"]
    usual, changed = Config(), Config(Settings(new_per_day=30), sources={"new_per_day": Source.PROFILE})
    assert option_row(option, usual, 76, PALETTE, alone=True).plain.split() == [
        "New",
        "items",
        "a",
        "day",
        "20",
    ]
    row = option_row(option, changed, 76, PALETTE, alone=False).plain
    assert row.startswith("• New items a day")
    assert row.endswith("30                default 20 · this profile")
    assert option_row(option, changed, 76, PALETTE, alone=True).plain.endswith("30                default 20")


@pytest.mark.parametrize("width", [20, 40, 56, 76, 96])
def test_rows_fit_whatever_is_in_them(width: int) -> None:
    """The longest steps there can be, and a theme with a name of sixty letters."""
    long = Config(Settings(learning_steps=(86_399,) * 10), theme="x" * 60, sources={"theme": Source.FILE})
    for option in OPTIONS.values():
        assert cell_len(option_row(option, long, width, PALETTE, alone=False).plain) <= width


def test_what_is_said_below_fits_three_lines_of_a_small_window() -> None:
    """Key, range and help of every option, also with the themes there are: at most 74 columns each line."""
    for option in with_themes(theme_names()).values():
        lines = about(option, Config(), {}, PALETTE).wrap(_console(), 74)
        assert len(lines) <= 3
        assert cell_len(lines[0].plain) <= 74
        assert option.key in lines[0].plain


def _console() -> Any:
    from rich.console import Console

    return Console(width=74)


def test_retention_is_never_named_without_saying_which() -> None:
    """It is the desired one; what was measured is another thing."""
    option = OPTIONS["desired_retention"]
    said = f"{option.title} {about(option, Config(), {}, PALETTE).plain}".lower().replace("_", " ")
    assert said.count("retention") == said.count("desired retention") == 2


def test_a_variable_that_wins_is_told() -> None:
    """Else one would wonder why a choice has no effect."""
    said = about(OPTIONS["formulas"], Config(), {"STUDYNORM_FORMULAS": "words"}, PALETTE).plain
    assert "STUDYNORM_FORMULAS=words wins over it" in said
    assert "wins" not in about(OPTIONS["formulas"], Config(), {"STUDYNORM_FORMULAS": ""}, PALETTE).plain


@pytest.mark.parametrize(
    ("key", "typed", "said"),
    [
        ("desired_retention", "0.", "! 0.70 to 0.99"),
        ("desired_retention", "85%", "0.70 to 0.99 · read as 0.85"),
        ("new_per_day", "10000", "! 0 to 9999 items"),
        ("new_per_day", "30", "0 to 9999 items"),
        ("learn_ahead", "1200s", "less than 24h, such as 20m · read as 20m"),
    ],
)
def test_the_hint_says_the_range_and_how_it_is_read(key: str, typed: str, said: str) -> None:
    """A sign as well as a colour where it is not possible."""
    assert field_hint(OPTIONS[key], typed, PALETTE).plain == said


def test_themes_are_those_that_textual_has() -> None:
    """Ours first, every other once."""
    assert theme_names()[:2] == ("studynorm", "studynorm-light")
    assert set(theme_names()[2:]) == set(BUILTIN_THEMES)
    assert len(theme_names()) == len(set(theme_names()))
    assert ordered(["nord", "studynorm", "dracula"]) == ("studynorm", "studynorm-light", "dracula", "nord")


def test_what_wants_a_look_at_home_is_one_notice() -> None:
    """One problem is told in full where it is alone; with others they are counted. All well is no notice."""
    bad = "leech_at = 0 is not possible; allowed: 1 to 9999 lapses; 8 is used"
    assert amiss_words([], None, 0, 0) == ""
    assert amiss_words([bad], None, 0, 0) == f"1 problem in config.toml: {bad}."
    assert amiss_words([bad, "x"], None, 0, 0) == f"2 problems in config.toml, the first: {bad}."
    assert amiss_words([bad], "TZ=x names no zone", 2, 0) == (
        "1 problem in config.toml (o shows them). TZ=x names no zone. "
        "2 problems in your decks: run “studynorm check”."
    )


def test_the_profile_is_named_where_it_is_not_the_usual_one() -> None:
    """Beside the name of the program."""
    assert name_words("default", PALETTE).plain == "studynorm"
    assert name_words("exam", PALETTE).plain == "studynorm · exam"


# -- on the screen ---------------------------------------------------------------------------------------
async def test_every_option_is_there_and_can_be_reached(running: Running) -> None:
    """By the arrow key alone, in a small window; what each can be stands below the list."""
    async with running(size=(60, 16)) as driver:
        await to_options(driver)
        for option in OPTIONS.values():
            assert option.title[:20] in driver.text
            assert f"{option.key}: " in driver.text
            await driver.pilot.press("down")
        await driver.press("escape")
        assert isinstance(driver.app.screen, HomeScreen)


async def test_a_typed_value_is_kept_and_holds_at_once(running: Running, file: Path) -> None:
    """The file has it, the list shows it, and at home the counts go by it; `d` brings the default back."""
    file.write_text("# mine\nleech_at = 8  # as ever\n")
    async with running() as driver:
        new = driver.app.desk.settings.new_per_day
        await to_options(driver, "new_per_day")
        assert "d Default" not in driver.text
        await typed(driver, "2")
        assert driver.app.desk.settings.new_per_day == 2 != new
        assert "• New items a day" in driver.text
        assert "default 20" in driver.text
        assert isinstance(driver.app.focused, SettingList)
        assert file.read_text() == "# mine\nleech_at = 8  # as ever\nnew_per_day = 2\n"
        await driver.press("escape")
        await driver.until_shown("╶─╮")  # a large 2
        await to_options(driver, "new_per_day")
        await driver.press("d")
        assert driver.app.desk.settings.new_per_day == new
        assert "d Default" not in driver.text
    assert file.read_text() == "# mine\nleech_at = 8  # as ever\n"


async def test_what_is_not_possible_is_told_while_it_is_typed_and_never_kept(
    running: Running, file: Path
) -> None:
    """The range is named at once; Enter keeps the field open, Esc leaves everything as it was."""
    async with running() as driver:
        await to_options(driver)
        await driver.press("enter")
        assert "! 0.70 to 0.99" not in driver.text
        await driver.type("0.5")
        assert "! 0.70 to 0.99" in driver.text
        await driver.press("enter")
        assert isinstance(driver.app.focused, OptionInput)
        assert "desired_retention cannot be “0.5”; allowed: 0.70 to 0.99" in driver.text
        await driver.press("escape")
        assert isinstance(driver.app.focused, SettingList)
        assert driver.app.desk.settings == Settings()
        assert not file.exists()
        await typed(driver, "0.85")
        assert "cannot be" not in driver.text
    assert kept(file) == {"desired_retention": 0.85}


async def test_choices_turn_by_enter_space_and_the_arrows(running: Running, file: Path) -> None:
    """On and off, and one word after the other, both ways round."""
    async with running() as driver:
        await to_options(driver, "confidence")
        for key, value in (("space", True), ("enter", False), ("right", True), ("left", False)):
            await driver.press(key)
            assert driver.app.desk.settings.confidence is value
            assert kept(file)["confidence"] is value
        await go_to(driver, "formulas")
        for key, word in (("right", "ascii"), ("right", "words"), ("right", "unicode"), ("left", "words")):
            await driver.press(key)
            assert driver.app.desk.config.formulas == word
        await go_to(driver, "backups")
        await driver.press("right")  # nothing to turn to
        assert "backups" not in kept(file)


async def test_the_mouse_changes_an_option(running: Running, file: Path) -> None:
    """A click on a row opens its field or turns its value."""
    async with running(size=(120, 40)) as driver:
        await to_options(driver)
        rows = here(driver).query_one(SettingList)
        at = rows.get_option_index("confidence")
        await driver.click(rows, (10, at))
        assert kept(file) == {"confidence": True}
        await driver.click(rows, (10, rows.get_option_index("backups")))
        assert isinstance(driver.app.focused, OptionInput)
        assert driver.app.focused.value == "7"


async def test_another_profile_has_options_of_its_own(desk_of: Callable[..., Desk], file: Path) -> None:
    """What is changed there goes to its table; back to the default means first what holds for everyone."""
    desk = desk_of()
    file.write_text("new_per_day = 30\n")
    config = read_config(file, "exam")
    exam = Desk(
        desk.home, desk.home.profile_file("exam"), desk.catalogue, config.settings, desk.clock, config=config
    )
    app = StudyNorm(lambda: exam, engine=False)
    async with app.run_test(size=(80, 24)) as pilot:
        driver = Driver(app, pilot, exam, None, desk.clock)  # type: ignore[arg-type]
        await driver.until_shown("studynorm · exam")
        await to_options(driver, "new_per_day")
        assert "default 20 · all profiles" in driver.text
        await typed(driver, "50")
        assert "default 20 · this profile" in driver.text
        assert kept(file) == {"new_per_day": 30, "profile": {"exam": {"new_per_day": 50}}}
        await driver.press("d")
        assert exam.settings.new_per_day == 30
        await driver.press("d")
        assert exam.settings.new_per_day == 20
        assert kept(file) == {"new_per_day": 30, "profile": {"exam": {"new_per_day": 20}}}
    exam.close()


# -- themes ----------------------------------------------------------------------------------------------
async def test_a_theme_is_tried_by_the_arrows_and_remembered(running: Running, file: Path) -> None:
    """It holds at once, for the colours of texts too, and the next start has it."""
    async with running() as driver:
        await to_options(driver, "theme")
        await driver.press("right")
        assert driver.app.theme == "studynorm-light"
        assert not driver.app.palette.dark
        assert kept(file) == {"theme": "studynorm-light"}
        await driver.press("left", "left")
        assert driver.app.theme == theme_names()[-1]
        await driver.press("d")
        assert driver.app.theme == "studynorm"
        assert kept(file) == {}


async def test_a_theme_chosen_in_the_search_is_remembered(running: Running, file: Path) -> None:
    """From anywhere, and from the options, where Enter opens the list of all themes."""
    async with running() as driver:
        driver.app.action_change_theme()
        await choose_theme(driver, "nord")
        assert kept(file) == {"theme": "nord"}
        await to_options(driver, "theme")
        await driver.press("enter")
        await choose_theme(driver, "dracula")
        assert kept(file) == {"theme": "dracula"}
        await driver.until_shown("dracula")
        assert driver.app.desk.config.theme == "dracula"


async def choose_theme(driver: Driver, name: str) -> None:
    """Type the name of a theme in the list of all and take it."""
    await driver.until(lambda: isinstance(driver.app.screen, CommandPalette))
    await driver.type(name)
    await driver.pilot.pause(0.3)
    await driver.press("enter")
    await driver.until(lambda: driver.app.theme == name)
    await driver.pilot.pause(0.05)


async def test_the_program_starts_in_the_theme_of_the_file(desk_of: Callable[..., Desk], file: Path) -> None:
    """Before the desk is open when it is told, else with the desk; nothing is written for that."""
    desk = opened(desk_of(), 'theme = "nord"\n', file)
    assert StudyNorm(lambda: desk, engine=False, theme="nord").theme == "nord"
    app = StudyNorm(lambda: desk, engine=False)
    async with app.run_test() as pilot:
        await Driver(app, pilot, desk, None, desk.clock).until(lambda: app.is_open)  # type: ignore[arg-type]
        await pilot.pause()
        assert app.theme == "nord"
    assert file.read_text() == 'theme = "nord"\n'


async def test_a_theme_that_does_not_exist_is_told_at_home(desk_of: Callable[..., Desk], file: Path) -> None:
    """The usual one is used, and the file stays."""
    desk = opened(desk_of(), 'theme = "nrod"\n', file)
    app = StudyNorm(lambda: desk, engine=False, theme="nrod")
    async with app.run_test(size=(80, 24)) as pilot:
        driver = Driver(app, pilot, desk, None, desk.clock)  # type: ignore[arg-type]
        await driver.until_shown('1 problem in config.toml: there is no theme "nrod"; studynorm is used.')
        assert app.theme == "studynorm"
    assert file.read_text() == 'theme = "nrod"\n'


# -- a file that is not as it should be --------------------------------------------------------------------
async def test_a_broken_file_is_told_and_never_written(desk_of: Callable[..., Desk], file: Path) -> None:
    """At home and in the options; no key writes, and a theme from the search holds without being kept."""
    broken = "# mine\ntheme = nord\n"
    desk = opened(desk_of(), broken, file)
    app = StudyNorm(lambda: desk, engine=False)
    async with app.run_test(size=(80, 24)) as pilot:
        driver = Driver(app, pilot, desk, None, desk.clock)  # type: ignore[arg-type]
        await driver.until_shown("1 problem in config.toml: line 2, column 9: this is no value")
        await to_options(driver)
        assert "line 2, column 9" in driver.text
        await driver.press("enter")
        assert isinstance(app.focused, SettingList)
        assert "Nothing can be changed here yet. line 2, column 9" in driver.text
        await go_to(driver, "confidence")
        await driver.press("space", "right", "d")
        await driver.press("escape")
        app.theme = "dracula"
        await driver.until_shown("The theme is not remembered")
        assert file.read_text() == broken
        assert app.desk.settings == Settings()


async def test_a_value_that_is_not_possible_is_marked_and_mended_here(
    desk_of: Callable[..., Desk], file: Path
) -> None:
    """The row has a sign, below stands what is wrong; a new value or the default mends it."""
    text = "leech_at = 0\nnew_per_day = -1\nzebra = 1\n"
    desk = opened(desk_of(), text, file)
    assert troubles_words(desk.config).startswith("What is marked ! has a value in config.toml")
    app = StudyNorm(lambda: desk, engine=False)
    async with app.run_test(size=(80, 24)) as pilot:
        driver = Driver(app, pilot, desk, None, desk.clock)  # type: ignore[arg-type]
        await driver.until_shown("3 problems in config.toml, the first: leech_at = 0")
        await to_options(driver, "leech_at")
        assert "! Leech at" in driver.text
        assert "leech_at = 0 is not possible; allowed: 1 to 9999 lapses; 8 is used" in " ".join(
            driver.text.split()
        )
        await typed(driver, "5")
        await go_to(driver, "new_per_day")
        await driver.press("d")
        assert "! Leech at" not in driver.text
        assert "there is no option zebra" in driver.text
        assert kept(file) == {"leech_at": 5, "zebra": 1}


async def test_a_file_that_cannot_be_written_is_told(running: Running, file: Path) -> None:
    """The value stays as it was, and so does the field with what was typed."""
    async with running() as driver:
        await to_options(driver, "leech_at")
        file.mkdir()
        await typed(driver, "4")
        assert "this is a folder; move it away" in " ".join(driver.text.split())
        assert isinstance(driver.app.focused, OptionInput)
        assert driver.app.desk.settings.leech_at == 8


async def test_reading_the_decks_again_reads_the_options_too(running: Running, file: Path) -> None:
    """What was changed by hand holds after `r`; a problem in it is told."""
    async with running() as driver:
        file.write_text('interview_date = 2027-03-01\ntheme = "nord"\nleech_at = 0\n')
        await driver.press("r")
        await driver.until_shown("1 problem in config.toml: leech_at = 0 is not possible")
        assert driver.app.desk.settings.interview_date == date(2027, 3, 1)
        assert driver.app.theme == "nord"


async def test_an_unknown_zone_is_told_at_home(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a line of words."""
    monkeypatch.setenv("TZ", "Nowhere/None")
    async with running() as driver:
        await driver.until_shown("TZ=Nowhere/None names no time zone here, so UTC is used")


async def test_the_options_are_found_in_the_search(running: Running) -> None:
    """Also by the word settings."""
    async with running() as driver:
        await driver.press("ctrl+p")
        await driver.until(lambda: isinstance(driver.app.screen, CommandPalette))
        await driver.pilot.pause(0.2)
        await driver.type("settings")
        await driver.pilot.pause(0.4)
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, SettingsScreen))
