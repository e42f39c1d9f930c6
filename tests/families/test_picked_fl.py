"""Picked answers about scale invariance, zeroed branches, the stream and the ideas: values known by hand."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
import torch

from studynorm.engine.discrete import Choice, Match, Order
from studynorm.engine.family import Family, Refused, givens
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.oracle import verified_values
from studynorm.engine.registry import load_family
from studynorm.engine.variant import Variant, draw


def family(name: str) -> Family[Any]:
    """Return a family that can be loaded."""
    loaded: Any = load_family(name)
    assert isinstance(loaded, Family), loaded
    return loaded


def solved(name: str, **given: str) -> Variant:
    """Return the verified variant of these values, its options in the author's order."""
    variant = verified_values(family(name), 2, given, torch)
    if isinstance(variant.kind, Choice | Order | Match):
        return replace(variant, kind=replace(variant.kind, order=()))
    return variant


def named(variant: Variant, typed: str) -> list[str]:
    """Return the ids of the slips named for a typed answer, which must be wrong."""
    verdict = grade(variant, typed)
    assert verdict.outcome is Outcome.WRONG
    return [slip.id for slip in verdict.misconceptions]


def questions(name: str) -> tuple[str, ...]:
    """Return the names of a concept family's questions."""
    return givens(family(name))["question"].options


def test_a_bias_matters_before_layernorm_and_not_before_batchnorm() -> None:
    """BatchNorm takes the bias off with the channel's mean; LayerNorm's group spans several biases."""
    variant = solved("scale_invariance.which_layers", factor="3")
    assert variant.answer == (1, 1, 0, 0)
    assert grade(variant, "y y n n").outcome is Outcome.CORRECT
    assert named(variant, "y y y n") == ["bias_removed_by_every_norm"]
    assert named(variant, "y n n n") == ["bias_breaks_batchnorm"]
    assert named(variant, "y n y y") == [
        "bias_breaks_batchnorm",
        "bias_removed_by_every_norm",
        "skip_scales_along",
    ]


def test_what_stands_between_weights_and_norm_must_pass_a_factor_on() -> None:
    """max(0, cz) = c·max(0, z) for c > 0, tanh has no such law, and eval mode measures nothing."""
    variant = solved(
        "scale_invariance.which_layers",
        factor="0.5",
        first="relu_ln",
        second="tanh_bn",
        third="eval_bn",
        fourth="bias_relu_bn",
    )
    assert variant.answer == (1, 0, 0, 0)


@pytest.mark.parametrize("factor", ["1", "0", "-2", "1e-9"])
def test_factors_that_show_nothing_are_refused(factor: str) -> None:
    """A factor of 1 changes nothing, and only positive ones are removed."""
    with pytest.raises(Refused, match="factor"):
        solved("scale_invariance.which_layers", factor=factor)


def test_only_scale_and_shift_of_a_zeroed_norm_learn_at_first() -> None:
    """∂L/∂γ = Σȳẑ and ∂L/∂β = Σȳ do not contain γ; everything before is multiplied by γ = 0."""
    variant = solved("stream_scale.zero_gamma", depth="6", index="3")
    assert variant.answer == (0, 0, 1, 1, 1)
    assert named(variant, "n n n y y") == ["gamma_dead"]
    assert named(variant, "y n y y y") == ["branch_learns_first"]
    assert named(variant, "n n y n n") == ["beta_dead", "stem_cut_off"]


def test_two_zeros_in_a_row_never_start() -> None:
    """The derivative of α·w by either factor is the other one, and both are 0."""
    assert solved("stream_scale.zero_gamma", block="both_zero").answer == (0, 0, 0, 1)


def test_a_block_beyond_the_last_is_refused() -> None:
    """There is no block number 5 of 4."""
    with pytest.raises(Refused, match="index"):
        solved("stream_scale.zero_gamma", depth="4", index="5")


@pytest.mark.parametrize(
    ("shape", "branch", "place"),
    [
        ("4,10,64", "kept", 0),
        ("4,10,64", "widened", 3),
        ("4,10,64", "one_feature", 1),
        ("4,10,64", "pooled", 3),
        ("10,10,64", "pooled", 1),
        ("1,10,64", "pooled", 1),
        ("4,10,64", "time_first", 3),
        ("1,10,64", "time_first", 2),
    ],
)
def test_broadcasting_on_the_stream(shape: str, branch: str, place: int) -> None:
    """Shapes are aligned from the right; equal or 1 fits, and a 1 in x is stretched as well."""
    assert solved("transformer.stream_shape", shape=shape, branch=branch).answer == place


def test_a_silent_broadcast_is_not_taken_for_an_update_of_its_own() -> None:
    """(4, 10, 1) on (4, 10, 64) runs, with one number for all features of a token."""
    variant = solved("transformer.stream_shape", shape="4,10,64", branch="one_feature")
    assert grade(variant, "b").outcome is Outcome.CORRECT
    assert named(variant, "a") == ["broadcast_accepted"]
    assert named(variant, "d") == ["mismatch_always_raises"]


@pytest.mark.parametrize("given", [{"shape": "4,4,8", "branch": "time_first"}, {"shape": "4,4,1"}])
def test_shapes_that_hide_the_slip_are_refused(given: dict[str, str]) -> None:
    """With B = T a swap of the axes does not show, and with D = 1 nothing is shared."""
    with pytest.raises(Refused, match="shape"):
        solved("transformer.stream_shape", **given)


def test_every_question_replies_to_every_option() -> None:
    """Four options, three replies, no belief twice, and the right option is not the longest."""
    names = questions("concepts.choose")
    assert len(names) >= 24
    beliefs: Counter[str] = Counter()
    for name in names:
        variant = solved("concepts.choose", question=name)
        assert isinstance(variant.kind, Choice)
        options = variant.kind.options
        assert len(set(options)) == 4
        assert {slip.value for slip in variant.misconceptions} | {variant.answer} == {0, 1, 2, 3}
        assert len(options[variant.answer]) < max(map(len, options)), name
        beliefs.update(slip.id for slip in variant.misconceptions)
    assert {belief for belief, count in beliefs.items() if count > 1} == set()


def test_a_wrong_option_is_answered_with_its_own_reply() -> None:
    """Whoever thinks that frozen parameters freeze a BatchNorm layer is told about its buffers."""
    variant = solved("concepts.choose", question="freeze")
    assert isinstance(variant.kind, Choice)
    (at,) = (at for at, text in enumerate(variant.kind.options) if "requires_grad=False" in text)
    assert named(variant, "abcd"[at]) == ["frozen_parameters_freeze_buffers"]
    assert "buffers" in grade(variant, "abcd"[at]).message


def test_momentum_zero_keeps_the_buffers_and_not_the_output() -> None:
    """What the reply says about `momentum=0`: the output still depends on the batch."""
    layer = torch.nn.BatchNorm1d(1, momentum=0.0)
    out = layer(torch.tensor([[1.0], [3.0]]))
    assert layer.running_mean is not None
    assert layer.running_mean.item() == 0
    assert out.flatten().tolist() == pytest.approx([-1, 1], abs=1e-4)


def test_the_one_group_and_the_layernorm_of_the_question_agree_when_fresh() -> None:
    """GroupNorm(1, C) has C scales, LayerNorm((C, H, W)) has C·H·W, and both start with equal outputs."""
    x = torch.randn(2, 3, 2, 2)
    group, layer = torch.nn.GroupNorm(1, 3), torch.nn.LayerNorm((3, 2, 2))
    assert torch.allclose(group(x), layer(x), atol=1e-6)
    assert (group.weight.numel(), layer.weight.numel()) == (3, 12)


def test_arguments_have_decoys_with_replies() -> None:
    """The steps are the answer in the author's order, and the decoy in a step's place is named."""
    names = questions("concepts.order")
    assert len(names) >= 6
    for name in names:
        variant = solved("concepts.order", question=name)
        assert isinstance(variant.kind, Order)
        assert len(variant.kind.steps) == len(variant.answer) + 1
        assert [slip.distinguishable for slip in variant.misconceptions] == [True]


def test_a_wrong_step_is_named_where_it_stands_for_the_right_one() -> None:
    """The plain stack's product in place of the residual one."""
    variant = solved("concepts.order", question="identity_path")
    assert grade(variant, "a b c d").outcome is Outcome.CORRECT
    assert named(variant, "a e c d") == ["plain_product"]


def test_matches_are_one_to_one_with_one_left_over() -> None:
    """Every set has a right side that fits nowhere, and confusions that are named."""
    names = questions("concepts.match")
    assert len(names) >= 6
    for name in names:
        variant = solved("concepts.match", question=name)
        assert isinstance(variant.kind, Match)
        assert len(variant.kind.right) == len(set(variant.kind.right)) == len(variant.kind.left) + 1
        assert len(variant.misconceptions) >= 3


def test_bert_is_not_pre_ln() -> None:
    """Two confusions in one answer are both named."""
    variant = solved("concepts.match", question="model_norm")
    assert grade(variant, "a b c d e").outcome is Outcome.CORRECT
    assert named(variant, "b a c d e") == ["bert_pre_ln", "gpt2_post_ln"]


def test_options_are_shuffled_and_the_answer_follows() -> None:
    """The letters differ between seeds, and the right one is accepted under each."""
    right = set()
    for seed in range(40):
        variant = draw(family("concepts.choose"), 1, seed)[1]
        letter = variant.kind.typed(variant.answer)
        assert letter is not None
        assert grade(variant, letter).outcome is Outcome.CORRECT
        right.add(letter)
    assert right == set("abcd")
