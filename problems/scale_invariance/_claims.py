"""What the cards on scale-invariant weights claim, each measured with PyTorch."""

import math
from typing import Any

_TINY = 1e-30


def _random(torch: Any, seed: int, *shape: int) -> Any:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def _same(torch: Any, a: Any, b: Any) -> bool:
    return bool(torch.allclose(a, b, rtol=0.0, atol=1e-9))


def _batch_norm(torch: Any, z: Any, eps: float = _TINY) -> Any:
    return torch.nn.functional.batch_norm(z, None, None, training=True, eps=eps)


def _layer_norm(torch: Any, z: Any) -> Any:
    return torch.nn.functional.layer_norm(z, z.shape[-1:], eps=0.0)


def _inputs(torch: Any) -> tuple[Any, Any, Any]:
    """Return 8 examples, a 5×5 matrix for them and a bias."""
    return _random(torch, 1, 8, 5), _random(torch, 2, 5, 5), _random(torch, 3, 5)


def _gradient(torch: Any, weight: Any, norm: Any) -> Any:
    """Return the gradient of a loss behind `norm` of a linear layer with these weights."""
    x, readout, leaf = _random(torch, 1, 8, 5), _random(torch, 4, 8, 5), weight.clone().requires_grad_()
    (readout * norm(torch, x @ leaf.T)).tanh().sum().backward()
    return leaf.grad


def _angle(torch: Any, weight: Any) -> Any:
    """Return the polar angle of two weights: a scale-invariant loss with a gradient of length 1/‖W‖."""
    return torch.atan2(weight[1], weight[0])


def _train(torch: Any, norm: float, steps: int, **sgd: float) -> Any:
    """Take SGD steps on the polar angle of two weights of this norm; return the weights before each step."""
    weight = (norm * torch.tensor([0.6, 0.8], dtype=torch.float64)).requires_grad_()
    optimizer, course = torch.optim.SGD([weight], **sgd), [weight.detach().clone()]
    for _ in range(steps):
        optimizer.zero_grad()
        _angle(torch, weight).backward()
        optimizer.step()
        course.append(weight.detach().clone())
    return torch.stack(course)


def _turn(torch: Any, before: Any, after: Any) -> float:
    """Return the angle between two weights in radians."""
    cross = before[0] * after[1] - before[1] * after[0]
    return float(torch.atan2(cross, before @ after).abs())


def positive_factor_cancels(torch: Any) -> bool:
    """A factor 10 on W leaves BatchNorm, LayerNorm and RMSNorm of Wx as they are; a factor −1 does not."""
    x, weight, _ = _inputs(torch)

    def rms_norm(torch: Any, z: Any) -> Any:
        return torch.nn.functional.rms_norm(z, (5,), eps=0.0)

    return all(
        _same(torch, norm(torch, x @ (10 * weight).T), norm(torch, x @ weight.T))
        and not _same(torch, norm(torch, x @ -weight.T), norm(torch, x @ weight.T))
        for norm in (_batch_norm, _layer_norm, rms_norm)
    )


def batchnorm_removes_the_bias(torch: Any) -> bool:
    """BatchNorm of 2Wx + b is that of Wx + b."""
    x, weight, bias = _inputs(torch)
    outputs = [_batch_norm(torch, torch.nn.functional.linear(x, c * weight, bias)) for c in (1, 2)]
    return _same(torch, *outputs)


def layernorm_keeps_the_bias(torch: Any) -> bool:
    """LayerNorm of 2Wx + b is not that of Wx + b, though without b the factor cancels."""
    x, weight, bias = _inputs(torch)
    biased = [_layer_norm(torch, torch.nn.functional.linear(x, c * weight, bias)) for c in (1, 2)]
    plain = [_layer_norm(torch, torch.nn.functional.linear(x, c * weight)) for c in (1, 2)]
    return _same(torch, *plain) and bool((biased[0] - biased[1]).abs().max() > 0.1)


def skip_is_not_scaled(torch: Any) -> bool:
    """LayerNorm of x + 2Wx is not that of x + Wx, though of 2(x + Wx) it is."""
    x, weight, _ = _inputs(torch)
    once, twice = _layer_norm(torch, x + x @ weight.T), _layer_norm(torch, x + 2 * x @ weight.T)
    whole = _layer_norm(torch, 2 * (x + x @ weight.T))
    return _same(torch, once, whole) and bool((once - twice).abs().max() > 0.1)


def relu_passes_a_factor(torch: Any) -> bool:
    """relu(cz) = c·relu(z), so LayerNorm behind ReLU drops the factor 3; behind GELU and tanh it does not."""
    x, weight, _ = _inputs(torch)
    z, invariant = x @ weight.T, []
    for bend in (torch.relu, torch.nn.functional.gelu, torch.tanh):
        outputs = [torch.nn.functional.layer_norm(bend(c * z), (5,), eps=_TINY) for c in (1, 3)]
        invariant.append(_same(torch, *outputs))
    return invariant == [True, False, False] and _same(torch, torch.relu(3 * z), 3 * torch.relu(z))


def eval_mode_passes_the_factor(torch: Any) -> bool:
    """Doubling W leaves BatchNorm's output in training mode and doubles that of a fresh one in eval mode."""
    x, weight, _ = _inputs(torch)
    layer = torch.nn.BatchNorm1d(5, eps=_TINY, dtype=torch.float64).eval()
    evaluated = [layer(x @ (c * weight).T) for c in (1, 2)]
    trained = [_batch_norm(torch, x @ (c * weight).T) for c in (1, 2)]
    return _same(torch, *trained) and _same(torch, evaluated[1], 2 * evaluated[0])


def one_scale_per_channel(torch: Any) -> bool:
    """A doubled row of W leaves BatchNorm's output and not LayerNorm's; the gradient's rows show the same."""
    x, weight, _ = _inputs(torch)
    stretched = weight.clone()
    stretched[0] *= 2
    stays = [
        _same(torch, n(torch, x @ stretched.T), n(torch, x @ weight.T)) for n in (_batch_norm, _layer_norm)
    ]
    rows = [(_gradient(torch, weight, norm) * weight).sum(1).abs() for norm in (_batch_norm, _layer_norm)]
    whole = (_gradient(torch, weight, _layer_norm) * weight).sum().abs()
    return stays == [True, False] and bool(rows[0].max() < 1e-9 and rows[1].max() > 0.01 and whole < 1e-9)


def epsilon_shows_for_small_weights(torch: Any) -> bool:
    """With ε = 1e-5 weights of ordinary size may be doubled for nothing; 1000 times smaller ones may not."""
    x, weight, _ = _inputs(torch)

    def change(scale: float) -> float:
        outputs = [_batch_norm(torch, x @ (c * scale * weight).T, eps=1e-5) for c in (1, 2)]
        return float((outputs[0] - outputs[1]).abs().max())

    return change(1.0) < 1e-4 and change(1e-3) > 0.1


def gradient_is_orthogonal(torch: Any) -> bool:
    """Before BatchNorm and LayerNorm the gradient of W has no part along W; without a norm it has."""
    weight = _random(torch, 2, 5, 5)
    slopes = [
        abs(float((_gradient(torch, weight, norm) * weight).sum()))
        for norm in (_batch_norm, _layer_norm, lambda _, z: z)
    ]
    return max(slopes[:2]) < 1e-9 and slopes[2] > 0.1


def gradient_is_inverse_to_the_norm(torch: Any) -> bool:
    """The gradient at 4W is a quarter of that at W, entry by entry."""
    weight = _random(torch, 2, 5, 5)
    near, far = _gradient(torch, weight, _batch_norm), _gradient(torch, 4 * weight, _batch_norm)
    return _same(torch, far, near / 4) and bool(near.norm() > 0.1)


def step_obeys_pythagoras(torch: Any) -> bool:
    """From (3, 4) a step on the polar angle with η = 5 goes to (3.8, 3.4); each of 20 adds its square."""
    weight = torch.tensor([3.0, 4.0], dtype=torch.float64, requires_grad=True)
    _angle(torch, weight).backward()
    landed = weight.detach() - 5 * weight.grad
    expected = torch.tensor([3.8, 3.4], dtype=torch.float64)
    course = _train(torch, norm=5.0, steps=20, lr=5.0)
    squares, steps = course.square().sum(1), course.diff(dim=0).square().sum(1)
    return (
        _same(torch, landed, expected)
        and abs(float(landed @ landed) - 26) < 1e-9
        and _same(torch, squares.diff(), steps)
        and bool((squares.diff() > 0).all())
    )


def adam_can_shorten(torch: Any) -> bool:
    """From (1, 3) with a gradient along (−3, 1), Adam's first step with η = 0.1 goes to (1.1, 2.9)."""
    weight = torch.tensor([1.0, 3.0], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([weight], lr=0.1)
    _angle(torch, weight).backward()
    along = _same(torch, weight.grad * 10, torch.tensor([-3.0, 1.0], dtype=torch.float64))
    optimizer.step()
    landed = weight.detach()
    near = (landed - torch.tensor([1.1, 2.9], dtype=torch.float64)).abs().max() < 1e-6
    return along and bool(near) and abs(float(landed @ landed) - 9.62) < 1e-6


def effective_rate(torch: Any) -> bool:
    """A small SGD step turns weights of norm 1 by η, of norm 2 by η/4 and of norm 10 by η/100."""
    rate = 1e-4
    turns = [_turn(torch, *_train(torch, norm, steps=1, lr=rate)) for norm in (1.0, 2.0, 10.0)]
    return all(abs(turn * square / rate - 1) < 1e-6 for turn, square in zip(turns, (1, 4, 100), strict=True))


def built_in_annealing(torch: Any) -> bool:
    """Without decay the turn per step falls all along and, after many steps, halves when they quadruple."""
    course = _train(torch, norm=1.0, steps=801, lr=1.0)
    turns = [_turn(torch, course[step], course[step + 1]) for step in (0, 50, 200, 800)]
    falls = turns[0] > turns[1] > turns[2] > turns[3]
    return falls and abs(turns[1] / turns[2] - 2) < 0.05 and abs(turns[2] / turns[3] - 2) < 0.02


def initial_scale_is_a_rate(torch: Any) -> bool:
    """Weights 10 times as large take the same course with 100 times the rate, and not with 10 times."""
    course = _train(torch, norm=2.0, steps=10, lr=0.5)
    large = _train(torch, norm=20.0, steps=10, lr=50.0)
    slow = _train(torch, norm=20.0, steps=10, lr=5.0)
    return _same(torch, large, 10 * course) and not _same(torch, slow, 10 * course)


def decay_keeps_the_rate_up(torch: Any) -> bool:
    """Shorter weights give the same output; after 200 steps with decay they are shorter and turn faster."""
    x, weight, _ = _inputs(torch)
    same = _same(torch, _batch_norm(torch, x @ (0.2 * weight).T), _batch_norm(torch, x @ weight.T))
    courses = [_train(torch, norm=5.0, steps=200, lr=0.5, weight_decay=decay) for decay in (0.0, 0.01)]
    turns = [_turn(torch, course[-2], course[-1]) for course in courses]
    return same and bool(courses[1][-1].norm() < courses[0][-1].norm()) and turns[1] > 2 * turns[0]


def growth_and_decay_balance(torch: Any) -> bool:
    """With η = 0.5, λ = 0.01 and G = 1 short and long weights come to ‖W‖⁴ near 0.5/0.02 = 25."""
    ends = [
        float(_train(torch, norm, steps=400, lr=0.5, weight_decay=0.01)[-1].norm()) ** 4
        for norm in (1.0, 4.0)
    ]
    return all(abs(end / 25 - 1) < 0.01 for end in ends)


def balance_turns_by_root_of_product(torch: Any) -> bool:
    """At ‖W‖⁴ = ηG²/(2λ) with η = 0.1, λ = 5e-4, G = 1 the norm stays and each step turns W by 0.01."""
    start = (0.1 / (2 * 5e-4)) ** 0.25
    course = _train(torch, start, steps=50, lr=0.1, weight_decay=5e-4)
    turns = [_turn(torch, course[step], course[step + 1]) for step in range(50)]
    stays = bool((course.norm(dim=1) / start - 1).abs().max() < 1e-3)
    return (
        stays
        and all(abs(turn / 0.01 - 1) < 2e-3 for turn in turns)
        and math.isclose(math.sqrt(2 * 0.1 * 5e-4), 0.01)
    )


def rate_cut_ends_at_its_root(torch: Any) -> bool:
    """Cutting η from 1 to 0.01 at λ = 0.2 divides the effective rate by 100 at once and by 10 at last."""
    held = float(_train(torch, norm=1.5, steps=60, lr=1.0, weight_decay=0.2)[-1].norm())
    settled = float(_train(torch, held, steps=1200, lr=0.01, weight_decay=0.2)[-1].norm())
    before, at_once, at_last = 1 / held**2, 0.01 / held**2, 0.01 / settled**2
    return abs(before / at_once - 100) < 1e-6 and abs(before / at_last - 10) < 0.6
