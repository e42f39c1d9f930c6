"""What the cards on running statistics claim about PyTorch's BatchNorm, as functions that run it."""

from typing import Any


def _layer(torch: Any, momentum: float = 0.1, eps: float = 1e-12) -> Any:
    return torch.nn.BatchNorm1d(1, eps=eps, momentum=momentum, dtype=torch.float64)


def _column(torch: Any, *values: float) -> Any:
    return torch.tensor(values, dtype=torch.float64).unsqueeze(1)


def _near(a: float, b: float) -> bool:
    return abs(a - b) < 1e-9


def eval_is_a_fixed_affine_map(torch: Any) -> bool:
    """Eval mode computes γ(x−μ̂)/√(σ̂²+ε)+β whatever else is in the batch, and changes no buffer."""
    layer = _layer(torch, eps=0.25).eval()
    with torch.no_grad():
        layer.running_mean.fill_(2.0)
        layer.running_var.fill_(6.0)
        layer.weight.fill_(-3.0)
        layer.bias.fill_(0.5)
        alone = layer(_column(torch, 7)).item()
        in_company = layer(_column(torch, 7, 100, -40))[0].item()
    kept = (layer.running_mean.item(), layer.running_var.item()) == (2.0, 6.0)
    return _near(alone, -3.0 * (7 - 2) / 2.5 + 0.5) and _near(in_company, alone) and kept


def mean_update(torch: Any) -> bool:
    """One training step moves the running mean to (1−m)·old + m·μ."""
    layer = _layer(torch, momentum=0.2)
    layer.running_mean.fill_(5.0)
    layer(_column(torch, 0, 2, 4, 6))
    return _near(layer.running_mean.item(), 0.8 * 5 + 0.2 * 3)


def default_momentum(torch: Any) -> bool:
    """BatchNorm layers have the default momentum 0.1."""
    return [torch.nn.BatchNorm1d(2).momentum, torch.nn.BatchNorm2d(2).momentum] == [0.1, 0.1]


def variance_update(torch: Any) -> bool:
    """One training step on (0, 2, 4, 6) moves the running variance from 1 to 0.9 + 0.1·20/3."""
    layer = _layer(torch)
    layer(_column(torch, 0, 2, 4, 6))
    return _near(layer.running_var.item(), 0.9 + 0.1 * 20 / 3)


def two_variances(torch: Any) -> bool:
    """On (2, 4, 9) the output uses the variance 26/3 while the buffer receives 13."""
    layer = _layer(torch, momentum=1.0)
    third = layer(_column(torch, 2, 4, 9))[2].item()
    return _near(third, 4 / (26 / 3) ** 0.5) and _near(layer.running_var.item(), 13.0)


def momentum_weighs_the_new_value(torch: Any) -> bool:
    """With momentum 0.01 the running mean keeps 99 % of its old value."""
    layer = _layer(torch, momentum=0.01)
    layer.running_mean.fill_(100.0)
    layer(_column(torch, -1, 1))
    return _near(layer.running_mean.item(), 99.0)


def start_values(torch: Any) -> bool:
    """Fresh layers hold running mean 0, running variance 1 and a batch count of 0."""
    layer = torch.nn.BatchNorm2d(3)
    stored = (layer.running_mean.tolist(), layer.running_var.tolist(), layer.num_batches_tracked.item())
    return stored == ([0.0] * 3, [1.0] * 3, 0)


def start_value_fades(torch: Any) -> bool:
    """After k steps the start value has the weight (1−m)^k; for m = 0.1, 35 % after 10 and 0.5 % after 50."""
    layer = _layer(torch)
    layer.running_mean.fill_(1.0)
    left = []
    for _ in range(50):
        layer(_column(torch, -1, 1))
        left.append(layer.running_mean.item())
    return (
        _near(left[9], 0.9**10)
        and _near(left[49], 0.9**50)
        and round(left[9], 2) == 0.35
        and round(left[49], 3) == 0.005
    )


def three_buffers(torch: Any) -> bool:
    """BatchNorm2d(16) has the buffers running_mean, running_var and num_batches_tracked: 33 numbers."""
    layer = torch.nn.BatchNorm2d(16)
    layer(torch.zeros(2, 16, 2, 2))
    layer.eval()(torch.zeros(2, 16, 2, 2))
    buffers = dict(layer.named_buffers())
    return (
        list(buffers) == ["running_mean", "running_var", "num_batches_tracked"]
        and sum(buffer.numel() for buffer in buffers.values()) == 33
        and layer.num_batches_tracked.item() == 1
    )


def saved_but_not_trained(torch: Any) -> bool:
    """Neither is the running mean a parameter nor does an optimizer move it, but the state dict holds it."""
    layer = _layer(torch)
    loss = layer(_column(torch, 0, 2, 4, 7)).pow(3).sum()
    before = layer.running_mean.item()
    loss.backward()
    torch.optim.SGD(layer.parameters(), lr=1.0).step()
    moved = layer.weight.item() != 1.0
    names = [name for name, _ in layer.named_parameters()]
    return (
        moved
        and layer.running_mean.item() == before
        and "running_mean" in layer.state_dict()
        and names == ["weight", "bias"]
    )


def no_grad_still_updates(torch: Any) -> bool:
    """Under torch.no_grad() a training-mode call still updates the running statistics."""
    layer = _layer(torch)
    with torch.no_grad():
        layer(_column(torch, 0, 2, 4, 6))
    return _near(layer.running_mean.item(), 0.3) and layer.num_batches_tracked.item() == 1


def frozen_parameters_still_update(torch: Any) -> bool:
    """requires_grad=False does not stop the update of the running statistics; eval mode does."""
    layer = _layer(torch).requires_grad_(False)
    layer(_column(torch, 0, 2, 4, 6))
    moved = _near(layer.running_mean.item(), 0.3)
    layer.eval()(_column(torch, 50, 60))
    return moved and _near(layer.running_mean.item(), 0.3)


def model_train_undoes_eval(torch: Any) -> bool:
    """model.train() puts a BatchNorm layer that was in eval mode back into training mode."""
    layer = _layer(torch)
    model = torch.nn.Sequential(layer)
    layer.eval()
    model.train()
    model(_column(torch, 0, 2, 4, 6))
    return bool(layer.training) and _near(layer.running_mean.item(), 0.3)


def folds_into_a_linear_layer(torch: Any) -> bool:
    """Eval-mode BatchNorm after xW+b equals x·W·diag(s) + s⊙(b−μ̂)+β with s = γ/√(σ̂²+ε)."""
    generator = torch.Generator().manual_seed(21)

    def draw(*shape: int) -> Any:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    x, weight, bias, gamma, beta, mean = draw(5, 3), draw(3, 2), draw(2), draw(2), draw(2), draw(2)
    variance = draw(2).square() + 0.5
    functional = torch.nn.functional
    behind = functional.batch_norm(x @ weight + bias, mean, variance, gamma, beta, training=False, eps=1e-3)
    s = gamma / (variance + 1e-3).sqrt()
    folded = x @ (weight * s) + s * (bias - mean) + beta
    rows = functional.linear(x, s.unsqueeze(1) * weight.T, s * (bias - mean) + beta)
    return bool(torch.allclose(behind, folded)) and bool(torch.allclose(behind, rows))


def first_step_leaves_a_gap(torch: Any) -> bool:
    """After one step on (0, 2, 4, 6) eval mode maps the mean 3 to 2.157; training mode maps it to 0."""
    layer = _layer(torch)
    middle = layer(_column(torch, 0, 2, 4, 6)).mean().item()
    return _near(middle, 0.0) and round(layer.eval()(_column(torch, 3)).item(), 3) == 2.157


def each_mode_uses_its_own_statistics(torch: Any) -> bool:
    """With μ̂ = 5 and σ̂² = 100 eval mode maps 2 to −0.3 and moves nothing; training mode maps it to 1."""
    layer = _layer(torch)
    layer.running_mean.fill_(5.0)
    layer.running_var.fill_(100.0)
    stored = layer.eval()(_column(torch, 0, 2))[1].item()
    unmoved = layer.running_mean.item() == 5.0
    own = layer.train()(_column(torch, 0, 2))[1].item()
    return _near(stored, -0.3) and unmoved and _near(own, 1.0) and _near(layer.running_mean.item(), 4.6)


def mode_flag_alone_decides(torch: Any) -> bool:
    """With and without gradients, `training` alone says which statistics are used and whether they move."""
    for gradients in (True, False):
        layer = _layer(torch).requires_grad_(gradients)
        with torch.set_grad_enabled(gradients):
            batch = layer(_column(torch, 0, 2))[1].item()
            moved = layer.running_mean.item()
            layer.training = False
            stored = layer(_column(torch, 0, 2))[1].item()
        # 0.1·1 is the running mean, and 0.9 + 0.1·2 the running variance.
        if not (_near(batch, 1.0) and _near(moved, 0.1) and _near(stored, 1.9 / 1.1**0.5)):
            return False
        if layer.running_mean.item() != moved:
            return False
    model = torch.nn.Sequential(torch.nn.Sequential(torch.nn.BatchNorm1d(1)))
    inner = model[0][0]
    return [inner.training, model.eval()[0][0].training, model.train()[0][0].training] == [True, False, True]


def momentum_one_keeps_the_last_batch(torch: Any) -> bool:
    """With momentum 1 the running mean is that of the last batch; with momentum 0 it never moves."""
    held = []
    for momentum in (1.0, 0.0):
        layer = _layer(torch, momentum=momentum)
        layer(_column(torch, 0, 2, 4, 6))
        layer(_column(torch, 10, 14))
        held.append(layer.running_mean.item())
    return _near(held[0], 12.0) and held[1] == 0.0


def unbiased_factor_of_small_and_large_groups(torch: Any) -> bool:
    """With momentum 1 and σ² = 1 the stored variance is n/(n−1): 2 for n = 2, about 1.0001 for n = 8192."""
    stored = []
    for size in (2, 8192):
        layer = _layer(torch, momentum=1.0)
        layer(_column(torch, *([-1.0, 1.0] * (size // 2))))
        stored.append(layer.running_var.item())
    return _near(stored[0], 2.0) and _near(stored[1], 8192 / 8191) and round(stored[1], 4) == 1.0001


def momentum_none_is_a_plain_average(torch: Any) -> bool:
    """With momentum None means of 3, 12 and 0 average to 5, and variances of 20/3, 8 and 2 to 50/9."""
    layer = torch.nn.BatchNorm1d(1, momentum=None, dtype=torch.float64)
    for batch in ((0, 2, 4, 6), (10, 14), (-1, 1)):
        layer(_column(torch, *batch))
    return _near(layer.running_mean.item(), 5.0) and _near(layer.running_var.item(), 50 / 9)


def forgotten_eval_mixes_and_moves(torch: Any) -> bool:
    """In training mode the same input gives different outputs in different batches, and the buffers move."""
    layer = _layer(torch)
    first = layer(_column(torch, 1, 0, 5))[0].item()
    before = layer.running_mean.item()
    second = layer(_column(torch, 1, 9, -4))[0].item()
    moved = layer.running_mean.item() != before
    layer.eval()
    alike = _near(layer(_column(torch, 1, 0, 5))[0].item(), layer(_column(torch, 1, 9, -4))[0].item())
    return abs(first - second) > 0.1 and moved and alike


def untracked_layer_uses_the_batch_in_eval_mode(torch: Any) -> bool:
    """Without tracking nothing is stored, and eval mode maps (0, 2, 4, 6) as training mode does."""
    layer = torch.nn.BatchNorm1d(1, eps=1e-12, track_running_stats=False, dtype=torch.float64).eval()
    last = layer(_column(torch, 0, 2, 4, 6))[3].item()
    return layer.running_mean is None and not list(layer.buffers()) and _near(last, 3 / 5**0.5)


def slope_and_offset_of_eval_mode(torch: Any) -> bool:
    """With γ = −3, β = 0.5, μ̂ = 2 and √(σ̂²+ε) = 2.5 eval mode is y = −1.2x + 2.9."""
    layer = _layer(torch, eps=0.25).eval()
    with torch.no_grad():
        layer.running_mean.fill_(2.0)
        layer.running_var.fill_(6.0)
        layer.weight.fill_(-3.0)
        layer.bias.fill_(0.5)
        outputs = layer(_column(torch, 0, 1, 10)).flatten().tolist()
    return all(_near(y, -1.2 * x + 2.9) for x, y in zip((0, 1, 10), outputs, strict=True))
