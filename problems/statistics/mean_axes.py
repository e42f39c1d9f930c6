"""The axes that a layer averages over, in PyTorch's words, whatever the layout of the tensor."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

from studynorm import engine as en

SIZES = {"N": 2, "B": 2, "T": 3, "G": 2, "K": 3, "C": 6, "D": 6, "L": 3, "Z": 3, "H": 4, "W": 5}
"""Sizes on which torch tries every set of axes; K stands for the C/G channels of a group."""
CASES = {
    **{f"BatchNorm {layout}": "".join(axis for axis in layout if axis != "C")
       for layout in ("NCHW", "NHWC", "NCL", "NLC", "NCZHW", "NZHWC")},
    **{f"{layer} {layout}": "D" for layer in ("LayerNorm", "RMSNorm") for layout in ("BTD", "TBD")},
    **{f"InstanceNorm {layout}": layout.replace("N", "").replace("C", "")
       for layout in ("NCHW", "NHWC", "NCL", "NLC", "NCZHW")},
    **{f"LayerNorm-C {layout}": "C" for layout in ("NCHW", "NHWC")},
    **{f"LayerNorm-CHW {layout}": "CHW" for layout in ("NCHW", "NHWC", "NCZHW")},
    **{f"GroupNorm {layout}": layout[2:] for layout in ("NGKHW", "NGKL")},
}  # fmt: skip
"""The letters of the axes that are averaged away, for a layer and the letters of its input's axes."""
CASES["LayerNorm-CHW NCZHW"] = "CZHW"
DRAWN = {
    1: [case for case in CASES if case.startswith("BatchNorm")],
    2: [case for case in CASES if case.split()[0] in {"InstanceNorm", "LayerNorm", "RMSNorm", "LayerNorm-C"}],
    3: [case for case in CASES if case.startswith(("LayerNorm-CHW", "GroupNorm"))],
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Params:
    case: str = en.option("the layer and the layout of its input", tuple(CASES), "BatchNorm NCHW")


class MeanAxes(en.Family[Params]):
    title = "The axes of a mean"
    catalogue = "C6"
    given = Params
    kind = en.Axes()
    levels = {
        1: en.Level(
            "kept_axes_named", "examples_apart", "channels_averaged_too", "batch_axis_only", distinct=6
        ),
        2: en.Level("kept_axes_named", "examples_averaged_too", "whole_example_averaged", distinct=11),
        3: en.Level(
            "kept_axes_named", "examples_averaged_too", "positions_forgotten", "channels_apart", distinct=5
        ),
    }
    covers = ("mean-axes", "batchnorm-group", "layernorm-group", "instancenorm-group", "groupnorm-group")
    cards = ("card:statistics/batchnorm-dims", "card:statistics/layernorm-token-group")
    requires = ("statistics.batchnorm_count", "statistics.layernorm_count")

    def draw(self, level: int, rng: en.Rng) -> Params:
        return Params(rng.choice(DRAWN[level]))

    def prompt(self, p: Params) -> str:
        layer, layout = p.case.split()
        axes = ", ".join("C/G" if axis == "K" else axis for axis in layout.replace("Z", "D"))
        what = {
            "LayerNorm": "`LayerNorm(D)` on tokens",
            "RMSNorm": "`RMSNorm(D)` on tokens",
            "LayerNorm-C": "LayerNorm over the channels of each position",
            "LayerNorm-CHW": "LayerNorm over all channels and positions of an example",
            "GroupNorm": "GroupNorm, its channels already split into $G$ groups of $C/G$",
            "BatchNorm": "BatchNorm in training mode, over each channel",
        }.get(layer, layer)
        call = "mean squares: `x.square().mean(dim=…)`" if layer == "RMSNorm" else "means: `x.mean(dim=…)`"
        return f"{what}: the input `x` has the layout $({axes})$.\n\nWhich axes give its {call}?"

    def kind_of(self, p: Params) -> en.Axes:
        return en.Axes(rank=len(p.case.split()[1]))

    def solve(self, p: Params) -> tuple[int, ...]:
        return places(p, CASES[p.case])

    def oracle(self, p: Params, torch: Any) -> Any:
        layer, layout = p.case.split()
        x = torch.randn([SIZES[axis] for axis in layout], dtype=torch.float64)
        wanted = normalized(layer, layout, x, torch)
        fitting = []
        for count in range(1, x.dim() + 1):
            for axes in combinations(range(x.dim()), count):
                centre = 0.0 if layer == "RMSNorm" else x.mean(axes, keepdim=True)
                square = (x - centre).square().mean(axes, keepdim=True)
                if torch.allclose((x - centre) / (square + 1e-5).sqrt(), wanted, rtol=0, atol=1e-9):
                    fitting.append(axes)
        (only,) = fitting
        return only

    def misconceptions(self, p: Params) -> en.Slips:
        layer, layout = p.case.split()
        averaged = CASES[p.case]
        example = "B" if "B" in layout else "N"
        kept = "".join(axis for axis in layout if axis not in averaged)
        yield en.Misconception(
            "kept_axes_named",
            places(p, kept),
            "Those are the axes that keep their size; `dim` names the ones that are averaged away.",
        )
        if layer == "BatchNorm":
            yield en.Misconception(
                "examples_apart",
                places(p, averaged.replace("N", "")),
                "That gives every example its own mean, as in InstanceNorm; BatchNorm averages over the "
                "examples too.",
            )
            yield en.Misconception(
                "channels_averaged_too",
                places(p, layout),
                "That gives one mean of everything; the channel axis is the one to leave out.",
            )
            yield en.Misconception(
                "batch_axis_only",
                places(p, "N"),
                "That gives a mean for every position; the positions are averaged over as well.",
            )
            return
        yield en.Misconception(
            "examples_averaged_too",
            places(p, averaged + example),
            "That averages over the examples too; only BatchNorm does so.",
        )
        whole = "".join(axis for axis in layout if axis != example)
        if set(whole) != set(averaged) and layer != "GroupNorm":
            yield en.Misconception(
                "whole_example_averaged",
                places(p, whole),
                "That gives one mean per sequence; every token has its own."
                if "D" in averaged
                else "That gives one mean per example; every channel has its own."
                if layer == "InstanceNorm"
                else "That gives one mean per example; every position has its own.",
            )
        else:
            channel = "K" if layer == "GroupNorm" else "C"
            yield en.Misconception(
                "positions_forgotten",
                places(p, channel),
                "That gives every position its own mean; the positions are averaged over as well.",
            )
            yield en.Misconception(
                "channels_apart",
                places(p, averaged.replace(channel, "")),
                "That gives every channel its own mean, as in InstanceNorm; here the channels are averaged "
                "over as well.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Which numbers go into one mean? The axes along which they lie are the ones to name.",
            "Ask of each axis: does every place on it have a mean of its own? Then leave it out. Axes are "
            "counted from 0.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        layout = p.case.split()[1]
        names = ["C/G" if axis == "K" else axis for axis in layout.replace("Z", "D")]
        axes = self.solve(p)
        kept = ", ".join(f"${name}$" for at, name in enumerate(names) if at not in axes)
        away = ", ".join(f"${names[at]}$ (axis {at})" for at in axes)
        return (
            en.Step(f"There is a mean of its own for every place on {kept}."),
            en.Step(f"Averaged away: {away}."),
        )


def places(p: Params, letters: str) -> tuple[int, ...]:
    """Return the places of axes in the layout of a case."""
    layout = p.case.split()[1]
    return tuple(sorted(layout.index(letter) for letter in set(letters)))


def normalized(layer: str, layout: str, x: Any, torch: Any) -> Any:
    """Return what PyTorch's own layer makes of `x`, whose axes it wants in another order at times."""
    nn = torch.nn
    if layer == "GroupNorm":
        return nn.GroupNorm(x.shape[1], x.shape[1] * x.shape[2], dtype=x.dtype)(x.flatten(1, 2)).reshape(
            x.shape
        )
    if layer in {"LayerNorm", "RMSNorm"}:
        return getattr(nn, layer)(x.shape[-1], eps=1e-5, dtype=x.dtype)(x)
    channel = layout.index("C")
    if layer == "LayerNorm-C":
        return nn.LayerNorm(x.shape[channel], dtype=x.dtype)(x.movedim(channel, -1)).movedim(-1, channel)
    if layer == "LayerNorm-CHW":
        return nn.LayerNorm(tuple(x.shape[1:]), dtype=x.dtype)(x)
    kind = getattr(nn, f"{layer}{x.dim() - 2}d")
    return kind(x.shape[channel], dtype=x.dtype)(x.movedim(channel, 1)).movedim(1, channel)


FAMILY = MeanAxes()
