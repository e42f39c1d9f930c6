"""Code whose lines are to be put in order, with one that does not belong; see `parsons.toml`."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studynorm import engine as en

PROGRAMS = {
    program["id"]: program
    for program in tomllib.loads(Path(__file__).with_name("parsons.toml").read_text("utf-8"))["program"]
}


@dataclass(frozen=True, slots=True)
class Params:
    program: str = en.option("the program", tuple(PROGRAMS), next(iter(PROGRAMS)))


def of_level(level: int) -> tuple[str, ...]:
    """Return the programs of a level."""
    return tuple(name for name, program in PROGRAMS.items() if program["level"] == level)


class OrderLines(en.Family[Params]):
    title = "Put the lines in order"
    catalogue = "K4"
    given = Params
    kind = en.Order()
    levels = {level: en.Level(distinct=len(of_level(level))) for level in (1, 2)}
    covers = ("assemble-the-code",)
    cards = ("card:backward/input-gradient", "card:residual/post-vs-pre-ln")
    requires = ("backward.input_gradient",)

    def kind_of(self, p: Params) -> en.Order:
        return en.Order(steps=steps(p), code=True)

    def draw(self, level: int, rng: en.Rng) -> Params:
        return Params(rng.choice(of_level(level)))

    def prompt(self, p: Params) -> str:
        program = PROGRAMS[p.program]
        count = len(program["lines"])
        return (
            f"{program['task']}\n\n```python\n{program['given']}\n```\n\nPut the {count} lines that belong "
            "in this function in order. One of the lines below does not belong."
        )

    def solve(self, p: Params) -> tuple[int, ...]:
        return tuple(range(len(PROGRAMS[p.program]["lines"])))

    def oracle(self, p: Params, torch: Any) -> tuple[int, ...]:
        # Every order that runs is run; exactly one gives what PyTorch gives.
        names, wanted = SETTINGS[p.program](torch)
        right = [order for order, got in runs(p, names) if same(got, wanted, torch)]
        return right[0] if len(right) == 1 else (-1,) * len(self.solve(p))

    def misconceptions(self, p: Params) -> en.Slips:
        program, right = PROGRAMS[p.program], list(self.solve(p))
        for place, decoy in enumerate(program["decoys"], len(right)):
            order = list(right)
            order[decoy["instead_of"] - 1] = place
            yield en.Misconception(decoy["id"], tuple(order), decoy["why"])
        for swap in program["swaps"]:
            order, (a, b) = list(right), (at - 1 for at in swap["swap"])
            order[a], order[b] = order[b], order[a]
            yield en.Misconception(swap["id"], tuple(order), swap["why"])

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "A line can only use names that exist already; look for the one that uses the arguments alone.",
            "Two of the lines do nearly the same and only one is right; the line with `return` comes last.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        program = PROGRAMS[p.program]
        right = tuple(en.Step(f"`{line.strip()}`") for line in program["lines"])
        return (*right, *(en.Step(f"Not `{it['line'].strip()}`: {it['why']}") for it in program["decoys"]))


def steps(p: Params) -> tuple[str, ...]:
    """Return the right lines in order and the decoys behind them."""
    program = PROGRAMS[p.program]
    return (*program["lines"], *(decoy["line"] for decoy in program["decoys"]))


def runs(p: Params, names: dict[str, Any]) -> list[tuple[tuple[int, ...], Any]]:
    """Return every order of as many lines as belong that runs and returns at its end, with its result."""
    lines = [line.strip() for line in steps(p)]
    ends = [line.startswith("return ") for line in lines]
    codes = [
        compile(f"result = {line.removeprefix('return ')}" if end else line, "<line>", "exec")
        for line, end in zip(lines, ends, strict=True)
    ]
    count = len(PROGRAMS[p.program]["lines"])
    found: list[tuple[tuple[int, ...], Any]] = []
    begun: list[tuple[tuple[int, ...], dict[str, Any]]] = [((), names)]
    while begun:
        order, known = begun.pop()
        for place, code in enumerate(codes):
            if place in order or ends[place] != (len(order) == count - 1):
                continue
            after = dict(known)
            try:
                exec(code, after)  # the code is this folder's own
            except (NameError, RuntimeError):
                continue
            if ends[place]:
                found.append(((*order, place), after["result"]))
            else:
                begun.append(((*order, place), after))
    return found


def same(got: Any, wanted: Any, torch: Any) -> bool:
    """Tell whether two results, tensors or tuples of them, are equal up to rounding."""
    if isinstance(wanted, tuple):
        return isinstance(got, tuple) and all(same(a, b, torch) for a, b in zip(got, wanted, strict=True))
    return got.shape == wanted.shape and bool(torch.allclose(got, wanted, rtol=1e-9, atol=1e-12))


def numbers(torch: Any, *shape: int, seed: int = 0) -> Any:
    """Return random numbers away from 0 and of small size, so that ε shows."""
    generator = torch.Generator().manual_seed(seed)
    return 0.01 * (torch.randn(*shape, generator=generator, dtype=torch.float64) + 0.5)


def backward_setting(torch: Any, layer: Any, *shape: int, rms: bool = False) -> tuple[dict[str, Any], Any]:
    """Return what a backward pass is given, and what autograd says."""
    x, dy, gamma = numbers(torch, *shape), numbers(torch, *shape, seed=1), numbers(torch, shape[-1], seed=2)
    leaf = x.clone().requires_grad_()
    (wanted,) = torch.autograd.grad(layer(leaf, gamma), leaf, dy)
    names = {"x": x, "dy": dy, "gamma": gamma, "eps": 1e-6}
    if not rms:
        axis = 0 if len(shape) == 2 else -1
        names["std"] = (x.var(axis, correction=0, keepdim=True) + 1e-5).sqrt()
        names["x_hat"] = (x - x.mean(axis, keepdim=True)) / names["std"]
    return names, wanted


def setting_batch_norm_backward(torch: Any) -> tuple[dict[str, Any], Any]:
    norm = torch.nn.functional.batch_norm
    return backward_setting(torch, lambda x, gamma: norm(x, None, None, gamma, training=True), 5, 3)


def setting_layer_norm_backward(torch: Any) -> tuple[dict[str, Any], Any]:
    norm = torch.nn.functional.layer_norm
    return backward_setting(torch, lambda x, gamma: norm(x, (4,), gamma), 2, 3, 4)


def setting_rms_norm_backward(torch: Any) -> tuple[dict[str, Any], Any]:
    norm = torch.nn.functional.rms_norm
    return backward_setting(torch, lambda x, gamma: norm(x, (4,), gamma, eps=1e-6), 2, 3, 4, rms=True)


def setting_batch_norm_forward(torch: Any) -> tuple[dict[str, Any], Any]:
    x, (gamma, beta) = numbers(torch, 5, 3), numbers(torch, 2, 3, seed=1)
    wanted = torch.nn.functional.batch_norm(x, None, None, gamma, beta, training=True)
    return {"x": x, "gamma": gamma, "beta": beta, "eps": 1e-5}, wanted


def encoder(torch: Any, *, norm_first: bool) -> tuple[dict[str, Any], Any]:
    """Return the parts of a random encoder layer as plain functions, and what the layer itself gives."""
    layer = torch.nn.TransformerEncoderLayer(
        4, 2, 8, norm_first=norm_first, batch_first=True, dtype=torch.float64
    ).eval()
    for seed, parameter in enumerate(layer.parameters()):
        parameter.data = 30 * numbers(torch, *parameter.shape, seed=seed)
    x = numbers(torch, 2, 3, 4)
    names = {
        "x": x,
        "norm1": layer.norm1,
        "norm2": layer.norm2,
        "attention": lambda h: layer.self_attn(h, h, h)[0],
        "mlp": lambda h: layer.linear2(layer.activation(layer.linear1(h))),
    }
    return names, layer(x)


def setting_pre_ln(torch: Any) -> tuple[dict[str, Any], Any]:
    return encoder(torch, norm_first=True)


def setting_post_ln(torch: Any) -> tuple[dict[str, Any], Any]:
    return encoder(torch, norm_first=False)


def setting_running_update(torch: Any) -> tuple[dict[str, Any], Any]:
    layer, x = torch.nn.BatchNorm1d(3, momentum=0.3, dtype=torch.float64), numbers(torch, 5, 3)
    start = layer.running_var.clone()
    layer(x)
    return {"run_var": start, "x": x, "m": 0.3}, layer.running_var


def setting_group_norm(torch: Any) -> tuple[dict[str, Any], Any]:
    x = numbers(torch, 2, 6, 2, 2)
    names = {"x": x, "groups": 2, "eps": 1e-5, **dict(zip("nchw", x.shape, strict=True))}
    return names, torch.nn.functional.group_norm(x, 2)


def setting_fold(torch: Any) -> tuple[dict[str, Any], Any]:
    linear, bn = (
        torch.nn.Linear(4, 3, dtype=torch.float64),
        torch.nn.BatchNorm1d(3, dtype=torch.float64).eval(),
    )
    for seed, part in enumerate((linear.bias, bn.weight, bn.bias, bn.running_mean)):
        part.data = 100 * numbers(torch, 3, seed=seed)
    # Eval mode is affine, so its values at 0 and at the unit vectors are the folded bias and weight.
    bias = bn(linear(torch.zeros(2, 4, dtype=torch.float64)))[0]
    weight = (bn(linear(torch.eye(4, dtype=torch.float64))) - bias).T
    return {"weight": linear.weight, "bias": linear.bias, "bn": bn}, (weight, bias)


SETTINGS = {
    "batch_norm_backward": setting_batch_norm_backward,
    "layer_norm_backward": setting_layer_norm_backward,
    "rms_norm_backward": setting_rms_norm_backward,
    "batch_norm_forward": setting_batch_norm_forward,
    "pre_ln": setting_pre_ln,
    "post_ln": setting_post_ln,
    "running_update": setting_running_update,
    "group_norm": setting_group_norm,
    "fold": setting_fold,
}
"""What each program is given, and what PyTorch gives."""

FAMILY = OrderLines()
