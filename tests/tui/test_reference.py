"""Glossary, references, plan and diagrams on the screen: found, read and followed with a few keys."""

import re
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from studynorm.content import referencefile
from studynorm.content.reference import Diagram
from studynorm.content.referencefile import shipped_reference
from studynorm.locate import content_root
from studynorm.study.catalogue import open_catalogue
from studynorm.tui.demo_screen import DemoScreen
from studynorm.tui.drill_screen import DrillScreen
from studynorm.tui.help_screen import HelpScreen
from studynorm.tui.peek_screen import PeekScreen
from studynorm.tui.reference_screen import ReferenceScreen
from studynorm.tui.reference_view import drawing
from studynorm.tui.theme import palette_of
from tests.tui.conftest import Driver, Running

NARROW, WIDE = (80, 24), (120, 40)


async def opened(driver: Driver, term: str | None = None) -> ReferenceScreen:
    screen = ReferenceScreen(term)
    await driver.app.push_screen(screen)
    await driver.pilot.pause()
    return screen


async def test_narrow_shows_the_list_then_the_entry(running: Running) -> None:
    """Enter opens the marked term over the whole width, Esc goes back to it in the list, Esc leaves."""
    async with running(size=NARROW) as driver:
        screen = await opened(driver)
        assert "adaLN-Zero " in driver.text
        assert "also:" not in driver.text
        await driver.press("j", "enter")
        await driver.until_shown("also: adaptive LayerNorm, adaLN")
        assert "batch coupling" not in driver.text
        await driver.press("n")
        await driver.until_shown("Only one component is removed")
        await driver.press("escape", "k", "enter")
        await driver.until_shown("also: adaptive LayerNorm, adaLN")
        await driver.press("q", "q")
        assert driver.app.screen is not screen


async def test_wide_shows_list_and_entry_side_by_side(running: Running) -> None:
    """Moving in the list shows each term at once, with its formula drawn."""
    async with running(size=WIDE) as driver:
        await opened(driver, "RMSNorm")
        assert "residual stream" in driver.text
        assert "also: root mean square normalization" in driver.text
        assert re.search(r"y = γ ⊙ ─", driver.text)
        await driver.press("j")
        await driver.until_shown("also: RMS")
        assert "RMSNorm" in driver.text


async def test_typing_filters_at_once_and_counts_the_hits_of_every_part(running: Running) -> None:
    """Slash, words; Enter opens the best one, Esc in the field shows everything again."""
    async with running(size=NARROW) as driver:
        await opened(driver)
        await driver.press("slash")
        await driver.type("veit")
        await driver.until_shown("1 Terms  0")
        assert "Nothing" not in driver.text
        assert "2 References  1" in driver.text
        await driver.press("tab")
        await driver.until_shown("Residual Networks Behave Like")
        await driver.press("enter")
        await driver.until_shown("Andreas Veit, Michael Wilber, Serge Belongie · 2016")
        await driver.press("escape", "escape")
        await driver.until_shown("2 References  29")
        await driver.press("slash")
        await driver.type("wu")
        await driver.press("escape")
        await driver.until_shown("2 References  29")
        assert "/ wu" not in driver.text


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_digits_and_tab_turn_to_the_parts(running: Running, size: tuple[int, int]) -> None:
    """Four parts, in a circle; letters typed in the field stay text."""
    async with running(size=size) as driver:
        await opened(driver)
        for key, shown in (("2", "Highway Networks"), ("3", "1. Understanding"), ("4", "adaLN-Zero block")):
            await driver.press(key)
            await driver.until_shown(shown)
        await driver.press("tab")
        await driver.until_shown("batch coupling")
        await driver.press("shift+tab")
        await driver.until_shown("adaLN-Zero block")
        await driver.press("1", "slash")
        await driver.type("n2q")
        await driver.until_shown("/ n2q")


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_every_diagram_is_drawn_whole(running: Running, size: tuple[int, int]) -> None:
    """Each line of each drawing stands on the screen as it is in the file."""
    async with running(size=size) as driver:
        await opened(driver)
        await driver.press("4", *(["enter"] if size is NARROW else []))
        for number, diagram in enumerate(shipped_reference().diagrams):
            if number:
                await driver.press("n" if size is NARROW else "j")
            await driver.until_shown(diagram.drawing.split("\n")[1])
            shown = driver.text
            for line in diagram.drawing.split("\n"):
                assert line in shown


@pytest.mark.parametrize("diagram", shipped_reference().diagrams, ids=lambda diagram: diagram.id)
def test_the_skip_stands_out_from_the_branch(diagram: Diagram) -> None:
    """Heavy lines have the accent colour, light ones are quiet, names of layers are neither."""
    palette = palette_of({})
    text = drawing(diagram, palette)
    console = Console()

    def colour(place: int) -> str:
        found = text.get_style_at_offset(console, place).color
        assert found is not None
        return found.name

    colours = {"━": palette.accent, "┯": palette.accent, "│": palette.quiet, "─": palette.quiet}
    for place, char in enumerate(text.plain):
        assert colour(place) == colours.get(char, colour(place))
    for name in re.finditer(r"attention|feed-forward|conv|LN|BN|ReLU", text.plain):
        assert {colour(place) for place in range(*name.span())} == {palette.ink}


async def test_a_link_to_a_card_opens_it_over_the_entry(running: Running) -> None:
    """The card can be closed, and the entry is as before; links to cards that do not exist are left out."""
    async with running(size=NARROW) as driver:
        driver.app.desk.catalogue = open_catalogue(None)
        await opened(driver, "DyT")
        await driver.until_shown("See also")
        await driver.press("enter", "enter")
        assert isinstance(driver.app.screen, PeekScreen)
        await driver.press("escape")
        assert isinstance(driver.app.screen, ReferenceScreen)
        assert "also: dynamic tanh" in driver.text
    async with running(size=NARROW) as driver:
        await opened(driver, "DyT")
        assert "card " not in driver.text
        assert "Transformers without Normalization" in driver.text


async def test_links_within_the_reference_are_followed_and_come_back(running: Running) -> None:
    """From a term to its diagram, on to a term, and back by Esc one by one, with the filter restored."""
    async with running(size=NARROW) as driver:
        await opened(driver)
        await driver.press("slash")
        await driver.type("pre-ln")
        await driver.press("enter")
        await driver.until_shown("Normalizes what the branch reads")
        await driver.press("o", "enter")
        await driver.until_shown("Pre-norm transformer block")
        await driver.press("o", "enter")
        await driver.until_shown("Normalizes what the branch reads")
        await driver.press("escape")
        await driver.until_shown("▶│ LN │──▶│ attention │")
        await driver.press("escape")
        await driver.until_shown("Normalizes what the branch reads")
        assert "/ pre-ln" in driver.text
        await driver.press("escape")
        await driver.until_shown("final norm")


async def test_links_lead_to_problems_and_demos(running: Running) -> None:
    """A family begins a drill, a demo opens."""
    async with running("batchnorm.eps", size=WIDE) as driver:
        await opened(driver, "epsilon")
        await driver.until_shown("problems  ")
        await driver.press("o", "enter")
        await driver.until(lambda: isinstance(driver.app.screen, DrillScreen))
    async with running(size=WIDE) as driver:
        await opened(driver, "pre-LN")
        await driver.press("o")
        links = driver.app.screen.query_one("#reference-links")
        while "demo" not in str(links.get_option_at_index(links.highlighted).prompt):  # type: ignore[attr-defined]
            await driver.press("j")
        await driver.press("enter")
        assert isinstance(driver.app.screen, DemoScreen)


async def test_a_term_that_does_not_exist_is_told(running: Running) -> None:
    """The list is there all the same."""
    async with running(size=NARROW) as driver:
        await opened(driver, "foldng")
        assert "There is no term “foldng”." in driver.text
        assert "adaLN-Zero" in driver.text


async def test_a_broken_file_is_told_and_the_other_parts_work(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line with a sign; the part itself says that there is nothing."""
    (tmp_path / "cards").mkdir()
    folder = tmp_path / "cards" / "reference"
    shutil.copytree(content_root() / "cards" / "reference", folder)
    (folder / "plan.toml").unlink()
    monkeypatch.setattr(referencefile, "content_root", lambda: tmp_path)
    async with running(size=WIDE) as driver:
        await opened(driver)
        assert "! " in driver.text
        assert "plan.toml" in "".join(driver.text.split())
        assert "adaLN-Zero" in driver.text
        await driver.press("3")
        await driver.until_shown("There is nothing here.")
        await driver.press("j", "enter", "o", "n", "4")
        await driver.until_shown("Pre-norm transformer block")


async def test_help_names_the_keys(running: Running) -> None:
    """F1 and the question mark, with what works now."""
    async with running(size=WIDE) as driver:
        await opened(driver)
        await driver.press("f1")
        assert isinstance(driver.app.screen, HelpScreen)
        for words in ("Find", "Reading plan", "Diagrams", "To the end"):
            assert words in driver.text


async def test_a_click_turns_to_a_part_and_opens_an_entry(running: Running) -> None:
    """On the word of the part, on a row."""
    async with running(size=NARROW) as driver:
        await opened(driver)
        line = driver.text.split("\n")[1]
        await driver.click("#reference-tabs", offset=(line.index("4 Diagrams") - 2, 0))
        await driver.until_shown("Residual block with projection")
        await driver.click("#reference-list", offset=(4, 3))
        await driver.until_shown("conv 1×1 /2")


@pytest.mark.parametrize("size", [(60, 20), (40, 15), (30, 10), (100, 20), (200, 60)])
async def test_every_size_can_be_used(running: Running, size: tuple[int, int]) -> None:
    """Every part and its first entry open without a fault, and what the window lacks can be scrolled to."""
    async with running(size=size) as driver:
        await opened(driver)
        for key in "1234":
            await driver.press(key, "enter", "G", "g", "escape", "escape" if size[0] >= 100 else "j")
            if not isinstance(driver.app.screen, ReferenceScreen):
                await opened(driver)
        await driver.press("4")
        await driver.until_shown("Post-norm transfor")


async def test_a_narrow_window_names_every_part_by_its_key_and_says_what_does_not_fit(
    running: Running,
) -> None:
    """The part shown has its name; a drawing that is cut says how much it needs."""
    async with running(size=(40, 20)) as driver:
        await opened(driver)
        assert re.search(r"1 Terms +2 +3 +4 ", driver.text)
        await driver.press("4", "enter")
        await driver.until_shown("It needs 54 columns")
        assert re.search(r"1 +2 +3 +4 Diagrams", driver.text)


async def test_growing_and_shrinking_the_window_keeps_the_entry(running: Running) -> None:
    """An open entry stands beside the list when there is room, and keys still work."""
    async with running(size=NARROW) as driver:
        await opened(driver, "dropout")
        assert "degradation problem" not in driver.text
        await driver.pilot.resize_terminal(*WIDE)
        await driver.until_shown("degradation problem")
        assert "In training mode sets entries to 0" in driver.text
        await driver.press("j")
        await driver.until_shown("also: dynamic tanh")
        await driver.pilot.resize_terminal(*NARROW)
        await driver.press("enter")
        await driver.until_shown("also: dynamic tanh")
