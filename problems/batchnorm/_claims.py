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
    """BatchNorm1d, BatchNorm2d and BatchNorm3d have the default `eps` 1e-5."""
    return all(
        kind(2).eps == 1e-5 for kind in (torch.nn.BatchNorm1d, torch.nn.BatchNorm2d, torch.nn.BatchNorm3d)
    )


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
    """Training-mode BatchNorm gives the same behind a linear layer with and without a bias."""
    generator = torch.Generator().manual_seed(12)
    x = torch.randn(6, 4, generator=generator, dtype=torch.float64)
    weight = torch.randn(3, 4, generator=generator, dtype=torch.float64)
    bias = 10 * torch.randn(3, generator=generator, dtype=torch.float64)
    linear = torch.nn.functional.linear
    return _close(torch, _train(torch, linear(x, weight, bias)), _train(torch, linear(x, weight)))
