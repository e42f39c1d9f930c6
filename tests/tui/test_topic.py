"""The topic screen and the items that are opened from it."""

from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Static

from studynorm.content.library import load_library
from studynorm.scheduling.memory import Memory, State
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.studyday import Moment
from studynorm.storage.errors import NotADatabase
from studynorm.study.catalogue import build_catalogue
from studynorm.study.changes import Changes
from studynorm.study.desk import Desk
from studynorm.study.drill import DrillSession
from studynorm.study.item_sheet import Link
from studynorm.study.items import ItemRow, Kind
from studynorm.study.overview import Strength, TopicState
from studynorm.study.situation import CardPrompt, Counts
from studynorm.study.topic import TopicSheet
from studynorm.tui.app import StudyNorm
from studynorm.tui.browse_screen import BrowseScreen
from studynorm.tui.demo_screen import DemoScreen
from studynorm.tui.home_view import SIGNS
from studynorm.tui.peek_screen import PeekScreen
from studynorm.tui.peek_view import foot_words, known_links
from studynorm.tui.theme import palette_of
from studynorm.tui.topic_screen import TopicScreen
from studynorm.tui.topic_view import (
    columns_for,
    due_words,
    left_words,
    strength_line,
    tabs_line,
    title_line,
    today_line,
)
from tests.conftest import SAMPLE
from tests.tui.conftest import Driver, Running

PALETTE = palette_of({})
NOW = Moment(at=1_772_442_000_000, offset=60, day=739_677)  # Monday, 2 March 2026, 10:00 one hour east
HOUR = 3_600_000
SIZES = [(80, 24), (120, 40)]

LINKED = """+++
id = "linked"
title = "Linked deck"
+++
The note of the linked deck.

## here
Q: Where does [b]this[/b] lead?
A: To the answer $\\frac{1}{2}$.
Why: It is so.
See: card:first/one family:batchnorm.entry demo:pre_post_ln
"""


# -- words -----------------------------------------------------------------------------------------------
def row(
    *, at: int | None = None, due_in: int | None = None, suspended: bool = False, buried: bool = False
) -> ItemRow:
    """Return the row of an item that is due in so many days, or at an instant in a learning step."""
    memory = None
    if at is not None:
        memory = Memory("x", State.LEARNING, 0, 1.0, 5.0, at, None, 0, NOW.day - 5, 1, 0)
    elif due_in is not None:
        memory = Memory("x", State.REVIEW, None, 9.0, 5.0, None, NOW.day + due_in, 0, NOW.day - 500, 1, 0)
    strength = Strength.NEW if memory is None else Strength.LEARNING if at is not None else Strength.YOUNG
    days = due_in if due_in is not None else None if at is None else 0
    return ItemRow(
        "card:d/x",
        Kind.CARD,
        "d",
        "x",
        (),
        strength,
        memory,
        days,
        False,
        None,
        suspended,
        buried,
        False,
        False,
        False,
        "",
        1,
    )


def sheet(title: str = "A title", *, number: int = 3, today: Counts | None = None) -> TopicSheet:
    """Return the sheet of a topic without rows: 4 new, 3 learning, 2 young and 1 mature item."""
    state = TopicState("t", title, 4, 3, 2, 1, today or Counts(0, 0, 0))
    return TopicSheet(state, "", (), (), number, 12)


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (row(), ""),
        (row(due_in=0), "today"),
        (row(due_in=1), "tomorrow"),
        (row(due_in=2), "in 2 days"),
        (row(due_in=99), "in 99 days"),
        (row(due_in=300), "in 10 mo"),
        (row(due_in=1460), "in 4 years"),
        (row(due_in=-1), "1 day late"),
        (row(due_in=-12), "12 days late"),
        (row(at=NOW.at), "now"),
        (row(at=NOW.at - HOUR), "now"),
        (row(at=NOW.at + 540_001), "in 10 min"),
        (row(at=NOW.at + 2 * HOUR), "at 12:00"),
        (row(due_in=5, suspended=True), "suspended"),
        (row(due_in=5, buried=True), "buried"),
        (row(suspended=True, buried=True), "suspended"),
    ],
)
def test_when_an_item_is_due_is_said_in_words(item: ItemRow, words: str) -> None:
    """Days are counted from today, steps by the local clock; a pause is said instead. It fits its column."""
    assert due_words(item, NOW) == words
    (column,) = (column for column in columns_for(100) if column.name == "due")
    assert len(words) <= column.width


@pytest.mark.parametrize("width", [20, 36, 44, 60, 76, 116])
def test_a_row_fills_its_width_and_the_title_keeps_room(width: int) -> None:
    """The columns add up to the width; columns go before the title gets narrower than 26."""
    columns = columns_for(width)
    assert 3 + sum(column.width for column in columns) + 2 * (len(columns) - 1) == width
    assert columns[0].width >= min(26, width - 3)
    wanted = {20: 1, 36: 1, 44: 2, 60: 3, 76: 4, 116: 4}
    assert len(columns) == wanted[width]


def test_the_strength_is_told_in_numbers_with_the_signs_of_the_bar() -> None:
    """Wide it has a bar and words, narrow only signs and numbers; it is never wider than the window."""
    state = sheet().state
    wide = strength_line(state, 76, PALETTE)
    bar = wide.plain.removeprefix("10 items   ").partition("   ")[0]
    assert set(bar) == set(SIGNS.values())
    for words in ("10 items", "━ 1 mature", "─ 2 young", "┄ 3 learning", "· 4 new"):
        assert words in wide.plain
    narrow = strength_line(state, 38, PALETTE)
    assert narrow.plain.endswith("━ 1   ─ 2   ┄ 3   · 4")
    assert "mature" not in narrow.plain
    assert all(strength_line(state, width, PALETTE).cell_len <= width for width in range(33, 120))


def test_an_empty_topic_has_no_bar() -> None:
    """Nothing is divided by nothing."""
    state = TopicState("t", "T", 0, 0, 0, 0, Counts(0, 0, 0))
    assert strength_line(state, 100, PALETTE).plain.startswith("0 items   ━ 0 mature")


def test_what_is_left_today_leaves_zeros_out() -> None:
    """Only what there is to do is named."""
    assert left_words(Counts(0, 0, 0)) == "Nothing is left today."
    assert left_words(Counts(3, 0, 1)) == "Left today: 3 new, 1 to review."
    assert left_words(Counts(0, 2, 0)) == "Left today: 2 learning."
    assert "recall" not in today_line(sheet(), PALETTE).plain


def test_new_items_that_only_a_review_of_the_topic_would_ask_are_said() -> None:
    """Nothing of it is planned for today, and yet Space would ask some: that is not nothing."""
    startable = replace(sheet(), startable=20)
    line = today_line(startable, PALETTE).plain
    assert line == "Today's new items come from earlier topics; Space starts here."
    assert len(line) <= 76


def test_the_title_is_cut_before_the_place_and_shown_as_it_is_written() -> None:
    """Brackets stay, orders to the terminal are made visible, and the line fills the width exactly."""
    line = title_line(sheet("[b]A\x1b[2J title that is much too long for one line[/b]"), 40, PALETTE)
    assert line.cell_len == 40
    assert line.plain.startswith("[b]A␛[2J title")
    assert line.plain.endswith("… topic 3 of 12")
    assert "topic" not in title_line(sheet("Gone", number=0), 40, PALETTE).plain


def test_the_tabs_can_be_told_and_clicked() -> None:
    """Each name reaches from its first to its last cell; the active one is set off without colour too."""
    line, spans = tabs_line("items", 7, PALETTE)
    assert [line.plain[start:end] for start, end in spans.values()] == [" Note ", " Items 7 "]
    reversed_spans = [(span.start, span.end) for span in line.spans if "reverse" in str(span.style)]
    assert reversed_spans == [spans["items"]]


def test_the_foot_of_a_box_names_the_keys_that_work() -> None:
    """Digits for up to nine links, a list for more; a family is practised, a card edited."""
    assert foot_words(0, edits=True, practises=False, asks=True) == (
        "h history · g grades now · D due · e edits · Esc closes"
    )
    assert foot_words(1, edits=False, practises=True, asks=False) == (
        "1 turns to · h history · p practises · Esc closes"
    )
    assert foot_words(3, edits=True, practises=False, asks=False) == (
        "1–3 turn to · h history · e edits · Esc closes"
    )
    gone = foot_words(12, edits=False, practises=False, asks=False)
    assert gone == "1–9 turn to · o lists all · h history · Esc closes"


def test_links_to_demos_carry_their_titles_and_unknown_ones_go() -> None:
    """A demo that is not there cannot be jumped to."""
    links = (
        Link("demo", "demo:a", "a"),
        Link("demo", "demo:gone", "gone"),
        Link("card", "card:x/y", "A card"),
    )
    assert known_links(links, {"a": "About a"}) == (Link("demo", "demo:a", "About a"), links[2])


# -- the screen ------------------------------------------------------------------------------------------
def linked(driver: Driver, folder: Path, *families: str, text: str = LINKED) -> Desk:
    """Give the running program a deck of one's own beside the sample decks."""
    (folder / "linked.md").write_text(text, "utf-8")
    driver.app.desk.catalogue = build_catalogue(load_library(SAMPLE, folder), families)
    return driver.app.desk


async def opened(driver: Driver, topic: str) -> TopicScreen:
    """Open a topic and wait until it is there."""
    driver.app.show_topic(topic)
    await driver.until(lambda: isinstance(driver.app.screen, TopicScreen) and driver.app.screen.is_mounted)
    await driver.pilot.pause(0.1)
    assert isinstance(driver.app.screen, TopicScreen)
    return driver.app.screen


@pytest.mark.parametrize("size", SIZES)
async def test_a_topic_shows_its_note_and_its_items_in_learning_order(
    running: Running, size: tuple[int, int]
) -> None:
    """On a small window Tab leads from the note to the items; on a wide one both are there at once."""
    async with running(size=size) as driver:
        await driver.press("t")
        await driver.until_shown("A note.")
        for words in ("First deck", "topic 1 of 2", "4 items", "· 4 new", "Left today: 3 new."):
            assert words in driver.text
        assert ("What is one?" in driver.text) == (size[0] > 100)
        if size[0] < 100:
            await driver.press("tab")
        await driver.until_shown("Q  What is one?")
        places = [
            driver.text.index(title)
            for title in ("What is one?", "What is two?", "Mean […] and variance σ².", "Mean μ and var")
        ]
        assert places == sorted(places)
        assert ("A note." in driver.text) == (size[0] > 100)


@pytest.mark.parametrize("key", ["tab", "n", "enter"])
async def test_note_and_items_take_turns_on_a_small_window(running: Running, key: str) -> None:
    """Tab and n lead there and back; Enter leads on from the note, and opens an item in the list."""
    async with running() as driver:
        await opened(driver, "first")
        await driver.press(key)
        await driver.until_shown("What is one?")
        assert "A note." not in driver.text
        await driver.press("tab" if key == "enter" else key)
        await driver.until_shown("A note.")
        assert "What is one?" not in driver.text


async def test_the_names_of_note_and_items_can_be_clicked(running: Running) -> None:
    """A click on the name that is not active turns to it."""
    async with running() as driver:
        screen = await opened(driver, "first")
        assert await driver.pilot.click("#topic-tabs", offset=(10, 0))
        await driver.until_shown("Q  What is one?")
        assert screen.has_class("on-items")
        assert await driver.pilot.click("#topic-tabs", offset=(1, 0))
        await driver.until_shown("A note.")


async def test_an_answer_shows_when_one_comes_back_from_the_review(running: Running) -> None:
    """Reviewed from here with Easy, the first card is young, due in days, and its recall is predicted."""
    async with running(size=(120, 40)) as driver:
        await opened(driver, "first")
        await driver.press("space")
        await driver.until(lambda: isinstance(getattr(driver.app.screen, "session", None), object))
        assert isinstance(driver.session.situation, CardPrompt)
        assert driver.session.situation.topic == "first"
        await driver.press("space", "4", "q")
        await driver.until_shown("─ 1 young")
        line = next(line for line in driver.text.splitlines() if "Q  What is one?" in line)
        assert "─ young" in line
        assert "100%" in line
        assert " days" in line
        assert "Predicted recall today: 100%" in driver.text


async def test_items_are_buried_suspended_and_taken_back_at_the_cursor(running: Running) -> None:
    """`-` and `@` do it, the row says so, and the same keys take it back; the profile agrees."""
    async with running(size=(120, 40)) as driver:
        await opened(driver, "first")
        upkeep, day = driver.desk.store.upkeep, driver.clock().day
        await driver.press("down", "minus")
        await driver.until_shown("buried until tomorrow")
        assert upkeep.paused(day) == {"card:first/two"}
        await driver.press("minus")
        await driver.until_shown("taken out again")
        assert not upkeep.paused(day)
        await driver.press("at")
        await driver.until(lambda: upkeep.pauses()["card:first/two"].suspended)
        line = next(line for line in driver.text.splitlines() if "Q  What is two?" in line)
        assert "suspended" in line
        await driver.press("@")
        await driver.until_shown("resumed")
        assert not upkeep.paused(day)


async def test_what_cannot_be_stored_is_told_and_changes_nothing(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A profile that cannot be written leaves one line at the bottom."""

    def refuse(self: Changes, rows: object) -> str:
        raise NotADatabase(Path("gone.sqlite"))

    monkeypatch.setattr(Changes, "bury", refuse)
    async with running(size=(120, 40)) as driver:
        await opened(driver, "first")
        await driver.press("minus")
        await driver.until_shown("! ")
        assert "gone.sqlite" in driver.text
        assert not driver.desk.store.upkeep.paused(driver.clock().day)


@pytest.mark.parametrize("size", SIZES)
async def test_brackets_turn_to_the_next_topic_and_round_the_end(
    running: Running, size: tuple[int, int]
) -> None:
    """`]` shows the second topic from its start, again the first; `[` goes the other way."""
    async with running(size=size) as driver:
        await opened(driver, "first")
        await driver.press("right_square_bracket")
        await driver.until_shown("topic 2 of 2")
        assert "Another note." in driver.text
        await driver.press("right_square_bracket")
        await driver.until_shown("topic 1 of 2")
        await driver.press("left_square_bracket")
        await driver.until_shown("Second deck")


async def test_an_item_opens_with_its_answer_and_its_memory(running: Running) -> None:
    """Enter shows question, answer, reason and why it is due; Esc comes back to the same row."""
    async with running() as driver:
        await opened(driver, "first")
        await driver.press("tab", "enter")
        await driver.until(lambda: isinstance(driver.app.screen, PeekScreen))
        await driver.until_shown("It is the first.")
        for words in ("card:first/one", "What is one?", "· new", "New: it was never answered"):
            assert words in driver.text
        assert driver.answers() == 0
        await driver.press("escape")
        await driver.until_shown("Q  What is one?")


async def test_a_cloze_opens_at_its_mark(running: Running) -> None:
    """The mark under the cursor is hidden in the question and shown in the answer."""
    async with running() as driver:
        await opened(driver, "first")
        await driver.press("tab", "G", "enter")
        await driver.until_shown("card:first/marks#var")
        assert "Mean μ and variance […]." in driver.text
        assert "Mean μ and variance σ²." in driver.text


@pytest.mark.parametrize("size", SIZES)
async def test_links_lead_from_card_to_family_to_card_and_back(
    running: Running, tmp_path: Path, size: tuple[int, int]
) -> None:
    """Digits and clicks follow the links; Esc goes back step by step; a demo opens its own screen."""
    async with running("batchnorm.entry", size=size) as driver:
        linked(driver, tmp_path, "batchnorm.entry")
        await opened(driver, "linked")
        await driver.press(*(["tab"] if size[0] < 100 else []), "enter")
        await driver.until_shown("1  card    What is one?")
        assert "2  family  One normalized entry of a batch" in driver.text
        assert "Where does [b]this[/b] lead?" in driver.text
        await driver.press("2")
        await driver.until_shown("family:batchnorm.entry")
        assert "A problem with fresh numbers every time, levels 1, 2, 3" in driver.text
        await driver.press("escape")
        await driver.until_shown("card:linked/here")
        await driver.click("#peek-links", (5, 0))
        await driver.until_shown("card:first/one")
        await driver.press("q")
        await driver.until_shown("card:linked/here")
        await driver.press("9")
        assert "card:linked/here" in driver.text
        await driver.press("3")
        await driver.until(lambda: isinstance(driver.app.screen, DemoScreen))
        await driver.press("escape", "escape")
        await driver.until(lambda: isinstance(driver.app.screen, TopicScreen))


async def test_an_opened_card_that_goes_closes_its_box(running: Running, tmp_path: Path) -> None:
    """Its deck is removed while it lies under another box: that one stays, and Esc leads past both."""
    async with running("batchnorm.entry") as driver:
        desk = linked(driver, tmp_path, "batchnorm.entry")
        screen = await opened(driver, "linked")
        driver.app.show_item("card:linked/here")
        await driver.until_shown("1  card    What is one?")
        await driver.press("1")
        await driver.until_shown("card:first/one")
        desk.catalogue = build_catalogue(load_library(SAMPLE, None), [])
        for other in driver.app.screen_stack:
            getattr(other, "decks_changed", lambda: None)()
        await driver.until_shown("card:first/one")
        await driver.press("escape")
        await driver.until(lambda: driver.app.screen is screen)
        await driver.until_shown("0 items")


async def test_a_family_is_practised_from_its_box(running: Running) -> None:
    """`p` drills that family alone, and the box is there again afterwards."""
    async with running("batchnorm.entry", "batchnorm.eps") as driver:
        driver.app.show_item("family:batchnorm.eps")
        await driver.until_shown("family:batchnorm.eps")
        await driver.press("p")
        await driver.until(lambda: isinstance(getattr(driver.app.screen, "session", None), DrillSession))
        await driver.until(lambda: driver.typing)
        assert driver.problem.variant.family == "batchnorm.eps"
        await driver.press("escape", "q")
        await driver.until(lambda: not isinstance(getattr(driver.app.screen, "session", None), DrillSession))


async def test_p_practises_the_families_of_the_topic_only(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A topic of two families drills both; the family of another topic stays out."""
    async with running("batchnorm.entry", "batchnorm.eps", "residual.growth") as driver:
        await opened(driver, "batchnorm")
        practised: list[tuple[str, ...]] = []
        monkeypatch.setattr(driver.app, "show_drill", lambda practice: practised.append(practice.families))
        await driver.press("p")
        assert practised == [("batchnorm.entry", "batchnorm.eps")]


async def test_keys_lead_to_browse_demo_and_editor(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`b` browses this topic, `d` opens its only demo, `e` edits the card at the cursor, not a family."""
    edited: list[str] = []
    monkeypatch.setattr(StudyNorm, "edit_item", lambda app, item: edited.append(item))
    async with running("batchnorm.entry", size=(120, 40)) as driver:
        linked(driver, tmp_path, "batchnorm.entry")
        await opened(driver, "linked")
        await driver.press("e")
        assert edited == ["card:linked/here"]
        await driver.press("d")
        await driver.until(lambda: isinstance(driver.app.screen, DemoScreen))
        await driver.press("escape")
        await driver.press("b")
        await driver.until(lambda: isinstance(driver.app.screen, BrowseScreen))
        await driver.until_shown("topic:linked")
        await driver.press("q")
        await opened(driver, "batchnorm")
        await driver.press("e")
        assert edited == ["card:linked/here"]


async def test_h_shows_the_past_of_an_item_over_its_box(running: Running) -> None:
    """For each mark of a cloze that was opened as a whole; Esc comes back to the box."""
    async with running() as driver:
        item = "card:first/marks#var"
        driver.desk.store.record(driver.desk.scheduler.review(item, None, Rating.EASY, driver.clock()))
        driver.app.show_item("card:first/marks")
        await driver.until_shown("card:first/marks")
        await driver.press("h")
        await driver.until_shown("2026-03-02 09:00")
        for words in (
            "Easy",
            "Mean […] and variance σ².",
            "Mean μ and variance […].",
            "Nothing has happened",
        ):
            assert words in driver.text
        await driver.press("escape")
        assert isinstance(driver.app.screen, PeekScreen)


@pytest.mark.parametrize("size", SIZES)
async def test_the_signs_of_the_items_are_explained(running: Running, size: tuple[int, int]) -> None:
    """In the line of the names, while the items are shown."""
    async with running(size=size) as driver:
        await opened(driver, "first")
        assert ("Q card  … cloze  # family" in driver.text) == (size[0] > 100)
        await driver.press("tab")
        await driver.until_shown("Q card  … cloze  # family")


async def test_several_demos_are_chosen_from_a_list(running: Running, tmp_path: Path) -> None:
    """With two demos `d` asks which; Esc takes none."""
    more = LINKED + "\n## more\nQ: More?\nA: Yes.\nSee: demo:residual_product\n"
    async with running(size=(120, 40)) as driver:
        linked(driver, tmp_path, text=more)
        await opened(driver, "linked")
        await driver.press("d")
        await driver.until_shown("Turn to")
        await driver.press("escape")
        assert isinstance(driver.app.screen, TopicScreen)
        await driver.press("d", "down", "enter")
        await driver.until(lambda: isinstance(driver.app.screen, DemoScreen))
        await driver.press("escape", "d", "3", "2")
        await driver.until(lambda: isinstance(driver.app.screen, DemoScreen))


async def test_the_bottom_line_offers_only_what_the_topic_has(running: Running) -> None:
    """A topic of cards alone has no practice and no demos; a topic of one family has no note."""
    async with running("batchnorm.entry") as driver:
        await opened(driver, "first")
        bottom = driver.text.splitlines()[-1]
        assert "Space Review" in bottom
        assert "Practice" not in bottom
        assert "Demos" not in bottom
        await driver.press("q")
        await opened(driver, "batchnorm")
        await driver.until_shown("#  One normalized entry of a batch")
        assert "p Practice" in driver.text.splitlines()[-1]
        await driver.press("tab")
        await driver.until_shown("This topic has no note.")


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 12), (24, 7)])
async def test_topics_of_any_make_are_shown_and_their_keys_are_harmless(
    running: Running, tmp_path: Path, size: tuple[int, int]
) -> None:
    """A deck with a note alone, an unknown topic: nothing fails, whatever is pressed."""
    async with running(size=size) as driver:
        linked(driver, tmp_path, text='+++\nid = "linked"\ntitle = "Bare"\n+++\nOnly a note.\n')
        for topic in ("linked", "nowhere"):
            screen = await opened(driver, topic)
            keys = ("tab", "down", "enter", "space", "p", "d", "b", "e", "minus", "at", "n", "j", "v")
            await driver.press(*keys)
            assert driver.app.screen is screen
            await driver.press("right_square_bracket")
            await driver.until(lambda: "1 of 2" in driver.text or size[0] < 80)
            await driver.press("q")
            await driver.until(lambda: not isinstance(driver.app.screen, TopicScreen))


async def test_a_topic_of_500_cards_goes_to_its_end(running: Running, tmp_path: Path) -> None:
    """The list shows what is in view; the last card can be reached and opened."""
    cards = "".join(f"## c{number}\nQ: Question {number}?\nA: {number}\n\n" for number in range(500))
    async with running() as driver:
        linked(driver, tmp_path, text=f'+++\nid = "linked"\ntitle = "Many"\n+++\n\n{cards}')
        await opened(driver, "linked")
        await driver.until_shown("Question 0?")
        assert "500 items" in driver.text
        await driver.press("G")
        await driver.until_shown("Question 499?")
        await driver.press("enter")
        await driver.until_shown("card:linked/c499")


async def test_r_shows_the_decks_as_they_are_now(running: Running, tmp_path: Path) -> None:
    """Reloaded, the topic has its new title and card, and the cursor stays on its item."""
    async with running(size=(120, 40)) as driver:
        folder = driver.desk.home.decks
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "linked.md").write_text(LINKED, "utf-8")
        driver.app.reload_decks()
        await opened(driver, "linked")
        changed = LINKED.replace("Linked deck", "New title").replace(
            "## here", "## before\nQ: Before?\nA: Yes.\n\n## here"
        )
        (folder / "linked.md").write_text(changed, "utf-8")
        await driver.press("r")
        await driver.until_shown("New title")
        assert "Q  Before?" in driver.text
        await driver.press("enter")
        await driver.until_shown("card:linked/here")
        (folder / "linked.md").unlink()
        driver.app.reload_decks()
        await driver.until(lambda: isinstance(driver.app.screen, TopicScreen))
        await driver.until_shown("0 items")


async def test_a_long_note_scrolls_and_shows_that_there_is_more(running: Running, tmp_path: Path) -> None:
    """Key j moves the note while it has the keys."""
    lines = "\n\n".join(f"Paragraph {number}." for number in range(40))
    async with running() as driver:
        linked(driver, tmp_path, text=LINKED.replace("The note of the linked deck.", lines))
        screen = await opened(driver, "linked")
        note = screen.query_one("#topic-note")
        assert note.show_vertical_scrollbar
        await driver.press("j", "j", "pagedown")
        assert note.scroll_offset.y > 2
        await driver.press("G")
        await driver.until_shown("Paragraph 39.")


async def test_a_theme_that_changes_repaints_the_topic(running: Running) -> None:
    """Note and rows take the colours of the new theme, and say the same."""
    async with running(size=(120, 40)) as driver:
        screen = await opened(driver, "first")

        def ink() -> str:
            title = screen.query_one("#topic-title", Static).render()
            return str(getattr(title, "spans", title))

        before, words = ink(), driver.text
        driver.app.theme = "textual-light"
        await driver.until(lambda: ink() != before)
        await driver.pilot.pause(0.1)
        assert driver.text == words
