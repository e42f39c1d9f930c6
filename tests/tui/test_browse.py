"""Browse: the table of all items, its filter, and what can be done to rows."""

import gc
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from rich.text import Text
from textual import events
from textual.widgets import Input

from studynorm.content.card import HIDDEN
from studynorm.content.library import load_library
from studynorm.engine.registry import BrokenFamily
from studynorm.scheduling.rating import Rating
from studynorm.storage.errors import Busy
from studynorm.storage.upkeep import Upkeep
from studynorm.study.catalogue import build_catalogue
from studynorm.study.conditions import Filter
from studynorm.study.filter import parse
from studynorm.study.titles import around_gap, title_of
from studynorm.tui.app import StudyNorm
from studynorm.tui.ask_screen import AskScreen
from studynorm.tui.browse_screen import LEGEND, BrowseScreen
from studynorm.tui.browse_table import BrowseTable
from studynorm.tui.browse_view import columns_for, fitted, with_legend
from studynorm.tui.drill_screen import DrillScreen
from studynorm.tui.key_line import live_caps
from studynorm.tui.overlay import Overlay
from studynorm.tui.peek_screen import PeekScreen
from studynorm.tui.theme import palette_of
from tests.conftest import SAMPLE
from tests.tui.conftest import Driver, Running

Browsing = Callable[..., AbstractAsyncContextManager[Driver]]
FAMILY = "batchnorm.entry"
SIZES = [(80, 24), (120, 40)]


@pytest.fixture
def browsing(running: Running) -> Browsing:
    """Run the program in Browse, over the sample decks and one family; some cards were answered."""

    @asynccontextmanager
    async def run(
        filter: str = "", size: tuple[int, int] = (80, 24), **ratings: Rating
    ) -> AsyncIterator[Driver]:
        async with running(FAMILY, size=size, answers=False) as driver:
            for name, rating in ratings.items():
                item = f"card:{name.replace('_', '/')}"
                card = driver.desk.catalogue.library.card(item)
                assert card is not None
                review = driver.desk.scheduler.review(item, None, rating, driver.clock())
                driver.desk.store.record(review, fingerprint=card.fingerprint)
                driver.clock.forward(seconds=1)
            driver.app.push_screen(BrowseScreen(filter))
            await driver.until_shown("by learning order")
            yield driver

    return run


def screen_of(app: StudyNorm) -> BrowseScreen:
    """Return the screen, which is Browse."""
    assert isinstance(app.screen, BrowseScreen)
    return app.screen


def shown(driver: Driver) -> list[str]:
    """Return the titles of the rows in view, without what is cut off."""
    table = driver.app.screen.query_one(BrowseTable)
    lines = [table.render_line(y).text for y in range(table.size.height)]
    return [line[3:].partition("  ")[0].rstrip("… ") for line in lines if line.strip()]


def here(driver: Driver) -> str:
    """Return the item under the cursor."""
    row = driver.app.screen.query_one(BrowseTable).here
    assert row is not None
    return row.item


@pytest.mark.parametrize("size", SIZES)
async def test_the_table_shows_every_item_with_its_state(browsing: Browsing, size: tuple[int, int]) -> None:
    """Kind, title, topic, state, due and stability at 80 columns; more at 120."""
    async with browsing(size=size, first_one=Rating.EASY) as driver:
        text = driver.text
        assert "7 items" in text
        for words in ("# ", "One normalized entry of a batch", "What is one?", "Mean […]", "[red]"):
            assert words in text
        line = next(line for line in text.splitlines() if "What is one?" in line)
        assert "young" in line
        assert "8.3" in line
        extra = [word in text for word in ("diff", "lapses", "recall", "tags")]
        assert all(extra) if size[0] == 120 else not any(extra)
        assert all(len(line) == size[0] for line in text.splitlines())


async def test_typing_filters_at_once_and_half_a_term_does_not(browsing: Browsing) -> None:
    """`/` goes to the field; `is:ne` hints at `is:new`, which then filters; Enter goes to the table."""
    async with browsing(first_one=Rating.EASY) as driver:
        await driver.press("slash")
        assert "lapses>3" in driver.text
        await driver.type("is:ne")
        assert len(shown(driver)) == 7
        assert "is: new" in driver.text
        await driver.type("w")
        assert len(shown(driver)) == 6
        assert "6 of 7" in driver.text
        await driver.type(" two")
        assert shown(driver) == ["What is two?"]
        await driver.press("enter", "j")
        assert driver.app.focused is driver.app.screen.query_one(BrowseTable)
        assert driver.app.screen.query_one(Input).value == "is:new two"


async def test_letters_are_text_in_the_filter_and_keys_in_the_table(browsing: Browsing) -> None:
    """`x`, `q`, `@` and `-` in the field neither mark, leave, suspend nor bury, nor are they offered."""
    async with browsing() as driver:
        await driver.press("slash", "x", "q", "@", "-")
        assert driver.app.screen.query_one(Input).value == "xq@-"
        assert {cap.label for cap in live_caps(driver.app.screen)} == {"To the table", "Help"}
        assert isinstance(driver.app.screen, BrowseScreen)
        assert not driver.desk.store.upkeep.pauses()


async def test_keys_that_come_at_once_act_in_their_order(browsing: Browsing) -> None:
    """Enter and what is typed right behind it over a slow line: the letters are keys of the table."""
    async with browsing() as driver:
        await driver.press("slash")
        for key in ("t", "w", "o", "enter", "x", "s"):
            driver.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await driver.until_shown("1 marked")
        await driver.until_shown("by due")
        assert driver.app.screen.query_one(Input).value == "two"


async def test_a_wrong_term_is_told_and_keeps_the_rows(browsing: Browsing) -> None:
    """With a sign and what was probably meant."""
    async with browsing("is:neu") as driver:
        assert "! there is no is:neu — did you mean is:new?" in driver.text
        assert len(shown(driver)) == 7


async def test_escape_clears_the_marks_then_the_filter_and_then_leaves(browsing: Browsing) -> None:
    """One thing a press, so that nobody is thrown out; the filter that Browse was opened with is left."""
    async with browsing() as driver:
        await driver.press("slash")
        await driver.type("first")
        await driver.press("escape", "x", "x")
        assert "2 marked" in driver.text
        await driver.press("escape")
        assert "marked" not in driver.text
        assert "4 of 7" in driver.text
        await driver.press("escape")
        assert driver.app.screen.query_one(Input).value == ""
        assert "7 items" in driver.text
        await driver.press("escape")
        assert not isinstance(driver.app.screen, BrowseScreen)
    async with browsing("topic:first") as driver:
        await driver.press("escape")
        assert not isinstance(driver.app.screen, BrowseScreen)


async def test_q_leaves_at_once(browsing: Browsing) -> None:
    """Whatever is marked or typed."""
    async with browsing() as driver:
        await driver.press("slash", "o", "enter", "x", "q")
        assert not isinstance(driver.app.screen, BrowseScreen)


async def test_the_bottom_line_of_the_filter_names_escape(browsing: Browsing) -> None:
    """It is the key for which one looks to get out."""
    async with browsing() as driver:
        await driver.press("slash")
        assert "Esc To the table" in driver.text.splitlines()[-1]


async def test_a_colon_that_is_no_key_is_refused_with_the_known_keys(browsing: Browsing) -> None:
    """Marked as amiss, while the rows stay; an id is text."""
    async with browsing("foo:bar") as driver:
        assert "! there is no foo: — there are is: topic: tag: deck: and card: family:" in driver.text
        assert len(shown(driver)) == 7
        await driver.press("slash", "ctrl+u")
        await driver.type("card:second")
        assert len(shown(driver)) == 2


async def test_no_item_is_said_in_words(browsing: Browsing) -> None:
    """An empty table is no dead end: keys do nothing and Esc leads back."""
    async with browsing("zebra") as driver:
        assert "No item matches." in driver.text
        assert "0 of 7" in driver.text
        await driver.press("enter", "j", "G", "x", "at", "minus", "F", "u", "h", "e", "p", "s", "X")
        assert isinstance(driver.app.screen, BrowseScreen)
        await driver.press("escape")
        assert not isinstance(driver.app.screen, BrowseScreen)


async def test_the_moving_keys_move_the_cursor(browsing: Browsing) -> None:
    """By rows and to both ends, never beyond."""
    async with browsing() as driver:
        places = []
        for key in ("j", "down", "k", "up", "up", "G", "j", "home", "pagedown", "pageup"):
            await driver.press(key)
            places.append(driver.app.screen.query_one(BrowseTable).at)
        assert places == [1, 2, 1, 0, 0, 6, 6, 0, 6, 0]


async def test_a_low_window_scrolls_with_the_cursor(browsing: Browsing) -> None:
    """The row under the cursor is always in view."""
    async with browsing(size=(80, 10)) as driver:
        height = driver.app.screen.query_one(BrowseTable).size.height
        assert height < 7
        await driver.press("G")
        assert shown(driver)[-1] == "What is x[:, 0]?"
        await driver.press("home")
        assert shown(driver)[0].startswith("One normalized entry")


async def test_s_sorts_by_the_next_column_and_capital_s_turns_it_round(browsing: Browsing) -> None:
    """By due, the one answered item is first; the header marks the column; the cursor stays on its item."""
    async with browsing(second_blue=Rating.EASY, first_two=Rating.GOOD) as driver:
        assert here(driver) == f"family:{FAMILY}"
        await driver.press("s")
        assert shown(driver)[:2] == ["What is two?", "What is x[:, 0]?"]
        assert "due▲" in driver.text
        assert here(driver) == f"family:{FAMILY}"
        await driver.press("S")
        assert shown(driver)[:2] == ["What is x[:, 0]?", "What is two?"]
        assert "due▼" in driver.text


async def test_a_click_on_a_header_sorts_and_on_a_row_moves_and_opens(browsing: Browsing) -> None:
    """The first click on a row puts the cursor there, the second one opens it."""
    async with browsing() as driver:
        await driver.click("BrowseHead", offset=(4, 0))
        assert "by title" in driver.text
        assert shown(driver)[0].startswith("Mean")
        await driver.click("BrowseTable", offset=(6, 5))
        assert here(driver) == "card:second/blue"
        await driver.click("BrowseTable", offset=(6, 5))
        assert isinstance(driver.app.screen, PeekScreen)


async def test_enter_opens_a_card_with_its_answer_and_why_it_is_due(browsing: Browsing) -> None:
    """Question, answer, reason, memory and the sentence; Esc closes."""
    async with browsing("card:first/one", first_one=Rating.EASY) as driver:
        await driver.press("enter")
        text = driver.text
        for words in ("What is one?", "It is the first.", "stability 8.3 days", "1 answer", "Due in"):
            assert words in text
        for words in (
            "─ card:first/one ─",
            "─ young",
            "h history · g grades now · D due · e edits · Esc closes",
        ):
            assert words in text
        await driver.press("escape")
        assert isinstance(driver.app.screen, BrowseScreen)


async def test_a_cloze_opens_with_its_own_mark_hidden(browsing: Browsing) -> None:
    """Not with the mark of its sibling."""
    async with browsing("marks#var") as driver:
        await driver.press("enter")
        assert "variance […]" in driver.text


async def test_a_family_opens_with_its_levels_and_p_practises_it(browsing: Browsing) -> None:
    """The overlay names levels and memory; `p` begins a drill of this family alone."""
    async with browsing("is:family") as driver:
        await driver.press("enter")
        assert "levels 1, 2, 3" in driver.text
        assert "New: it was never answered" in driver.text
        assert "p practises" in driver.text
        await driver.press("p")
        await driver.until(lambda: isinstance(driver.app.screen, DrillScreen))
        assert [key.family for key in driver.drill.wanted()][:1] == [FAMILY]


async def test_h_shows_what_happened_from_the_table_and_from_the_item(browsing: Browsing) -> None:
    """Each answer with its rating, interval and numbers, each event with its words."""
    async with browsing("What is two", first_two=Rating.GOOD) as driver:
        await driver.press("at", "at", "h")
        for words in ("2026-03-02 09:00", "Good", "10m", "suspended", "resumed", "In learning: step 2 of 2"):
            assert words in driver.text
        await driver.press("escape", "enter", "h")
        assert "resumed" in driver.text
        assert type(driver.app.screen) is Overlay


async def test_at_suspends_and_resumes_and_the_row_says_so(browsing: Browsing) -> None:
    """By a word, not by colour alone."""
    async with browsing() as driver:
        await driver.press("j", "at")
        assert driver.desk.store.upkeep.pauses()["card:first/one"].suspended
        line = next(line for line in driver.text.splitlines() if "What is one?" in line and "first" in line)
        assert "suspended" in line
        await driver.press("at")
        assert not driver.desk.store.upkeep.pauses()["card:first/one"].suspended


async def test_minus_buries_until_tomorrow(browsing: Browsing) -> None:
    """The item is not asked today, and again tomorrow; a second press takes it out again."""
    async with browsing() as driver:
        today = driver.clock().day
        await driver.press("j", "minus")
        assert driver.desk.store.upkeep.paused(today) == {"card:first/one"}
        assert driver.desk.store.upkeep.paused(today + 1) == frozenset()
        assert "buried" in driver.text
        await driver.press("minus")
        assert driver.desk.store.upkeep.paused(today) == frozenset()


async def test_marked_rows_are_changed_together(browsing: Browsing) -> None:
    """`x` marks and goes on; what the filter hides is left alone though it is marked."""
    async with browsing() as driver:
        await driver.press("j", "x", "x")
        assert "2 marked" in driver.text
        await driver.press("at")
        paused = driver.desk.store.upkeep.paused(driver.clock().day)
        assert paused == {"card:first/one", "card:first/two"}
        await driver.press("slash")
        await driver.type("two")
        await driver.press("enter", "at")
        assert driver.desk.store.upkeep.paused(driver.clock().day) == {"card:first/one"}


async def test_capital_x_marks_all_that_is_shown_and_then_none(browsing: Browsing) -> None:
    """Of the filtered rows only."""
    async with browsing("topic:second") as driver:
        await driver.press("X")
        assert "2 marked" in driver.text
        await driver.press("X")
        assert "marked" not in driver.text


async def test_forgetting_asks_first_and_u_gives_the_memory_back(browsing: Browsing) -> None:
    """`n` and Enter change nothing, `y` makes the item new, `u` restores exactly what it was."""
    async with browsing("What is one", first_one=Rating.EASY) as driver:
        before = driver.desk.store.memory("card:first/one")
        for key in ("n", "enter", "space", "escape"):
            await driver.press("F")
            assert isinstance(driver.app.screen, AskScreen)
            assert "Forget What is one?" in driver.text
            await driver.press(key)
            assert driver.desk.store.memory("card:first/one") == before
        await driver.press("F", "y")
        assert driver.desk.store.memory("card:first/one") is None
        assert "new" in driver.text
        await driver.press("u")
        assert driver.desk.store.memory("card:first/one") == before


@pytest.mark.parametrize("height", [10, 11, 12])
async def test_a_forgotten_row_stays_in_view_where_it_is_sorted_to(browsing: Browsing, height: int) -> None:
    """By stability the new item goes to the end, and the line of news must not push it out of view."""
    async with browsing(size=(80, height), first_one=Rating.EASY, second_blue=Rating.EASY) as driver:
        await driver.press("s", "s", "home", "j")
        assert shown(driver)[:2] == ["What is one?", "What is x[:, 0]?"]
        await driver.press("F", "y")
        await driver.until_shown("forgotten; u gives")
        await driver.pilot.pause(0.1)
        assert here(driver) == "card:second/blue"
        assert "What is x[:, 0]?" in shown(driver)


@pytest.mark.parametrize("size", SIZES)
async def test_a_blank_parts_the_last_column_from_the_scroll_bar(
    browsing: Browsing, size: tuple[int, int]
) -> None:
    """Every row ends in it."""
    async with browsing(size=size, first_one=Rating.EASY) as driver:
        table = driver.app.screen.query_one(BrowseTable)
        lines = [table.render_line(y).text for y in range(7)]
        assert {len(line) for line in lines} == {table.scrollable_content_region.width}
        assert all(line.endswith(" ") for line in lines)
        assert size[0] > 80 or any(line.endswith("8.3 ") for line in lines)


async def test_the_signs_of_the_rows_are_explained(browsing: Browsing) -> None:
    """Beside what is said of the row under the cursor; the sign of a mark once a row is marked."""
    async with browsing() as driver:
        assert "Q card  … cloze  # family" in driver.text
        await driver.press("j")
        assert "Q card  … cloze  # family  ! leech  * edited" in driver.text
        assert "✓" not in driver.text
        await driver.press("x")
        assert "Q card  … cloze  # family  ✓ marked" in driver.text


def test_the_legend_takes_only_the_room_that_is_left() -> None:
    """At the right end, shorter where it must be, and never over what stands there."""
    palette = palette_of({})
    for width in range(20, 100):
        line = with_legend(Text("x" * 20), width, palette, marks=True)
        assert line.cell_len in (20, width)
        assert line.plain.startswith("x" * 20)
    assert "* edited" in with_legend(Text("x" * 20), 80, palette, marks=True).plain
    assert with_legend(Text("x" * 20), 40, palette).plain == "x" * 20


@pytest.mark.parametrize("width", [24, 36, 60])
def test_the_marks_of_every_shipped_card_can_be_told_apart_in_a_column(width: int) -> None:
    """What is seen of them has its gap, and differs."""
    for deck in load_library(SAMPLE.parents[1] / "cards", None).decks:
        for card in deck.cards:
            seen = [fitted(around_gap(title_of(card.question(mark)), width), width) for mark in card.mark_ids]
            assert all(HIDDEN in title for title in seen), seen
            assert len(set(seen)) == len(seen), seen


async def test_a_long_cloze_shows_its_gap_in_the_table(browsing: Browsing, tmp_path: Path) -> None:
    """Its marks would read alike up to the gap: in the narrow column each begins near its own."""
    text = "In training mode BatchNorm computes the {{m::mean}} and the {{v::variance}} of the batch."
    (tmp_path / "long.md").write_text(f'+++\nid = "long"\ntitle = "L"\n+++\n\n## c\nC: {text}\n')
    async with browsing() as driver:
        driver.app.desk.catalogue = build_catalogue(load_library(SAMPLE, tmp_path), [FAMILY])
        screen_of(driver.app).decks_changed()
        await driver.press("slash")
        await driver.type("topic:long")
        titles = shown(driver)
        assert len(set(titles)) == 2
        assert all(title.startswith("…") and HIDDEN in title for title in titles)
        await driver.type(" training")
        assert len(shown(driver)) == 2


async def test_a_new_item_has_nothing_to_forget(browsing: Browsing) -> None:
    """It is said without a question."""
    async with browsing() as driver:
        await driver.press("j", "F")
        assert "There is nothing to forget" in driver.text


async def test_a_row_that_the_filter_loses_leaves_the_cursor_where_it_was(browsing: Browsing) -> None:
    """Suspending under `-is:suspended` goes on to the next row, so that one can go through a list."""
    async with browsing("-is:suspended is:card") as driver:
        assert here(driver) == "card:first/one"
        await driver.press("at")
        assert here(driver) == "card:first/two"
        assert "What is one?" not in shown(driver)


async def test_filter_order_and_cursor_survive_an_edit(
    browsing: Browsing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the editor the deck is read anew: the new words are there, the rest is as it was."""
    edited = []

    def edit(app: StudyNorm, item: str) -> None:
        edited.append(item)
        library = app.desk.catalogue.library
        decks = tuple(
            replace(
                deck,
                cards=tuple(
                    replace(card, front="Which number is two?") if card.id == "two" else card
                    for card in deck.cards
                ),
            )
            for deck in library.decks
        )
        app.desk.catalogue = replace(app.desk.catalogue, library=replace(library, decks=decks))
        screen_of(app).decks_changed()

    monkeypatch.setattr(StudyNorm, "edit_item", edit, raising=False)
    async with browsing("first", first_two=Rating.EASY) as driver:
        await driver.press("s", "home", "e")
        assert edited == ["card:first/two"]
        assert here(driver) == "card:first/two"
        assert "Which number is two?" in driver.text
        assert "edited" in driver.text
        assert "due▲" in driver.text
        assert "4 of 7" in driver.text


async def test_what_cannot_be_edited_or_practised_says_so(browsing: Browsing) -> None:
    """A family has no card to edit, and a card is no problem to practise."""
    async with browsing() as driver:
        await driver.press("e")
        assert "Only a card can be edited." in driver.text
        await driver.press("j", "p")
        assert "Only a family can be practised" in driver.text


async def test_gone_and_broken_things_can_be_looked_at(
    browsing: Browsing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A memory without its card opens, and a family whose file is broken names the fault."""
    async with browsing(first_one=Rating.EASY) as driver:
        library = driver.desk.catalogue.library
        decks = tuple(replace(deck, cards=()) for deck in library.decks)
        driver.app.desk.catalogue = build_catalogue(replace(library, decks=decks), [FAMILY])
        screen_of(driver.app).decks_changed()
        await driver.press("slash")
        await driver.type("is:gone")
        await driver.press("enter", "enter")
        assert "Its card is in no deck any more." in driver.text
        assert "Gone: there is no such card any more" in driver.text
        await driver.press("escape", "h", "escape", "e", "p", "at")
        assert isinstance(driver.app.screen, BrowseScreen)

        def broken(name: str) -> BrokenFamily:
            return BrokenFamily(name, SAMPLE / "x.py", "line 3: NameError: no [red] name")

        monkeypatch.setattr("studynorm.study.item_sheet.load_family", broken)
        await driver.press("slash", "ctrl+u")
        await driver.type("is:family")
        await driver.press("enter", "enter")
        await driver.until_shown("NameError:")
        assert "[red]" in driver.text  # wrapped where the path of the file is long


async def test_a_profile_that_cannot_be_written_is_told(
    browsing: Browsing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line with a sign; the table stays."""

    def refuse(*_: object) -> int:
        raise Busy("The profile is in use by another program.")

    async with browsing() as driver:
        monkeypatch.setattr(Upkeep, "suspend", refuse)
        await driver.press("at")
        assert "! The profile is in use by another program." in driver.text
        assert len(shown(driver)) == 7


async def test_help_lists_the_keys_of_the_table(browsing: Browsing) -> None:
    """Also those that the bottom line has no room for."""
    async with browsing() as driver:
        await driver.press("question_mark")
        text = driver.text
        for words in (
            "Bury until tomorrow",
            "Forget",
            "Give back what was forgotten",
            "Practise this family",
        ):
            assert words in text


async def test_a_leech_and_an_edited_card_carry_a_sign(browsing: Browsing) -> None:
    """And the line on the row under the cursor says the word."""
    async with browsing("is:leech", first_one=Rating.EASY) as driver:
        with driver.desk.store.transaction("BEGIN IMMEDIATE") as connection:
            connection.exec_driver_sql("UPDATE memory SET reps = 20, lapses = 8")
        screen_of(driver.app).decks_changed()
        await driver.until_shown("young · leech")
        line = next(line for line in driver.text.splitlines() if "What is one?" in line)
        assert "Q! What is one?" in line


async def test_the_rows_are_collected_again_when_the_screen_is_left(browsing: Browsing) -> None:
    """While it is open they are kept out of the garbage collector, which is slow on very many."""
    async with browsing() as driver:
        assert gc.get_freeze_count() > 0
        await driver.press("q")
        await driver.until(lambda: gc.get_freeze_count() == 0)


@pytest.mark.parametrize("width", [12, 30, 40, 63, 64, 75, 80, 100, 116, 200])
def test_the_columns_fill_any_width(width: int) -> None:
    """Title first, and what does not fit is left out rather than squeezed."""
    columns = columns_for(width)
    assert columns[0].name == "title"
    assert 3 + sum(column.width for column in columns) + 2 * (len(columns) - 1) == width
    if width >= 75:
        assert [column.name for column in columns][:5] == ["title", "topic", "state", "due", "stab"]
        assert columns[0].width >= 24


@pytest.mark.parametrize(
    ("text", "width", "cut"),
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("漢字", 3, "漢…"), ("漢字", 2, " …"), ("", 2, "  ")],
)
def test_a_text_takes_exactly_its_cells(text: str, width: int, cut: str) -> None:
    """Wide characters count two; what is cut ends in an ellipsis."""
    assert fitted(text, width) == cut


def test_every_term_of_the_legend_is_a_filter() -> None:
    """What the empty field shows as examples can be typed."""
    terms = LEGEND.replace("…", "x").split("  ")
    assert all(isinstance(parse(term), Filter) for term in terms)
