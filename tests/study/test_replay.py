"""Replay: a past attempt reads as it was, whatever became of its family."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from studynorm.engine.attempt import Attempt
from studynorm.engine.grading import grade
from studynorm.engine.variant import Variant
from studynorm.storage.attempts import StoredAttempt
from studynorm.storage.errors import StoreError
from studynorm.study.replay import replay_of
from studynorm.study.situation import Key, ProblemPrompt, Stage
from studynorm.study.tries import attempt_at

Draw = Callable[[Key], Variant]

GONE = Attempt(
    item="family:old.family",
    family="old.family",
    version=2,
    level=3,
    seed=11,
    prompt="What is $1 + 1$?",
    params='{"x": [1, 2]}',
    answer="[2.0, 3.0]",
    misconceptions='[{"id": "one", "value": [1, 1], "why": "No.", "distinguishable": true},'
    '{"id": "two", "value": [0, 0], "why": "Nor.", "distinguishable": false}]',
    typed="1 1",
    verdict="wrong",
    misconception="one",
    hints=2,
    revealed=False,
    at=1_772_442_000_000,
)


def test_everything_is_read_from_the_stored_row() -> None:
    """A family that never existed is replayed: prompt, parameters, truth, typed text and the slip made."""
    replay = replay_of(StoredAttempt(5, "review", GONE))
    assert (replay.id, replay.kind, replay.key) == (5, "review", Key("old.family", 3, 11))
    assert (replay.prompt, replay.params, replay.truth) == ("What is $1 + 1$?", {"x": [1, 2]}, [2.0, 3.0])
    assert replay.at == datetime(2026, 3, 2, 9, tzinfo=UTC)
    assert [(slip.id, slip.value, slip.made) for slip in replay.misconceptions] == [
        ("one", [1, 1], True),
        ("two", [0, 0], False),
    ]


def test_several_slips_in_one_answer_are_all_marked() -> None:
    """They are stored joined by a plus."""
    replay = replay_of(StoredAttempt(5, "review", replace(GONE, misconception="one+two")))
    assert [slip.made for slip in replay.misconceptions] == [True, True]


def test_a_change_of_the_family_is_said() -> None:
    """The same version says nothing, another one both numbers, and no version that it is gone."""
    replay = replay_of(StoredAttempt(5, "review", GONE))
    assert replay.change(2) is None
    assert "was version 2 and is 3 now" in (replay.change(3) or "")
    assert "no longer there" in (replay.change(None) or "")


@pytest.mark.parametrize("damaged", ["{", '[{"id": "one"}]', "[1]"])
def test_half_a_row_is_an_error(damaged: str) -> None:
    """It is not shown as if it were whole."""
    with pytest.raises(StoreError, match="attempt 5 is damaged"):
        replay_of(StoredAttempt(5, "review", replace(GONE, misconceptions=damaged)))


def test_a_choice_keeps_its_options_and_letters(verified: Draw) -> None:
    """The stored question shows the options; the truth is the letter that was right on that screen."""
    variant = verified(Key("concepts.choose", 1, 3))
    prompt = ProblemPrompt("family:x", "concepts", Stage.NEW, variant, (), (), False, False, {})
    attempt = attempt_at(prompt, "b", grade(variant, "b"), 0)
    letter = json.loads(attempt.answer)
    options = [line for line in attempt.prompt.split("\n") if line.startswith("**")]
    assert grade(variant, letter).outcome == "correct"
    assert len(options) == 4
    assert next(line for line in options if line.startswith(f"**{letter}**")).endswith(
        variant.solution[0].text
    )
    others = {slip["value"] for slip in json.loads(attempt.misconceptions)}
    assert {letter} | others == set("abcd")
