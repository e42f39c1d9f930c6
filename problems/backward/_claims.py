"""What the cards on the backward pass claim, each measured with PyTorch's autograd."""

from typing import Any

_TINY = 1e-12


def _random(torch: Any, seed: int, *shape: int) -> Any:
    generator = torch.Generator().manual_seed(seed)
    return 1 + torch.randn(*shape, generator=generator, dtype=torch.float64)


def _same(torch: Any, a: Any, b: Any) -> bool:
    return bool(torch.allclose(a, b, rtol=0.0, atol=1e-9))


def _batch_norm(torch: Any, x: Any, gamma: float = 1.0, eps: float = _TINY) -> Any:
    weight = torch.full((1,), gamma, dtype=torch.float64)
    column = x.unsqueeze(1)
    return torch.nn.functional.batch_norm(column, None, None, weight, training=True, eps=eps).squeeze(1)


def _input_gradient(torch: Any, x: Any, upstream: Any, gamma: float = 1.0, eps: float = _TINY) -> Any:
    leaf = x.clone().requires_grad_()
    _batch_norm(torch, leaf, gamma, eps).backward(upstream)
    return leaf.grad


def formula_matches_autograd(torch: Any) -> bool:
    """Autograd's x̄ equals the closed form, for γ < 0 and a visible ε as well as on the batch (0, 2, 4, 6)."""
    x, upstream, gamma, eps = _random(torch, 51, 6), _random(torch, 52, 6), -1.5, 0.2
    spread = (x.var(unbiased=False) + eps).sqrt()
    xhat, g = (x - x.mean()) / spread, gamma * upstream
    closed = (g - g.mean() - xhat * (g * xhat).mean()) / spread
    tidy = torch.tensor([0.0, 2.0, 4.0, 6.0], dtype=torch.float64)
    first = torch.tensor([1.0, 0.0, 0.0, 0.0], dtype=torch.float64)
    worked = torch.tensor([0.30, -0.40, -0.10, 0.20], dtype=torch.float64) / 5**0.5
    return _same(torch, _input_gradient(torch, x, upstream, gamma, eps), closed) and _same(
        torch, _input_gradient(torch, tidy, first), worked
    )


def two_components_removed(torch: Any) -> bool:
    """For ε → 0 the gradient for x has no part along 1 or x̂, although the upstream gradient has both."""
    x, upstream = _random(torch, 51, 6), _random(torch, 52, 6)
    xhat = _batch_norm(torch, x)
    gradient = _input_gradient(torch, x, upstream)
    leaf = x.clone().requires_grad_()
    torch.nn.functional.layer_norm(leaf, (6,), eps=_TINY).backward(upstream)
    present = min(abs(upstream.sum().item()), abs((upstream @ xhat).item())) > 0.1
    gone = all(abs(v.sum().item()) < 1e-9 and abs((v @ xhat).item()) < 1e-9 for v in (gradient, leaf.grad))
    return present and gone and gradient.norm().item() > 0.1


def sum_is_zero_for_every_eps(torch: Any) -> bool:
    """For every ε the entries of x̄ sum to 0, and the output does not move with a shift of x."""
    x, upstream = _random(torch, 51, 6), _random(torch, 52, 6)
    sums = [abs(_input_gradient(torch, x, upstream, 2.0, eps).sum().item()) for eps in (_TINY, 0.1, 3.0)]
    return max(sums) < 1e-9 and _same(
        torch, _batch_norm(torch, x + 4, eps=3.0), _batch_norm(torch, x, eps=3.0)
    )


def orthogonal_only_without_eps(torch: Any) -> bool:
    """For ε → 0 the product of x̄ and x̂ is 0; for ε = 1 it is clearly not."""
    x, upstream = _random(torch, 51, 6), _random(torch, 52, 6)
    products = [
        abs(float(_input_gradient(torch, x, upstream, eps=eps) @ _batch_norm(torch, x, eps=eps)))
        for eps in (_TINY, 1.0)
    ]
    return products[0] < 1e-9 and products[1] > 0.01


def parameter_gradients(torch: Any) -> bool:
    """For one group the gradient of β is Σȳ and that of γ is Σȳx̂, whatever γ is."""
    x, upstream = _random(torch, 51, 6), _random(torch, 52, 6)
    layer = torch.nn.BatchNorm1d(1, eps=0.2, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.fill_(-1.5)
    layer(x.unsqueeze(1)).backward(upstream.unsqueeze(1))
    xhat = (x - x.mean()) / (x.var(unbiased=False) + 0.2).sqrt()
    return _same(torch, layer.bias.grad, upstream.sum()) and _same(torch, layer.weight.grad, upstream @ xhat)


def jacobian_entry(torch: Any) -> bool:
    """Autograd's Jacobian of x̂ has the entries (δ − 1/n − x̂x̂/n)/√(σ²+ε)."""
    x, eps = _random(torch, 51, 5), 0.2
    measured = torch.autograd.functional.jacobian(lambda v: _batch_norm(torch, v, eps=eps), x)
    xhat = _batch_norm(torch, x, eps=eps)
    identity = torch.eye(5, dtype=torch.float64)
    spread = (x.var(unbiased=False) + eps).sqrt()
    return _same(torch, measured, (identity - 1 / 5 - torch.outer(xhat, xhat) / 5) / spread)


def xhat_length(torch: Any) -> bool:
    """‖x̂‖² is nσ²/(σ²+ε), and n for ε → 0."""
    x, eps = _random(torch, 51, 6), 0.7
    variance = x.var(unbiased=False).item()
    with_eps = float(_batch_norm(torch, x, eps=eps).square().sum())
    without = float(_batch_norm(torch, x).square().sum())
    return abs(with_eps - 6 * variance / (variance + eps)) < 1e-9 and abs(without - 6) < 1e-9


def constant_upstream_vanishes(torch: Any) -> bool:
    """For γ = 2 an upstream gradient of ones gives x̄ = 0."""
    x = _random(torch, 51, 4)
    return bool(_input_gradient(torch, x, torch.ones(4, dtype=torch.float64), 2.0).abs().max() < 1e-9)


def _layer_norm_case(torch: Any) -> tuple[Any, Any, Any, Any]:
    return _random(torch, 53, 2, 3, 5), _random(torch, 54, 5), _random(torch, 55, 2, 3, 5), 0.2


def _standardized(x: Any, eps: float) -> tuple[Any, Any]:
    spread = (x.var(-1, unbiased=False, keepdim=True) + eps).sqrt()
    return (x - x.mean(-1, keepdim=True)) / spread, spread


def layernorm_gamma_goes_inside(torch: Any) -> bool:
    """LayerNorm's x̄ comes from g = γ⊙ȳ projected; multiplying by γ after projecting gives something else."""
    x, gamma, upstream, eps = _layer_norm_case(torch)
    leaf = x.clone().requires_grad_()
    torch.nn.functional.layer_norm(leaf, (5,), gamma, eps=eps).backward(upstream)
    xhat, spread = _standardized(x, eps)

    def project(v: Any) -> Any:
        return (v - v.mean(-1, keepdim=True) - xhat * (v * xhat).mean(-1, keepdim=True)) / spread

    other = (gamma * project(upstream) - leaf.grad).abs().max() > 0.1
    return _same(torch, leaf.grad, project(gamma * upstream)) and bool(other)


def layernorm_parameter_gradients(torch: Any) -> bool:
    """LayerNorm's gradients of γ and β are summed over all tokens and have D entries."""
    x, _, upstream, eps = _layer_norm_case(torch)
    layer = torch.nn.LayerNorm(5, eps=eps, dtype=torch.float64)
    layer(x).backward(upstream)
    xhat, _ = _standardized(x, eps)
    scale, shift = (upstream * xhat).sum((0, 1)), upstream.sum((0, 1))
    return (
        scale.shape == (5,)
        and _same(torch, layer.weight.grad, scale)
        and _same(torch, layer.bias.grad, shift)
    )


def rmsnorm_one_component(torch: Any) -> bool:
    """RMSNorm's x̄ is (g − x̂·mean(g⊙x̂))/r: nothing along x̂ for ε → 0, but a nonzero sum."""
    x, gamma, upstream = _random(torch, 51, 6), _random(torch, 54, 6), _random(torch, 52, 6)
    leaf = x.clone().requires_grad_()
    torch.nn.functional.rms_norm(leaf, (6,), gamma, _TINY).backward(upstream)
    r = x.square().mean().sqrt()
    xhat, g = x / r, gamma * upstream
    closed = (g - xhat * (g * xhat).mean()) / r
    radial, total = (leaf.grad @ xhat).item(), leaf.grad.sum().item()
    return _same(torch, leaf.grad, closed) and abs(radial) < 1e-9 and abs(total) > 0.01


def eval_gradient_is_a_plain_factor(torch: Any) -> bool:
    """In eval mode x̄ is γȳ/√(σ̂²+ε), and its sum is not 0."""
    x, upstream = _random(torch, 51, 6, 1).requires_grad_(), _random(torch, 52, 6, 1)
    layer = torch.nn.BatchNorm1d(1, eps=0.5, dtype=torch.float64).eval()
    with torch.no_grad():
        layer.running_var.fill_(3.5)
        layer.weight.fill_(-3.0)
    layer(x).backward(upstream)
    return _same(torch, x.grad, -1.5 * upstream) and abs(x.grad.sum().item()) > 0.1


def stretch_moves_nothing(torch: Any) -> bool:
    """For ε → 0 BatchNorm gives the same for x + 0.3x̂ as for x, and x̄ is orthogonal to x̂."""
    x, upstream = _random(torch, 51, 6), _random(torch, 52, 6)
    xhat = _batch_norm(torch, x)
    same = _same(torch, _batch_norm(torch, x + 0.3 * xhat), xhat)
    return same and abs((_input_gradient(torch, x, upstream) @ xhat).item()) < 1e-9


def larger_inputs_get_smaller_gradients(torch: Any) -> bool:
    """For ε → 0 ten times larger inputs get a tenth of the gradient."""
    x, upstream = _random(torch, 51, 6), _random(torch, 52, 6)
    gradient = _input_gradient(torch, x, upstream)
    return _same(torch, _input_gradient(torch, 10 * x, upstream), gradient / 10) and bool(
        gradient.abs().max() > 0.1
    )


def variance_is_flat_at_the_mean(torch: Any) -> bool:
    """The mean square deviation from m has the slope 0 at m = μ, and 2 where m is 1 above it."""
    x = _random(torch, 51, 6)
    slopes = []
    for off in (0.0, 1.0):
        m = (x.mean() + off).requires_grad_()
        slopes.append(torch.autograd.grad((x - m).square().mean(), m)[0].item())
    return bool(abs(slopes[0]) < 1e-9 and abs(slopes[1] - 2.0) < 1e-9)


def three_paths_of_the_jacobian(torch: Any) -> bool:
    """With mean or variance held fixed, BatchNorm's Jacobian lacks just the term that is for that path."""
    x, eps = _random(torch, 51, 5), 0.2
    mean, variance = x.mean(), x.var(unbiased=False)
    spread, xhat = (variance + eps).sqrt(), _batch_norm(torch, x, eps=eps)
    jacobian = torch.autograd.functional.jacobian
    own = jacobian(lambda v: (v - mean) / spread, x)
    through_mean = jacobian(lambda v: (v - v.mean()) / spread, x)
    through_variance = jacobian(lambda v: (v - mean) / (v.var(unbiased=False) + eps).sqrt(), x)
    whole = jacobian(lambda v: _batch_norm(torch, v, eps=eps), x)
    ones = torch.ones(5, 5, dtype=torch.float64)
    return (
        _same(torch, own, torch.eye(5, dtype=torch.float64) / spread)
        and _same(torch, through_mean - own, -ones / 5 / spread)
        and _same(torch, through_variance - own, -torch.outer(xhat, xhat) / 5 / spread)
        and _same(torch, whole, through_mean + through_variance - own)
    )


def zero_sum_misses_the_variance(torch: Any) -> bool:
    """A gradient without the path through the variance sums to 0 too, but is not orthogonal to x̂."""
    x, upstream = _random(torch, 51, 6), _random(torch, 52, 6)
    leaf = x.clone().requires_grad_()
    ((leaf - leaf.mean()) / x.var(unbiased=False).sqrt()).backward(upstream)
    xhat, right = _batch_norm(torch, x), _input_gradient(torch, x, upstream)
    wrong = (leaf.grad - right).abs().max() > 0.01
    revealed = abs((leaf.grad @ xhat).item()) > 0.1 and abs((right @ xhat).item()) < 1e-9
    return bool(wrong) and abs(leaf.grad.sum().item()) < 1e-9 and revealed


def projection_has_rank_n_minus_two(torch: Any) -> bool:
    """For ε → 0, σ times BatchNorm's Jacobian projects with rank n − 2, and r times RMSNorm's with D − 1."""
    x = _random(torch, 51, 6)
    jacobian, functional = torch.autograd.functional.jacobian, torch.nn.functional
    batch = x.std(correction=0) * jacobian(lambda v: _batch_norm(torch, v), x)
    rms = x.square().mean().sqrt() * jacobian(lambda v: functional.rms_norm(v, (6,), eps=_TINY), x)
    return all(
        _same(torch, p @ p, p)
        and _same(torch, p, p.T)
        and int(torch.linalg.matrix_rank(p, atol=1e-6)) == rank
        and abs(p.trace().item() - rank) < 1e-9
        for p, rank in ((batch, 4), (rms, 5))
    )


def two_values_get_no_gradient(torch: Any) -> bool:
    """For ε → 0 two values come out as ∓1, and no upstream gradient reaches them; three values do get one."""
    pair = torch.tensor([1.0, 4.0], dtype=torch.float64)
    signs = torch.tensor([-1.0, 1.0], dtype=torch.float64)
    vanishes = all(
        bool(_input_gradient(torch, pair, _random(torch, seed, 2)).abs().max() < 1e-9) for seed in (52, 53)
    )
    three = _input_gradient(torch, _random(torch, 51, 3), _random(torch, 52, 3))
    return _same(torch, _batch_norm(torch, pair), signs) and vanishes and bool(three.abs().max() > 0.01)


def rmsnorm_input_gradient(torch: Any) -> bool:
    """Autograd's x̄ of RMSNorm is (g − x̂·mean(g⊙x̂))/r for a visible ε too, with r = √(mean(x²)+ε)."""
    x, gamma, upstream, eps = _random(torch, 51, 6), _random(torch, 54, 6), _random(torch, 52, 6), 0.3
    leaf = x.clone().requires_grad_()
    torch.nn.functional.rms_norm(leaf, (6,), gamma, eps).backward(upstream)
    r = (x.square().mean() + eps).sqrt()
    xhat, g = x / r, gamma * upstream
    return _same(torch, leaf.grad, (g - xhat * (g * xhat).mean()) / r)


def weight_norm_gradients(torch: Any) -> bool:
    """With g = 10, v = (3, 4) and w̄ = (1, 0) the length gets 0.6, and v gets 2·((1, 0) − 0.6·(0.6, 0.8))."""
    layer = torch.nn.utils.skip_init(torch.nn.Linear, 2, 1, bias=False, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[1.0, 1.0]]))
    torch.nn.utils.parametrizations.weight_norm(layer)
    length, direction = layer.parametrizations.weight.original0, layer.parametrizations.weight.original1
    with torch.no_grad():
        length.fill_(10.0)
        direction.copy_(torch.tensor([[3.0, 4.0]]))
    layer.weight.backward(torch.tensor([[1.0, 0.0]], dtype=torch.float64))
    expected = torch.tensor([[1.28, -0.96]], dtype=torch.float64)
    return abs(length.grad.item() - 0.6) < 1e-9 and _same(torch, direction.grad, expected)
