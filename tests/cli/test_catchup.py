"""`studynorm catchup`: plans with their dates, begun, changed and ended from the command line."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from studynorm.storage.home import Home
from studynorm.study.catchup import KEY
from studynorm.study.desk import Desk, open_desk
from tests.cli.conftest import Run, payload, refusal, usage_error
from tests.study.backlogs import memory, put, study


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    """Return a desk with 60 cards due, forgotten by a tenth, and a usual day of 2 reviews."""
    with open_desk(Home(home)) as opened:
        today = opened.clock().day
        cards = [item for item in opened.catalogue.candidates if item.startswith("card:")][:60]
        put(opened.store, (memory(item, 40.0, today - 40, today - 1) for item in cards))
        study(opened.store, ["family:gone.a", "family:gone.b"], range(today - 90, today - 82))
        yield opened


def day(desk: Desk, ahead: int) -> str:
    """Return the date of a study day ahead."""
    from datetime import date

    return date.fromordinal(desk.clock().day + ahead).isoformat()


def test_it_says_what_is_waiting_and_by_when_plans_are_through(run: Run, desk: Desk) -> None:
    """20 a day: 60, 40 and 2 back, 20 and 4, then 6; 30 a day: 60, 30 and 3, then 6."""
    result = run("catchup")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "60 reviews are waiting. Your usual day has 2."
    assert lines[1].startswith("   20 a day: 4 days, through on ")
    assert lines[2].startswith("   30 a day: 3 days, through on ")
    assert "10 % are forgotten" in lines[4]
    assert lines[5] == "`studynorm catchup 30` begins one."
    assert desk.store.values.get(KEY) is None


def test_a_plan_begins_changes_and_ends(run: Run, desk: Desk) -> None:
    """Each step says what holds now; the second end says that there was none."""
    assert run("catchup", "30").stdout.splitlines()[1].startswith("Catch-up: 30 a day, 3 days, through on ")
    assert run("catchup", "20").stdout.splitlines()[1].startswith("Catch-up: 20 a day, 4 days, through on ")
    assert desk.store.values.get(KEY)["per_day"] == 20
    assert run("catchup", "off").stdout == "The usual limits hold again.\n"
    assert desk.store.values.get(KEY) is None
    assert run("catchup", "off").stdout == "No catch-up was at work.\n"


def test_the_object_has_plan_and_choices(run: Run, desk: Desk) -> None:
    """With dates as ISO days, and the plan that holds."""
    found = payload(run("catchup", "--json"))
    assert (found["waiting"], found["done"], found["usual_day"], found["offered"]) == (60, 0, 2, True)
    assert found["plan"] is None
    assert found["choices"][0] == {"per_day": 20, "days": 4, "through": day(desk, 3)}
    found = payload(run("catchup", "20", "--json"))
    assert found["plan"] == {"per_day": 20, "days": 4, "through": day(desk, 3), "since": day(desk, 0)}
    assert found["offered"] is False
    assert payload(run("catchup", "off", "--json"))["plan"] is None


@pytest.mark.parametrize("wish", ["zero", "0", "10000", "-3", "2.5", "٣", "9" * 5000, ""])
def test_what_is_no_number_of_reviews_is_a_usage_error(run: Run, home: Path, wish: str) -> None:
    """One line that says what is allowed, and no profile is made."""
    message = usage_error(run("catchup", wish))
    assert "1 to 9999" in message or "No such option" in message
    assert not home.exists()


def test_where_nothing_is_to_be_spread_nothing_begins(run: Run, desk: Desk) -> None:
    """It says so in one line and exits with 1."""
    assert refusal(run("catchup", "60")).endswith(
        "60 reviews are waiting: that fits into one day of 60; there is nothing to spread."
    )
    assert desk.store.values.get(KEY) is None


def test_on_an_empty_home_nothing_waits_and_nothing_is_made(run: Run, home: Path) -> None:
    """Looking is no writing."""
    assert run("catchup").stdout == "Nothing is waiting.\n"
    assert run("catchup", "off").stdout == "No catch-up was at work.\n"
    assert not home.exists()
