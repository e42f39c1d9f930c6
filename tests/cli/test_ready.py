"""`studynorm ready`: the outlook as text and as an object, and a final pass line by line."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from studynorm.storage.home import Home
from studynorm.study.desk import Desk, open_desk
from tests.cli.conftest import Run, payload, usage_error
from tests.study.backlogs import memory, put

EPSILON, FORWARD = "card:batchnorm/epsilon-place", "card:batchnorm/forward-pass"


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    """Return a desk with two cards: one at exactly 90 % in 20 days, one far above it."""
    with open_desk(Home(home)) as opened:
        today = opened.clock().day
        learned = [memory(EPSILON, 60.0, today - 40, today + 20), memory(FORWARD, 9000.0, today, today + 20)]
        put(opened.store, learned)
        yield opened


def iso(desk: Desk, ahead: int) -> str:
    """Return the date of a study day ahead."""
    return date.fromordinal(desk.clock().day + ahead).isoformat()


def test_the_object_has_the_outlook_for_a_day(run: Run, desk: Desk) -> None:
    """After as many days as its stability a memory has 90 %, which is not below 90; a day later it is."""
    found = payload(run("ready", "--date", "20", "--json"))
    assert (found["interview_date"], found["days_left"]) == (iso(desk, 20), 20)
    assert found["predicted_for"] == iso(desk, 20)
    (topic,) = (one for one in found["topics"] if one["id"] == "batchnorm")
    assert topic["learned"] == found["overall"]["learned"] == 2
    assert found["overall"]["recall"] == pytest.approx((0.9 + 0.99966) / 2, abs=1e-4)
    assert found["overall"]["half_width"] == pytest.approx(1.96 * (0.09 + 0.00034) ** 0.5 / 2, abs=1e-3)
    assert [one["item"] for one in payload(run("ready", "--date", "21", "--json"))["below"]] == [EPSILON]


def test_a_date_in_the_options_is_used(run: Run, desk: Desk) -> None:
    """Set by `config set`; the text names the day, the pace and the range."""
    assert run("config", "set", "interview_date", iso(desk, 30)).exit_code == 0
    result = run("ready")
    assert result.exit_code == 0
    assert result.stdout.startswith("Interview in 30 days, on ")
    assert "1 of 2 learned items would be below 90 %." in result.stdout
    assert "To have met the " in result.stdout
    assert "   2/" in result.stdout
    assert payload(run("ready", "--json"))["days_left"] == 30


def test_without_a_date_and_after_it_the_prediction_is_for_today(run: Run, desk: Desk) -> None:
    """In a friendly sentence."""
    assert run("ready").stdout.startswith("No interview date is set; this is for today.\n")
    run("config", "set", "interview_date", iso(desk, -3))
    assert "is over; this is for today." in run("ready").stdout
    found = payload(run("ready", "--json"))
    assert (found["days_left"], found["predicted_for"], found["pace"]) == (-3, iso(desk, 0), None)


def test_a_fresh_home_has_nothing_to_predict_and_none_is_made(run: Run, home: Path) -> None:
    """Neither the outlook nor a pass over nothing makes a profile."""
    assert "Nothing is learned yet" in run("ready").stdout
    assert "Nothing that you learned" in run("ready", "--pass", "--plain").stdout
    assert not home.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--date", "soon"), "--date soon: a day is 0 for today"),
        (("--date", "1999-01-01"), "that day is over"),
        (("--date", "2027-02-30"), "there is no day 2027-02-30"),
        (("--plain",), "--plain belongs to --pass"),
        (("--limit", "3"), "--limit belongs to --pass"),
        (("--topic", "batchnorm"), "--topic belongs to --pass"),
        (("--pass", "--json"), "choose one"),
        (("--pass", "--topic", "batchnrm"), "did you mean batchnorm?"),
    ],
)
def test_wrong_use_is_told_in_one_line(run: Run, home: Path, arguments: tuple[str, ...], words: str) -> None:
    """And nothing is made."""
    assert words in usage_error(run("ready", *arguments))
    assert not home.exists()


def test_a_pass_by_lines_changes_no_due_day(run: Run, desk: Desk) -> None:
    """Forgotten, taken back, forgotten again, then known; the item is named with the way to count it."""
    before = (desk.store.memory(EPSILON), desk.store.upkeep.reviews(EPSILON))
    typed = "\n1\n:undo\n:hint\n7\n1\n\n\n"
    result = run("ready", "--pass", "--plain", "--date", "30", typed=typed)
    assert result.exit_code == 0
    assert "Final pass over 1 item. Nothing of it is scheduled." in result.stdout
    assert result.stdout.count("1 comes again, 3 known. Enter is 3:") == 5
    assert "Undone. Here it is again." in result.stdout
    assert "Type 1 or 3, or press Enter." in result.stdout
    assert result.stdout.endswith(
        "1 item known, 0 left. Your schedule is as it was.\n"
        f"Forgotten at first; to count one, find it in the browser (b) and grade it there (g):\n  {EPSILON}\n"
    )
    assert (desk.store.memory(EPSILON), desk.store.upkeep.reviews(EPSILON)) == before


def test_a_pass_over_a_topic_and_a_limit(run: Run, desk: Desk) -> None:
    """All that is learned of it, the lowest first; the end of the input ends it with 0."""
    result = run("ready", "--pass", "--plain", "--topic", "batchnorm", typed="\n3\n")
    assert "Final pass over 2 items." in result.stdout
    assert "1 item known, 1 left." in result.stdout
    assert result.exit_code == 0
    result = run("ready", "--pass", "--plain", "--topic", "batchnorm", "--limit", "1", typed=":undo\n:quit\n")
    assert "Final pass over 1 item." in result.stdout
    assert "There is nothing to undo in this pass." in result.stdout


def test_on_the_screen_a_pass_wants_a_terminal(run: Run, desk: Desk) -> None:
    """Where there is none, one line and exit code 2."""
    result = run("ready", "--pass", "--topic", "batchnorm")
    assert result.exit_code == 2
    assert "needs a terminal" in result.stderr
