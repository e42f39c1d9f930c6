"""BatchNorm on a channel without spread: equal values, or one value alone, in training and eval mode."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the values of one channel: all equal, or only one")
    mode: str = en.option("the layer's mode", ("train", "eval"), "train")
    gamma: float = en.scalar("the scale γ", 1.0)
    beta: float = en.scalar("the shift β; not 0", 1.0)
    running_mean: float = en.scalar("the running mean", 0.0, low=-1e6, high=1e6)
    running_var: float = en.scalar("the running variance", 1.0, above=0.0, high=1e6)


EPS = 1e-5
NAN, ERROR = "`nan`", "none: a `ValueError` is raised"


class DegenerateChannel(en.Family[Params]):
    title = "A channel without spread"
    catalogue = "A6"
    given = Params
    kind = en.Choice()
    levels = {
        1: en.Level("zero_over_zero", "affine_dropped", "hat_taken_as_one", "error_misjudged"),
        2: en.Level("zero_over_zero", "affine_dropped", "other_mode_statistics", "error_misjudged"),
    }
    covers = ("batchnorm-constant-channel", "batchnorm-single-value", "train-eval-difference")
    cards = ("card:batchnorm/constant-group", "card:batchnorm/single-value")
    requires = ("batchnorm.vector",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        alone, mode = (False, "train") if level == 1 else rng.choice(
            ((True, "train"), (True, "eval"), (False, "eval"))
        )  # fmt: skip
        value, start = float(rng.integer(2, 12)), float(rng.integer(-2, 1))
        return Params(
            (value,) if alone else (value,) * rng.integer(3, 5),
            mode,
            rng.choice((-2.0, 0.5, 2.0, 3.0)),
            rng.choice((-3.0, -1.0, 1.0, 2.0, 4.0)),
            start,
            rng.choice((0.25, 4.0, 16.0)),
        )

    def validate(self, p: Params) -> None:
        if len(p.x) > 1 and max(p.x) != min(p.x):
            raise en.Refused("x", "equal values or a single one are wanted; batchnorm.vector takes any batch")
        if max(map(abs, p.x)) > 1e6:
            raise en.Refused("x", "values from −1e6 to 1e6 are wanted")
        for name in ("gamma", "beta"):
            if abs(getattr(p, name)) > 1e6:
                raise en.Refused(name, "−1e6 to 1e6 is wanted")
        if len(set(self.kind_of(p).options)) < 5:
            raise en.Refused("beta", "with these γ, β and running statistics two of the answers coincide")

    def prompt(self, p: Params) -> str:
        count = "a single value" if len(p.x) == 1 else f"{len(p.x)} equal values"
        mode = "training" if p.mode == "train" else "eval"
        return (
            f"`BatchNorm1d` in {mode} mode, with its default $\\varepsilon = 10^{{-5}}$, gets {count} in one "
            f"channel: $x = {en.tex(p.x)}$. The channel has $\\gamma = {en.tex(p.gamma)}$, $\\beta = "
            f"{en.tex(p.beta)}$, running mean ${en.tex(p.running_mean)}$ and running variance "
            f"${en.tex(p.running_var)}$.\n\nWhat is the output of the channel (to three digits)?"
        )

    def kind_of(self, p: Params) -> en.Choice:
        return en.Choice(options=(*map(shown, numbers(p)), NAN, ERROR))

    def solve(self, p: Params) -> int:
        return 4 if p.mode == "train" and len(p.x) == 1 else 0

    def oracle(self, p: Params, torch: Any) -> Any:
        layer = torch.nn.BatchNorm1d(1, dtype=torch.float64).train(p.mode == "train")
        with torch.no_grad():
            layer.weight.fill_(p.gamma)
            layer.bias.fill_(p.beta)
            layer.running_mean.fill_(p.running_mean)
            layer.running_var.fill_(p.running_var)
            try:
                out = layer(torch.tensor(p.x, dtype=torch.float64).reshape(-1, 1))[0].item()
            except ValueError:
                return 4
        if out != out:
            return 3
        gaps = [abs(number - out) for number in numbers(p)]
        return gaps.index(min(gaps)) if min(gaps) <= 1e-9 * (1 + abs(out)) else -1

    def misconceptions(self, p: Params) -> en.Slips:
        training, alone = p.mode == "train", len(p.x) == 1
        yield en.Misconception(
            "zero_over_zero",
            3,
            "Nothing here is 0/0: in eval mode the divisor is the root of the running variance plus "
            r"$\varepsilon$."
            if not training
            else "It does not get that far: PyTorch refuses one value per channel in training mode."
            if alone
            else r"The divisor is not 0: $\varepsilon$ is added to the variance, and $0/\sqrt\varepsilon = "
            "0$.",
        )
        yield en.Misconception(
            "affine_dropped",
            2,
            r"That is the normalized value; $\gamma$ and $\beta$ still act on it."
            if not (training and alone)
            else r"That is $x - \mu = 0$; PyTorch refuses one value per channel in training mode, and the "
            r"output would be $\beta$, not 0.",
        )
        if training and not alone:
            yield en.Misconception(
                "hat_taken_as_one",
                1,
                r"That takes $\hat x = 1$; all deviations are 0, so $\hat x = 0$.",
            )
        else:
            yield en.Misconception(
                "other_mode_statistics",
                0 if training else 1,
                "That uses the running statistics, which only eval mode does."
                if training
                else "That takes the mean of this batch; in eval mode the running statistics are used.",
            )
        if training and alone:
            why = (
                r"By the formula, $\hat x = 0$ whatever the value is. As that tells nothing, PyTorch raises "
                "an error."
            )
        elif training:
            why = "PyTorch refuses one value per channel; several equal values are allowed."
        else:
            why = (
                "Only training mode refuses a single value; eval mode takes any number of them."
                if alone
                else "No mode refuses equal values; eval mode subtracts the running mean, not the batch's."
            )
        yield en.Misconception("error_misjudged", 1 if training and alone else 4, why)

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Which mean and variance are used in this mode: those of the batch or the running ones?",
            r"Training mode: all deviations are 0, and the divisor is $\sqrt{0 + \varepsilon}$. Does PyTorch "
            "take any number of values per channel?"
            if p.mode == "train"
            else r"Eval mode: $\gamma\,\frac{x - \hat\mu}{\sqrt{\hat\sigma^2 + \varepsilon}} + \beta$ with "
            "the running mean and variance, whatever the batch is.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        if p.mode == "eval":
            hat = (p.x[0] - p.running_mean) / sqrt(p.running_var + EPS)
            return (
                en.Step("Normalize with the running statistics", "xhat",
                        "(entry(x, 1) - running_mean)/sqrt(running_var + 1e-5)", hat),
                en.Step("Scale and shift", "y", "gamma*xhat + beta", p.gamma * hat + p.beta),
                en.Step("Eval mode does not ask how many values there are, nor whether they differ."),
            )  # fmt: skip
        if len(p.x) == 1:
            return (
                en.Step(
                    "With one value the mean is that value and the variance is 0: every input would give β."
                ),
                en.Step("PyTorch therefore raises “Expected more than 1 value per channel when training”."),
            )
        return (
            en.Step("All deviations are 0", "d", "entry(x, 1) - mean(x)", 0.0),
            en.Step("ε keeps the division finite", "xhat", "d/sqrt(0 + 1e-5)", 0.0),
            en.Step("The shift is left", "y", "gamma*xhat + beta", p.beta),
            en.Step(r"So every output of the channel is $\beta$."),
        )


def numbers(p: Params) -> en.Vec:
    """Return the three numbers among the options."""
    hat = (p.x[0] - p.running_mean) / sqrt(p.running_var + EPS)
    if p.mode == "eval":
        return p.gamma * hat + p.beta, p.beta, hat
    if len(p.x) == 1:
        return p.gamma * hat + p.beta, p.beta, 0.0
    return p.beta, p.gamma + p.beta, 0.0


def shown(value: float) -> str:
    """Return a value as the options show it, to three digits."""
    return f"${en.tex(float(f'{value:.3g}') + 0.0)}$"


FAMILY = DegenerateChannel()
