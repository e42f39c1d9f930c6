"""What Browse costs with 20 000 items: `python -m benchmarks.browse`."""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.figures import MS, Figure
from benchmarks.large import large_desk
from studynorm.content.library import Library, load_library
from studynorm.locate import content_root
from studynorm.study.catalogue import build_catalogue
from studynorm.study.desk import Desk

ITEMS = 20_000
SIZE = (120, 40)
PAINTED = 0.05
"""Seconds after which the screen is painted: Textual does so 60 times a second."""
TYPED = "is:young norm stability<90 -topic:deck-1 or lapses>3 recall<95%"


def browsing() -> Iterator[Figure]:
    """Measure reading 20 000 items, and each key of a filter until the screen is painted again."""
    from studynorm.study.items import item_rows
    from studynorm.study.titles import title_of

    with tempfile.TemporaryDirectory() as folder, large_desk(Path(folder), items=ITEMS, reviews=0) as desk:
        _ask_real_questions(desk)
        title_of("**$x$**")  # loads what reads Markdown and math
        desk.scheduler.recall  # noqa: B018  loads FSRS, as the program has when it begins
        begun = time.process_time()
        assert len(item_rows(desk)) == ITEMS
        yield Figure("browse: 20 000 items read for the first time", time.process_time() - begun, 1, "s")
        begun = time.process_time()
        item_rows(desk)
        yield Figure("browse: 20 000 items read again", time.process_time() - begun, 1, "s")
        spent = asyncio.run(_typed(desk))
        yield Figure("browse: one key of a filter, median", MS * statistics.median(spent), 30, "ms")
        slow = statistics.quantiles(spent, n=10)[-1]
        yield Figure("browse: one key of a filter, slowest tenth", MS * slow, 30, "ms")


def _ask_real_questions(desk: Desk) -> None:
    """Give the cards the questions of the shipped decks, each with a number, so that no two are the same."""
    library = desk.catalogue.library
    shipped = [card for deck in load_library(content_root() / "cards", None).decks for card in deck.cards]
    asked = [card.question(card.marks[0].id if card.marks else None) for card in shipped]
    decks = tuple(
        replace(
            deck,
            cards=tuple(
                replace(card, front=f"{asked[(place + 7 * number) % len(asked)]} ({number}, {place})")
                for place, card in enumerate(deck.cards)
            ),
        )
        for number, deck in enumerate(library.decks)
    )
    desk.catalogue = build_catalogue(Library(decks), [])


async def _typed(desk: Desk) -> list[float]:
    """Return the CPU seconds of each key of a filter, from the press to the painted screen."""
    from studynorm.tui.app import StudyNorm
    from studynorm.tui.browse_screen import BrowseScreen

    spent = []
    app = StudyNorm(lambda: desk, engine=False)
    async with app.run_test(size=SIZE) as pilot:
        while app._desk is None:  # opened behind the first frame
            await pilot.pause(0.05)
        await app.push_screen(BrowseScreen())
        await pilot.pause(PAINTED)
        await pilot.press("slash")
        await pilot.pause(PAINTED)
        for char in TYPED:
            begun = time.process_time()
            await pilot.press("space" if char == " " else char)
            await pilot.pause(PAINTED)
            spent.append(time.process_time() - begun)
    return spent


def main() -> int:
    """Print every figure; the exit code says whether all hold."""
    over = 0
    for figure in browsing():
        print(figure, flush=True)  # noqa: T201  printing is what this program is for
        over += figure.measured > figure.budget
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main())
