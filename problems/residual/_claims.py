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


def deleted_block_halves_the_paths(torch: Any) -> bool:
    """With F(x) = x every path has weight 1: 5 blocks have the derivative 32, and 16 without one branch."""
    for deleted in (None, 0, 2, 4):
        x = torch.ones((), dtype=torch.float64, requires_grad=True)
        stream = x
        for block in range(5):
            stream = stream if block == deleted else stream + stream.clone()
        stream.backward()
        if x.grad.item() != (32.0 if deleted is None else 16.0):
            return False
    return True


def orthogonal_inputs_stay_distinct(torch: Any) -> bool:
    """Behind 64 random layers, orthogonal inputs have a cosine of about 0.99, with scaled branches 0.25."""
    # Means over 8 draws of width 64; the branch is W₂·relu(W₁x)/√2 with He initialization, times 1/√64.
    width, depth, draws = 64, 64, 8
    matmul, relu = torch.bmm, torch.relu
    frames = torch.linalg.qr(_random(torch, 64, draws, width, 2)).Q
    plain = stream = frames * width**0.5
    for layer in range(depth):
        wide, first, last = (
            _random(torch, 1000 + 3 * layer + which, draws, width, width) * (2 / width) ** 0.5
            for which in range(3)
        )
        plain = relu(matmul(wide, plain))
        stream = stream + matmul(last, relu(matmul(first, stream))) / 2**0.5 / depth**0.5

    def cosine(pair: Any) -> float:
        return float(torch.nn.functional.cosine_similarity(pair[..., 0], pair[..., 1], dim=1).mean())

    return cosine(plain) > 0.98 and abs(cosine(stream) - 0.25) < 0.05


def wrong_branch_shape_can_be_silent(torch: Any) -> bool:
    """A branch of shape (4, 1) is added to all 3 columns of x; one of shape (4, 2) raises an error."""
    x, column = _random(torch, 61, 4, 3), _random(torch, 62, 4, 1)
    silent = x + column
    same = all(torch.equal(silent[:, j], x[:, j] + column[:, 0]) for j in range(3))
    try:
        torch.add(x, _random(torch, 62, 4, 2))
    except RuntimeError:
        return same and silent.shape == (4, 3)
    return False


def highway_can_shut_its_skip(torch: Any) -> bool:
    """With its gate held at 1 a highway layer has the derivative h′ and no identity term; with 0, 1 alone."""

    def slope(gate: float) -> float:
        x = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
        torch.lerp(x, torch.sin(3 * x), gate).backward()
        return float(x.grad)

    inner = 3 * torch.cos(torch.tensor(2.1, dtype=torch.float64)).item()
    expected = {1.0: inner, 0.0: 1.0, 0.25: 0.25 * inner + 0.75}
    return all(abs(slope(gate) - value) < 1e-12 for gate, value in expected.items())


def densenet_width_grows_per_layer(torch: Any) -> bool:
    """Concatenating 4 new channels per layer takes 6 channels to 18 in 3 layers; a residual sum keeps 6."""
    dense = residual = _random(torch, 61, 1, 6, 2, 2)
    for layer in range(3):
        dense = torch.cat(
            [dense, torch.nn.functional.conv2d(dense, _random(torch, 62 + layer, 4, dense.shape[1], 1, 1))], 1
        )
        residual = residual + torch.nn.functional.conv2d(residual, _random(torch, 65 + layer, 6, 6, 1, 1))
    return bool(dense.shape[1] == 18 and residual.shape[1] == 6)


def short_paths_carry_most_of_the_gradient(torch: Any) -> bool:
    """With 10 slopes of 0.1, the 176 of 1024 paths through at most 3 branches carry over 98 % of 1.1¹⁰."""
    x = torch.ones((), dtype=torch.float64, requires_grad=True)
    stream = x
    for _ in range(10):
        stream = stream + 0.1 * stream
    stream.backward()
    lengths = [path.bit_count() for path in range(2**10)]
    short = [length for length in lengths if length <= 3]
    whole = sum(0.1**length for length in lengths)
    share = sum(0.1**length for length in short) / whole
    return len(short) == 176 and abs(whole - x.grad.item()) < 1e-9 and 0.98 < share < 1
