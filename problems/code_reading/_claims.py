"""What the cards on reading code claim: each function runs the code of its card."""

import copy
from typing import Any


def _column(torch: Any, *values: float) -> Any:
    return torch.tensor(values, dtype=torch.float64).unsqueeze(1)


def _random(torch: Any, seed: int, *shape: int) -> Any:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def _near(a: float, b: float, within: float = 1e-9) -> bool:
    return abs(a - b) < within


def _same(torch: Any, a: Any, b: Any) -> bool:
    return bool(a.shape == b.shape and torch.allclose(a, b, rtol=0.0, atol=1e-9))


def _error(call: Any) -> type[Exception] | None:
    """Return the type of the error that the call raises, or None."""
    try:
        call()
    except Exception as error:  # noqa: BLE001  which error it is decides the claim
        return type(error)
    return None


def var_divides_by_n_minus_one(torch: Any) -> bool:
    """`var` of (2, 4, 9) is 26/2 = 13, and 26/3 with `correction=0`."""
    x = torch.tensor([2.0, 4.0, 9.0], dtype=torch.float64)
    return _near(x.var().item(), 13.0) and _near(x.var(correction=0).item(), 26 / 3)


def std_makes_outputs_too_small(torch: Any) -> bool:
    """Divided by `std`, 4 features come out √(3/4) = 0.866 and 512 features 0.999 times as large."""

    def factor(width: int) -> float:
        x = _random(torch, 81, 3, width)
        mu = x.mean(-1, keepdim=True)
        y = (x - mu) / x.std(-1, keepdim=True)
        return float((y / torch.nn.functional.layer_norm(x, (width,), eps=0.0)).mean())

    return _near(factor(4), 0.75**0.5) and round(factor(4), 3) == 0.866 and round(factor(512), 3) == 0.999


def missing_keepdim_moves_to_columns(torch: Any) -> bool:
    """Without `keepdim` the mean of row j comes off column j of a square, and (4, 5) raises an error."""
    x = _random(torch, 82, 4, 4)
    y = x - x.mean(-1)
    means = [sum(row) / 4 for row in x.tolist()]
    expected = [[value - means[j] for j, value in enumerate(row)] for row in x.tolist()]
    other = _random(torch, 83, 4, 5)
    return (
        _same(torch, y, torch.tensor(expected, dtype=torch.float64))
        and not _same(torch, y.mean(-1), torch.zeros_like(y[0]))
        and _same(torch, (x - x.mean(-1, keepdim=True)).mean(-1), torch.zeros_like(y[0]))
        and _error(lambda: other - other.mean(-1)) is RuntimeError
    )


def keepdim_shapes(torch: Any) -> bool:
    """The mean over the last axis of (2, 3, 5) has the shape (2, 3), and (2, 3, 1) with `keepdim`."""
    x = torch.zeros(2, 3, 5)
    return (tuple(x.mean(-1).shape), tuple(x.mean(-1, keepdim=True).shape)) == ((2, 3), (2, 3, 1))


def scale_lines_up_with_the_width(torch: Any) -> bool:
    """A scale of shape (3,) raises on (2, 3, 4, 5) and scales the width of (2, 3, 4, 3); (3, 1, 1) fits."""
    gamma = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    image, square = torch.ones(2, 3, 4, 5, dtype=torch.float64), torch.ones(2, 3, 4, 3, dtype=torch.float64)
    scaled = gamma[:, None, None] * image
    return (
        _error(lambda: gamma * image) is RuntimeError
        and [scaled[0, c].unique().tolist() for c in range(3)] == [[1.0], [2.0], [3.0]]
        and [(gamma * square)[..., w].unique().tolist() for w in range(3)] == [[1.0], [2.0], [3.0]]
    )


def weight_scales_and_bias_shifts(torch: Any) -> bool:
    """With `weight` 3 and `bias` 7 the normalized −1 and 1 come out as 4 and 10, in four norm layers."""
    rows = torch.tensor([[1.0, 3.0], [3.0, 1.0]], dtype=torch.float64)
    kinds = [
        torch.nn.BatchNorm1d(2, eps=1e-12),
        torch.nn.LayerNorm(2, eps=0.0),
        torch.nn.GroupNorm(1, 2, eps=0.0),
    ]
    expected = torch.tensor([[4.0, 10.0], [10.0, 4.0]], dtype=torch.float64)
    held = []
    for layer in kinds:
        layer.double().requires_grad_(False)
        layer.weight.fill_(3.0)
        layer.bias.fill_(7.0)
        held.append(_same(torch, layer(rows), expected))
    rms = torch.nn.RMSNorm(2, eps=0.0, dtype=torch.float64).requires_grad_(False)
    rms.weight.fill_(3.0)
    return all(held) and _same(torch, rms(torch.ones_like(rows)), torch.full_like(rows, 3.0))


def batchnorm1d_averages_batch_and_length(torch: Any) -> bool:
    """BatchNorm1d(16) on (8, 16, 100) takes 16 means over 8·100 numbers each."""
    x = _random(torch, 84, 8, 16, 100)
    layer = torch.nn.BatchNorm1d(16, momentum=1.0, dtype=torch.float64)
    layer(x)
    by_hand = [sum(x[:, c].flatten().tolist()) / 800 for c in range(16)]
    return x[:, 0].numel() == 800 and _same(
        torch, layer.running_mean, torch.tensor(by_hand, dtype=torch.float64)
    )


def layernorm_over_two_axes(torch: Any) -> bool:
    """LayerNorm((32, 512)) makes 16384 numbers have mean 0, not each token, and refuses 31 tokens."""
    layer = torch.nn.LayerNorm((32, 512), dtype=torch.float64)
    x = _random(torch, 85, 2, 32, 512) + torch.arange(32, dtype=torch.float64)[:, None]
    y = layer(x)
    whole, tokens = y.flatten(1).mean(-1).abs().max(), y.mean(-1).abs().max()
    return (
        y[0].numel() == 16384
        and bool(whole < 1e-9)
        and bool(tokens > 1)
        and _error(lambda: layer(x[:, :31])) is RuntimeError
    )


def only_rmsnorm_has_one_key(torch: Any) -> bool:
    """RMSNorm saves `weight` alone, LayerNorm and GroupNorm 2 keys, BatchNorm 5, InstanceNorm 0."""
    nn = torch.nn
    keys = {
        "rms": nn.RMSNorm(8),
        "layer": nn.LayerNorm(8),
        "group": nn.GroupNorm(2, 8),
        "batch": nn.BatchNorm2d(8),
        "instance": nn.InstanceNorm2d(8),
    }
    sizes = {name: len(layer.state_dict()) for name, layer in keys.items()}
    return list(keys["rms"].state_dict()) == ["weight"] and sizes == {
        "rms": 1,
        "layer": 2,
        "group": 2,
        "batch": 5,
        "instance": 0,
    }


def only_training_batchnorm_refuses_zero_eps(torch: Any) -> bool:
    """`eps=0.0` raises in training-mode BatchNorm only; LayerNorm then gives nan on equal features."""
    x = _random(torch, 86, 4, 3)
    batch = torch.nn.BatchNorm1d(3, eps=0.0, dtype=torch.float64)
    layer = torch.nn.LayerNorm(3, eps=0.0, dtype=torch.float64)
    return (
        _error(lambda: batch(x)) is ValueError
        and _error(lambda: layer(x)) is None
        and bool(layer(torch.ones_like(x)).isnan().all())
    )


def functional_batchnorm_is_in_eval_by_default(torch: Any) -> bool:
    """`F.batch_norm` takes the given statistics unless `training=True`; `F.dropout` drops by default."""
    x, mean, var = _column(torch, 1, 3), _column(torch, 5)[0], _column(torch, 4)[0]
    functional = torch.nn.functional
    stored = functional.batch_norm(x, mean.clone(), var.clone(), eps=0.0)
    batch = functional.batch_norm(x, mean.clone(), var.clone(), training=True, eps=1e-12)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        dropped = bool((functional.dropout(torch.ones(200)) == 0).any())
    return (
        _same(torch, stored, _column(torch, -2, -1))
        and _same(torch, batch, _column(torch, -1, 1))
        and dropped
    )


def running_variance_after_one_step(torch: Any) -> bool:
    """After (2, 4, 9) a fresh layer holds the running variance 0.9·1 + 0.1·13 = 2.2."""
    layer = torch.nn.BatchNorm1d(1, dtype=torch.float64)
    layer(_column(torch, 2, 4, 9))
    return _near(layer.running_var.item(), 2.2)


def eval_mode_stays(torch: Any) -> bool:
    """From the second epoch on, stored statistics are used and not updated, and dropout is off."""
    norm = torch.nn.BatchNorm1d(1, dtype=torch.float64)
    model = torch.nn.Sequential(norm, torch.nn.Dropout(0.5))
    x, counts, outputs = _column(torch, 10, 12, 14, 16), [], []
    with torch.random.fork_rng(devices=[]):
        for _ in range(3):
            outputs.append(model(x))
            counts.append(norm.num_batches_tracked.item())
            model.eval()
    # One step from mean 0 and variance 1 on a batch with mean 13 and unbiased variance 20/3.
    stored = (x - 1.3) / (0.9 + 0.1 * 20 / 3 + 1e-5) ** 0.5
    in_eval = [_same(torch, y, stored) for y in outputs]
    return counts == [1, 1, 1] and in_eval == [False, True, True]


def deep_copy_owns_its_buffers(torch: Any) -> bool:
    """A deep copy starts in eval mode too; put in training mode, it alone moves its running mean."""
    layer = torch.nn.BatchNorm1d(1, dtype=torch.float64).eval()
    twin = copy.deepcopy(layer)
    began_in_eval = not twin.training
    twin.train()
    twin(_column(torch, 0, 2))
    kept = layer.running_mean.item() == 0.0 and not layer.training
    return began_in_eval and kept and _near(twin.running_mean.item(), 0.1)


def parameters_leave_buffers_out(torch: Any) -> bool:
    """Following `parameters()` moves the copied γ and β and leaves all three buffers where they were."""
    model = torch.nn.BatchNorm1d(1, dtype=torch.float64)
    ema = copy.deepcopy(model)
    model(_column(torch, 0, 2))
    model.weight.data.fill_(3.0)
    model.bias.data.fill_(1.0)
    for slow, fast in zip(ema.parameters(), model.parameters(), strict=True):
        slow.data.lerp_(fast.data, 0.01)
    before = torch.nn.BatchNorm1d(1, dtype=torch.float64)
    unmoved = [torch.equal(a, b) for a, b in zip(ema.buffers(), before.buffers(), strict=True)]
    moved = [not torch.equal(a, b) for a, b in zip(model.buffers(), before.buffers(), strict=True)]
    followed = _near(ema.weight.item(), 1.02) and _near(ema.bias.item(), 0.01)
    return followed and unmoved == [True] * 3 and moved == [True] * 3


def inplace_addition_overwrites_the_input(torch: Any) -> bool:
    """`y = x; y += branch(x)` under `no_grad` changes the caller's tensor and returns that very one."""
    weight = _random(torch, 92, 2, 2)

    def branch(x: Any) -> Any:
        return x @ weight

    def block(x: Any) -> Any:
        y = x
        y += branch(x)
        return y

    x = _random(torch, 87, 3, 2)
    with torch.no_grad():
        expected = x + branch(x)
        before = x.clone()
        out = block(x)
    return out is x and _same(torch, x, expected) and not _same(torch, x, before)


def inplace_addition_spoils_a_saved_output(torch: Any) -> bool:
    """After `h = tanh(x); h += x` the backward pass raises an error; `h = h + x` passes."""
    x = _random(torch, 88, 3).requires_grad_()
    h = torch.tanh(x)
    h += x
    kept = torch.tanh(x)
    kept = kept + x
    return (
        _error(lambda: h.sum().backward()) is RuntimeError and _error(lambda: kept.sum().backward()) is None
    )


def initializing_everything_spoils_gamma(torch: Any) -> bool:
    """γ and β drawn with standard deviation 0.02 leave a LayerNorm output of RMS near 0.02·√2 = 0.028."""
    layer = torch.nn.LayerNorm(4096, dtype=torch.float64)
    x = _random(torch, 89, 4, 4096)
    before = layer(x).square().mean().sqrt().item()
    generator = torch.Generator().manual_seed(90)
    for p in layer.parameters():
        torch.nn.init.normal_(p, std=0.02, generator=generator)
    after = layer(x).square().mean().sqrt().item()
    signs = bool((layer.weight > 0).any()) and bool((layer.weight < 0).any())
    return _near(before, 1.0, 1e-3) and _near(after, 0.02 * 2**0.5, 0.003) and signs


def reused_name_normalizes_the_skip(torch: Any) -> bool:
    """With the name `x` used again the block adds LN(x) where a pre-LN block adds x."""
    norm = torch.nn.LayerNorm(4, dtype=torch.float64)
    stream, weight = 5 * _random(torch, 91, 2, 4), _random(torch, 93, 4, 4)

    def ff(x: Any) -> Any:
        return x @ weight

    def forward(x: Any) -> Any:
        x = norm(x)
        return x + ff(x)

    wrong, right = forward(stream), stream + ff(norm(stream))
    return _same(torch, wrong - right, norm(stream) - stream) and not _same(torch, wrong, right)


def parameters_with_one_axis(torch: Any) -> bool:
    """Of linear, convolution and LayerNorm layers, the parameters with one axis are biases, γ and β."""
    nn = torch.nn
    linear, conv = nn.utils.skip_init(nn.Linear, 2, 3), nn.utils.skip_init(nn.Conv2d, 2, 3, 1)
    model = nn.ModuleDict({"linear": linear, "conv": conv, "norm": nn.LayerNorm(3)})
    picked = {name for name, p in model.named_parameters() if p.ndim < 2}
    return picked == {"linear.bias", "conv.bias", "norm.weight", "norm.bias"}
