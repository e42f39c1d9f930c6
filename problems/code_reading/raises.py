"""Which calls of normalization layers raise an error."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

from studynorm import engine as en

Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call on x, whether it raises for sizes n, c, h, w, and what to know about it.

    `missed` is the belief behind a no where it raises, `feared` the one behind a yes where it runs.
    """

    code: str
    raises: Callable[[int, int, int, int], bool]
    missed: str
    feared: str
    why: str


def single(n: int, c: int, h: int, w: int) -> bool:
    """Tell whether a channel of the batch is one value."""
    return n * h * w == 1


def never(n: int, c: int, h: int, w: int) -> bool:
    return False


def always(n: int, c: int, h: int, w: int) -> bool:
    return True


def uneven(groups: int) -> Callable[[int, int, int, int], bool]:
    """Return the rule of a GroupNorm: groups of equal size with more than one number in them."""
    return lambda n, c, h, w: c % groups != 0 or n * c // groups * h * w == 1


def group_call(groups: int) -> Call:
    """Return the call of a GroupNorm with this many groups."""
    return Call(
        f"nn.GroupNorm({groups}, {{c}})(x)",
        uneven(groups),
        "uneven_groups_fine",
        "even_groups_refused",
        f"Groups are of equal size, so {groups} has to divide the number of channels.",
    )


CALLS: dict[str, tuple[Call, ...]] = {
    "axes": (
        Call(
            "nn.BatchNorm1d({c})(x)",
            always,
            "batchnorm1d_takes_images",
            "",
            "`BatchNorm1d` takes two or three axes, and an image batch has four.",
        ),
        Call(
            "nn.LayerNorm({c})(x)",
            lambda n, c, h, w: c != w,
            "layernorm_takes_channels",
            "wrong_axis_always_raises",
            "LayerNorm compares its size with the last axis, which is the width here; where $W = C$ it "
            "silently normalizes that.",
        ),
        Call(
            "nn.LayerNorm(({h}, {w}))(x)",
            never,
            "",
            "layernorm_refuses_images",
            "The last two axes have these sizes, so it runs; channels do not enter.",
        ),
        Call(
            "nn.LayerNorm(({c}, {h}, {w}))(x)",
            never,
            "",
            "one_axis_only",
            "LayerNorm may span several last axes, here all of an image.",
        ),
        Call(
            "nn.RMSNorm({w})(x)",
            never,
            "",
            "layernorm_refuses_images",
            "It fits the last axis and normalizes along the width, whether that was meant or not.",
        ),
    ),
    "groups": (
        group_call(2),
        group_call(3),
        group_call(4),
        Call(
            "nn.GroupNorm(1, {c})(x)",
            uneven(1),
            "one_value_gives_shift",
            "one_group_refused",
            "One group of all channels is allowed: it normalizes each example as a whole.",
        ),
        Call(
            "nn.GroupNorm({double}, {c})(x)",
            always,
            "more_groups_than_channels",
            "",
            "There cannot be more groups than channels.",
        ),
    ),
    "single": (
        Call(
            "nn.BatchNorm2d({c})(x)",
            single,
            "one_value_gives_shift",
            "one_example_refused",
            "Training mode wants more than one value per channel: several positions of one image will do.",
        ),
        Call(
            "nn.BatchNorm2d({c}).eval()(x)",
            never,
            "",
            "raises_in_eval_too",
            "Eval mode uses stored statistics, so one value is enough.",
        ),
        Call(
            "nn.InstanceNorm2d({c})(x)",
            lambda n, c, h, w: h * w == 1,
            "instance_norm_uses_batch",
            "one_example_refused",
            "InstanceNorm wants more than one position, however large the batch is.",
        ),
        Call(
            "nn.LayerNorm(({c}, {h}, {w}))(x)",
            never,
            "",
            "layernorm_checks_count",
            "LayerNorm never checks how many values there are.",
        ),
        Call(
            "nn.GroupNorm(1, {c})(x)",
            uneven(1),
            "one_value_gives_shift",
            "one_example_refused",
            "One example is enough for GroupNorm, if a group has more than one number.",
        ),
    ),
    "eps": (
        Call(
            "nn.BatchNorm2d({c}, eps=0.0)(x)",
            always,
            "zero_eps_always_fine",
            "",
            "Training-mode BatchNorm wants a positive ε.",
        ),
        Call(
            "nn.BatchNorm2d({c}, eps=0.0).eval()(x)",
            never,
            "",
            "zero_eps_never_fine",
            "In eval mode BatchNorm accepts ε = 0.",
        ),
        Call("nn.LayerNorm({w}, eps=0.0)(x)", never, "", "zero_eps_never_fine", "LayerNorm accepts ε = 0."),
        Call(
            "nn.GroupNorm(1, {c}, eps=0.0)(x)",
            uneven(1),
            "one_value_gives_shift",
            "zero_eps_never_fine",
            "GroupNorm accepts ε = 0.",
        ),
        Call(
            "nn.RMSNorm({w}, eps=None)(x)",
            never,
            "",
            "eps_none_refused",
            "`None` is the default and stands for the machine epsilon of the type in use.",
        ),
    ),
    "width": (
        Call(
            "nn.BatchNorm2d({more})(x)",
            always,
            "batchnorm_takes_any_width",
            "",
            "Its statistics have one entry per channel, and the numbers differ.",
        ),
        Call(
            "nn.BatchNorm2d({more}, affine=False, track_running_stats=False)(x)",
            single,
            "one_value_gives_shift",
            "channel_count_always_checked",
            "Without parameters and buffers there is nothing that could fail to fit.",
        ),
        Call(
            "nn.InstanceNorm2d({more})(x)",
            lambda n, c, h, w: h * w == 1,
            "instance_norm_uses_batch",
            "channel_count_always_checked",
            "By default it has no parameters: a wrong number of channels brings a warning, not an error.",
        ),
        Call(
            "nn.InstanceNorm2d({more}, affine=True)(x)",
            always,
            "warning_only",
            "",
            "With learned scales a wrong number of channels is an error.",
        ),
        Call(
            "nn.GroupNorm(1, {more})(x)",
            always,
            "groupnorm_takes_any_width",
            "",
            r"$\gamma$ and $\beta$ have one entry per channel, and the numbers differ.",
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class Params:
    shape: Sizes = en.shape("the shape (N, C, H, W) of x", 4)
    calls: str = en.option("which calls", tuple(CALLS), "axes")


class Raises(en.Family[Params]):
    title = "Which calls raise an error"
    catalogue = "K3"
    given = Params
    kind = en.YesNo()
    levels = {1: en.Level(), 2: en.Level()}
    covers = ("which-calls-raise", "batchnorm-single-value", "groupnorm-divisibility")
    cards = (
        "card:batchnorm/single-value",
        "card:other_norms/groupnorm-divides",
        "card:statistics/layernorm-on-image",
    )
    requires = ("statistics.groupnorm_count",)

    def kind_of(self, p: Params) -> en.YesNo:
        return en.YesNo(labels=tuple(f"`{code}`" for code in codes(p)))

    def draw(self, level: int, rng: en.Rng) -> Params:
        calls = rng.choice(("axes", "groups") if level == 1 else ("single", "eps", "width"))
        n, h, w = rng.integer(1, 8), rng.integer(2, 9), rng.integer(2, 9)
        c = rng.choice((4, 6, 8, 9, 10, 12, 15, 16, 18, 20))
        if calls == "axes" and rng.integer(0, 2) == 0:
            w = c
        if calls == "single":
            n, h, w = rng.choice(((1, 1, 1), (n, 1, 1), (1, h, w)))
        return Params((n, c, h, w), calls)

    def validate(self, p: Params) -> None:
        if prod(p.shape) > 2**20 or p.shape[1] > 2**12:
            raise en.Refused("shape", "at most 1048576 entries and 4096 channels are wanted")
        if p.calls in {"axes", "eps"} and single(*p.shape):
            raise en.Refused("shape", "with one value per channel BatchNorm raises anyway; take more")

    def prompt(self, p: Params) -> str:
        return (
            f"`x = torch.randn{en.plain(p.shape)}` is a batch of images $(N, C, H, W)$. Layers are "
            "freshly made and in training mode, unless `.eval()` is called.\n\nWhich of these lines raise an "
            "error, when the layer is made or when it is called?"
        )

    def solve(self, p: Params) -> tuple[int, ...]:
        return tuple(int(call.raises(*p.shape)) for call in CALLS[p.calls])

    def oracle(self, p: Params, torch: Any) -> tuple[int, ...]:
        names = {"nn": torch.nn, "x": torch.randn(p.shape)}
        return tuple(int(fails(code, names)) for code in codes(p))

    def misconceptions(self, p: Params) -> en.Slips:
        answer = self.solve(p)
        for at, call in enumerate(CALLS[p.calls]):
            flipped = tuple(1 - mark if place == at else mark for place, mark in enumerate(answer))
            belief = call.missed if answer[at] else call.feared
            yield en.Misconception(belief, flipped, f"Number {at + 1}: {call.why}")

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "For each line: which axis does the layer look at, and what has to fit there?",
            "Three things are checked: sizes against parameters and buffers, the number of values that share "
            "a mean (not by every layer), and settings such as the number of groups and ε.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        return tuple(
            en.Step(f"`{code}` {'raises' if call.raises(*p.shape) else 'runs'}. {call.why}")
            for code, call in zip(codes(p), CALLS[p.calls], strict=True)
        )


def codes(p: Params) -> tuple[str, ...]:
    """Return the calls with their sizes."""
    _, c, h, w = p.shape
    return tuple(call.code.format(c=c, h=h, w=w, more=c + 1, double=2 * c) for call in CALLS[p.calls])


def fails(code: str, names: dict[str, Any]) -> bool:
    """Run a call and tell whether it raises; a warning is no error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            eval(code, dict(names))  # the call just shown
        except (RuntimeError, ValueError):
            return True
    return False


FAMILY = Raises()
