"""Rank and trace of the projector in the backward pass of a normalization layer."""

from dataclasses import dataclass
from math import prod
from typing import Any

from studynorm import engine as en

LARGEST = 144


@dataclass(frozen=True, slots=True)
class Params:
    layer: str = en.option("the layer", ("BatchNorm", "LayerNorm", "RMSNorm"), "BatchNorm")
    shape: tuple[int, ...] = en.shape("the shape (N, D) of the input: N examples of D features", 2)
    gamma: int = en.whole("the scale γ of every feature", 1, low=1, high=1000)
    quantity: str = en.option("what is asked for", ("rank", "trace"), "rank")


class ProjectionFacts(en.Family[Params]):
    title = "Rank and trace of the backward projector"
    catalogue = "E11"
    given = Params
    kind = en.Integer()
    levels = {
        1: en.Level("nothing_removed", "parts_miscounted", "removed_counted", "gamma_included"),
        2: en.Level(
            "nothing_removed",
            "parts_miscounted",
            "removed_counted",
            "removed_once",
            "one_group_only",
            "axes_swapped",
        ),
    }
    covers = ("backward-projector", "two-removed-components", "one-removed-component")
    cards = ("card:backward/two-removed-components", "card:backward/rmsnorm-backward")
    requires = ("backward.input_gradient",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        layer, quantity = rng.choice(("BatchNorm", "LayerNorm", "RMSNorm")), rng.choice(("rank", "trace"))
        gamma = rng.choice((2, 3, 5))
        if level == 1:
            size = rng.integer(5, 12)
            return Params(layer, (size, 1) if layer == "BatchNorm" else (1, size), gamma, quantity)
        rows, columns = rng.sample(range(3, 8), 2)
        return Params(layer, (rows, columns), gamma, quantity)

    def validate(self, p: Params) -> None:
        if prod(p.shape) > LARGEST:
            raise en.Refused("shape", f"at most {LARGEST} numbers are tried here, not {prod(p.shape)}")
        if p.layer != "RMSNorm" and facts(p)[0] < 2:
            what = "examples" if p.layer == "BatchNorm" else "features"
            raise en.Refused("shape", f"{p.layer} with eps = 0 needs at least two {what}; one gives 0/0")

    def prompt(self, p: Params) -> str:
        mode = " in training mode" if p.layer == "BatchNorm" else ""
        spread = "root mean square" if p.layer == "RMSNorm" else "standard deviation"
        share = "root mean square" if p.layer == "RMSNorm" else "mean and variance"
        asked = (
            "What is the rank of $P$?"
            if p.quantity == "rank"
            else "What is the trace of $P$, the sum of its diagonal?"
        )
        return (
            f"{p.layer}{mode}, with $\\gamma = {en.tex(p.gamma)}$ for every feature and $\\varepsilon = 0$, "
            f"gets an input of shape $(N, D) = {en.tex(p.shape)}$: $N$ examples of $D$ features. The entries "
            "are random, no two alike. Within every group of numbers that share one "
            f"{share}, the backward pass is $\\bar x = \\frac{{\\gamma}}{{s}} P_g\\,\\bar y$ with a matrix "
            f"$P_g$ and the group's {spread} $s$. Over the whole input these $P_g$ are the blocks of one "
            f"matrix $P$ with $N D$ rows.\n\n{asked}"
        )

    def solve(self, p: Params) -> int:
        size, groups, parts = facts(p)
        return groups * (size - parts)

    def oracle(self, p: Params, torch: Any) -> Any:
        x = torch.randn(p.shape, generator=torch.Generator().manual_seed(11), dtype=torch.float64)
        features = p.shape[1]
        gamma = torch.full((features,), float(p.gamma), dtype=torch.float64)
        nn = torch.nn.functional

        def layer(v: Any) -> Any:
            if p.layer == "BatchNorm":
                return nn.batch_norm(v, None, None, weight=gamma, training=True, eps=en.nonzero(0.0))
            if p.layer == "LayerNorm":
                return nn.layer_norm(v, (features,), weight=gamma, eps=0.0)
            return nn.rms_norm(v, (features,), weight=gamma, eps=0.0)

        axis = 0 if p.layer == "BatchNorm" else 1
        centre = 0.0 if p.layer == "RMSNorm" else x.mean(axis, keepdim=True)
        spread = (x - centre).square().mean(axis, keepdim=True).sqrt().expand(p.shape)
        jacobian = torch.autograd.functional.jacobian(layer, x).reshape(x.numel(), x.numel())
        projector = jacobian.T * spread.reshape(-1) / p.gamma
        if p.quantity == "rank":
            return int(torch.linalg.matrix_rank(projector, atol=1e-6, rtol=0.0))
        return round(torch.trace(projector).item())

    def misconceptions(self, p: Params) -> en.Slips:
        size, groups, parts = facts(p)
        answer = self.solve(p)
        yield en.Misconception(
            "nothing_removed",
            groups * size,
            "That is all $N D$ directions; the backward pass removes some of them in every group.",
        )
        yield en.Misconception(
            "parts_miscounted",
            groups * (size - 3 + parts),
            r"That removes the mean as well; RMSNorm removes only the part along $\hat x$, one direction per "
            r"group."
            if parts == 1
            else r"That removes one direction per group; both go, $\mathbf 1$ and $\hat x$.",
        )
        yield en.Misconception(
            "removed_counted",
            groups * parts,
            "That counts the directions that are removed; rank and trace count those that stay.",
        )
        yield en.Misconception(
            "gamma_included",
            p.gamma * answer,
            r"That multiplies by $\gamma$, which stands in front of $P_g$ and is no part of it.",
        )
        yield en.Misconception(
            "removed_once",
            groups * size - parts,
            "That removes the directions once for the whole input; every group loses its own.",
        )
        yield en.Misconception(
            "one_group_only", size - parts, "That is one block; $P$ has one for every group of numbers."
        )
        yield en.Misconception(
            "axes_swapped",
            size * (groups - parts),
            "That takes the groups along the other axis: BatchNorm groups the $N$ values of a feature, "
            "LayerNorm and RMSNorm the $D$ features of an example.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Which numbers form one group, how many groups are there, and which directions does a group "
            "lose?",
            "A projector has eigenvalue 1 on every direction that it keeps and 0 on every one that it "
            "removes. So rank and trace are the same number.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        size, groups, parts = facts(p)
        first, second = (1, 2) if p.layer == "BatchNorm" else (2, 1)
        lost = "1 and the normalized group" if parts == 2 else "the normalized group alone"
        return (
            en.Step("Numbers in one group", "size", f"entry(shape, {first})", size),
            en.Step("Groups", "groups", f"entry(shape, {second})", groups),
            en.Step(f"Directions that each group loses: {lost}", "lost", str(parts), parts),
            en.Step("Those that stay, in all groups", "kept", "groups*(size - lost)", self.solve(p)),
        )


def facts(p: Params) -> tuple[int, int, int]:
    """Return the size of a group, the number of groups and the directions that each loses."""
    rows, columns = p.shape
    size, groups = (rows, columns) if p.layer == "BatchNorm" else (columns, rows)
    return size, groups, 1 if p.layer == "RMSNorm" else 2


FAMILY = ProjectionFacts()
