"""Which line of an implementation is wrong; the programs and their faults are in `programs.toml`."""

import math
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studynorm import engine as en

PROGRAMS = {
    program["id"]: program
    for program in tomllib.loads(Path(__file__).with_name("programs.toml").read_text("utf-8"))["program"]
}
FAULTS = {
    f"{name}_{place}": (program, bug)
    for name, program in PROGRAMS.items()
    for place, bug in enumerate(program["bug"], 1)
}


@dataclass(frozen=True, slots=True)
class Params:
    fault: str = en.option("the program and which of its faults", tuple(FAULTS), next(iter(FAULTS)))


def of_level(level: int) -> tuple[str, ...]:
    """Return the faults of a level."""
    return tuple(name for name, (_, bug) in FAULTS.items() if bug["level"] == level)


class SpotBug(en.Family[Params]):
    title = "Find the wrong line"
    catalogue = "K1"
    given = Params
    kind = en.CodeLine()
    levels = {level: en.Level(distinct=len(of_level(level))) for level in (1, 2, 3)}
    covers = ("spot-the-bug",)
    cards = (
        "card:batchnorm/forward-pass",
        "card:backward/input-gradient",
        "card:running_stats/two-variances",
    )
    requires = ("batchnorm.vector", "backward.input_gradient", "running_stats.variance")

    def kind_of(self, p: Params) -> en.CodeLine:
        return en.CodeLine(code=mutant(p.fault))

    def draw(self, level: int, rng: en.Rng) -> Params:
        return Params(rng.choice(of_level(level)))

    def prompt(self, p: Params) -> str:
        program, bug = FAULTS[p.fault]
        return (
            f"This is meant to be {program['title']}. One line is wrong. From a bug report:\n\n> "
            f"{bug['report']}\n\nWhich line has to be fixed?"
        )

    def solve(self, p: Params) -> int:
        return int(FAULTS[p.fault][1]["line"])

    def oracle(self, p: Params, torch: Any) -> int:
        program, _ = FAULTS[p.fault]
        right, wrong = lines(program), mutant(p.fault)
        if not agrees(program["id"], right, torch) or agrees(program["id"], wrong, torch):
            return -1
        # The line whose mending alone makes the code agree with PyTorch again.
        mended = [
            at
            for at, line in enumerate(right)
            if line != wrong[at] and agrees(program["id"], (*wrong[:at], line, *wrong[at + 1 :]), torch)
        ]
        return mended[0] + 1 if len(mended) == 1 else -1

    def misconceptions(self, p: Params) -> en.Slips:
        program, bug = FAULTS[p.fault]
        for suspect in program["suspects"]:
            if suspect["line"] != bug["line"]:
                yield en.Misconception(
                    suspect["id"], suspect["line"], f"Not line {suspect['line']}. {suspect['why']}"
                )

    def hints(self, p: Params) -> tuple[str, ...]:
        program, bug = FAULTS[p.fault]
        half = len(lines(program)) // 2
        where = f"lines 1 to {half}" if bug["line"] <= half else f"line {half + 1} or below"
        return (
            "The report says what is still right; that clears the lines it depends on.",
            f"It is in {where}. Say for each line there which formula it stands for.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        program, bug = FAULTS[p.fault]
        line = bug["line"]
        return (
            en.Step(f"Line {line} reads `{bug['text'].strip()}`."),
            en.Step(bug["why"]),
            en.Step(f"Right is `{lines(program)[line - 1].strip()}`."),
        )


def lines(program: dict[str, Any]) -> tuple[str, ...]:
    """Return the lines of a correct program."""
    return tuple(program["code"].strip("\n").split("\n"))


def mutant(fault: str) -> tuple[str, ...]:
    """Return the lines of a program with one fault."""
    program, bug = FAULTS[fault]
    right, at = lines(program), bug["line"] - 1
    return (*right[:at], bug["text"], *right[at + 1 :])


def agrees(name: str, code: tuple[str, ...], torch: Any) -> bool:
    """Run a program and tell whether it gives what PyTorch gives; an error counts as no."""
    names = {"torch": torch, "nn": torch.nn, "math": math}
    exec("\n".join(code), names)  # the code is this folder's own
    try:
        got, wanted = RUNS[name](names, torch)
    except (RuntimeError, IndexError, TypeError, ValueError):
        return False
    return len(got) == len(wanted) and all(
        one.shape == other.shape and bool(torch.allclose(one, other, rtol=1e-9, atol=1e-12))
        for one, other in zip(got, wanted, strict=True)
    )


def numbers(torch: Any, *shape: int, seed: int = 0) -> Any:
    """Return random numbers with unequal offsets and spreads, small ones among them."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(*shape, generator=generator, dtype=torch.float64)
    spread = 10 ** torch.empty(shape[-1], dtype=torch.float64).uniform_(-2.5, 1, generator=generator)
    return x * spread + spread * torch.arange(1.0, shape[-1] + 1, dtype=torch.float64)


def run_batch_norm(names: dict[str, Any], torch: Any) -> tuple[Any, Any]:
    x, (gamma, beta) = numbers(torch, 5, 3), numbers(torch, 2, 3, seed=1)
    layer = torch.nn.BatchNorm1d(3, dtype=torch.float64)
    layer.load_state_dict({"weight": gamma, "bias": beta}, strict=False)
    mean, var = torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    trained = names["batch_norm"](x, gamma, beta, mean, var, True)
    evaluated = names["batch_norm"](2 * x, gamma, beta, mean, var, False)
    wanted = (layer(x), layer.eval()(2 * x), layer.running_mean, layer.running_var)
    return (trained, evaluated, mean, var), wanted


def run_batch_norm_2d(names: dict[str, Any], torch: Any) -> tuple[Any, Any]:
    x, (gamma, beta) = numbers(torch, 4, 3, 2, 3), numbers(torch, 2, 3, seed=1)
    wanted = torch.nn.functional.batch_norm(x, None, None, gamma, beta, training=True)
    return (names["batch_norm_2d"](x, gamma, beta),), (wanted,)


def run_batch_norm_backward(names: dict[str, Any], torch: Any) -> tuple[Any, Any]:
    x, upstream, (gamma, beta) = (
        numbers(torch, 4, 3),
        numbers(torch, 4, 3, seed=2),
        numbers(torch, 2, 3, seed=1),
    )
    leaves = [leaf.clone().requires_grad_() for leaf in (x, gamma, beta)]
    y = torch.nn.functional.batch_norm(leaves[0], None, None, leaves[1], leaves[2], training=True)
    wanted = torch.autograd.grad(y, leaves, upstream)
    return names["batch_norm_backward"](upstream, x, gamma), wanted


def run_layer_norm(names: dict[str, Any], torch: Any) -> tuple[Any, Any]:
    x, (gamma, beta) = numbers(torch, 2, 3, 4), numbers(torch, 2, 4, seed=1)
    x = x * torch.tensor([1.0, 1e-2, 10.0], dtype=torch.float64).reshape(3, 1)
    return (names["layer_norm"](x, gamma, beta),), (torch.nn.functional.layer_norm(x, (4,), gamma, beta),)


def run_rms_norm(names: dict[str, Any], torch: Any) -> tuple[Any, Any]:
    x, (gamma,) = numbers(torch, 4, 4) * 0.1, numbers(torch, 1, 4, seed=1)
    got = torch.tensor(names["rms_norm"](x.tolist(), gamma.tolist()), dtype=torch.float64)
    return (got,), (torch.nn.functional.rms_norm(x, (4,), gamma, eps=1e-6),)


def run_group_norm(names: dict[str, Any], torch: Any) -> tuple[Any, Any]:
    x, (gamma, beta) = numbers(torch, 2, 6, 3, 6), numbers(torch, 2, 6, seed=1)
    wanted = torch.nn.functional.group_norm(x, 2, gamma, beta)
    return (names["group_norm"](x, 2, gamma, beta),), (wanted,)


def run_running_stats(names: dict[str, Any], torch: Any) -> tuple[Any, Any]:
    got, wanted = [], []
    for momentum in (0.1, None):
        layer = torch.nn.BatchNorm1d(3, momentum=momentum, dtype=torch.float64)
        own = names["RunningStats"](3, momentum)
        own.mean, own.var = own.mean.double(), own.var.double()
        for seed in range(3):
            layer(numbers(torch, 4, 3, seed=seed))
            own.update(numbers(torch, 4, 3, seed=seed))
        got += [own.mean, own.var]
        wanted += [layer.running_mean, layer.running_var]
    return got, wanted


def run_pre_ln_block(names: dict[str, Any], torch: Any) -> tuple[Any, Any]:
    layer = torch.nn.TransformerEncoderLayer(4, 2, 8, norm_first=True, batch_first=True, dtype=torch.float64)
    for place, parameter in enumerate(layer.parameters()):
        parameter.data = torch.randn(
            parameter.shape, generator=torch.Generator().manual_seed(place), dtype=torch.float64
        )
    layer.eval()
    x = numbers(torch, 2, 3, 4)
    return (names["pre_ln_block"](x, layer),), (layer(x),)


def run_fold(names: dict[str, Any], torch: Any) -> tuple[Any, Any]:
    linear = torch.nn.Linear(3, 3, dtype=torch.float64)
    bn = torch.nn.BatchNorm1d(3, dtype=torch.float64).eval()
    mean, gamma, beta = numbers(torch, 3, 3, seed=1)
    var = torch.tensor([1e-6, 0.3, 7.0], dtype=torch.float64)
    bn.load_state_dict(
        {"weight": gamma, "bias": beta, "running_mean": mean, "running_var": var}, strict=False
    )
    x = numbers(torch, 4, 3)
    return (names["fold"](linear, bn)(x),), (bn(linear(x)),)


def run_rms_norm_backward(names: dict[str, Any], torch: Any) -> tuple[Any, Any]:
    x, upstream = numbers(torch, 2, 3, 4), numbers(torch, 2, 3, 4, seed=2)
    (gamma,) = numbers(torch, 1, 4, seed=1)
    leaves = [leaf.clone().requires_grad_() for leaf in (x, gamma)]
    y = torch.nn.functional.rms_norm(leaves[0], (4,), leaves[1], eps=1e-6)
    return names["rms_norm_backward"](upstream, x, gamma), torch.autograd.grad(y, leaves, upstream)


RUNS = {
    "batch_norm": run_batch_norm,
    "batch_norm_2d": run_batch_norm_2d,
    "batch_norm_backward": run_batch_norm_backward,
    "layer_norm": run_layer_norm,
    "rms_norm": run_rms_norm,
    "group_norm": run_group_norm,
    "running_stats": run_running_stats,
    "pre_ln_block": run_pre_ln_block,
    "fold": run_fold,
    "rms_norm_backward": run_rms_norm_backward,
}
"""How each program is run: what it gives and what PyTorch gives."""

FAMILY = SpotBug()
