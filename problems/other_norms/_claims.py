"""What the cards on LayerNorm, RMSNorm and their relatives claim about PyTorch, as functions that run it."""

from typing import Any

_TINY = 1e-12


def _random(torch: Any, *shape: int) -> Any:
    generator = torch.Generator().manual_seed(41)
    return 1 + torch.randn(*shape, generator=generator, dtype=torch.float64)


def _same(torch: Any, a: Any, b: Any) -> bool:
    return bool(torch.allclose(a, b, rtol=0.0, atol=1e-9))


def rmsnorm_formula(torch: Any) -> bool:
    """RMSNorm is γ⊙x/√(mean(x²)+ε): (0, 2, 4, 6) becomes (0, 2, 4, 6)/√14, which is not centered."""
    x, gamma = _random(torch, 5), _random(torch, 5) - 2
    rms_norm = torch.nn.functional.rms_norm
    by_hand = gamma * x / (x.square().sum() / 5 + 0.3).sqrt()
    token = torch.tensor([0.0, 2.0, 4.0, 6.0], dtype=torch.float64)
    return _same(torch, rms_norm(x, (5,), gamma, 0.3), by_hand) and _same(
        torch, rms_norm(token, (4,), eps=_TINY), token / 14**0.5
    )


def rmsnorm_has_only_a_scale(torch: Any) -> bool:
    """RMSNorm(7) has one parameter, `weight`, with 7 entries."""
    layer = torch.nn.RMSNorm(7)
    return [(name, tuple(p.shape)) for name, p in layer.named_parameters()] == [("weight", (7,))]


def rmsnorm_scale_but_not_shift(torch: Any) -> bool:
    """For ε → 0 RMSNorm ignores a positive factor but not a shift; LayerNorm ignores both."""
    x, functional = _random(torch, 6), torch.nn.functional

    def rms(v: Any) -> Any:
        return functional.rms_norm(v, (6,), eps=_TINY)

    def layer(v: Any) -> Any:
        return functional.layer_norm(v, (6,), eps=_TINY)

    moved = (rms(x + 3) - rms(x)).abs().max() > 0.1
    return _same(torch, rms(5 * x), rms(x)) and bool(moved) and _same(torch, layer(5 * x + 3), layer(x))


def rmsnorm_direction_before_gamma(torch: Any) -> bool:
    """Without γ the output is parallel to x; a non-uniform γ turns it, even past a right angle."""
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    gamma = torch.tensor([1.0, 1.0, -1.0], dtype=torch.float64)
    functional = torch.nn.functional
    plain, scaled = functional.rms_norm(x, (3,)), functional.rms_norm(x, (3,), gamma)
    cosine = functional.cosine_similarity
    return bool(abs(cosine(plain, x, dim=0) - 1) < 1e-12) and bool(cosine(scaled, x, dim=0) < 0)


def rmsnorm_is_layernorm_when_centered(torch: Any) -> bool:
    """Plain RMSNorm and LayerNorm agree on a token of mean 0 and disagree on a shifted one."""
    x, functional = _random(torch, 6), torch.nn.functional
    centered = x - x.mean()

    def gap(v: Any) -> float:
        difference = functional.rms_norm(v, (6,), eps=0.1) - functional.layer_norm(v, (6,), eps=0.1)
        return float(difference.abs().max())

    return gap(centered) < 1e-9 and gap(centered + 1) > 0.1


def rmsnorm_default_eps(torch: Any) -> bool:
    """RMSNorm's eps is None by default and stands for the machine epsilon, 1.19e-7 in float32."""
    if torch.nn.RMSNorm(4).eps is not None:
        return False
    for dtype, eps, size in ((torch.float32, 2.0**-23, 1e-4), (torch.float64, 2.0**-52, 1e-8)):
        x = size * torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=dtype)
        wide = x.double()
        expected = wide / (wide.square().mean() + eps).sqrt()
        if not torch.allclose(torch.nn.functional.rms_norm(x, (4,)).double(), expected, rtol=1e-5, atol=0.0):
            return False
    return round(2.0**-23, 9) == 1.19e-7


def layernorm_formula(torch: Any) -> bool:
    """LayerNorm standardizes each token with its own biased variance, then applies vectors γ and β."""
    x, gamma, beta = _random(torch, 2, 3, 5), _random(torch, 5), _random(torch, 5) - 2
    layer = torch.nn.LayerNorm(5, eps=0.2, dtype=torch.float64)
    shapes = [tuple(p.shape) for p in layer.parameters()]
    with torch.no_grad():
        layer.weight.copy_(gamma)
        layer.bias.copy_(beta)
        y = layer(x)
    deviations = x - x.sum(-1, keepdim=True) / 5
    variance = deviations.square().sum(-1, keepdim=True) / 5
    return shapes == [(5,), (5,)] and _same(torch, y, gamma * deviations / (variance + 0.2).sqrt() + beta)


def layernorm_same_in_both_modes(torch: Any) -> bool:
    """LayerNorm has no buffers, gives the same in both modes, and treats a lone token as one among many."""
    layer = torch.nn.LayerNorm(5, dtype=torch.float64)
    x = _random(torch, 4, 5)
    training, evaluation = layer(x), layer.eval()(x)
    return (
        not list(layer.buffers())
        and torch.equal(training, evaluation)
        and _same(torch, layer(x[:1]), training[:1])
    )


def groupnorm_must_divide(torch: Any) -> bool:
    """GroupNorm(3, 8) raises ValueError when it is built, and GroupNorm(4, 8) does not."""
    torch.nn.GroupNorm(4, 8)
    try:
        torch.nn.GroupNorm(3, 8)
    except ValueError:
        return True
    return False


def groupnorm_with_one_group(torch: Any) -> bool:
    """GroupNorm(1, C) equals LayerNorm((C, H, W)) in statistics but learns 2C numbers and not 2CHW."""
    x, nn = _random(torch, 2, 4, 3, 5), torch.nn
    group, layer = nn.GroupNorm(1, 4, dtype=torch.float64), nn.LayerNorm((4, 3, 5), dtype=torch.float64)
    learned = [sum(p.numel() for p in module.parameters()) for module in (group, layer)]
    return _same(torch, group(x), layer(x)) and learned == [8, 120]


def groupnorm_with_c_groups(torch: Any) -> bool:
    """GroupNorm with C groups equals InstanceNorm."""
    x, functional = _random(torch, 2, 4, 3, 5), torch.nn.functional
    return _same(torch, functional.group_norm(x, 4), functional.instance_norm(x))


def instancenorm_has_no_state(torch: Any) -> bool:
    """InstanceNorm2d(16) has an empty state dict by default, unlike BatchNorm2d(16)."""
    return (
        len(torch.nn.InstanceNorm2d(16).state_dict()) == 0 and len(torch.nn.BatchNorm2d(16).state_dict()) == 5
    )


def weight_norm_formula(torch: Any) -> bool:
    """Weight normalization makes each row of a linear layer g·v/‖v‖: v = (3, 4), g = 10 gives (6, 8)."""
    layer = torch.nn.utils.skip_init(torch.nn.Linear, 2, 1, bias=False, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[1.0, 1.0]]))
        torch.nn.utils.parametrizations.weight_norm(layer)
        length, direction = layer.parametrizations.weight.original0, layer.parametrizations.weight.original1
        length.fill_(10.0)
        direction.copy_(torch.tensor([[3.0, 4.0]]))
    return _same(torch, layer.weight.detach(), torch.tensor([[6.0, 8.0]], dtype=torch.float64))
