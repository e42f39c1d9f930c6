"""What the cards on folding, several devices and split batches claim, as functions that run PyTorch."""

from typing import Any


def _random(torch: Any, seed: int, *shape: int) -> Any:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def _column(torch: Any, *values: float) -> Any:
    return torch.tensor(values, dtype=torch.float64).unsqueeze(1)


def _same(torch: Any, a: Any, b: Any) -> bool:
    return a.shape == b.shape and bool(torch.allclose(a, b, rtol=0.0, atol=1e-9))


def _norm(torch: Any, channels: int) -> tuple[Any, Any, Any]:
    """Return an eval-mode BatchNorm with a visible ε, its factor s and its shift β − s·μ̂."""
    gamma, beta, mean = (_random(torch, seed, channels) for seed in (201, 202, 203))
    variance = _random(torch, 204, channels).square() + 0.5

    def norm(x: Any) -> Any:
        return torch.nn.functional.batch_norm(x, mean, variance, gamma, beta, training=False, eps=0.3)

    s = gamma / (variance + 0.3).sqrt()
    return norm, s, beta - s * mean


def folds_in_eval_mode_only(torch: Any) -> bool:
    """Eval-mode BatchNorm maps midpoints to midpoints, as affine maps do; in training mode it does not."""
    x, z = _random(torch, 205, 6, 3), _random(torch, 206, 6, 3)

    def affine(norm: Any) -> bool:
        return _same(torch, norm((x + z) / 2), (norm(x) + norm(z)) / 2)

    def training(v: Any) -> Any:
        return torch.nn.functional.batch_norm(v, None, None, training=True)

    return affine(_norm(torch, 3)[0]) and not affine(training)


def folding_scales_outputs(torch: Any) -> bool:
    """The factor s scales the columns of W in xW + b and the rows of the weight that nn.Linear stores."""
    x, weight, bias = _random(torch, 205, 6, 4), _random(torch, 206, 3, 4), _random(torch, 207, 3)
    norm, s, shift = _norm(torch, 3)
    linear = torch.nn.functional.linear
    wanted = norm(linear(x, weight, bias))
    rows = linear(x, s.unsqueeze(1) * weight, s * bias + shift)
    columns = x @ (weight.T * s) + s * bias + shift
    return _same(torch, rows, wanted) and _same(torch, columns, wanted)


def folded_bias_is_scaled(torch: Any) -> bool:
    """From 2x + 1 and γ = 6, β = −1, μ̂ = 3, σ̂² = 9 comes 4x − 5; with the bias unscaled it would be −6."""
    x = _column(torch, -2, 0, 1, 5)
    one = torch.ones(1, dtype=torch.float64)
    behind = torch.nn.functional.batch_norm(2 * x + 1, 3 * one, 9 * one, 6 * one, -one, eps=0.0)
    return _same(torch, behind, 4 * x - 5) and not _same(torch, behind, 4 * x + (1 - 2 * 3 - 1))


def folding_scales_filters(torch: Any) -> bool:
    """Behind a bias-free convolution the norm is one factor for each output filter and the bias β − s·μ̂."""
    conv2d, x, weight = (
        torch.nn.functional.conv2d,
        _random(torch, 205, 2, 4, 6, 6),
        _random(torch, 206, 3, 4, 3, 3),
    )
    norm, s, shift = _norm(torch, 3)
    wanted = norm(conv2d(x, weight, padding=1))
    folded = conv2d(x, s.reshape(3, 1, 1, 1) * weight, shift, padding=1)
    biasless = conv2d(x, s.reshape(3, 1, 1, 1) * weight, padding=1)
    return _same(torch, folded, wanted) and not _same(torch, biasless, wanted)


def folds_into_the_layer_behind(torch: Any) -> bool:
    """BatchNorm before z = Wx + b folds to W·diag(s) and b + W(β − s·μ̂)."""
    x, weight, bias = _random(torch, 205, 6, 3), _random(torch, 206, 5, 3), _random(torch, 207, 5)
    norm, s, shift = _norm(torch, 3)
    linear = torch.nn.functional.linear
    return _same(torch, linear(x, weight * s, bias + weight @ shift), linear(norm(x), weight, bias))


def zero_padding_breaks_folding(torch: Any) -> bool:
    """Folded into a zero-padded convolution behind it, BatchNorm is wrong at the border alone."""
    x, weight = _random(torch, 205, 2, 3, 7), _random(torch, 206, 4, 3, 3)
    norm, s, shift = _norm(torch, 3)
    conv1d = torch.nn.functional.conv1d
    wanted = conv1d(norm(x), weight, padding=1)
    taps, bias = weight * s.unsqueeze(1), (weight.sum(-1) @ shift)
    gap = (conv1d(x, taps, bias, padding=1) - wanted).abs()
    # Padding with μ̂ − β/s, which the norm maps to 0, is to make it exact everywhere.
    edge = (-shift / s).reshape(1, 3, 1).expand(2, 3, 1)
    mended = conv1d(torch.cat((edge, x, edge), -1), taps, bias)
    inside, border = gap[..., 1:-1], gap[..., (0, -1)]
    return bool(inside.max() < 1e-9) and bool(border.max() > 0.1) and _same(torch, mended, wanted)


def relu_stands_in_the_way(torch: Any) -> bool:
    """BatchNorm behind a ReLU can go below 0, as no ReLU can; it folds into the next linear layer."""
    x, weight, after = _random(torch, 205, 40, 4), _random(torch, 206, 3, 4), _random(torch, 207, 2, 3)
    norm, s, shift = _norm(torch, 3)
    linear, relu = torch.nn.functional.linear, torch.relu
    hidden = relu(linear(x, weight))
    pulled_in = relu(linear(x, s.unsqueeze(1) * weight, shift))
    return (
        bool((norm(hidden) < -0.1).any())
        and not _same(torch, pulled_in, norm(hidden))
        and _same(torch, linear(hidden, after * s, after @ shift), linear(norm(hidden), after))
    )


def layernorm_folds_in_part(torch: Any) -> bool:
    """LayerNorm's γ and β fold into the next layer; the rest ignores the size of x, so it is not affine."""
    x, weight, bias = _random(torch, 205, 6, 5), _random(torch, 206, 2, 5), _random(torch, 207, 2)
    gamma, beta = _random(torch, 208, 5), _random(torch, 209, 5)
    linear, norm = torch.nn.functional.linear, torch.nn.functional.layer_norm
    wanted = linear(norm(x, (5,), gamma, beta), weight, bias)
    folded = linear(norm(x, (5,)), weight * gamma, bias + weight @ beta)
    bare = torch.nn.LayerNorm(5, eps=1e-12, elementwise_affine=False).eval()
    return _same(torch, folded, wanted) and _same(torch, bare(3 * x), bare(x))


def _kept_mean(torch: Any, batch: Any) -> float:
    """Return the mean that a training-mode BatchNorm subtracts from one column."""
    layer = torch.nn.BatchNorm1d(1, momentum=1.0, dtype=torch.float64)
    layer(batch)
    return float(layer.running_mean)


def synchronized_mean(torch: Any) -> bool:
    """2 values of mean 1 and 6 of mean 5 have the common mean 4, not 3."""
    batch = torch.vstack((_column(torch, 0, 2), _column(torch, 3, 7, 4, 6, 5, 5)))
    return abs(_kept_mean(torch, batch) - 4) < 1e-9


def synchronized_variance(torch: Any) -> bool:
    """The common variance is the weighted mean of σ² + (μ_d − μ)²: 5 for (−1, 1) and (3, 5), not 1."""
    parts = [3 * _random(torch, seed, size, 1) + seed / 50 for seed, size in ((211, 5), (212, 3), (213, 9))]
    batch = torch.vstack(parts)
    mean = sum(len(part) * part.mean() for part in parts) / len(batch)
    spread = sum(len(part) * (part.var(correction=0) + (part.mean() - mean) ** 2) for part in parts)
    gamma, tidy = torch.full((1,), 3.0, dtype=torch.float64), _column(torch, -1, 1, 3, 5)
    batch_norm = torch.nn.functional.batch_norm
    by_parts = (batch - mean) / (spread / len(batch) + 0.2).sqrt()
    # With ε = 4 a variance of 5 makes the divisor 3, so that γ = 3 leaves the deviations from 2.
    deviations = batch_norm(tidy, None, None, gamma, training=True, eps=4.0)
    return _same(torch, batch_norm(batch, None, None, training=True, eps=0.2), by_parts) and _same(
        torch, deviations, _column(torch, -3, -1, 1, 3)
    )


def synchronized_numbers_suffice(torch: Any) -> bool:
    """Per device 2C + 1 numbers forward and 2C backward rebuild output and gradient of the whole batch."""
    channels, eps = 3, 0.2
    parts = [_random(torch, seed, size, channels) + 1 for seed, size in ((211, 5), (212, 3))]
    upstream = [
        _random(torch, seed, len(part), channels) for seed, part in zip((213, 214), parts, strict=True)
    ]
    sent = [torch.cat((x.mean(0), x.var(0, correction=0), x.new_tensor([len(x)]))) for x in parts]
    count = sum(message[-1] for message in sent)
    mean = sum(message[-1] * message[:channels] for message in sent) / count
    squares = sum(message[-1] * (message[channels:-1] + message[:channels] ** 2) for message in sent)
    spread = (squares / count - mean**2 + eps).sqrt()
    normed = [(x - mean) / spread for x in parts]
    back = [torch.cat((g.sum(0), (g * hat).sum(0))) for g, hat in zip(upstream, normed, strict=True)]
    one, two = sum(back).chunk(2)
    gradient = [
        (g - one / count - hat * two / count) / spread for g, hat in zip(upstream, normed, strict=True)
    ]
    whole = torch.vstack(parts).requires_grad_()
    y = torch.nn.functional.batch_norm(whole, None, None, training=True, eps=eps)
    y.backward(torch.vstack(upstream))
    return (
        {len(message) for message in sent} == {2 * channels + 1}
        and {len(message) for message in back} == {2 * channels}
        and _same(torch, torch.vstack(normed), y.detach())
        and _same(torch, torch.vstack(gradient), whole.grad)
    )


def parts_of_a_batch(torch: Any) -> bool:
    """A batch in two parts comes out of LayerNorm, RMSNorm and GroupNorm as if whole, of BatchNorm not."""
    x, functional = _random(torch, 211, 6, 4, 5) + 1, torch.nn.functional

    def split_alike(norm: Any) -> bool:
        return _same(torch, torch.cat([norm(part) for part in x.chunk(2)]), norm(x))

    return (
        split_alike(lambda v: functional.layer_norm(v, (5,)))
        and split_alike(lambda v: functional.rms_norm(v, (5,)))
        and split_alike(lambda v: functional.group_norm(v, 2))
        and not split_alike(lambda v: functional.batch_norm(v, None, None, training=True))
    )


def padding_moves_the_mean(torch: Any) -> bool:
    """4 and 8 with two padding zeros have the mean 3; without them 6."""
    padded, real = _column(torch, 4, 8, 0, 0), _column(torch, 4, 8)
    return abs(_kept_mean(torch, padded) - 3) < 1e-9 and abs(_kept_mean(torch, real) - 6) < 1e-9


def mask_takes_padding_out(torch: Any) -> bool:
    """BatchNorm1d on x[mask] gets the real tokens in rows, and more padding then changes nothing."""
    x, mask = _random(torch, 211, 2, 3, 4), torch.tensor([[True, True, False], [True, False, False]])
    layer = torch.nn.BatchNorm1d(4, dtype=torch.float64)
    y = layer(x[mask]).detach()
    other = torch.where(mask.unsqueeze(-1), x, 99.0)
    rows = torch.stack((x[0, 0], x[0, 1], x[1, 0]))
    by_hand = (rows - rows.mean(0)) / (rows.var(0, correction=0) + 1e-5).sqrt()
    return _same(torch, y, by_hand) and torch.equal(layer(other[mask]).detach(), y)


def micro_batches_keep_their_statistics(torch: Any) -> bool:
    """Gradients of micro-batches add up to the batch's with no norm or LayerNorm, but not with BatchNorm."""
    x, target, start = _random(torch, 211, 32, 3), _random(torch, 212, 32, 2), _random(torch, 213, 2, 3)
    functional = torch.nn.functional

    def gradient(norm: Any, micro: int) -> Any:
        weight = start.clone().requires_grad_()
        for inputs, wanted in zip(x.split(micro), target.split(micro), strict=True):
            loss = functional.mse_loss(norm(functional.linear(inputs, weight)), wanted, reduction="sum") / 32
            loss.backward()
        return weight.grad

    def alike(norm: Any) -> bool:
        return _same(torch, gradient(norm, 8), gradient(norm, 32))

    return (
        alike(lambda v: v)
        and alike(lambda v: functional.layer_norm(v, (2,), eps=0.5))
        and not alike(lambda v: functional.batch_norm(v, None, None, training=True))
    )


def one_update_for_each_micro_batch(torch: Any) -> bool:
    """Four micro-batches are four updates: of a running mean of 1 with m = 0.1 the share 0.9⁴ is left."""
    layer = torch.nn.BatchNorm1d(1, dtype=torch.float64)
    layer.running_mean.fill_(1.0)
    for _ in range(4):
        layer(_column(torch, -1, 1)).square().sum().backward()
    return abs(float(layer.running_mean) - 0.9**4) < 1e-9 and int(layer.num_batches_tracked) == 4
