"""What the cards on BatchNorm's forward pass claim about PyTorch, as functions that run it."""

from typing import Any

_TINY = 1e-12


def _batch(torch: Any, size: int = 7) -> Any:
    generator = torch.Generator().manual_seed(11)
    return 3 + 2 * torch.randn(size, 1, generator=generator, dtype=torch.float64)


def _column(torch: Any, *values: float) -> Any:
    return torch.tensor(values, dtype=torch.float64).unsqueeze(1)


def _train(torch: Any, x: Any, gamma: float = 1.0, beta: float = 0.0, eps: float = _TINY) -> Any:
    weight = torch.full((x.shape[1],), gamma, dtype=torch.float64)
    bias = torch.full((x.shape[1],), beta, dtype=torch.float64)
    return torch.nn.functional.batch_norm(x, None, None, weight, bias, training=True, eps=eps)


def _close(torch: Any, a: Any, b: Any, tolerance: float = 1e-9) -> bool:
    return bool(torch.allclose(a, b, rtol=0.0, atol=tolerance))


def forward_pass(torch: Any) -> bool:
    """Training-mode BatchNorm subtracts the mean, divides by √(σ²+ε), then applies γ and β."""
    x = _batch(torch)
    deviations = x - x.sum() / len(x)
    variance = (deviations * deviations).sum() / len(x)
    by_hand = 0.5 * deviations / (variance + 1e-5).sqrt() - 2.0
    root5 = 5**0.5
    tidy = _column(torch, -3 / root5, -1 / root5, 1 / root5, 3 / root5)
    return _close(torch, _train(torch, x, 0.5, -2.0, 1e-5), by_hand) and _close(
        torch, _train(torch, _column(torch, 0, 2, 4, 6)), tidy
    )


def epsilon_inside_the_root(torch: Any) -> bool:
    """With σ² = 5 and ε = 4 BatchNorm divides by √9 = 3."""
    y = _train(torch, _column(torch, 0, 2, 4, 6), eps=4.0)
    return _close(torch, y, _column(torch, -1, -1 / 3, 1 / 3, 1))


def default_eps(torch: Any) -> bool:
    """BatchNorm, LayerNorm, GroupNorm and InstanceNorm layers have the default `eps` 1e-5."""
    nn = torch.nn
    by_width = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.LayerNorm, nn.InstanceNorm2d)
    return all(layer.eps == 1e-5 for layer in (*(kind(2) for kind in by_width), nn.GroupNorm(1, 2)))


def normalizes_with_biased_variance(torch: Any) -> bool:
    """For (2, 4, 9) the third normalized value is 4/√(26/3), not 4/√13."""
    third = float(_train(torch, _column(torch, 2, 4, 9))[2])
    return abs(third - 4 / (26 / 3) ** 0.5) < 1e-9 and abs(third - 4 / 13**0.5) > 0.2


def fresh_scale_and_shift(torch: Any) -> bool:
    """Fresh BatchNorm layers have γ = 1 and β = 0, so their training output has mean 0 and variance 1."""
    layer = torch.nn.BatchNorm1d(3, eps=_TINY, dtype=torch.float64)
    y = layer(_batch(torch).repeat(1, 3)).detach()
    return (
        layer.weight.tolist() == [1.0] * 3
        and layer.bias.tolist() == [0.0] * 3
        and _close(torch, y.mean(0), torch.zeros(3, dtype=torch.float64))
        and _close(torch, y.var(0, unbiased=False), torch.ones(3, dtype=torch.float64))
    )


def can_undo_itself(torch: Any) -> bool:
    """With γ = √(σ²+ε) and β = μ, training-mode BatchNorm returns its input."""
    x, eps = _batch(torch), 0.3
    gamma = (x.var(unbiased=False) + eps).sqrt().item()
    return _close(torch, _train(torch, x, gamma, x.mean().item(), eps), x)


def output_mean_and_variance(torch: Any) -> bool:
    """For ε → 0 the training output has mean β and biased variance γ²."""
    y = _train(torch, _batch(torch), gamma=-3.0, beta=5.0)
    return abs(float(y.mean()) - 5) < 1e-9 and abs(float(y.var(unbiased=False)) - 9) < 1e-9


def shift_and_positive_scale(torch: Any) -> bool:
    """For ε → 0 a positive factor and any shift change nothing: (1, 3, 5) and (12, 16, 20) agree."""
    x = _batch(torch)
    same = all(
        _close(torch, _train(torch, c * x + d), _train(torch, x)) for c, d in ((2, 10), (0.1, -7), (30, 0))
    )
    return same and _close(
        torch, _train(torch, _column(torch, 1, 3, 5)), _train(torch, _column(torch, 12, 16, 20))
    )


def negative_factor_flips(torch: Any) -> bool:
    """Multiplying the group by −1 turns γx̂+β into β−γx̂."""
    x = _batch(torch)
    normalized = _train(torch, x)
    return _close(torch, _train(torch, -x, 2.0, 1.0), 1.0 - 2.0 * normalized)


def only_shift_is_exact_with_eps(torch: Any) -> bool:
    """With a visible ε a shift changes nothing but rounding, while doubling the group changes the output."""
    x = _batch(torch)
    base = _train(torch, x, eps=0.5)
    return _close(torch, _train(torch, x + 10, eps=0.5), base) and not _close(
        torch, _train(torch, 2 * x, eps=0.5), base, 1e-3
    )


def constant_group_gives_beta(torch: Any) -> bool:
    """Equal values in a group all come out as β."""
    y = _train(torch, _column(torch, 7, 7, 7, 7), gamma=3.0, beta=-1.5, eps=1e-5)
    return _close(torch, y, torch.full_like(y, -1.5))


def one_value_per_channel_raises(torch: Any) -> bool:
    """One value per channel raises ValueError in training mode; eval mode and one larger image work."""
    one_d, two_d = torch.nn.BatchNorm1d(3), torch.nn.BatchNorm2d(3)
    for layer, shape in ((one_d, (1, 3)), (two_d, (1, 3, 1, 1))):
        try:
            layer(torch.ones(shape))
        except ValueError:
            continue
        return False
    works = two_d(torch.ones(1, 3, 2, 2)).shape == (1, 3, 2, 2)
    return works and bool(one_d.eval()(torch.ones(1, 3)).isfinite().all())


def bias_before_is_redundant(torch: Any) -> bool:
    """Before training-mode BatchNorm a bias changes nothing but the running mean, by momentum · bias."""
    generator = torch.Generator().manual_seed(12)
    x = torch.randn(6, 4, generator=generator, dtype=torch.float64)
    weight = torch.randn(3, 4, generator=generator, dtype=torch.float64)
    bias = 10 * torch.randn(3, generator=generator, dtype=torch.float64)
    linear = torch.nn.functional.linear
    layers = [torch.nn.BatchNorm1d(3, momentum=0.2, dtype=torch.float64) for _ in range(2)]
    outputs = [layer(linear(x, weight, b)) for layer, b in zip(layers, (bias, None), strict=True)]
    moved = layers[0].running_mean - layers[1].running_mean
    spread = layers[0].running_var
    return (
        _close(torch, *outputs)
        and _close(torch, moved, 0.2 * bias)
        and _close(torch, spread, layers[1].running_var)
    )


def each_step_takes_out_one_change(torch: Any) -> bool:
    """A shift leaves the deviations and the output alone; a factor passes the centering, not the division."""
    x = _batch(torch)
    centered, factor = x - x.mean(), 30 * x
    shifted_alone = _close(torch, (x + 7) - (x + 7).mean(), centered)
    passes = _close(torch, factor - factor.mean(), 30 * centered)
    base = _train(torch, x)
    return (
        shifted_alone
        and passes
        and _close(torch, _train(torch, x + 7), base)
        and _close(torch, _train(torch, factor), base)
    )


def eps_as_large_as_the_variance(torch: Any) -> bool:
    """With the default `eps` a channel of variance 1e-5 is normalized to the variance 1/2."""
    size = 1e-5**0.5
    layer = torch.nn.BatchNorm1d(1, dtype=torch.float64)
    y = layer(_column(torch, size, -size, size, -size)).detach()
    return abs(float(y.var(unbiased=False)) - 0.5) < 1e-9


def one_value_moves_its_whole_channel(torch: Any) -> bool:
    """A new value in one channel of one example changes that channel in all examples and no other."""
    generator = torch.Generator().manual_seed(13)
    x = torch.randn(5, 3, generator=generator, dtype=torch.float64)
    other = x.clone()
    other[2, 1] += 4.0
    moved = (_train(torch, other) - _train(torch, x)).abs() > 1e-3
    return bool(moved[:, 1].all()) and not bool(moved[:, [0, 2]].any())


def _loss_after_training(torch: Any, seed: int, *, norm: bool) -> float:
    """Return the loss of nine He-initialized linear layers after 60 steps of gradient descent at rate 3."""
    width, classes = 16, 4
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape: int) -> Any:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    x = draw(64, width)
    label = (x @ draw(width, classes)).argmax(1)
    weights = [(2 / width) ** 0.5 * draw(rows, width) for rows in (width,) * 8 + (classes,)]
    loss = 0.0
    for _ in range(60):
        weights = [weight.detach().requires_grad_() for weight in weights]
        hidden = x
        for weight in weights[:-1]:
            hidden = hidden @ weight.T
            hidden = torch.relu(_train(torch, hidden, eps=1e-5) if norm else hidden)
        result = torch.nn.functional.cross_entropy(hidden @ weights[-1].T, label)
        loss = result.item()
        slopes = torch.autograd.grad(result, weights)
        weights = [weight - 3.0 * slope for weight, slope in zip(weights, slopes, strict=True)]
    return loss


def trains_at_a_rate_that_breaks_the_plain_network(torch: Any) -> bool:
    """At rate 3 nine layers without norms end near ln 4, the loss of guessing; with BatchNorm below 0.1."""
    plain = [_loss_after_training(torch, seed, norm=False) for seed in (0, 1, 2)]
    normalized = [_loss_after_training(torch, seed, norm=True) for seed in (0, 1, 2)]
    return not any(loss < 1.2 for loss in plain) and max(normalized) < 0.1


def noise_fades_with_the_batch(torch: Any) -> bool:
    """Among random others, an example's output scatters about a quarter as much at n = 256 as at n = 16."""
    generator = torch.Generator().manual_seed(14)
    scatter = []
    for size in (16, 256):
        x = torch.randn(size, 400, generator=generator, dtype=torch.float64)
        x[0] = 0.5
        scatter.append(float(_train(torch, x)[0].std()))
    return 3.0 < scatter[0] / scatter[1] < 5.3 and scatter[0] > 0.1
