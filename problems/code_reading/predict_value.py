"""The number that a short piece of code prints."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

from studynorm import engine as en

Rule = Callable[[en.Vec], float]


@dataclass(frozen=True, slots=True)
class Snippet:
    """Code that reads x, what it prints as a rule and as an expression, and what else is thought."""

    code: str
    value: Rule
    expression: str
    why: str
    slips: tuple[tuple[str, Rule, str], ...]
    level: int


BN = "bn = nn.BatchNorm1d(1, eps=1e-12, dtype=torch.float64)"


def rms(x: en.Vec) -> float:
    """Return the root mean square."""
    return sqrt(en.mean([value * value for value in x]))


def hat(x: en.Vec) -> float:
    """Return the first normalized value, with the ε of `BN`."""
    return en.moments(x).hat(1e-12)[0]


SNIPPETS = {
    "var_default": Snippet(
        "print(x.var().item())",
        lambda x: en.moments(x).unbiased,
        "sum((x - mean(x))^2)/(len(x) - 1)",
        "`var` divides by n − 1 unless `correction=0` is given",
        (
            (
                "biased_by_default",
                lambda x: en.moments(x).var,
                "`torch.var` divides by $n - 1$ unless told otherwise.",
            ),
            ("used_std", lambda x: sqrt(en.moments(x).unbiased), "That is `std`; `var` is its square."),
        ),
        1,
    ),
    "rms_norm": Snippet(
        "y = nn.functional.rms_norm(x, x.shape, eps=0.0)\nprint(y[0].item())",
        lambda x: x[0] / rms(x),
        "entry(x, 1)/sqrt(mean(x^2))",
        "The first value over the root mean square; no mean is taken off",
        (
            ("layer_norm_instead", lambda x: en.moments(x).hat()[0], "RMSNorm takes no mean off."),
            (
                "mean_square_for_rms",
                lambda x: x[0] / rms(x) ** 2,
                "It divides by the *root* of the mean square.",
            ),
        ),
        1,
    ),
    "residual_loop": Snippet(
        "for _ in range(3):\n    x = x + 0.5 * x\nprint(x[0].item())",
        lambda x: 1.5**3 * x[0],
        "1.5^3*entry(x, 1)",
        "Each block multiplies by 1.5, because its branch sees the grown stream",
        (
            (
                "additive",
                lambda x: 2.5 * x[0],
                "Each branch sees the stream as it is by then, not the input.",
            ),
            ("plain_product", lambda x: 0.125 * x[0], "That leaves the skip out."),
        ),
        1,
    ),
    "bias_gradient": Snippet(
        f"{BN}\ny = bn(x.reshape(-1, 1))\n(3 * y).sum().backward()\nprint(bn.bias.grad.item())",
        lambda x: 3.0 * len(x),
        "3*len(x)",
        "β is added to every output, and each brings the gradient 3",
        (
            ("means_for_sums", lambda x: 3.0, "The gradients of all outputs are summed, not averaged."),
            (
                "all_gradients_vanish",
                lambda x: 0.0,
                "That holds for the input gradient; $\\beta$ does shift the sum.",
            ),
        ),
        1,
    ),
    "two_steps": Snippet(
        f"{BN}\nfor _ in range(2):\n    bn(x.reshape(-1, 1))\nprint(bn.running_mean.item())",
        lambda x: 0.19 * en.moments(x).mean,
        "(1 - 0.9^2)*mean(x)",
        "The start value 0 keeps the weight 0.9 · 0.9, and the mean has the rest",
        (
            (
                "one_step_short",
                lambda x: 0.1 * en.moments(x).mean,
                "The layer is called twice, and updates twice.",
            ),
            (
                "start_not_decayed",
                lambda x: 0.2 * en.moments(x).mean,
                "The second step also shrinks what is stored.",
            ),
            (
                "replaced",
                lambda x: en.moments(x).mean,
                "A running mean moves by a tenth of the gap in each step.",
            ),
        ),
        2,
    ),
    "no_grad": Snippet(
        f"{BN}\nwith torch.no_grad():\n    bn(x.reshape(-1, 1))\nprint(bn.running_var.item())",
        lambda x: 0.9 + 0.1 * en.moments(x).unbiased,
        "0.9 + 0.1*sum((x - mean(x))^2)/(len(x) - 1)",
        "`no_grad` does not stop the update, and the update takes the unbiased variance",
        (
            ("no_grad_stops_updates", lambda x: 1.0, "Only the mode stops the update; `no_grad` does not."),
            (
                "biased_running_variance",
                lambda x: 0.9 + 0.1 * en.moments(x).var,
                "The running variance takes the unbiased estimate.",
            ),
        ),
        2,
    ),
    "fresh_eval": Snippet(
        "bn = nn.BatchNorm1d(1, eps=0.0, dtype=torch.float64).eval()\nprint(bn(x.reshape(-1, 1))[0].item())",
        lambda x: x[0],
        "(entry(x, 1) - 0)/sqrt(1 + 0)",
        "A fresh layer holds mean 0 and variance 1, so eval mode passes its input on",
        (
            (
                "batch_stats_in_eval",
                lambda x: en.moments(x).hat()[0],
                "In eval mode the stored statistics are used.",
            ),
        ),
        2,
    ),
    "scale_gradient": Snippet(
        f"{BN}\ny = bn(x.reshape(-1, 1))\ny[0].backward()\nprint(bn.weight.grad.item())",
        hat,
        "(entry(x, 1) - mean(x))/sqrt(mean((x - mean(x))^2) + 1/10^12)",
        "The gradient of γ is the upstream gradient times the normalized value",
        (
            ("raw_input_used", lambda x: x[0], r"$\gamma$ multiplies $\hat x$, not $x$."),
            ("beta_gradient_instead", lambda x: 1.0, r"That is the gradient of $\beta$."),
            ("all_gradients_vanish", lambda x: 0.0, "Only a constant upstream gradient gives 0 here."),
        ),
        2,
    ),
}


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.batch("the values")
    snippet: str = en.option("the code", tuple(SNIPPETS), "var_default")


class PredictValue(en.Family[Params]):
    title = "Predict the number that is printed"
    catalogue = "K2"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(), 2: en.Level()}
    covers = ("predict-output", "torch-var-is-unbiased", "no-grad-still-updates")
    cards = ("card:running_stats/no-grad", "card:running_stats/start-values", "card:backward/gamma-gradient")
    requires = ("running_stats.mean", "running_stats.eval_output", "other_norms.rmsnorm")

    def draw(self, level: int, rng: en.Rng) -> Params:
        x = en.tidy_batch(rng)
        while x[0] in {0.0, 1.0, en.mean(x)} or en.mean(x) == 0 or abs(x[0] - hat(x)) < 0.1:
            x = en.tidy_batch(rng)
        return Params(x, rng.choice([name for name, it in SNIPPETS.items() if it.level == level]))

    def validate(self, p: Params) -> None:
        m = en.moments(p.x)
        if not m.var > 1e-6:
            raise en.Refused("x", "the values have to differ more, so that no layer's ε shows")
        if any(abs(value) > 1e6 for value in p.x):
            raise en.Refused("x", "values from -1000000 to 1000000 are wanted")

    def prompt(self, p: Params) -> str:
        return f"What does this print?\n\n```python\n{source(p)}\n```\n\nGive the number."

    def solve(self, p: Params) -> float:
        return SNIPPETS[p.snippet].value(p.x)

    def oracle(self, p: Params, torch: Any) -> Any:
        printed: list[Any] = []
        exec(source(p), {"torch": torch, "nn": torch.nn, "print": printed.append})  # the code just shown
        return printed[0]

    def misconceptions(self, p: Params) -> en.Slips:
        for belief, value, why in SNIPPETS[p.snippet].slips:
            yield en.Misconception(belief, value(p.x), why)

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Run it in your head line by line. Which mode is the layer in, and what does it hold at first?",
            "Defaults matter: BatchNorm has momentum 0.1, mean 0, variance 1; `var` has `correction=1`.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        snippet = SNIPPETS[p.snippet]
        return (en.Step(snippet.why, "printed", snippet.expression, self.solve(p)),)


def source(p: Params) -> str:
    """Return the code with its numbers."""
    return f"x = torch.tensor({en.plain(p.x)}, dtype=torch.float64)\n{SNIPPETS[p.snippet].code}"


FAMILY = PredictValue()
