"""Which outputs of BatchNorm fall when one input is raised a little."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.batch("the batch of one channel")
    input: int = en.whole("the place j of the input that is raised, from 1", 1, low=1, high=64)
    gamma: float = en.scalar("the scale γ; not 0", 1.0)


EDGE = 1e-9
"""A bracket this near to 0 has no sign that floats could vouch for."""
SLIPS = ("only_own_input_matters", "others_always_fall", "mean_not_removed")


class JacobianSign(en.Family[Params]):
    title = "Which outputs fall when one input rises"
    catalogue = "E7"
    given = Params
    kind = en.YesNo()
    levels = {1: en.Level(*SLIPS), 2: en.Level("gamma_sign_ignored", *SLIPS)}
    covers = ("batchnorm-jacobian", "batch-coupling")
    cards = ("card:backward/jacobian-entry",)
    requires = ("batchnorm.entry", "batchnorm.coupling")

    def draw(self, level: int, rng: en.Rng) -> Params:
        while True:
            x = en.tidy_batch(rng) if level == 1 else en.untidy_batch(rng, 4, 5)
            p = Params(x, rng.integer(1, len(x)), 1.0 if level == 1 else -rng.choice((0.5, 1.0, 2.0, 3.0)))
            if len(set(x)) == len(x) and min(map(abs, brackets(p))) > 0.1:
                return p

    def validate(self, p: Params) -> None:
        if len(p.x) > 8:
            raise en.Refused("x", "at most eight values are wanted")
        if en.flat(p.x):
            raise en.Refused(
                "x", "all values are equal, so the variance is 0 and with eps = 0 the output is 0/0"
            )
        if p.input > len(p.x):
            raise en.Refused("input", f"a place from 1 to {len(p.x)} is wanted, as x has {len(p.x)} entries")
        if p.gamma == 0:
            raise en.Refused("gamma", "with γ = 0 no output ever moves")
        if min(map(abs, brackets(p))) < EDGE:
            raise en.Refused("x", "one of the outputs does not move to first order; choose other values")

    def prompt(self, p: Params) -> str:
        return (
            f"One channel of BatchNorm in training mode with $\\gamma = {en.tex(p.gamma)}$ and $\\varepsilon "
            f"= 0$ sees the batch $x = {en.tex(p.x)}$ and gives $y$. Then the input "
            f"$x_{{{en.tex(p.input)}}}$ alone (counted from 1) is raised a little.\n\nWhich outputs fall?"
        )

    def kind_of(self, p: Params) -> en.YesNo:
        return en.YesNo(labels=tuple(f"$y_{{{at}}}$ falls" for at in range(1, len(p.x) + 1)))

    def solve(self, p: Params) -> tuple[int, ...]:
        return tuple(int(bracket * p.gamma < 0) for bracket in brackets(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        gamma = torch.tensor([p.gamma], dtype=torch.float64)
        jacobian = torch.autograd.functional.jacobian(
            lambda x: torch.nn.functional.batch_norm(
                x.reshape(-1, 1), None, None, weight=gamma, training=True, eps=en.nonzero(0.0)
            ).ravel(),
            torch.tensor(p.x, dtype=torch.float64),
        )
        return (jacobian[:, p.input - 1] < 0).int()

    def misconceptions(self, p: Params) -> en.Slips:
        places = range(1, len(p.x) + 1)
        hat = en.moments(p.x).hat()
        yield en.Misconception(
            "gamma_sign_ignored",
            tuple(int(bracket < 0) for bracket in brackets(p)),
            r"That is right for $\hat x$; the negative $\gamma$ turns every direction around.",
        )
        yield en.Misconception(
            "only_own_input_matters",
            tuple(int(at == p.input and p.gamma < 0) for at in places),
            "The others do not stay: mean and variance of the batch move, and every output depends on them.",
        )
        yield en.Misconception(
            "others_always_fall",
            tuple(int(at != p.input) for at in places),
            r"The higher mean lowers the others, but the variance moves too: where $\hat x_i \hat x_j < -1$ "
            "that outweighs it.",
        )
        yield en.Misconception(
            "mean_not_removed",
            tuple(
                int(((at == p.input) - hat[at - 1] * hat[p.input - 1] / len(hat)) * p.gamma < 0)
                for at in places
            ),
            r"That looks at the variance alone; the mean rises too and lowers every $\hat x_i$.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"Raising $x_j$ moves the mean and the variance. What does each of them do to $\hat x_i$?",
            r"$\frac{\partial \hat x_i}{\partial x_j} = \frac{1}{\sigma} (\delta_{ij} - \frac{1}{n} - "
            r"\frac{\hat x_i \hat x_j}{n})$: only the sign of the bracket matters.",
            r"So for $i \ne j$, $\hat x_i$ falls where $\hat x_i \hat x_j > -1$. Then mind the sign of "
            r"$\gamma$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        m = en.moments(p.x)
        hat = m.hat()
        pairs = tuple(value * hat[p.input - 1] for value in hat)
        fallen = ", ".join(f"$y_{{{at}}}$" for at, mark in enumerate(self.solve(p), 1) if mark) or "none"
        rule = (
            "For $i \\ne j$, $y_i$ falls where its product is above $-1$; $y_j$ itself rises."
            if p.gamma > 0
            else r"For $i \ne j$, $\hat x_i$ falls where its product is above $-1$, and $\hat x_j$ itself "
            r"rises. As $\gamma < 0$, every $y$ moves the other way."
        )
        return (
            en.Step("Mean of the batch", "mu", "mean(x)", m.mean),
            en.Step("Biased variance", "var", "mean((x - mu)^2)", m.var),
            en.Step("Normalized values", "xhat", "(x - mu)/sqrt(var)", hat),
            en.Step("Products with the raised entry's", "pairs", "xhat*entry(xhat, input)", pairs),
            en.Step(f"{rule} What falls: {fallen}."),
        )


def brackets(p: Params) -> en.Vec:
    """Return δ − 1/n − x̂x̂ⱼ/n, whose sign is that of the Jacobian but for γ."""
    hat, n = en.moments(p.x).hat(), len(p.x)
    return tuple((at == p.input) - 1 / n - value * hat[p.input - 1] / n for at, value in enumerate(hat, 1))


FAMILY = JacobianSign()
