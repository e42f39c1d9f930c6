"""Which lines of a short piece of code print True."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en

Line = tuple[str, bool, str, str]
"""What is printed, whether it is true, the belief behind the other mark, and what is right."""

SCENES: dict[str, tuple[int, str, tuple[Line, ...]]] = {
    "batchnorm": (
        1,
        "bn = nn.BatchNorm1d({c}, eps=1e-12).double()\ny = bn(x)",
        (
            (
                "same(bn(x + 5), y)",
                True,
                "shift_passes_on",
                "The mean moves by 5 too and takes it off again.",
            ),
            (
                "same(bn(3 * x), y)",
                True,
                "factor_passes_on",
                "The standard deviation is three times as large too.",
            ),
            (
                "same(bn(-x), y)",
                False,
                "sign_removed",
                "The spread has no sign, so the output turns its own.",
            ),
            ("same(bn(x[:2]), y[:2])", False, "examples_apart", "Other rows were in the statistics of `y`."),
        ),
    ),
    "layernorm": (
        1,
        "ln = nn.LayerNorm({c}, eps=1e-12).double()\ny = ln(x)",
        (
            ("same(ln(x[:2]), y[:2])", True, "examples_coupled", "Each row has statistics of its own."),
            (
                "same(ln.eval()(x), y)",
                True,
                "layernorm_has_modes",
                "LayerNorm computes the same in both modes.",
            ),
            (
                "same(ln(x + torch.arange({c})), y)",
                False,
                "any_shift_removed",
                "Only one constant for all features of a row is removed.",
            ),
            ("same(ln(3 * x), y)", True, "factor_passes_on", "The row's standard deviation triples too."),
        ),
    ),
    "rmsnorm": (
        1,
        "norm = nn.RMSNorm({c}, eps=1e-12).double()\ny = norm(x)",
        (
            (
                "same(norm(4 * x), y)",
                True,
                "factor_passes_on",
                "The root mean square is four times as large too.",
            ),
            (
                "same(norm(x + 4), y)",
                False,
                "centred",
                "RMSNorm takes no mean off, so a shift changes the output.",
            ),
            ("same(norm(-x), -y)", True, "sign_removed", "The root mean square ignores signs; they pass on."),
            (
                "'bias' in dict(norm.named_parameters())",
                False,
                "shift_learned",
                "RMSNorm has no shift to learn.",
            ),
        ),
    ),
    "residual": (
        1,
        "F = nn.Linear({c}, {c}).double()\nnn.init.zeros_(F.weight)\nnn.init.zeros_(F.bias)\n"
        "ln = nn.LayerNorm({c}, eps=1e-12).double()",
        (
            (
                "same(x + F(x), x)",
                True,
                "zeroed_block_outputs_zero",
                "A branch that gives 0 leaves the stream.",
            ),
            (
                "same(x + F(ln(x)), x)",
                True,
                "norm_in_branch_counts",
                "Whatever the norm gives, the branch gives 0.",
            ),
            (
                "same(ln(x + F(x)), x)",
                False,
                "norm_after_sum_ignored",
                "Post-LN normalizes the stream itself.",
            ),
            (
                "same(ln(ln(x)), ln(x))",
                True,
                "second_norm_changes",
                "What has mean 0 and variance 1 already stays as it is.",
            ),
        ),
    ),
    "frozen": (
        2,
        "bn = nn.BatchNorm1d({c}).double().requires_grad_(False)\nstart = bn.running_mean.clone()\n"
        "with torch.no_grad():\n    bn(x)\nmoved = bn.running_mean.clone()\nbn.eval()(x)",
        (
            (
                "same(moved, start)",
                False,
                "frozen_parameters_freeze_buffers",
                "Only eval mode stops the update.",
            ),
            (
                "same(bn.running_mean, moved)",
                True,
                "eval_updates",
                "Eval mode reads the statistics, no more.",
            ),
            (
                "nn.Sequential(bn).train()[0].training",
                True,
                "eval_survives_train",
                "`train()` reaches every submodule.",
            ),
            (
                "bn.weight.requires_grad",
                False,
                "train_unfreezes_parameters",
                "Modes and `requires_grad` are apart.",
            ),
        ),
    ),
    "gradients": (
        2,
        "bn = nn.BatchNorm1d({c}, eps=1e-12).double()\nx.requires_grad_()\nbn(x).sum().backward()\n"
        "one = torch.autograd.grad(bn(x)[0, 0], x)[0]",
        (
            (
                "same(x.grad, 0 * x)",
                True,
                "constant_gradient_passes",
                "The outputs of a channel sum to 0 whatever `x` is.",
            ),
            (
                "same(bn.weight.grad, 0 * bn.weight)",
                True,
                "gamma_gradient_counts",
                r"It is $\sum \hat x_i = 0$.",
            ),
            ("same(bn.bias.grad, 0 * bn.bias)", False, "all_gradients_vanish", "It is the sum of $n$ ones."),
            (
                "same(one[1:], 0 * one[1:])",
                False,
                "examples_apart",
                "The other rows act through mean and variance.",
            ),
        ),
    ),
    "groups": (
        2,
        "y = nn.LayerNorm({c}).double()(x)\nimage = x.reshape({n}, {c}, 1, 1)",
        (
            (
                "same(nn.GroupNorm(1, {c}).double()(x), y)",
                True,
                "one_group_differs",
                "One group holds all features.",
            ),
            (
                "same(nn.GroupNorm(1, {c}).double()(image).flatten(1), y)",
                True,
                "image_groups_differ",
                "With one position the group is the same set of numbers.",
            ),
            (
                "same(nn.BatchNorm1d({c}).double()(x.T.reshape({c}, {n}).T), y)",
                False,
                "rows_columns_swapped",
                "Transposed twice: this is BatchNorm over the batch.",
            ),
            (
                "same(nn.RMSNorm({c}, eps=1e-5).double()(x - x.mean(1, keepdim=True)), y)",
                True,
                "rmsnorm_never_layernorm",
                "On centred rows the two agree.",
            ),
        ),
    ),
    "untracked": (
        2,
        "bn = nn.BatchNorm1d({c}, track_running_stats=False).double()\ny = bn(x)\nz = bn.eval()(x)",
        (
            (
                "same(z, y)",
                True,
                "start_stats",
                "Without stored statistics eval mode takes those of the batch.",
            ),
            (
                "bn.running_mean is None",
                True,
                "buffers_always_there",
                "Nothing is tracked, so nothing is kept.",
            ),
            (
                "same(bn(x[:2]), z[:2])",
                False,
                "eval_ignores_batch",
                "It still depends on the batch, even in eval mode.",
            ),
            (
                "len(list(bn.parameters())) == 2",
                True,
                "untracked_means_unlearned",
                r"$\gamma$ and $\beta$ are still there.",
            ),
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class Params:
    shape: tuple[int, ...] = en.shape("the shape (N, C) of x", 2)
    scene: str = en.option("the code", tuple(SCENES), "batchnorm")


class PredictBool(en.Family[Params]):
    title = "Predict which lines print True"
    catalogue = "K2"
    given = Params
    kind = en.YesNo()
    levels = {1: en.Level(), 2: en.Level()}
    covers = ("predict-output", "groupnorm-extremes", "untracked-batchnorm", "constant-upstream-vanishes")
    cards = (
        "card:batchnorm/invariance",
        "card:other_norms/rmsnorm-invariance",
        "card:running_stats/frozen-parameters",
    )
    requires = ("batchnorm.invariance_value",)

    def kind_of(self, p: Params) -> en.YesNo:
        return en.YesNo(labels=tuple(f"`{text}`" for text in printed(p)))

    def draw(self, level: int, rng: en.Rng) -> Params:
        scene = rng.choice([name for name, (own, _, _) in SCENES.items() if own == level])
        return Params((rng.integer(4, 20), rng.integer(4, 20)), scene)

    def validate(self, p: Params) -> None:
        if not all(3 <= size <= 64 for size in p.shape):
            raise en.Refused("shape", "sizes from 3 to 64 are wanted, so that nothing is equal by chance")

    def prompt(self, p: Params) -> str:
        return (
            f"After this code,\n\n```python\n{setup(p)}\n```\n\nwhich of these are True? (They are evaluated "
            "one after the other; $x$ is random, and nothing is equal by chance.)"
        )

    def solve(self, p: Params) -> tuple[int, ...]:
        return tuple(int(true) for _, true, _, _ in SCENES[p.scene][2])

    def oracle(self, p: Params, torch: Any) -> tuple[int, ...]:
        names = {"torch": torch, "nn": torch.nn}
        exec(setup(p), names)  # the code just shown
        return tuple(int(bool(eval(text, names))) for text in printed(p))

    def misconceptions(self, p: Params) -> en.Slips:
        answer = self.solve(p)
        for at, (_, _, belief, why) in enumerate(SCENES[p.scene][2]):
            flipped = tuple(1 - mark if place == at else mark for place, mark in enumerate(answer))
            yield en.Misconception(belief, flipped, f"Number {at + 1}: {why}")

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "For each line: which numbers share a mean, and does the change touch them all alike?",
            "Keep three things apart: what the layer computes, what it stores, and what it can learn.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        lines = zip(printed(p), SCENES[p.scene][2], strict=True)
        return tuple(en.Step(f"`{text}` is {line[1]}. {line[3]}") for text, line in lines)


def setup(p: Params) -> str:
    """Return the code before the lines in question."""
    n, c = p.shape
    lines = SCENES[p.scene][1].format(n=n, c=c)
    return (
        "def same(a, b):\n    return torch.allclose(a, b, rtol=0, atol=1e-4)\n\n"
        f"x = torch.randn{en.plain(p.shape)}.double()\n{lines}"
    )


def printed(p: Params) -> tuple[str, ...]:
    """Return the expressions in question."""
    n, c = p.shape
    return tuple(text.format(n=n, c=c) for text, _, _, _ in SCENES[p.scene][2])


FAMILY = PredictBool()
