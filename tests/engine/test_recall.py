"""Typed recall: any words are taken, none are judged, and everything else treats them like an answer."""

import json
from dataclasses import replace
from typing import Any

import pytest
import torch

from studynorm.engine import recall
from studynorm.engine.family import Family, Misconception, Step
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.oracle import Disagreement, verified_draw, verified_values, verify
from studynorm.engine.proof import examine, prove
from studynorm.engine.registry import load_family
from studynorm.engine.transport import from_json, to_json
from studynorm.engine.variant import Variant, draw
from studynorm.study.worked import answer_text, plain_solution, worked_lines

NAME = "concepts.recall"


@pytest.fixture(name="family")
def family_fixture() -> Family[Any]:
    """The family of typed recall."""
    family = load_family(NAME)
    assert isinstance(family, Family), family
    return family


@pytest.fixture(name="variant")
def variant_fixture(family: Family[Any]) -> Variant:
    """The prompt that asks for the folding of BatchNorm."""
    return verified_values(family, 2, {"question": "fold"}, torch)


@pytest.mark.parametrize("text", ["s times W", "3", "-1/2 (", "$x^2$ **bold**", "\x00\x1b", "é" * 2000])
def test_any_words_are_kept_and_not_judged(variant: Variant, text: str) -> None:
    """Numbers, broken brackets, markup and control characters are words like others."""
    verdict = grade(variant, text)
    assert verdict.outcome is Outcome.UNJUDGED
    assert verdict.kept
    assert not verdict.graded
    assert verdict.message == "Compare with the model answer, then rate yourself."
    assert (verdict.read_as, verdict.marks, verdict.misconceptions) == ("", (), ())


@pytest.mark.parametrize("text", ["", "   ", "\t\u3000"])
def test_nothing_is_no_answer(variant: Variant, text: str) -> None:
    """It costs nothing, and the message says that little is enough."""
    verdict = grade(variant, text)
    assert verdict.outcome is Outcome.MALFORMED
    assert not verdict.kept
    assert verdict.message == "Nothing was typed: write what you remember, a few words will do."


def test_a_longer_text_than_2000_characters_is_refused(variant: Variant) -> None:
    """The message says how long it may be; the place is where it became too long."""
    verdict = grade(variant, "a" * 2001)
    assert (verdict.outcome, verdict.position) == (Outcome.MALFORMED, 2000)
    assert "at most 2000 characters" in verdict.message
    assert recall.RECALL_LIMIT == 2000


def test_the_model_answer_is_the_answer_everywhere(variant: Variant) -> None:
    """As text it survives the way between processes, is what a learner could type, and is what is shown."""
    assert "columns" in plain_solution(variant)
    assert r"W'=W\operatorname{diag}(s)" in variant.answer
    assert from_json(json.loads(json.dumps(to_json(variant)))) == variant
    assert answer_text(variant) == variant.kind.typed(variant.answer) == variant.answer
    assert grade(variant, variant.answer).outcome is Outcome.UNJUDGED


def test_the_rubric_stands_below_the_model_answer(variant: Variant) -> None:
    """The points of a full answer are the steps of the solution, in words alone."""
    text = plain_solution(variant)
    assert text.startswith("Model answer:\n")
    assert text.index("multiplies column j") < text.index("\n\nA full answer says:\n- ")
    assert text.count("\n- ") == len(variant.solution) >= 3
    assert all(line.value == line.formula == "" for line in worked_lines(variant))


def test_nothing_claims_that_words_were_verified(variant: Variant) -> None:
    """The note says that nothing was computed, there is no line for the screen and no program."""
    assert variant.verified is not None
    assert variant.verified.note == "words: nothing was computed"
    assert variant.verification is None
    assert variant.snippet == ""
    assert variant.ladder == variant.hints


def test_another_text_of_the_oracle_is_a_disagreement(
    family: Family[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts agree only where they are the same."""
    params, variant = draw(family, 1, 0)
    monkeypatch.setattr(type(family), "oracle", lambda self, p, torch: "something else")
    with pytest.raises(Disagreement):
        verify(family, params, variant, torch)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"answer": " "}, "not unjudged"),
        ({"answer": "a" * 2001}, "not unjudged"),
        ({"hints": ("one",)}, "at least two hints"),
        ({"solution": ()}, "no worked solution"),
        ({"solution": (Step("sum", "s", "1 + 1", 2.0),)}, "computes something"),
        ({"solution": (Step(" "),)}, "says nothing"),
        ({"misconceptions": (Misconception("a_slip", "text", "why"),)}, "words are not judged"),
    ],
)
def test_the_proof_demands_model_answer_rubric_and_hints(
    family: Family[Any], change: dict[str, Any], found: str
) -> None:
    """An empty or overlong model answer, a lack of hints or points, steps that compute: each is a finding."""
    variant = verified_draw(family, 1, 0, torch)
    assert list(examine(family, variant)) == []
    assert any(found in message for message in examine(family, replace(variant, **change)))


def test_every_prompt_comes_and_is_complete(family: Family[Any]) -> None:
    """The proof finds nothing; 20 prompts or more, each with three to six points and a real model answer."""
    assert list(map(str, prove(family, torch, seeds=60).findings)) == []
    drawn = [draw(family, level, seed)[1] for level in family.levels for seed in range(400)]
    names = {str(variant.params["question"]) for variant in drawn}
    assert len(names) == sum(level.distinct or 0 for level in family.levels.values()) >= 20
    for name in names:
        made = verified_values(family, 1, {"question": name}, torch)
        assert 3 <= len(made.solution) <= 6, name
        assert len(made.answer) > 200, name


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("forward", ["biased", r"\sqrt{\sigma^2+\varepsilon}"]),
        ("momentum", ["0.01", "weight of the old value"]),
        ("zero_sum", ["every $\\varepsilon$", r"\sum_i \partial\mathcal L/\partial x_i"]),
        ("backward", [r"\delta_{ij}-\frac1n-\frac1n\hat x_i\hat x_j", r"\sum_j\bar x_j=0"]),
        ("scale_invariance", [r"\nabla L(W)/c", "plain SGD"]),
        ("fold", [r"s\odot(b-\hat\mu)+\beta"]),
        ("doubling", ["$2^L$", "2.66"]),
        ("stack_jacobian", ["$2^{L-l}$", "on the left"]),
    ],
)
def test_the_model_answers_hold_the_published_results(
    family: Family[Any], question: str, words: list[str]
) -> None:
    """The formulas of the theorem, of folding and of the invariances stand in them as they are proved."""
    answer = verified_values(family, 1, {"question": question}, torch).answer
    assert all(word in answer for word in words)
