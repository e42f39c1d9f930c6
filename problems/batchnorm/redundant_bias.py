"""What a change of the bias before BatchNorm does in training mode, to the running mean and in eval mode."""

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    delta: float = en.scalar("how much larger the bias is; not 0")
    momentum: float = en.scalar("PyTorch's momentum, the weight of the new batch", 0.1, low=0.0, high=1.0)
    steps: int = en.whole("how many training passes follow", 1, low=1, high=500)
    gamma: float = en.scalar("the scale γ", 1.0)
    running_var: float = en.scalar("the running variance after the passes", 1.0, above=0.0)
    eps: float = en.eps()


SLIPS = (
    "bias_survives_training",
    "bias_passes_unscaled",
    "replaced",
    "start_stats",
    "eval_unchanged_too",
    "keras_momentum",
    "gamma_missing",
    "divided_by_variance",
)


class RedundantBias(en.Family[Params]):
    title = "The bias before BatchNorm"
    catalogue = "A9"
    given = Params
    kind = en.Vector()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "linear_growth", "eps_ignored")}
    covers = ("bias-before-batchnorm", "running-mean-update", "train-eval-difference")
    cards = ("card:batchnorm/bias-redundant", "card:batchnorm/invariance", "card:running_stats/memory")
    requires = ("batchnorm.vector", "running_stats.mean", "running_stats.eval_output")
    refuses_zero_eps = True

    def draw(self, level: int, rng: en.Rng) -> Params:
        delta = rng.choice((-1, 1)) * rng.integer(2, 10) / 2
        momentum = rng.choice((0.1, 0.2, 0.25, 0.3, 0.4))
        if level == 2:
            return Params(
                delta, momentum, 1, rng.choice((0.5, 2.0, 3.0)), rng.choice((0.25, 4.0, 16.0, 25.0)), 0.0
            )
        var = rng.choice((0.5, 2.0, 3.0, 5.0))
        visible = var * rng.choice((0.2, 0.5))
        return Params(delta, momentum, rng.integer(2, 4), rng.choice((-0.5, -2.0, -3.0)), var, visible)

    def validate(self, p: Params) -> None:
        if p.delta == 0:
            raise en.Refused(
                "delta", "a bias that stays as it is changes nothing; give a number other than 0"
            )
        if not isfinite(p.gamma * p.delta / sqrt(p.running_var + p.eps)):
            raise en.Refused("gamma", "the eval output would change by more than the largest float64")

    def prompt(self, p: Params) -> str:
        batches = "the same batch"
        if p.steps > 1:
            batches = f"the same ${en.tex(p.steps)}$ batches, one after the other"
        return (
            "A linear layer feeds one channel of BatchNorm. Two copies of this network differ in one number: "
            f"in the second, the linear layer's bias is larger by $\\delta = {en.tex(p.delta)}$. Both get "
            f"{batches}, in training mode and without a weight update. BatchNorm has "
            f"$\\gamma = {en.tex(p.gamma)}$, PyTorch's momentum $m = {en.tex(p.momentum)}$ and "
            f"$\\varepsilon = {en.tex(p.eps)}$; afterwards both hold the running variance "
            f"$\\hat\\sigma^2 = {en.tex(p.running_var)}$.\n\nBy how much does the second copy differ from "
            "the first (second minus first)? Give three numbers, in this order:\n\n"
            "1. any output in training mode\n"
            "2. the running mean afterwards\n"
            "3. the output for one input in eval mode, afterwards"
        )

    def solve(self, p: Params) -> en.Vec:
        share = 0.0
        for _ in range(p.steps):
            share += p.momentum * (1 - share)
        return answer(p, moved=p.delta * share)

    def oracle(self, p: Params, torch: Any) -> Any:
        batch = torch.tensor([[-1.0], [0.5], [2.0]], dtype=torch.float64) * abs(p.delta)
        outputs, means, evals = [], [], []
        for bias in (0.0, p.delta):
            linear = torch.nn.Linear(1, 1, dtype=torch.float64)
            norm = torch.nn.BatchNorm1d(1, en.nonzero(p.eps), p.momentum, dtype=torch.float64)
            with torch.no_grad():
                linear.weight.fill_(1.0)
                linear.bias.fill_(bias)
                norm.weight.fill_(p.gamma)
                outputs.append([norm(linear(batch)) for _ in range(p.steps)][-1])
                norm.running_var.fill_(p.running_var)
                means.append(norm.running_mean.item())
                evals.append(norm.eval()(linear(batch))[0].item())
        train = (outputs[1] - outputs[0])[0].item()
        rounding = 1e-9 * abs(p.gamma)
        return train if abs(train) > rounding else 0.0, means[1] - means[0], evals[1] - evals[0]

    def misconceptions(self, p: Params) -> en.Slips:
        m, std = p.momentum, sqrt(p.running_var + p.eps)
        _, moved, evaluated = self.solve(p)
        yield en.Misconception(
            "bias_survives_training",
            (p.gamma * p.delta / std, moved, evaluated),
            r"Training mode: the larger bias is in $\mu$ as well, and $x - \mu$ takes it out.",
        )
        yield en.Misconception(
            "bias_passes_unscaled",
            (p.delta, moved, evaluated),
            r"Training mode: the bias does not pass through; it is in $\mu$ as well, and $x - \mu$ takes it "
            "out.",
        )
        yield en.Misconception(
            "replaced",
            answer(p, moved=p.delta),
            r"That lets the running mean follow by all of $\delta$; a pass moves it only by the share $m$.",
        )
        yield en.Misconception(
            "start_stats",
            (0.0, moved, p.gamma * p.delta / std),
            "Eval mode: that forgets that the running mean has moved too and takes part of the change out.",
        )
        yield en.Misconception(
            "eval_unchanged_too",
            (0.0, moved, 0.0),
            "Eval mode: the running mean has only followed in part, so the rest of the change comes through.",
        )
        yield en.Misconception(
            "keras_momentum",
            answer(p, moved=p.delta * (1 - m**p.steps)),
            "That gives $m$ to the old value, as Keras does; in PyTorch $m$ weighs the new batch.",
        )
        yield en.Misconception(
            "gamma_missing",
            (0.0, moved, (p.delta - moved) / std),
            r"Eval mode: what comes through is scaled by $\gamma$ too.",
        )
        yield en.Misconception(
            "divided_by_variance",
            (0.0, moved, p.gamma * (p.delta - moved) / std**2),
            "Eval mode: that divides by the running variance; its root is the divisor.",
        )
        yield en.Misconception(
            "linear_growth",
            answer(p, moved=p.delta * m * p.steps),
            r"That moves the running mean by $m\delta$ in every pass; each pass closes the share $m$ of the "
            "gap that is left.",
        )
        yield en.Misconception(
            "eps_ignored",
            (0.0, moved, p.gamma * (p.delta - moved) / sqrt(p.running_var)),
            r"Eval mode: that leaves out $\varepsilon$, which is added to the variance inside the root.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"In training mode the batch mean moves along with the bias. What does $x - \mu$ make of that?",
            r"The running mean closes the share $m$ of the gap at every pass: after $k$ passes it has moved "
            r"by $\delta\,(1 - (1 - m)^k)$.",
            r"In eval mode $\gamma\,\frac{x - \hat\mu}{\sqrt{\hat\sigma^2 + \varepsilon}} + \beta$ sees the "
            r"input move by $\delta$ and $\hat\mu$ by less.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        _, moved, evaluated = self.solve(p)
        return (
            en.Step("Training mode: input and batch mean move alike", "train", "delta - delta", 0.0),
            en.Step("The running mean follows in part", "moved", "delta*(1 - (1 - momentum)^steps)", moved),
            en.Step("What is left of the change in x − μ̂", "gap", "delta - moved", p.delta - moved),
            en.Step("Eval mode scales it", "evaluated", "gamma*gap/sqrt(running_var + eps)", evaluated),
            en.Step("All three", "changes", "(train, moved, evaluated)", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        delta, gamma, m = (Fraction(repr(number)) for number in (p.delta, p.gamma, p.momentum))
        square = Fraction(repr(p.running_var)) + Fraction(repr(p.eps))
        left = delta * (1 - m) ** p.steps
        return f"0, {delta - left}, ({gamma * left})/sqrt({square})"


def answer(p: Params, moved: float) -> en.Vec:
    """Return the three differences, where the running means differ by `moved`."""
    return 0.0, moved, p.gamma * (p.delta - moved) / sqrt(p.running_var + p.eps) + 0.0


FAMILY = RedundantBias()
