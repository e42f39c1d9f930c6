"""Search in the command palette: what it finds, what it shows, and where it leads."""

from pathlib import Path

import pytest
from textual.command import CommandList, CommandPalette
from textual.content import Content

from studynorm.content.library import load_library
from studynorm.study.catalogue import build_catalogue
from studynorm.study.search import Found, entry
from studynorm.tui.app import StudyNorm
from studynorm.tui.attempts_screen import AttemptsScreen
from studynorm.tui.browse_screen import BrowseScreen
from studynorm.tui.demo_list_screen import DemoListScreen
from studynorm.tui.demo_screen import DemoScreen
from studynorm.tui.interview_list_screen import InterviewListScreen
from studynorm.tui.palette import hit_text, places
from studynorm.tui.peek_screen import PeekScreen
from studynorm.tui.practice_screen import PracticeScreen
from studynorm.tui.reference_screen import ReferenceScreen
from studynorm.tui.review_screen import ReviewScreen
from studynorm.tui.theme import palette_of
from studynorm.tui.topic_screen import TopicScreen
from tests.conftest import SAMPLE
from tests.tui.conftest import Driver, Running

PALETTE = palette_of({})
SIZES = [(80, 24), (120, 40)]


async def search(driver: Driver, words: str) -> list[str]:
    """Open the palette, type words, and return what is offered, each as its lines."""
    await driver.press("ctrl+p")
    await driver.until(lambda: isinstance(driver.app.screen, CommandPalette))
    await driver.until(lambda: bool(shown(driver)) or not driver.app.is_open)
    await driver.type(words)
    await driver.pilot.pause(0.3)
    return shown(driver)


def shown(driver: Driver) -> list[str]:
    """Return what the palette offers."""
    return [str(option.prompt) for option in driver.app.screen.query_one(CommandList).options]


# -- what is shown ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", [Found.CARD, Found.TOPIC, Found.FAMILY])
def test_nothing_in_a_title_is_read_as_markup(kind: Found) -> None:
    """Brackets stand as they are written, and orders to the terminal are visible, of any kind of thing."""
    title = "Which axis does [red]x[/red] mark, [@click=app.quit]now[/]?\x1b[2J"
    one = entry(kind, "d/x", title)
    content = Content.from_rich_text(hit_text(one, "axis", PALETTE))
    assert content.plain.startswith("Which axis does [red]x[/red] mark, [@click=app.quit]now[/]?␛[2J")
    assert content.plain.endswith(f"\n{kind.value} · d/x")
    assert not any("red" in str(span.style) or "@click" in str(span.style) for span in content.spans)


@pytest.mark.parametrize(
    ("title", "typed", "words"),
    [
        ("The batch mean", "mean", ["mean"]),
        ("The batch mean", "MEAN bat", ["mean", "bat"]),
        ("What is γ for?", "gamma", ["γ"]),
        ("What is γ for?", "γ", ["γ"]),
        ("A Čebyšëv bound", "cebys", ["Čebyš"]),
        ("İ and mean", "mean", ["mean"]),
        ("Nothing here", "absent", []),
        ("Nothing here", "  ", []),
    ],
)
def test_the_words_typed_are_marked_where_they_stand(title: str, typed: str, words: list[str]) -> None:
    """Case, accents and the names of Greek letters are seen through; places are those of the title."""
    assert sorted(title[start:end] for start, end in places(title, typed)) == sorted(words)


def test_a_long_question_is_cut() -> None:
    """Two lines of a narrow window are enough to know a card by."""
    text = hit_text(entry(Found.CARD, "d/x", "word " * 90), "word", PALETTE)
    title, about = text.plain.split("\n")
    assert len(title) <= 121
    assert title.endswith("…")
    assert about == "card · d/x"


# -- what is found ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("size", SIZES)
async def test_a_card_is_found_by_its_words_and_opened(running: Running, size: tuple[int, int]) -> None:
    """The brackets of its question are shown; Enter opens it with its answer."""
    async with running(size=size) as driver:
        found = await search(driver, "axis mark")
        assert found[0] == "Which axis does [red] mark?\ncard · second/red"
        assert "Which axis does [red] mark?" in driver.text
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, PeekScreen))
        await driver.until_shown("[red] marks the batch axis; [b] is the bias.")


@pytest.mark.parametrize(
    ("words", "first", "screen", "there"),
    [
        ("second deck", "Second deck\ntopic · second", TopicScreen, "Another note."),
        ("normalized entry", "One normalized entry of a batch\nfamily", PeekScreen, "family:batchnorm.entry"),
        ("batchnorm.entry", "One normalized entry of a batch\nfamily", PeekScreen, "family:batchnorm.entry"),
        ("pre_post_ln", "Pre-LN and post-LN at initialization\ndemo", DemoScreen, "Pre-LN and post-LN"),
        ("residual block", "residual block\nterm · residual-block", ReferenceScreen, "residual block"),
        ("card:first/one", "What is one?\ncard · first/one", PeekScreen, "It is the first."),
    ],
)
async def test_everything_is_found_by_title_or_id_and_leads_there(
    running: Running, words: str, first: str, screen: type, there: str
) -> None:
    """Topics, families, demos, terms and cards: the best hit is the thing itself, and Enter goes to it."""
    async with running("batchnorm.entry") as driver:
        found = await search(driver, words)
        assert found[0].casefold().startswith(first.casefold())
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, screen))
        await driver.until_shown(there)


@pytest.mark.parametrize(
    ("words", "screen"),
    [
        ("review", ReviewScreen),
        ("practice", PracticeScreen),
        ("browse", BrowseScreen),
        ("demos", DemoListScreen),
        ("interview", InterviewListScreen),
        ("glossary", ReferenceScreen),
        ("past answers", AttemptsScreen),
    ],
)
async def test_every_screen_is_found_by_its_name(running: Running, words: str, screen: type) -> None:
    """The screen stands before whatever else has the word in it."""
    async with running("batchnorm.entry") as driver:
        await search(driver, words)
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, screen))


async def test_decks_can_be_read_again_from_the_palette(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command calls the program's own reload, once."""
    calls: list[str] = []
    monkeypatch.setattr(StudyNorm, "reload_decks", lambda app: calls.append("reload"))
    async with running() as driver:
        await search(driver, "reload decks")
        await driver.press("enter")
        await driver.until(lambda: calls == ["reload"])


async def test_the_screens_are_offered_before_anything_is_typed(running: Running) -> None:
    """First come the program's own screens, then Textual's commands."""
    async with running() as driver:
        offered = [lines.partition("\n")[0] for lines in await search(driver, "")]
        assert offered[:13] == [
            "Review",
            "Practice",
            "Browse",
            "Demos",
            "Interview",
            "Progress",
            "Glossary",
            "Past answers",
            "Readiness",
            "Catch up",
            "Options",
            "Optimise",
            "Reload decks",
        ]
        assert "Theme" in offered[12:]


@pytest.mark.parametrize("command", ["Theme", "Quit", "Keys"])
async def test_textuals_commands_are_not_crowded_out(running: Running, tmp_path: Path, command: str) -> None:
    """The command that is typed out comes first, though forty cards mention the word."""
    cards = "".join(
        f"## c{number}\nQ: Is card {number} about a {command.lower()}?\nA: Yes.\n\n" for number in range(40)
    )
    (tmp_path / "many.md").write_text(f'+++\nid = "many"\ntitle = "Many"\n+++\n\n{cards}', "utf-8")
    async with running() as driver:
        driver.app.desk.catalogue = build_catalogue(load_library(SAMPLE, tmp_path), [])
        found = await search(driver, command.lower())
        assert found[0].partition("\n")[0] == command
        assert sum("card · many/" in lines for lines in found) == 20


async def test_what_is_not_there_is_not_found(running: Running) -> None:
    """A word that stands nowhere offers nothing to open; Esc goes back."""
    async with running() as driver:
        found = await search(driver, "xqzjw")
        assert not any(" · " in lines for lines in found)
        await driver.press("escape")
        await driver.until_shown("Press Enter to begin.")


async def test_a_deck_read_again_is_searched_at_the_next_opening(running: Running, tmp_path: Path) -> None:
    """What is searched is prepared anew each time the palette opens."""
    async with running() as driver:
        assert not any("zebra" in lines for lines in await search(driver, "zebra"))
        await driver.press("escape")
        (tmp_path / "own.md").write_text(
            '+++\nid = "own"\ntitle = "Zebra deck"\n+++\nA note.\n\n## a\nQ: A?\nA: B.\n'
        )
        driver.app.desk.catalogue = build_catalogue(load_library(SAMPLE, tmp_path), [])
        assert (await search(driver, "zebra"))[0] == "Zebra deck\ntopic · own"


async def test_before_the_desk_is_open_nothing_is_found_and_nothing_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The palette opens with Textual's commands alone; typing and closing work."""
    monkeypatch.setattr(StudyNorm, "_open", lambda app: None)

    def never() -> None:
        raise AssertionError

    app = StudyNorm(never, engine=False)  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+p")
        await pilot.pause(0.2)
        offered = [str(option.prompt) for option in app.screen.query_one(CommandList).options]
        assert any(lines.startswith("Theme") for lines in offered)
        assert not any(lines.startswith("Review") for lines in offered)
        await pilot.press(*"batch")
        await pilot.pause(0.2)
        assert not any(" · " in str(option.prompt) for option in app.screen.query_one(CommandList).options)
        await pilot.press("escape")
        await pilot.pause(0.1)
        assert not isinstance(app.screen, CommandPalette)


async def test_the_palette_opens_over_a_box_and_leads_on(running: Running) -> None:
    """From an opened item one can search for the next; Esc comes back through both."""
    async with running() as driver:
        driver.app.show_item("card:first/one")
        await driver.until_shown("It is the first.")
        await search(driver, "first two")
        await driver.press("enter")
        await driver.until_shown("card:first/two")
        await driver.press("escape")
        await driver.until_shown("card:first/one")


async def test_what_cannot_be_shown_over_a_box_is_told_all_the_same(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A box has no notice line, so the program's own notice says it, its words taken as they are."""
    told: list[tuple[str, bool]] = []
    async with running() as driver:
        monkeypatch.setattr(
            driver.app, "notify", lambda message, *, severity, markup: told.append((message, markup))
        )
        driver.app.show_item("card:first/one")
        await driver.until_shown("It is the first.")
        driver.app.show_item("card:first/[gone]")
        assert told == [("There is nothing by the name card:first/[gone].", False)]


async def test_a_hit_of_several_lines_keeps_its_formula_whole(running: Running, tmp_path: Path) -> None:
    """The root goes to the next line as one; on the screen no line is broken once more."""
    question = (
        r"Which statistics does BatchNorm take in evaluation mode to fill in $\sqrt{\sigma^2+\varepsilon}$?"
    )
    (tmp_path / "own.md").write_text(
        f'+++\nid = "own"\ntitle = "Own"\n+++\nA note.\n\n## a\nQ: {question}\nA: B.\n', "utf-8"
    )
    async with running() as driver:
        driver.app.desk.catalogue = build_catalogue(load_library(SAMPLE, tmp_path), [])
        found = await search(driver, "evaluation statistics")
        whole = [
            "Which statistics does BatchNorm take in evaluation mode to fill in",
            "√(σ² + ε)?",
            "card · own/a",
        ]
        assert [line.rstrip() for line in found[0].split("\n")] == whole
        shown_lines = [line.strip() for line in driver.text.splitlines()]
        first = shown_lines.index(whole[0])
        assert shown_lines[first : first + 3] == whole
