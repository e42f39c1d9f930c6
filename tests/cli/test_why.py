"""“Why is this due?” by lines: of a single item always, of several when asked."""

from pathlib import Path

import pytest

from studynorm.scheduling.rating import Rating
from studynorm.storage.home import Home
from studynorm.study.desk import open_desk
from tests.cli.conftest import Run, payload

ITEM, OTHER = "card:batchnorm/forward-pass", "family:batchnorm.entry"


@pytest.fixture(autouse=True)
def learned(home: Path) -> None:
    """One card was rated Good a moment ago."""
    with open_desk(Home(home)) as desk:
        desk.store.record(desk.scheduler.review(ITEM, None, Rating.GOOD, desk.clock()))


def test_a_single_item_says_why_it_is_due(run: Run) -> None:
    """Under its line."""
    lines = run("items", ITEM).stdout.splitlines()
    assert lines[-2] == ""
    assert lines[-1].startswith("In learning: step 2 of 2 is due at ")


def test_several_items_say_it_only_if_asked(run: Run) -> None:
    """Then each by its id."""
    words = (ITEM, "or", OTHER)
    assert "In learning" not in run("items", *words).stdout
    lines = run("items", *words, "--why").stdout.splitlines()
    assert lines[-2].startswith(f"{ITEM}: In learning: step 2 of 2 is due at ")
    assert lines[-1].startswith(f"{OTHER}: New: it was never answered; ")


def test_json_holds_it_or_null(run: Run) -> None:
    """The field is always there."""
    (one,) = payload(run("items", ITEM, "--json"))["items"]
    assert one["why"].startswith("In learning: ")
    both = payload(run("items", ITEM, "or", OTHER, "--json"))["items"]
    assert [row["why"] for row in both] == [None, None]
    both = payload(run("items", ITEM, "or", OTHER, "--why", "--json"))["items"]
    assert all(row["why"] for row in both)
