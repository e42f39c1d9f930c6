"""`studynorm items`: lists what a filter lets through, and changes it."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from studynorm.mathtext.cells import cell_width
from studynorm.scheduling.rating import Rating
from studynorm.storage.home import Home
from studynorm.study.desk import open_desk
from tests.cli.conftest import Run, payload, usage_error

FORWARD, EPSILON = "card:batchnorm/forward-pass", "card:batchnorm/epsilon-place"


@pytest.fixture
def answered(home: Path) -> None:
    """Rate two cards, one of which stays in its learning steps."""
    with open_desk(Home(home)) as desk:
        for item, rating in ((FORWARD, Rating.EASY), (EPSILON, Rating.GOOD)):
            desk.store.record(desk.scheduler.review(item, None, rating, desk.clock()))


def ids(run: Run, *words: str) -> list[str]:
    """Return the ids of the items that a filter lets through."""
    return [item["id"] for item in payload(run("items", *words, "--json"))["items"]]


@pytest.mark.usefixtures("answered")
def test_a_filter_may_stand_in_one_word_or_in_several(run: Run) -> None:
    """Also where it begins with a minus sign, before and behind options."""
    assert ids(run, "-is:new") == [FORWARD, EPSILON]
    assert ids(run, "-is:new topic:batch stability>8") == [FORWARD]
    assert ids(run, "-is:new", "stability<8") == [EPSILON]
    assert ids(run, "--limit", "1", "-is:new") == [FORWARD]
    assert ids(run, "is:due", "or", FORWARD) == [FORWARD]


@pytest.mark.usefixtures("answered")
def test_rows_are_plain_columns_with_a_header(run: Run) -> None:
    """Id, state, due, stability and title, one item a line; of a single one, why it is due."""
    header, row, between, why = run("items", FORWARD).stdout.splitlines()
    assert between == ""
    assert why.startswith("Due in ")
    assert header.split() == ["item", "state", "due", "stability", "title"]
    item, state, due, stability, title = row.split(None, 4)
    assert (item, state, stability) == (FORWARD, "young", "8.3")
    assert due.endswith("d")
    assert title.startswith("Write the BatchNorm forward pass")


@pytest.mark.usefixtures("answered")
def test_json_gives_numbers_and_nulls(run: Run) -> None:
    """A new item has no stability; one in a step has an instant, one in Review a date."""
    new, step, review = (
        payload(run("items", words, "--limit", "1", "--json"))["items"][0]
        for words in ("is:new", EPSILON, FORWARD)
    )
    assert (new["due"], new["stability"], new["recall"], new["reps"]) == (None, None, None, 0)
    assert step["due"].endswith("+00:00")
    assert step["state"] == "learning"
    assert len(review["due"]) == len("2026-03-02")
    assert review["stability"] == pytest.approx(8.2956)


@pytest.mark.usefixtures("answered")
def test_items_are_suspended_buried_and_taken_out_again(run: Run) -> None:
    """Each says how many changed; those to which nothing happened are not counted."""
    assert run("items", "-is:new", "--suspend").stdout == "2 items suspended.\n"
    assert run("items", "-is:new", "--suspend").stdout == "0 items suspended.\n"
    assert ids(run, "is:suspended") == [FORWARD, EPSILON]
    assert run("items", FORWARD, "--resume").stdout == "1 item resumed.\n"
    assert run("items", FORWARD, "--bury").stdout == "1 item buried until tomorrow.\n"
    assert ids(run, "is:buried") == [FORWARD]
    assert run("items", "is:buried", "--unbury").stdout == "1 item taken out again.\n"
    assert ids(run, "is:buried") == []


@pytest.mark.usefixtures("answered")
def test_forgetting_more_than_one_item_wants_yes(run: Run) -> None:
    """It says how many there would be; one alone is forgotten at once, and remembered on request."""
    assert "this would forget 2 items; say --yes" in usage_error(run("items", "topic:batchnorm", "--forget"))
    assert ids(run, "-is:new") == [FORWARD, EPSILON]
    assert run("items", FORWARD, "--forget").stdout == "1 item forgotten.\n"
    assert ids(run, "-is:new") == [EPSILON]
    assert run("items", FORWARD, "--remember").stdout == "1 item remembered again.\n"
    assert run("items", "topic:batchnorm", "--forget", "--yes").stdout == "2 items forgotten.\n"
    assert ids(run, "-is:new") == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["is:deu"], "did you mean is:due?"),
        (
            ["norm", "stability<"],
            "the FILTER is not finished: stability< and a number of days (at character 6",
        ),
        (["foo:bar"], "there is no foo: — there are is: topic: tag: deck: and card: family:"),
        (["--suspnd", "norm"], "No such option: --suspnd"),
        (["--suspend"], "--suspend wants a FILTER"),
        (["norm", "--suspend", "--bury"], "--suspend and --bury are two things"),
        (["norm", "--forget", "--json"], "choose one"),
        (["norm", "--limit", "0"], "0 is not in the range"),
        (["norm", "--due", "-1"], "--due -1: that day is over; 0 is today"),
        (["norm", "--due", "2026-02-30"], "--due 2026-02-30: there is no day 2026-02-30"),
        (["norm", "--due", "soon"], "--due soon: a day is 0 for today, 5 for in five study days"),
        (["norm", "--due", "40000"], "--due 40000: that is too far off: at most 36500 days"),
        (["norm", "--due"], "Option '--due' requires an argument"),
        (["--due", "3"], "--due wants a FILTER"),
        (["norm", "--due", "3", "--forget"], "two things; choose one"),
        (["norm", "--due", "3", "--json"], "--due changes items, and --json lists them"),
    ],
)
def test_a_wrong_call_is_told_and_changes_nothing(run: Run, words: list[str], told: str) -> None:
    """A usage error, before any item is touched."""
    assert told in usage_error(run("items", *words))


def test_no_item_is_said_in_words_and_an_empty_list_in_json(run: Run) -> None:
    """Both end in 0: nothing went wrong."""
    assert run("items", "zebra").stdout == "No item matches.\n"
    assert payload(run("items", "zebra", "--json"))["items"] == []


@pytest.mark.usefixtures("answered")
@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_the_table_fits_the_terminal(run: Run, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    """Ids stay whole; titles are cut, and columns go before the titles get too narrow to tell anything."""
    rows = ids(run, "topic:batchnorm")
    monkeypatch.setattr("studynorm.commands.items.sys", Terminal())
    monkeypatch.setenv("COLUMNS", str(width))
    header, *lines = run("items", "topic:batchnorm").stdout.splitlines()
    assert [line.split()[0] for line in lines] == rows
    assert max(map(cell_width, [header, *lines])) <= width
    assert ("stability" in header.split()) == (width >= 100)
    assert header.split()[-1] == "title"
    assert all(len(line) > header.index("title") for line in lines)


class Terminal:
    """Stands for `sys` with a terminal as its standard output."""

    class stdout:  # noqa: N801
        """The terminal."""

        @staticmethod
        def isatty() -> bool:
            """Say that it is one."""
            return True


def test_minus_h_shows_the_help(run: Run) -> None:
    """Though everything else that begins with one minus sign is a filter."""
    assert "A FILTER is words" in run("items", "-h").stdout


@pytest.mark.usefixtures("answered")
def test_a_due_day_is_set_and_given_back(run: Run) -> None:
    """As a number of study days, a date or a word; new items and steps are told, not moved."""
    before = payload(run("items", FORWARD, "--json"))["items"][0]["due"]
    assert run("items", FORWARD, "--due", "0").stdout == "1 item due today.\n"
    assert ids(run, "is:due") == [FORWARD]
    today = date.fromisoformat(payload(run("items", FORWARD, "--json"))["items"][0]["due"])
    told = run("items", FORWARD, "--due", "12").stdout
    then = today + timedelta(days=12)
    assert told.startswith(f"1 item due on {then:%A}, {then.day} {then:%B}")
    assert told.endswith(", in 12 days.\n")
    row = payload(run("items", FORWARD, "--json"))["items"][0]
    assert (row["due_in"], row["due"]) == (12, then.isoformat())
    assert run("items", FORWARD, "--due", "tomorrow").stdout.startswith("1 item due tomorrow, ")
    assert run("items", FORWARD, "--undue").stdout == "1 item due again as before.\n"
    assert payload(run("items", FORWARD, "--json"))["items"][0]["due_in"] == 12
    mixed = run("items", "-is:new", "--due", before).stdout.splitlines()
    assert mixed[0].startswith("1 item due on ")
    assert mixed[1].startswith("Only items in Review have a due day to set")
    assert run("items", EPSILON, "--due", "3").stdout.splitlines() == mixed[1:]
    assert run("items", EPSILON, "--undue").stdout == "0 items due again as before.\n"
