"""Which parameters learn in the first step of a residual block that starts as the identity."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Block:
    """A block's formula, its start, and its parameters with the belief behind a wrong mark of each."""

    formula: str
    start: str
    parameters: tuple[tuple[str, str, bool], ...]
    reason: str


BEFORE = "branch_learns_first"
STEM = ("a weight in front of all blocks", "stem_cut_off", True)
BLOCKS = {
    "last_gamma": Block(
        r"$x + \operatorname{BN}_2(W_2 \operatorname{ReLU}(\operatorname{BN}_1(W_1 x)))$",
        r"$\gamma_2 = 0$ and $\beta_2 = 0$ (the last norm), all else as usual",
        (
            ("$W_1$", BEFORE, False),
            ("$W_2$", BEFORE, False),
            (r"$\gamma_2$", "gamma_dead", True),
            (r"$\beta_2$", "beta_dead", True),
            STEM,
        ),
        r"The branch's output is $\gamma_2 \hat z + \beta_2$: its derivative in $\gamma_2$ is "
        r"$\hat z \neq 0$, in $\beta_2$ it is 1, and in all that comes before it has the factor "
        r"$\gamma_2 = 0$.",
    ),
    "last_weight": Block(
        r"$x + W_2 \operatorname{ReLU}(W_1 \operatorname{LN}(x)) + b_2$",
        "$W_2 = 0$ and $b_2 = 0$ (the last layer), all else as usual",
        (
            (r"$\gamma$ of the norm", BEFORE, False),
            ("$W_1$", BEFORE, False),
            ("$W_2$", "zeroed_parameter_dead", True),
            ("$b_2$", "beta_dead", True),
            STEM,
        ),
        "The derivative in $W_2$ is the hidden activation, which is not 0, and in $b_2$ it is 1; all that "
        "comes before has the factor $W_2 = 0$.",
    ),
    "rezero": Block(
        r"$x + \alpha\,W_2 \operatorname{ReLU}(W_1 x)$ with a learned number $\alpha$",
        r"$\alpha = 0$ (ReZero), all else as usual",
        (
            ("$W_1$", BEFORE, False),
            ("$W_2$", BEFORE, False),
            (r"$\alpha$", "zeroed_parameter_dead", True),
            STEM,
        ),
        r"The derivative in $\alpha$ is the branch's output before the factor, which is not 0; everything in "
        r"the branch has the factor $\alpha = 0$.",
    ),
    "adaln_zero": Block(
        r"$x + \alpha \odot W_1 \operatorname{LN}(x)$ with the gate $\alpha = V c$ computed from a condition "
        "$c \\neq 0$",
        "$V = 0$ (the gate of adaLN-Zero), all else as usual",
        (
            ("$W_1$", BEFORE, False),
            ("$V$", "zeroed_parameter_dead", True),
            STEM,
        ),
        r"The gate $\alpha$ is 0 and shuts off $W_1$, but its own derivative is the branch's output, and $V$ "
        "gets that times $c$.",
    ),
    "both_zero": Block(
        r"$x + \alpha\,W_2 \operatorname{ReLU}(W_1 x)$ with a learned number $\alpha$",
        r"both $\alpha = 0$ and $W_2 = 0$",
        (
            ("$W_1$", BEFORE, False),
            ("$W_2$", "one_zero_enough", False),
            (r"$\alpha$", "one_zero_enough", False),
            STEM,
        ),
        r"The derivative in $\alpha$ has the factor $W_2 = 0$ and that in $W_2$ the factor $\alpha = 0$, so "
        "this branch never starts to learn; one of the two zeros is enough.",
    ),
}
WHY = {
    BEFORE: "What lies before the zero gets its gradient through it, and so gets none.",
    "gamma_dead": r"The gradient of $\gamma_2$ is $\sum \bar y\,\hat z$, which does not contain $\gamma_2$.",
    "beta_dead": "An added vector collects the gradient that arrives, whatever its own value is.",
    "zeroed_parameter_dead": "A parameter that is 0 does not appear in its own gradient; it learns at once.",
    "stem_cut_off": "The skip carries the gradient past every block unchanged, so the stem learns.",
    "one_zero_enough": "The other zero is a factor of its gradient: with two zeros in a row none can start.",
}


@dataclass(frozen=True, slots=True)
class Params:
    block: str = en.option("how the blocks start", tuple(BLOCKS), "last_gamma")
    depth: int = en.whole("the number of blocks", 4, low=1, high=200)
    index: int = en.whole("which block is asked about, counted from 1", 1, low=1, high=200)


class ZeroGamma(en.Family[Params]):
    title = "Which parameters of a zeroed branch learn first"
    catalogue = "H14"
    given = Params
    kind = en.YesNo()
    levels = {1: en.Level(), 2: en.Level()}
    covers = ("zeroed-branch-gradients",)
    cards = ("card:residual/zero-gamma", "card:residual/three-remedies", "card:backward/gamma-gradient")
    requires = ("stream_scale.rezero_first_step",)

    def kind_of(self, p: Params) -> en.YesNo:
        return en.YesNo(labels=tuple(name for name, _, _ in BLOCKS[p.block].parameters))

    def draw(self, level: int, rng: en.Rng) -> Params:
        depth = rng.integer(2, 24)
        block = "last_gamma" if level == 1 else rng.choice(tuple(BLOCKS)[1:])
        return Params(block, depth, rng.integer(1, depth))

    def validate(self, p: Params) -> None:
        if p.index > p.depth:
            raise en.Refused("index", f"a block from 1 to {p.depth} is wanted, as there are {p.depth}")

    def prompt(self, p: Params) -> str:
        block = BLOCKS[p.block]
        return (
            f"A network has a linear stem, ${en.tex(p.depth)}$ residual blocks and a linear head. Each block "
            f"computes {block.formula} and starts with {block.start}. Nothing follows the addition.\n\n"
            f"Take block number ${en.tex(p.index)}$. Which of these get a gradient other than 0 in the very "
            "first backward pass?"
        )

    def solve(self, p: Params) -> tuple[int, ...]:
        return tuple(int(learns) for _, _, learns in BLOCKS[p.block].parameters)

    def oracle(self, p: Params, torch: Any) -> tuple[int, ...]:
        return first_gradients(p, torch)

    def misconceptions(self, p: Params) -> en.Slips:
        answer = self.solve(p)
        for at, (name, belief, _) in enumerate(BLOCKS[p.block].parameters):
            flipped = tuple(1 - mark if place == at else mark for place, mark in enumerate(answer))
            yield en.Misconception(belief, flipped, f"{name}: {WHY[belief]}")

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Write the derivative of the block's output in each parameter and look for a factor that is 0.",
            "Where $a = 0$, the product $a \\cdot b$ has the derivative $b$ in $a$, but $a = 0$ in $b$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        marks = ", ".join(
            f"{name}: {'yes' if learns else 'no'}" for name, _, learns in BLOCKS[p.block].parameters
        )
        return (
            en.Step(BLOCKS[p.block].reason),
            en.Step("The skip hands the gradient on to the stem, block after block, as it is."),
            en.Step(f"So {marks}."),
        )


def first_gradients(p: Params, torch: Any) -> tuple[int, ...]:
    """Build the network, run one backward pass and look which gradients are not 0."""
    functional, width = torch.nn.functional, 4
    generator = torch.Generator().manual_seed(3)

    def leaf(*sizes: int, zero: bool = False, one: bool = False) -> Any:
        start = torch.randn(*sizes, generator=generator, dtype=torch.float64)
        return (start * (not zero) if not one else torch.ones_like(start)).requires_grad_()

    def norm(z: Any, gamma: Any = None, beta: Any = None) -> Any:
        return functional.batch_norm(z, None, None, gamma, beta, training=True)

    def layer(z: Any, gamma: Any = None) -> Any:
        return functional.layer_norm(z, (width,), gamma)

    def block() -> tuple[tuple[Any, ...], Any]:
        w1, w2 = leaf(width, width), leaf(width, width, zero=p.block in {"last_weight", "both_zero"})
        if p.block == "last_gamma":
            gamma, beta = leaf(width, zero=True), leaf(width, zero=True)
            return (w1, w2, gamma, beta), lambda z: z + norm(norm(z @ w1).relu() @ w2, gamma, beta)
        if p.block == "last_weight":
            gamma, bias = leaf(width, one=True), leaf(width, zero=True)
            return (gamma, w1, w2, bias), lambda z: z + (layer(z, gamma) @ w1).relu() @ w2 + bias
        if p.block == "adaln_zero":
            gate = leaf(3, width, zero=True)
            return (w1, gate), lambda z: z + (condition @ gate) * (layer(z) @ w1)
        alpha = leaf(1, zero=True)
        return (w1, w2, alpha), lambda z: z + alpha * ((z @ w1).relu() @ w2)

    condition, x = leaf(8, 3).detach(), leaf(8, width).detach()
    stem, head = leaf(width, width), leaf(width, 2)
    built = [block() for _ in range(p.depth)]
    stream = x @ stem
    for _, run in built:
        stream = run(stream)
    (stream @ head).square().mean().backward()
    asked = (*built[p.index - 1][0], stem)
    return tuple(int(leaf.grad is not None and bool(leaf.grad.abs().max() > 1e-9)) for leaf in asked)


FAMILY = ZeroGamma()
