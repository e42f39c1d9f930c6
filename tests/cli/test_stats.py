"""`studynorm stats`: the same figures as lines and as JSON, and nothing made where nothing is."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from studynorm.engine.attempt import Attempt
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.studyday import Moment
from studynorm.storage.home import Home
from studynorm.study.desk import Desk, open_desk
from tests.cli.conftest import Run, payload, refusal, usage_error

DAY_MS = 86_400_000


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    """Open the profile that the commands will read."""
    with open_desk(Home(home)) as opened:
        yield opened


def rate(desk: Desk, item: str, rating: Rating, days_ago: int, confidence: int | None = None) -> None:
    """Keep one review some study days ago."""
    now = desk.clock()
    moment = Moment(now.at - days_ago * DAY_MS, now.offset, now.day - days_ago)
    review = desk.scheduler.review(item, desk.store.memory(item), rating, moment, duration_ms=4000)
    desk.store.record(replace(review, confidence=confidence))


def test_without_a_profile_all_is_empty_and_none_is_made(run: Run, home: Path) -> None:
    """Zeros and nulls, a sentence for each part, and no file."""
    told = payload(run("stats", "--json"))
    assert told["today"] == {
        "answers": 0,
        "passed": 0,
        "new": 0,
        "seconds": 0,
        "left": {"new": 20, "learning": 0, "review": 0},
    }
    nothing = {"n": 0, "recalled": 0, "share": None, "low": None, "high": None}
    assert told["retention"] == {
        "desired": 0.9,
        "last_30_days": {**nothing, "young": nothing, "mature": nothing},
        "last_365_days": {**nothing, "young": nothing, "mature": nothing},
    }
    assert told["streak"] == {"days": 0, "rest_days": 0, "longest": 0, "studied_of_last_30": 0}
    assert told["forecast"] == {"backlog": 0, "average": 0, "due": [0] * 30}
    assert told["memory"]["recall"] is None
    assert told["memory"]["new"] == sum(topic["new"] for topic in told["topics"]) > 0
    assert told["problems"] == told["misconceptions"] == []
    assert told["calibration"] == {
        "asked": False,
        "n": 0,
        "brier": None,
        "brier_of_average": None,
        "levels": [],
    }
    said = run("stats")
    assert said.exit_code == 0
    for words in ("No answer yet.", "No streak yet", "Nothing is measured yet", "nothing is learned yet"):
        assert words in said.stdout
    assert not home.exists()


def test_lines_and_json_tell_what_was_answered(run: Run, desk: Desk) -> None:
    """One item recalled and one forgotten after twenty days: n, share and interval, by topic and in all."""
    for item, rating in (
        ("card:batchnorm/forward-pass", Rating.GOOD),
        ("card:backward/jacobian-entry", Rating.AGAIN),
    ):
        rate(desk, item, Rating.EASY, 20)
        rate(desk, item, rating, 0, confidence=75)
    told = payload(run("stats", "--json"))
    month = told["retention"]["last_30_days"]
    assert (month["n"], month["recalled"], month["share"]) == (2, 1, 0.5)
    assert (month["low"], month["high"]) == pytest.approx((0.0945, 0.9055), abs=5e-5)  # 1 of 2 by Wilson
    topics = {topic["id"]: topic for topic in told["topics"]}
    assert topics["batchnorm"]["retention"]["share"] == 1
    assert topics["backward"]["retention"]["share"] == 0
    assert topics["batchnorm"]["recall"] == 1  # answered today
    assert told["calibration"]["levels"][0]["confidence"] == 75
    assert told["calibration"]["brier"] == pytest.approx((0.25**2 + 0.75**2) / 2)
    assert told["today"]["answers"] == 2
    assert sorted(told["calendar"]["answers"].values()) == [2, 2]
    said = run("stats").stdout
    assert "Today         2 answers, 1 passed, 0 new, 8 s." in said
    assert "last 30 days 1 of 2 50% 9–91% as desired" in [
        " ".join(line.split()) for line in said.splitlines()
    ]
    assert max(map(cell_len, said.splitlines())) <= 80
    one = payload(run("stats", "--topic", "batchnorm", "--json"))
    assert one["topic"] == "batchnorm"
    assert [topic["id"] for topic in one["topics"]] == ["batchnorm"]
    assert one["retention"]["last_30_days"]["n"] == 1
    assert one["streak"] == told["streak"]


def test_misconceptions_are_named_with_their_trend(run: Run, desk: Desk) -> None:
    """Made in all five answers before, in none of ten since: fading, in both forms."""
    attempt = Attempt(
        item="family:batchnorm.entry",
        family="batchnorm.entry",
        version=1,
        level=1,
        seed=1,
        prompt="?",
        params="{}",
        answer="1",
        misconceptions='[{"id": "unbiased_variance", "value": 2, "why": "Divide by $n$."}]',
        typed="2",
        verdict="wrong",
        misconception="unbiased_variance",
        hints=0,
        revealed=False,
        at=desk.clock().at - 45 * DAY_MS,
    )
    right = replace(attempt, verdict="correct", misconception=None, at=desk.clock().at - DAY_MS)
    for seed in range(5):
        desk.store.record_drill(replace(attempt, seed=seed))
    for seed in range(10):
        desk.store.record_drill(replace(right, seed=seed))
    told = payload(run("stats", "--json"))
    assert told["misconceptions"] == [
        {
            "id": "unbiased_variance",
            "topic": "batchnorm",
            "families": ["batchnorm.entry"],
            "last_30_days": {"times": 0, "answers": 10},
            "before": {"times": 5, "answers": 5},
            "trend": "fading",
            "why": "Divide by $n$.",
        }
    ]
    (problem,) = told["problems"]
    assert (problem["family"], problem["level"], problem["n"], problem["right"]) == (
        "batchnorm.entry",
        1,
        15,
        10,
    )
    assert problem["title"] != problem["family"]
    said = run("stats").stdout
    assert "unbiased variance                      0 of 10    5 of 5  fading" in said


def test_a_topic_that_does_not_exist_is_refused_with_the_nearest(run: Run, home: Path) -> None:
    """Before anything is made."""
    assert "did you mean batchnorm?" in usage_error(run("stats", "--topic", "batchnrom"))
    assert not home.exists()


def test_a_file_that_is_no_profile_is_refused_and_left_alone(run: Run, home: Path) -> None:
    """One line that names it; not a byte of it changes."""
    path = home / "profiles" / "default.sqlite"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"not a database at all")
    assert str(path) in refusal(run("stats", "--json"))
    assert path.read_bytes() == b"not a database at all"


def test_reading_leaves_no_trace(run: Run, home: Path) -> None:
    """No byte of the profile changes, no file appears beside it, and its weights are those in use."""
    with open_desk(Home(home)) as desk:
        rate(desk, "card:batchnorm/forward-pass", Rating.EASY, 20)
        weights = (*desk.scheduler.weights[:20], 0.5)
        desk.store.ledger.adopt("FSRS-6", weights)
        stability = desk.store.memory("card:batchnorm/forward-pass").stability  # type: ignore[union-attr]
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    told = payload(run("stats", "--json"))
    assert told["memory"]["recall"] == pytest.approx((1 + (0.9 ** (1 / -0.5) - 1) * 20 / stability) ** -0.5)
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before
