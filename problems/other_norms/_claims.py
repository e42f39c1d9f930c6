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
    return round(2.0**-23, 9) == 1.19e-7 and round(1e-5 * 2**23) == 84


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


def norms_same_in_both_modes(torch: Any) -> bool:
    """LayerNorm, RMSNorm and GroupNorm have no buffers and give the same in both modes and in any company."""
    nn, x = torch.nn, _random(torch, 4, 6)
    for kind in (nn.LayerNorm, nn.RMSNorm, lambda width, dtype: nn.GroupNorm(2, width, dtype=dtype)):
        layer = kind(6, dtype=torch.float64)
        training, evaluation = layer(x), layer.eval()(x)
        alike = torch.equal(training, evaluation) and _same(torch, layer(x[:1]), training[:1])
        if list(layer.buffers()) or not alike:
            return False
    return True


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


def rmsnorm_output_has_length_root_d(torch: Any) -> bool:
    """For ε → 0 plain RMSNorm gives tokens of 5 features the length √5, however long they were."""
    tokens = _random(torch, 3, 5) * torch.tensor([[0.1], [1.0], [40.0]], dtype=torch.float64)
    lengths = torch.nn.functional.rms_norm(tokens, (5,), eps=_TINY).norm(dim=-1)
    return bool((lengths - 5**0.5).abs().max() < 1e-6)


def small_epsilon_in_float16(torch: Any) -> bool:
    """In float16 1e-8 is 0 and 1e-5 a subnormal number, the smallest being 2⁻²⁴; bfloat16 holds both."""
    half = torch.tensor([1e-8, 1e-5], dtype=torch.float16).tolist()
    brain = torch.tensor([1e-8, 1e-5], dtype=torch.bfloat16).tolist()
    info = torch.finfo(torch.float16)
    subnormal = 0 < half[1] < info.smallest_normal and abs(half[1] / 1e-5 - 1) < 0.01
    smallest = info.smallest_normal * info.eps
    return bool(half[0] == 0.0 and subnormal and smallest == 2.0**-24 and min(brain) > 0)


def squares_overflow_float16(torch: Any) -> bool:
    """float16 ends at 65504: 256 is its first number without a finite square; in bfloat16 it has one."""
    before, at = torch.tensor([255.875, 256.0], dtype=torch.float16).square().isfinite().tolist()
    wide = torch.tensor(256.0, dtype=torch.bfloat16).square().item()
    exponents = torch.finfo(torch.bfloat16).max / torch.finfo(torch.float32).max
    return (
        torch.finfo(torch.float16).max == 65504
        and (before, at) == (True, False)
        and wide == 65536.0
        and 0.99 < exponents <= 1
    )


def layernorm_ignores_shift_and_positive_scale(torch: Any) -> bool:
    """For ε → 0 LayerNorm with γ and β gives the same for cx+d with c > 0; with c < 0 it does not."""
    x, gamma, beta = _random(torch, 6), _random(torch, 6) - 2, _random(torch, 6)

    def layer(v: Any) -> Any:
        return torch.nn.functional.layer_norm(v, (6,), gamma, beta, _TINY)

    same = all(_same(torch, layer(c * x + d), layer(x)) for c, d in ((5, 0), (1, -3), (0.5, 7)))
    return same and bool((layer(-x) - layer(x)).abs().max() > 0.1)


def weight_norm_splits_length_and_direction(torch: Any) -> bool:
    """With v = (3, 4) the weight has the length |g| for g = ±10, and doubling v leaves it as it is."""
    layer = torch.nn.utils.skip_init(torch.nn.Linear, 2, 1, bias=False, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[1.0, 1.0]]))
        torch.nn.utils.parametrizations.weight_norm(layer)
        length, direction = layer.parametrizations.weight.original0, layer.parametrizations.weight.original1
        direction.copy_(torch.tensor([[3.0, 4.0]]))
        lengths = []
        for g in (10.0, -10.0):
            length.fill_(g)
            lengths.append(layer.weight.norm().item())
        before = layer.weight.clone()
        direction.mul_(2.0)
    return max(abs(size - 10) for size in lengths) < 1e-9 and _same(torch, layer.weight, before)


def weight_norm_has_one_length_per_output(torch: Any) -> bool:
    """Weight normalization of Linear(5, 3) learns 3 lengths, and they are those of the rows of the weight."""
    layer = torch.nn.utils.skip_init(torch.nn.Linear, 5, 3, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(_random(torch, 3, 5))
        rows = layer.weight.norm(dim=1)
        torch.nn.utils.parametrizations.weight_norm(layer)
        lengths = layer.parametrizations.weight.original0
    return lengths.numel() == 3 and _same(torch, lengths.flatten(), rows)


def dyt_acts_entry_by_entry(torch: Any) -> bool:
    """The Jacobian of γ⊙tanh(αx)+β is diagonal; that of LayerNorm has no zero off the diagonal."""
    x, gamma, beta = _random(torch, 5), _random(torch, 5) - 2, _random(torch, 5)
    jacobian = torch.autograd.functional.jacobian
    dyt = jacobian(lambda v: gamma * torch.tanh(0.5 * v) + beta, x)
    layer = jacobian(lambda v: torch.nn.functional.layer_norm(v, (5,)), x)
    off = ~torch.eye(5, dtype=torch.bool)
    diagonal = bool((dyt[off] == 0).all()) and bool((dyt.diagonal().abs() > 1e-6).all())
    return diagonal and bool((layer[off].abs() > 1e-6).all())


def predicted_scale_of_normalizer_free_blocks(torch: Any) -> bool:
    """With α = 0.2 the measured variance after k blocks is 1 + 0.04k, so that s = 1.4 after 24 blocks."""
    # The branch is a quarter turn of two features: gain 1, and uncorrelated with what it reads.
    corners = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]
    stream, turn = (
        torch.tensor(corners, dtype=torch.float64),
        torch.tensor([[0.0, 1.0], [-1.0, 0.0]]).double(),
    )
    for k in range(24):
        s = (1 + 0.04 * k) ** 0.5
        if abs(stream.std(correction=0).item() - s) > 1e-9:
            return False
        stream = stream + 0.2 * (stream / s) @ turn
    return bool(abs(stream.std(correction=0).item() - 1.4) < 1e-9)
