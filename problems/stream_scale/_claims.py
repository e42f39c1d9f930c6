"""What the cards on the scale of the residual stream claim, each measured with PyTorch."""

import math
from collections.abc import Callable
from typing import Any


def _random(torch: Any, seed: int, *shape: int) -> Any:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def _same(torch: Any, a: Any, b: Any) -> bool:
    return bool(torch.allclose(a, b, rtol=0.0, atol=1e-9))


def _quarter_turn(torch: Any, x: Any) -> Any:
    """Turn pairs of features by 90°: gain 1, and with no correlation to the input in any example."""
    left, right = x.chunk(2, dim=-1)
    return torch.cat((-right, left), dim=-1)


def _square(x: Any) -> float:
    """Return the mean square."""
    return float(x.square().mean())


def _correlation(torch: Any, a: Any, b: Any) -> float:
    return float(torch.corrcoef(torch.stack((a.flatten(), b.flatten())))[0, 1])


def correlation_adds_a_term(torch: Any) -> bool:
    """Series of variances 4 and 9 with the correlation 0.5 have a sum of variance 4 + 9 + 2·0.5·6 = 19."""
    one, other = torch.tensor([[1, 1, -1, -1], [1, -1, 1, -1]], dtype=torch.float64)
    stream, branch = 2 * one, 3 * (0.5 * one + math.sqrt(0.75) * other)
    given = [
        float(stream.var(correction=0)),
        float(branch.var(correction=0)),
        _correlation(torch, stream, branch),
    ]
    total = float((stream + branch).var(correction=0))
    return all(abs(a - b) < 1e-9 for a, b in zip([*given, total], (4, 9, 0.5, 19), strict=True))


def growth_by_gain_and_factor(torch: Any) -> bool:
    """Three blocks with gain 5 and the factor 0.2 multiply the mean square by 1.2³ = 1.728."""
    start = stream = _random(torch, 11, 4, 6)
    for _ in range(3):
        stream = stream + 0.2 * math.sqrt(5) * _quarter_turn(torch, stream)
    return abs(_square(stream) / _square(start) - 1.728) < 1e-9


def float16_overflows_at_block_32(torch: Any) -> bool:
    """With gain-1 branches an RMS of 1 passes 65504, float16's largest, at block 32; bfloat16 holds it."""
    stream, overflown = torch.ones(1, 2, dtype=torch.float64), []
    for block in range(1, 41):
        stream = stream + _quarter_turn(torch, stream)
        rms = stream.square().mean().sqrt()
        if rms.to(torch.float16).isinf():
            overflown.append(block)
    held = bool(rms.to(torch.bfloat16).isfinite())
    return torch.finfo(torch.float16).max == 65504 and overflown[0] == 32 and len(overflown) == 9 and held


def _layer_norm(torch: Any, x: Any) -> Any:
    return torch.nn.functional.layer_norm(x, x.shape[-1:])


def _batch_norm(torch: Any, x: Any) -> Any:
    return torch.nn.functional.batch_norm(x, None, None, training=True)


def _course(torch: Any, depth: int, norm: Callable[..., Any] = _layer_norm) -> list[tuple[float, float]]:
    """Return mean square of stream and branch before each of `depth` blocks x + W·norm(x), W of gain 1."""
    width, course = 256, []
    stream = _random(torch, 21, 64, width)
    for block in range(depth):
        branch = norm(torch, stream) @ _random(torch, 22 + block, width, width) / math.sqrt(width)
        course.append((_square(stream), _square(branch)))
        stream = stream + branch
    return [*course, (_square(stream), 0.0)]


def normalized_branches_add_linearly(torch: Any) -> bool:
    """With pre-norm branches of variance 1 the stream's grows from 1 to 13 and 25 in 12 and 24 blocks."""
    course = _course(torch, depth=24)
    return all(abs(course[blocks][0] - (1 + blocks)) < 0.1 * (1 + blocks) for blocks in (12, 24))


def late_blocks_change_less(torch: Any) -> bool:
    """A pre-norm block changes the stream by a share near 1/√l: measured at blocks 4, 9 and 16."""
    course = _course(torch, depth=16)
    shares = [math.sqrt(course[block - 1][1] / course[block - 1][0]) for block in (4, 9, 16)]
    return all(abs(share * root - 1) < 0.05 for share, root in zip(shares, (2, 3, 4), strict=True))


def batchnorm_keeps_late_branches_small(torch: Any) -> bool:
    """The share of a branch is near 1/√l behind BatchNorm, and near 1 in every block without a norm."""

    def shares(norm: Callable[..., Any]) -> list[float]:
        course = _course(torch, 16, norm)
        return [math.sqrt(course[block - 1][1] / course[block - 1][0]) for block in (4, 9, 16)]

    behind, bare = shares(_batch_norm), shares(lambda _, x: x)
    falls = all(abs(share * root - 1) < 0.08 for share, root in zip(behind, (2, 3, 4), strict=True))
    return falls and all(abs(share - 1) < 0.08 for share in bare)


def _variance(torch: Any, initialize: Callable[..., Any], outputs: int, inputs: int) -> float:
    """Return the variance of freshly initialized weights."""
    weight = torch.empty(outputs, inputs, dtype=torch.float64)
    return float(initialize(weight, generator=torch.Generator().manual_seed(31)).var())


def he_variance(torch: Any) -> bool:
    """PyTorch's He weights have the variance 2/n_in, and ReLU halves the mean square of a centered input."""
    variance = _variance(torch, torch.nn.init.kaiming_normal_, outputs=200, inputs=400)
    x = _random(torch, 32, 100_000)
    return abs(variance * 400 / 2 - 1) < 0.03 and abs(_square(torch.relu(x)) / _square(x) - 0.5) < 0.01


def xavier_variance(torch: Any) -> bool:
    """PyTorch's Xavier weights, normal or uniform, have the variance 2/(n_in + n_out)."""
    kinds = (torch.nn.init.xavier_normal_, torch.nn.init.xavier_uniform_)
    variances = [_variance(torch, kind, outputs=100, inputs=700) for kind in kinds]
    return all(abs(variance * 800 / 2 - 1) < 0.03 for variance in variances)


def he_branch_gains(torch: Any) -> bool:
    """On a centered input W·relu(x) has a gain near 1 and W₂·relu(W₁x) one near 2, with He weights."""
    width = 512
    x, first, second = (
        _random(torch, 41, 64, width),
        _random(torch, 42, width, width),
        _random(torch, 43, width, width),
    )
    he = math.sqrt(2 / width)
    one = torch.relu(x) @ (he * first).T
    two = torch.relu(x @ (he * first).T) @ (he * second).T
    gains = [float(branch.var() / x.var()) for branch in (one, two)]
    return abs(gains[0] - 1) < 0.1 and abs(gains[1] - 2) < 0.2


def final_relu_pushes_one_way(torch: Any) -> bool:
    """16 branches relu(Wx)/4 raise the mean square about 29-fold by a cross term, W·relu(x)/4 2.64-fold."""
    width, depth = 256, 16
    start, growth, crossed = _random(torch, 51, 64, width), [], []
    for relu_last in (True, False):
        stream = start
        for block in range(depth):
            matrix = math.sqrt(2 / width) * _random(torch, 52 + block, width, width)
            branch = torch.relu(stream @ matrix.T) if relu_last else torch.relu(stream) @ matrix.T
            cross = float((stream * branch).mean() / (stream.norm() * branch.norm()) * stream.numel())
            stream = stream + branch / math.sqrt(depth)
        growth.append(_square(stream) / _square(start))
        crossed.append(cross)
    bounds = 0.4 < crossed[0] < 0.7 and abs(crossed[1]) < 0.1
    return bounds and abs(growth[0] / 29.25 - 1) < 0.15 and abs(growth[1] / 2.64 - 1) < 0.1


def zero_gamma_moves_first(torch: Any) -> bool:
    """With γ = 0 in the last BatchNorm only γ and β get a gradient; after one step the weights do too."""
    x, target = _random(torch, 61, 8, 4), _random(torch, 62, 8, 4)
    weight, norm = _random(torch, 63, 4, 4).requires_grad_(), torch.nn.BatchNorm1d(4, dtype=torch.float64)
    torch.nn.init.zeros_(norm.weight)
    parameters, moved = (weight, norm.weight, norm.bias), []
    for _ in range(2):
        loss = (x + norm(torch.relu(x @ weight.T)) - target).square().sum()
        gradients = torch.autograd.grad(loss, parameters)
        moved.append([bool(gradient.abs().max() > 1e-6) for gradient in gradients])
        with torch.no_grad():
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter -= 0.01 * gradient
    return moved == [[False, True, True], [True, True, True]]


def _scaled_block(torch: Any, alpha: float, last: float) -> list[list[bool]]:
    """Train x + α·W₂relu(W₁x) for two steps; tell which of α, W₁, W₂ got a gradient in each."""
    x, target = _random(torch, 71, 8, 4), _random(torch, 72, 8, 4)
    factor = torch.tensor(alpha, dtype=torch.float64, requires_grad=True)
    first = _random(torch, 73, 4, 4).requires_grad_()
    second = (last * _random(torch, 74, 4, 4)).requires_grad_()
    parameters, moved = (factor, first, second), []
    for _ in range(2):
        loss = (x + factor * (torch.relu(x @ first.T) @ second.T) - target).square().sum()
        gradients = torch.autograd.grad(loss, parameters)
        moved.append([bool(gradient.abs().max() > 0) for gradient in gradients])
        with torch.no_grad():
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter -= 0.001 * gradient
    return moved


def rezero_first_step(torch: Any) -> bool:
    """With α = 0 the block is the identity; α's gradient is ⟨ȳ, F(x)⟩, and the weights follow in step two."""
    x, upstream = _random(torch, 71, 5), _random(torch, 72, 5)
    alpha, branch = torch.zeros((), dtype=torch.float64, requires_grad=True), torch.tanh(x)
    y = x + alpha * branch
    y.backward(upstream)
    slope = sum(float(u) * math.tanh(float(v)) for u, v in zip(upstream, x, strict=True))
    order = _scaled_block(torch, alpha=0.0, last=1.0)
    return (
        torch.equal(y, x)
        and abs(float(alpha.grad) - slope) < 1e-9
        and order == [[True, False, False], [True] * 3]
    )


def two_zeros_never_move(torch: Any) -> bool:
    """With α and the last layer both 0 no gradient of the branch is other than 0; with one zero some are."""
    stuck, alive = _scaled_block(torch, alpha=0.0, last=0.0), _scaled_block(torch, alpha=1.0, last=0.0)
    return stuck == [[False] * 3, [False] * 3] and alive == [[False, False, True], [True] * 3]


def _change_by_one_step(torch: Any, depth: int, layers: int, scale: float) -> float:
    """Return how far one SGD step moves the output; last layers start at 0, others as He times scale."""
    width = 64
    x, readout = _random(torch, 81, width), _random(torch, 82, width) / math.sqrt(width)
    he, branches = math.sqrt(2 / width), []
    for branch in range(depth):
        inner = [scale * he * _random(torch, 90 + 7 * branch + k, width, width) for k in range(layers - 1)]
        branches.append([*inner, torch.zeros(width, width, dtype=torch.float64)])
    parameters = [weight.requires_grad_() for branch in branches for weight in branch]

    def output() -> Any:
        stream = x
        for branch in branches:
            inner = stream
            for weight in branch[:-1]:
                inner = torch.relu(weight @ inner)
            stream = stream + branch[-1] @ inner
        return readout @ stream

    before = output()
    with torch.no_grad():
        for weight, gradient in zip(parameters, torch.autograd.grad(before, parameters), strict=True):
            weight -= 1e-4 * gradient
        return float((output() - before).abs())


def fixup_step_does_not_grow(torch: Any) -> bool:
    """With L^(−1/(2m−2)) a step moves 64 branches as far as 4, for m = 2 and 3; without it, 16 times."""
    for layers in (2, 3):
        scaled = [_change_by_one_step(torch, L, layers, L ** (-1 / (2 * layers - 2))) for L in (4, 64)]
        plain = [_change_by_one_step(torch, L, layers, 1.0) for L in (4, 64)]
        if abs(scaled[1] / scaled[0] - 1) > 0.3 or abs(plain[1] / plain[0] / 16 - 1) > 0.3:
            return False
    return True


def gpt2_writes_add_up_to_one(torch: Any) -> bool:
    """The 24 random writes of 12 blocks, scaled by 1/√24, together have the variance of one unscaled."""
    writes = _random(torch, 101, 12, 2, 20_000)
    together = (writes.flatten(0, 1) / math.sqrt(24)).sum(0)
    return writes[:, :, 0].numel() == 24 and abs(float(together.var() / writes[0, 0].var()) - 1) < 0.05


def deepnorm_weighs_the_mixture(torch: Any) -> bool:
    """LN(αx) is LN(x), and LN(αx + F) is LN(x + F/α) and closer to LN(x) than LN(x + F), for α = 3, ε = 0."""
    x, branch = _random(torch, 111, 6, 16), _random(torch, 112, 6, 16)

    def norm(z: Any) -> Any:
        return torch.nn.functional.layer_norm(z, (16,), eps=0.0)

    weighted = norm(3 * x + branch)
    nearer = (weighted - norm(x)).norm() < 0.6 * (norm(x + branch) - norm(x)).norm()
    return (
        _same(torch, norm(3 * x), norm(x)) and _same(torch, weighted, norm(x + branch / 3)) and bool(nearer)
    )


def deepnorm_constants(torch: Any) -> bool:
    """For N = 8, α = 2 and β = 0.354: 16 sublayers' updates 2β²/α² add up to 1, and 2β²α² is 1."""
    layers = 8
    alpha, beta = (2 * layers) ** 0.25, (8 * layers) ** -0.25
    updates = torch.full((2 * layers,), 2 * beta**2 / alpha**2, dtype=torch.float64)
    balanced = abs(float(updates.sum()) - 1) < 1e-9 and abs(2 * beta**2 * alpha**2 - 1) < 1e-9
    return balanced and abs(alpha - 2) < 1e-9 and round(beta, 3) == 0.354


def nf_scale_is_predicted(torch: Any) -> bool:
    """Blocks x + 0.2·F(x/s) with s² = 1 + 0.04·l and gain 1: after 24 blocks the RMS is 1.4, as predicted."""
    start = _random(torch, 121, 8, 6)
    stream = start / start.square().mean().sqrt()
    for block in range(24):
        predicted = math.sqrt(1 + 0.04 * block)
        stream = stream + 0.2 * _quarter_turn(torch, stream / predicted)
    return abs(math.sqrt(_square(stream)) - 1.4) < 1e-9


def weight_standardization(torch: Any) -> bool:
    """Rows of mean 0 and variance 1/n_in drop a constant in the input and have gain 1 on the rest."""
    weight = 0.3 + 2 * _random(torch, 131, 200, 300)
    centered = weight - weight.mean(1, keepdim=True)
    standardized = centered / (math.sqrt(300) * weight.std(1, correction=0, keepdim=True))
    # LayerNorm over a row gives the same, up to the factor 1/√n_in.
    by_torch = torch.nn.functional.layer_norm(weight, (300,), eps=0.0) / math.sqrt(300)
    x = _random(torch, 132, 400, 300)
    shifted = (x + 5) @ standardized.T
    gain = float((x @ standardized.T).var() / x.var())
    return (
        _same(torch, standardized, by_torch)
        and _same(torch, shifted, x @ standardized.T)
        and not _same(torch, (x + 5) @ weight.T, x @ weight.T)
        and abs(gain - 1) < 0.03
    )


def adaptive_clipping(torch: Any) -> bool:
    """Limited to 0.01 of its row's norm 5 or 50, a gradient of norm 1 shrinks to 0.05 or 0.5."""
    weight = torch.tensor([[3.0, 4.0], [30.0, 40.0], [30.0, 40.0]], dtype=torch.float64)
    gradient = torch.tensor([[0.6, 0.8], [0.6, 0.8], [0.06, 0.08]], dtype=torch.float64)
    limit = 0.01 * weight.norm(dim=1, keepdim=True)
    clipped = gradient * (limit / gradient.norm(dim=1, keepdim=True)).clamp(max=1.0)
    rows = [torch.nn.Parameter(row) for row in weight]
    for row, slope in zip(rows, gradient, strict=True):
        row.grad = slope.clone()
        torch.nn.utils.clip_grad_norm_([row], 0.01 * float(row.detach().norm()))
    by_torch = torch.stack([row.grad for row in rows])
    expected = torch.tensor([0.05, 0.5, 0.1], dtype=torch.float64)
    near = torch.allclose(clipped, by_torch, rtol=1e-5, atol=0.0)
    return _same(torch, clipped.norm(dim=1), expected) and bool(near)
