"""QK-norm, DenseNet, normalizer-free ResNets: values by hand or published, named slips, refusals."""

from math import sqrt
from typing import Any

import pytest
import torch

from studynorm.engine.family import Family, Refused
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.oracle import verified_values
from studynorm.engine.registry import load_family
from studynorm.engine.variant import Variant


def solved(family_id: str, **given: str) -> Variant:
    """Return the verified variant of these values, of level 3 or the nearest one."""
    family: Any = load_family(family_id)
    assert isinstance(family, Family), family
    return verified_values(family, 3, given, torch)


def right(variant: Variant, typed: str) -> bool:
    """Tell whether a typed answer is right."""
    return grade(variant, typed).outcome is Outcome.CORRECT


def named(variant: Variant, typed: str) -> list[str]:
    """Return the ids of the slips named for a typed answer, which must be wrong."""
    verdict = grade(variant, typed)
    assert verdict.outcome is Outcome.WRONG
    return [slip.id for slip in verdict.misconceptions]


def test_the_logit_of_a_normalized_pair() -> None:
    """(1, 1, 3, 5) and (4, 2, 4, 0) have the RMS 3 and 3 and the dot product 18: 18/(3·3·2) = 1."""
    variant = solved("transformer.qk_norm", q="1,1,3,5", k="4,2,4,0")
    assert variant.answer == pytest.approx(1, rel=1e-12)
    assert right(variant, "1")
    assert named(variant, "9") == ["norm_forgotten"]
    assert named(variant, "2") == ["attention_scale_forgotten"]
    assert named(variant, "0.5") == ["attention_scale_not_rooted"]
    assert named(variant, "1/4") == ["divided_by_norm"]
    assert named(variant, "3") == ["query_alone_normalized"]


def test_the_logit_with_the_means_removed_is_layer_norm() -> None:
    """(2, 4) and (1, 7) become (−1, 1) twice: 2/√2, while RMSNorm leaves 30/(√10·5·√2) = 3√5/5."""
    variant = solved("transformer.qk_norm", q="2,4", k="1,7")
    assert right(variant, "3*sqrt(5)/5")
    assert named(variant, "sqrt(2)") == ["layer_norm_instead"]


def test_growing_a_hundredfold_leaves_the_logit() -> None:
    """Both root mean squares grow a hundredfold too; without norms the logit grows 10 000-fold."""
    variant = solved("transformer.qk_norm", q="1,1,3,5", k="4,2,4,0", growth="100")
    assert variant.answer == pytest.approx(1, rel=1e-12)
    assert named(variant, "10000") == ["factor_passes_on"]
    assert named(variant, "90000") == ["norm_forgotten"]


def test_the_largest_logit_is_the_root_of_the_head_dimension() -> None:
    """By Cauchy and Schwarz γ²√d: 2 for four features and γ = 1, reached where q and k are parallel."""
    given = {"q": "1,1,3,5", "k": "5,3,1,1"}
    assert right(solved("transformer.qk_norm", **given, asked="largest"), "2")
    parallel = solved("transformer.qk_norm", q="1,1,3,5", k="7,7,21,35")
    assert parallel.answer == pytest.approx(2, rel=1e-12)
    scaled = solved("transformer.qk_norm", **given, asked="largest", gamma="-3")
    assert right(scaled, "18")
    assert named(scaled, "9") == ["attention_scale_not_rooted"]
    assert named(scaled, "8") == ["present_logit"]
    assert named(scaled, "2") == ["affine_dropped"]
    assert named(scaled, "36") == ["attention_scale_forgotten"]


def test_orthogonal_query_and_key_have_the_logit_zero() -> None:
    """0.1 + 0.2 − 0.3 is exactly 0, as the numbers are displayed."""
    assert solved("transformer.qk_norm", q="0.1,0.2,0.3", k="1,1,-1", growth="7").answer == 0


@pytest.mark.parametrize(
    ("given", "name"),
    [({"q": "0,0", "k": "1,2"}, "q"), ({"q": "1,2", "k": "0,0"}, "k"), ({"q": "1,2", "k": "1"}, "k")],
)
def test_qk_norm_refuses_what_has_no_root_mean_square(given: dict[str, str], name: str) -> None:
    """A vector of zeros cannot be normalized with ε = 0, and the two must be equally long."""
    with pytest.raises(Refused) as refused:
        solved("transformer.qk_norm", **given)
    assert refused.value.name == name


@pytest.mark.parametrize(
    ("start", "depth", "channels"), [("64", "6", 256), ("128", "12", 512), ("256", "24", 1024)]
)
def test_densenet_121_has_the_published_widths(start: str, depth: str, channels: int) -> None:
    """Its first three blocks of 6, 12 and 24 layers of growth rate 32 end at 256, 512 and 1024 channels."""
    assert solved("residual.densenet", start=start, growth="32", depth=depth).answer == channels


def test_slips_about_the_width_are_named() -> None:
    """Six layers append 32 channels each to 64."""
    variant = solved("residual.densenet", start="64", growth="32", depth="6")
    assert named(variant, "64") == ["residual_instead"]
    assert named(variant, "192") == ["start_forgotten"]
    assert named(variant, "224") == ["one_step_short"]
    assert named(variant, "32") == ["new_channels_alone"]
    assert named(variant, "64*2^6") == ["doubled_per_layer"]


def test_what_the_last_layer_learns() -> None:
    """The third layer reads 10 + 2·4 = 18 channels: 18·4·9 = 648 weights and 36 numbers of the norm."""
    variant = solved("residual.densenet", start="10", growth="4", depth="3", asked="layer")
    assert variant.answer == 684
    assert named(variant, "648") == ["norm_forgotten"]
    assert named(variant, "688") == ["bias_counted"]
    assert named(variant, "22*38") == ["one_step_too_many"]
    assert named(variant, "108") == ["kernel_of_one"]
    assert named(variant, "4*38") == ["new_channels_alone"]
    assert named(variant, "36+9*18*22") == ["outputs_all_channels"]
    assert named(variant, "920") == ["residual_instead"]


def test_what_a_block_learns() -> None:
    """Layers that read 10, 14, 18 and 22 channels learn 38 numbers for each of these 64."""
    variant = solved("residual.densenet", start="10", growth="4", depth="4", asked="block")
    assert variant.answer == 64 * 38
    assert named(variant, "40*38") == ["first_width_throughout"]
    assert named(variant, "88*38") == ["last_width_throughout"]
    assert named(variant, "80*38") == ["one_step_too_many"]
    assert named(variant, "64*36") == ["norm_forgotten"]
    assert named(variant, "64*38 + 16") == ["bias_counted"]
    assert named(variant, "4*920") == ["residual_instead"]


def test_densenet_refuses_a_block_without_layers() -> None:
    """There is nothing to count in it."""
    with pytest.raises(Refused) as refused:
        solved("residual.densenet", start="64", growth="32", depth="0")
    assert refused.value.name == "depth"


def test_the_predicted_scale_grows_by_alpha_squared() -> None:
    """With α = 0.5 five blocks add 1.25 to the variance 1; the root of 2.25 is 1.5."""
    variant = solved("stream_scale.normalizer_free", depth="5", alpha="0.5")
    assert variant.answer == pytest.approx(1.5, rel=1e-12)
    assert named(variant, "2.25") == ["root_swapped"]
    assert named(variant, "sqrt(3.5)") == ["factor_not_squared"]
    assert named(variant, "1.25^2.5") == ["compounded"]
    assert named(variant, "3.5") == ["rms_added"]
    assert named(variant, "1") == ["norm_holds_stream"]
    assert named(variant, "sqrt(1.25)") == ["start_forgotten"]
    assert solved(
        "stream_scale.normalizer_free", depth="5", alpha="0.5", quantity="variance"
    ).answer == pytest.approx(2.25, rel=1e-12)


def test_a_transition_block_starts_the_variance_anew() -> None:
    """Brock et al. (2021): behind a transition block it is 1 + α², whatever came before; then it grows on."""
    just_behind = solved(
        "stream_scale.normalizer_free", depth="4", alpha="0.5", transition="4", quantity="variance"
    )
    assert just_behind.answer == pytest.approx(1.25, rel=1e-12)
    later = solved("stream_scale.normalizer_free", depth="6", alpha="0.4", transition="4")
    assert later.answer == pytest.approx(sqrt(1.48), rel=1e-12)
    assert named(later, "1.4") == ["reset_ignored"]
    assert named(later, "sqrt(1.32)") == ["one_step_short"]


def test_a_transition_block_must_be_among_those_passed() -> None:
    """Block 6 of 5 is refused with the range."""
    with pytest.raises(Refused, match="from 1 to 5"):
        solved("stream_scale.normalizer_free", depth="5", transition="6")
