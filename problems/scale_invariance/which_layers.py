"""Which stacks of layers give the same output when a weight matrix is scaled."""

from dataclasses import dataclass, fields
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Stack:
    """What lies between the scaled weights W and the output: `norm` "" means none."""

    shown: str
    norm: str
    bias: bool = False
    activation: str = ""
    skip: str = ""


STACKS = {
    "linear_bn": Stack("$W x$ → BatchNorm (training)", "batch"),
    "linear_ln": Stack("$W x$ → LayerNorm", "layer"),
    "linear_rms": Stack("$W x$ → RMSNorm", "rms"),
    "relu_bn": Stack("$W x$ → ReLU → BatchNorm (training)", "batch", activation="relu"),
    "relu_ln": Stack("$W x$ → ReLU → LayerNorm", "layer", activation="relu"),
    "bias_bn": Stack("$W x + b$ → BatchNorm (training)", "batch", bias=True),
    "bias_in": Stack("convolution $W$ with bias $b$ → InstanceNorm", "instance", bias=True),
    "bias_ln": Stack("$W x + b$ → LayerNorm", "layer", bias=True),
    "bias_rms": Stack("$W x + b$ → RMSNorm", "rms", bias=True),
    "bias_gn": Stack(
        "convolution $W$ with bias $b$ → GroupNorm (2 groups of 3 channels)", "group", bias=True
    ),
    "bias_relu_bn": Stack("$W x + b$ → ReLU → BatchNorm (training)", "batch", bias=True, activation="relu"),
    "gelu_ln": Stack("$W x$ → GELU → LayerNorm", "layer", activation="gelu"),
    "tanh_bn": Stack("$W x$ → tanh → BatchNorm (training)", "batch", activation="tanh"),
    "eval_bn": Stack("$W x$ → BatchNorm (eval mode)", ""),
    "skip_ln": Stack("$x + W x$ → LayerNorm", "layer", skip="inside"),
    "skip_rms": Stack("$x + W x$ → RMSNorm", "rms", skip="inside"),
    "skip_bn": Stack("$x + W x$ → BatchNorm (training)", "batch", skip="inside"),
    "branch_ln": Stack(r"$x + \operatorname{LN}(W x)$", "layer", skip="around"),
    "pre_ln": Stack(r"$x + W \operatorname{LN}(x)$", "", skip="around"),
}
PLAIN = ("linear_bn", "linear_ln", "linear_rms", "relu_bn", "relu_ln")
REMOVED = ("bias_bn", "bias_in")
KEPT = ("bias_ln", "bias_rms", "bias_gn")
BENT = ("bias_relu_bn", "gelu_ln", "tanh_bn", "eval_bn")
SKIPS = ("skip_ln", "skip_rms", "skip_bn", "pre_ln")
NAMES = tuple(STACKS)


@dataclass(frozen=True, slots=True)
class Params:
    factor: float = en.scalar("the factor c on the weights", 2.0, above=0.0, high=1e3)
    first: str = en.option("the first stack", NAMES, "linear_bn")
    second: str = en.option("the second stack", NAMES, "bias_bn")
    third: str = en.option("the third stack", NAMES, "bias_ln")
    fourth: str = en.option("the fourth stack", NAMES, "skip_ln")


class WhichLayers(en.Family[Params]):
    title = "Which layers are scale-invariant in their weights"
    catalogue = "F7"
    given = Params
    kind = en.YesNo()
    levels = {
        1: en.Level("bias_removed_by_every_norm", "bias_breaks_batchnorm", "skip_scales_along"),
        2: en.Level("bias_removed_by_every_norm", "bent_before_norm", "skip_scales_along"),
    }
    covers = ("scale-invariant-layers",)
    cards = (
        "card:batchnorm/invariance",
        "card:batchnorm/bias-redundant",
        "card:other_norms/rmsnorm-invariance",
    )
    requires = ("scale_invariance.gradient_scale",)

    def kind_of(self, p: Params) -> en.YesNo:
        return en.YesNo(labels=tuple(STACKS[name].shown for name in stacks(p)))

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            names = [rng.choice(REMOVED[:1]), rng.choice(KEPT[:2]), rng.choice(SKIPS[:3]), rng.choice(PLAIN)]
        else:
            last = rng.choice((*PLAIN[3:], *REMOVED[1:], "branch_ln"))
            names = [rng.choice(KEPT), rng.choice(BENT), rng.choice(SKIPS), last]
        return Params(
            rng.choice([tenths / 10 for tenths in range(2, 100) if tenths != 10]), *rng.shuffled(names)
        )

    def validate(self, p: Params) -> None:
        if p.factor == 1:
            raise en.Refused("factor", "a factor of 1 changes nothing anywhere; take another one")
        if p.factor < 1e-3:
            raise en.Refused("factor", "0.001 to 1000 is wanted, so that no rounding hides the difference")

    def prompt(self, p: Params) -> str:
        return (
            f"The weights $W$, and nothing else, are multiplied by $c = {en.tex(p.factor)}$. Every norm has "
            r"$\varepsilon = 0$; $b$ is not zero, and nothing else is special about the numbers."
            "\n\nFor which of these is the output the same as before?"
        )

    def solve(self, p: Params) -> tuple[int, ...]:
        return tuple(int(invariant(STACKS[name])) for name in stacks(p))

    def oracle(self, p: Params, torch: Any) -> tuple[int, ...]:
        return tuple(int(unchanged(name, p.factor, torch)) for name in stacks(p))

    def misconceptions(self, p: Params) -> en.Slips:
        answer = self.solve(p)
        for at, name in enumerate(stacks(p)):
            belief, why = belief_about(STACKS[name])
            flipped = tuple(1 - mark if place == at else mark for place, mark in enumerate(answer))
            yield en.Misconception(belief, flipped, f"{why} (Number {at + 1}.)")

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Follow the factor: is what enters the norm multiplied by $c$ as a whole, up to something that "
            "this norm removes?",
            "A bias and a skip are not multiplied by $c$. Only a norm with a mean of its own per channel "
            "removes a constant per channel, and only ReLU passes a positive factor on.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        return tuple(en.Step(f"{STACKS[name].shown}: {reason(STACKS[name])}") for name in stacks(p))


def stacks(p: Params) -> tuple[str, ...]:
    """Return the four stacks' names in the order shown."""
    return tuple(getattr(p, field.name) for field in fields(p)[1:])


def invariant(stack: Stack) -> bool:
    """Tell whether a norm sees its input multiplied as a whole, up to what it removes."""
    if not stack.norm or stack.skip == "inside" or stack.activation not in {"", "relu"}:
        return False
    return not stack.bias or (stack.norm in {"batch", "instance"} and not stack.activation)


def reason(stack: Stack) -> str:
    """Say why the output stays or changes."""
    if not stack.norm:
        return (
            "changes. Nothing after $W$ measures the scale again: a fixed affine map or a sum passes it on."
        )
    if stack.skip == "inside":
        return "changes. The norm sees $x + cWx$, in which only one term is scaled."
    if stack.activation in {"gelu", "tanh"}:
        return "changes. The activation bends: a factor on its input is no factor on its output."
    if stack.bias and stack.activation:
        return "changes. ReLU stands between: $b$ is not scaled, and after ReLU it is no longer a constant."
    if stack.bias and invariant(stack):
        return "the same. $b$ is a constant of the channel, and this norm subtracts each channel's mean."
    if stack.bias:
        return "changes. The norm sees $cWx + b$; its group spans several entries of $b$, which stay in it."
    also = " ReLU passes a positive factor on." if stack.activation else ""
    branch = " The skip is added after the norm." if stack.skip else ""
    return f"the same. The norm sees its input times $c > 0$ and removes that factor.{also}{branch}"


def belief_about(stack: Stack) -> tuple[str, str]:
    """Return the belief behind a wrong mark for this stack, and what is right."""
    if stack.skip == "inside" or (stack.skip and not stack.norm):
        why = (
            "$x$ reaches the norm unscaled beside $cWx$, so their mixture changes."
            if stack.norm
            else "This norm stands before $W$; nothing after $W$ removes the factor."
        )
        return "skip_scales_along", why
    if not stack.norm or stack.activation in {"gelu", "tanh"} or (stack.bias and stack.activation):
        why = {
            "gelu": "GELU does not pass a factor on: it bends, and so does the vector that LayerNorm sees.",
            "tanh": "tanh does not pass a factor on: it saturates.",
            "relu": "After ReLU the bias is no constant of the channel, so BatchNorm cannot remove it.",
            "": "In eval mode BatchNorm divides by a stored number; it does not measure the scale of $Wx$.",
        }[stack.activation]
        return "bent_before_norm", why
    if stack.bias and invariant(stack):
        return (
            "bias_breaks_batchnorm",
            "The bias is one constant per channel, and subtracting the channel's mean removes it.",
        )
    if stack.bias:
        return (
            "bias_removed_by_every_norm",
            "Its group spans features with different biases; $b$ is not scaled with $W$ and stays in.",
        )
    return "factor_survives_norm", "A positive factor on the whole input of a norm cancels."


def unchanged(name: str, factor: float, torch: Any) -> bool:
    """Run the stack with W and with cW on fixed random numbers and compare the outputs."""
    stack, nn = STACKS[name], torch.nn
    generator = torch.Generator().manual_seed(3)  # with it, ReLU leaves no token without a positive entry
    x = torch.randn(5, 6, 4, generator=generator, dtype=torch.float64)
    weight = torch.randn(6, 6, generator=generator, dtype=torch.float64)
    bias = torch.randn(6, 1, generator=generator, dtype=torch.float64)
    activation = {"": nn.Identity(), "relu": nn.ReLU(), "gelu": nn.GELU(), "tanh": nn.Tanh()}[
        stack.activation
    ]
    functional = nn.functional

    def normalized(z: Any) -> Any:
        if stack.norm == "batch":
            return functional.batch_norm(z, None, None, training=True, eps=en.nonzero(0.0))
        if stack.norm == "instance":
            return functional.instance_norm(z, eps=en.nonzero(0.0))
        if stack.norm == "group":
            return functional.group_norm(z, 2, eps=0.0)
        if stack.norm == "layer":
            return functional.layer_norm(z.mT, (6,), eps=0.0).mT
        if stack.norm == "rms":
            return functional.rms_norm(z.mT, (6,), eps=0.0).mT
        return nn.BatchNorm1d(6, dtype=torch.float64).eval()(z)

    def output(matrix: Any) -> Any:
        if name == "pre_ln":
            return x + matrix @ functional.layer_norm(x.mT, (6,), eps=0.0).mT
        inner = activation(matrix @ x + bias * stack.bias)
        if stack.skip == "inside":
            return normalized(x + inner)
        return x + normalized(inner) if stack.skip else normalized(inner)

    return bool(torch.allclose(output(weight), output(factor * weight), rtol=1e-9, atol=1e-9))


FAMILY = WhichLayers()
