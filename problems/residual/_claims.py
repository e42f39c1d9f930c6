"""What the cards on residual connections claim, each measured with PyTorch."""

from typing import Any


def _random(torch: Any, seed: int, *shape: int) -> Any:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def _same(torch: Any, a: Any, b: Any) -> bool:
    return bool(torch.allclose(a, b, rtol=0.0, atol=1e-9))


def _jacobian(torch: Any, function: Any, x: Any) -> Any:
    return torch.autograd.functional.jacobian(function, x)


def block_jacobian(torch: Any) -> bool:
    """Autograd's Jacobian of x ↦ x + Ax is I + A."""
    a, x = torch.tensor([[0.0, 0.1], [-0.1, 0.0]], dtype=torch.float64), _random(torch, 61, 2)
    expected = torch.tensor([[1.0, 0.1], [-0.1, 1.0]], dtype=torch.float64)
    return _same(torch, _jacobian(torch, lambda v: v + a @ v, x), expected)


def stack_jacobian(torch: Any) -> bool:
    """Autograd's Jacobian of a stack is the product of I + J, later blocks left, and the sum over subsets."""
    weights = [0.5 * _random(torch, 62 + k, 3, 3) for k in range(3)]
    x = _random(torch, 61, 3)

    def stack(v: Any) -> Any:
        for weight in weights:
            v = v + torch.tanh(weight @ v)
        return v

    identity = torch.eye(3, dtype=torch.float64)
    product, reversed_product, terms, stream = identity, identity, [identity], x
    for weight in weights:
        branch = _jacobian(torch, lambda v, w=weight: torch.tanh(w @ v), stream)
        product, reversed_product = (identity + branch) @ product, reversed_product @ (identity + branch)
        terms += [branch @ term for term in terms]
        stream = stream + torch.tanh(weight @ stream)
    measured = _jacobian(torch, stack, x)
    order_matters = not _same(torch, measured, reversed_product)
    return (
        len(terms) == 8
        and _same(torch, measured, product)
        and _same(torch, measured, sum(terms))
        and order_matters
    )


def addition_copies_the_gradient(torch: Any) -> bool:
    """Both summands of an addition receive its upstream gradient unchanged."""
    skip, branch = _random(torch, 61, 4).requires_grad_(), _random(torch, 62, 4).requires_grad_()
    upstream = _random(torch, 63, 4)
    (skip + branch).backward(upstream)
    return bool(torch.equal(skip.grad, upstream)) and bool(torch.equal(branch.grad, upstream))


def path_count(torch: Any) -> bool:
    """With F(x) = x every path has weight 1, so 5 blocks x + F(x) have the derivative 2⁵ = 32."""
    x = torch.ones((), dtype=torch.float64, requires_grad=True)
    stream = x
    for _ in range(5):
        stream = stream + stream.clone()
    stream.backward()
    return bool(x.grad.item() == 32.0)


def fifty_layers(torch: Any) -> bool:
    """25 derivatives of +0.1 and 25 of −0.1: 1e-50 in a plain stack, 0.778 as residual branches."""
    slopes = [0.1, -0.1] * 25

    def derivative(residual: bool) -> float:
        x = torch.ones((), dtype=torch.float64, requires_grad=True)
        stream = x
        for slope in slopes:
            stream = stream + slope * stream if residual else slope * stream
        stream.backward()
        return float(x.grad)

    plain, kept = derivative(residual=False), derivative(residual=True)
    return abs(abs(plain) / 1e-50 - 1) < 1e-9 and abs(kept - 0.99**25) < 1e-12 and round(kept, 3) == 0.778


def _variance_growth(torch: Any, depth: int, scale: float) -> float:
    """Return Var(x_L)/Var(x_0) for linear branches of gain 1 with independent weights of variance 1/width."""
    width, examples = 256, 256
    start = stream = _random(torch, 70, examples, width)
    for block in range(depth):
        stream = stream + scale * stream @ _random(torch, 71 + block, width, width) / width**0.5
    return float(stream.var() / start.var())


def gain_one_branch_doubles_variance(torch: Any) -> bool:
    """Random linear branches of gain 1 multiply the variance by about 2 a block, and 2²⁴ is 16 777 216."""
    growth = _variance_growth(torch, depth=24, scale=1.0)
    return abs(growth ** (1 / 24) - 2) < 0.05 and 2**24 == 16_777_216


def root_depth_scaling(torch: Any) -> bool:
    """With branches times 1/√24 the variance after 24 blocks is near (25/24)²⁴ = 2.66."""
    growth = _variance_growth(torch, depth=24, scale=24**-0.5)
    return abs(growth - 2.66) < 0.15 and round((25 / 24) ** 24, 2) == 2.66


def zero_gamma_starts_as_identity(torch: Any) -> bool:
    """Branches ending in BatchNorm with γ = β = 0 give the identity; β ≠ 0 or a final ReLU spoils it."""
    x, weight = _random(torch, 61, 5, 3), _random(torch, 62, 3, 3)
    last = torch.nn.BatchNorm1d(3, dtype=torch.float64).requires_grad_(False)

    def block(v: Any) -> Any:
        return v + last(torch.relu(v @ weight))

    last.weight.fill_(0.0)
    exact = torch.equal(block(x), x)
    with_relu = torch.equal(torch.relu(block(x)), x)
    last.bias.fill_(0.5)
    return exact and not with_relu and not torch.equal(block(x), x)


def dropout_spares_the_skip(torch: Any) -> bool:
    """With dropout on the branch, every entry is x (dropped) or x + F/(1−p) (kept), and both occur."""
    x, branch = _random(torch, 61, 1000), _random(torch, 62, 1000)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        y = x + torch.nn.functional.dropout(branch, p=0.5, training=True)
    dropped, kept = y == x, (y - (x + 2 * branch)).abs() < 1e-12
    return bool((dropped | kept).all()) and bool(dropped.any()) and bool(kept.any())


def projection_mends_the_width(torch: Any) -> bool:
    """Tensors of 3 and 5 channels cannot be added; a 1×1 convolution on the skip makes it possible."""
    x, branch = _random(torch, 61, 2, 3, 4, 4), _random(torch, 62, 2, 5, 4, 4)
    projection = _random(torch, 63, 5, 3, 1, 1)
    try:
        torch.add(x, branch)
    except RuntimeError:
        return bool((torch.nn.functional.conv2d(x, projection) + branch).shape == branch.shape)
    return False


def pre_ln_skip_is_free(torch: Any) -> bool:
    """With silent branches PyTorch's pre-LN layer is the identity, and its post-LN layer two LayerNorms."""
    x = 3 + 2 * _random(torch, 61, 2, 4, 8)
    outputs = []
    for norm_first in (True, False):
        with torch.random.fork_rng(devices=[]):
            layer = torch.nn.TransformerEncoderLayer(
                8, 2, 16, dropout=0.0, batch_first=True, norm_first=norm_first, dtype=torch.float64
            )
        with torch.no_grad():
            for module in (layer.self_attn.out_proj, layer.linear2):
                module.weight.zero_()
                module.bias.zero_()
        outputs.append(layer(x).detach())
    twice = torch.nn.functional.layer_norm(torch.nn.functional.layer_norm(x, (8,)), (8,))
    return torch.equal(outputs[0], x) and _same(torch, outputs[1], twice) and not _same(torch, outputs[1], x)
