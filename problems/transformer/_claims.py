"""What the cards on the transformer block claim about PyTorch, as functions that run it."""

from typing import Any


def _random(torch: Any, seed: int, *shape: int) -> Any:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def _same(torch: Any, a: Any, b: Any) -> bool:
    return bool(torch.allclose(a, b, rtol=0.0, atol=1e-9))


def _layer(torch: Any, width: int, hidden: int, **options: Any) -> Any:
    """Return an encoder layer without dropout; PyTorch's own draws leave the global generator as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(80)
        return torch.nn.TransformerEncoderLayer(
            width, 2, hidden, dropout=0.0, batch_first=True, dtype=torch.float64, **options
        )


def _silence(torch: Any, layer: Any) -> Any:
    """Set the last linear layer of both sublayers to zero."""
    with torch.no_grad():
        for module in (layer.self_attn.out_proj, layer.linear2):
            module.weight.zero_()
            module.bias.zero_()
    return layer


def post_ln_by_default(torch: Any) -> bool:
    """With silent branches a default layer is two LayerNorms (post-LN); with norm_first=True it is not."""
    x = 3 + 2 * _random(torch, 81, 2, 4, 8)
    default, first = (_silence(torch, _layer(torch, 8, 16, **more)) for more in ({}, {"norm_first": True}))
    norm = torch.nn.functional.layer_norm
    return _same(torch, default(x), norm(norm(x, (8,)), (8,))) and torch.equal(first(x), x)


def norms_on_the_skips(torch: Any) -> bool:
    """With doublings for norms the skips of 3 blocks multiply by 2⁶ (post), 1 (pre) or 2 (pre and final)."""

    def doubling() -> Any:
        module = torch.nn.Linear(4, 4, bias=False, device="meta")
        module.weight = torch.nn.Parameter(2 * torch.eye(4, dtype=torch.float64))
        return module

    def factor(norm_first: bool, final: bool) -> float:
        blocks = [_silence(torch, _layer(torch, 4, 8, norm_first=norm_first)) for _ in range(3)]
        for block in blocks:
            block.norm1, block.norm2 = doubling(), doubling()
        start = _random(torch, 81, 1, 2, 4).requires_grad_()
        end = torch.nn.Sequential(*blocks, *([doubling()] if final else []))(start)
        return float(torch.autograd.grad(end[0, 0, 0], start)[0][0, 0, 0])

    cases = ((False, False), (True, False), (True, True))
    return [factor(*case) for case in cases] == [64.0, 1.0, 2.0]


def layernorm_jacobian_norm(torch: Any) -> bool:
    """The spectral norm of LayerNorm's Jacobian is 1/√(σ²+ε), which for ε → 0 is √D/‖x−μ‖."""
    x, tidy = 2 + 3 * _random(torch, 82, 7), torch.tensor([0.0, 2.0, 4.0, 6.0], dtype=torch.float64)

    def largest(v: Any, eps: float) -> float:
        jacobian = torch.autograd.functional.jacobian(
            lambda u: torch.nn.functional.layer_norm(u, (len(u),), eps=eps), v
        )
        return float(torch.linalg.matrix_norm(jacobian, 2))

    length = float((x - x.mean()).norm())
    return (
        abs(largest(tidy, 4.0) - 1 / 3) < 1e-9
        and abs(largest(tidy, 1e-12) - 5**-0.5) < 1e-9
        and abs(largest(x, 1e-12) - 7**0.5 / length) < 1e-9
    )


def _stack(torch: Any, norm_first: bool, depth: int, seed: int) -> tuple[Any, Any, Any]:
    """Return the last feed-forward weight, the stream and the normed output of a fresh Xavier stack.

    As in Xiong et al. all biases are 0.
    """
    generator = torch.Generator().manual_seed(seed)
    blocks = [_layer(torch, 32, 128, norm_first=norm_first) for _ in range(depth)]
    for block in blocks:
        for name, parameter in block.named_parameters():
            if parameter.dim() == 2:
                torch.nn.init.xavier_uniform_(parameter, generator=generator)
            elif name.endswith("bias"):
                torch.nn.init.zeros_(parameter)
    stream = _random(torch, seed + 1, 4, 8, 32)
    for block in blocks:
        stream = block(stream)
    output = torch.nn.functional.layer_norm(stream, (32,)) if norm_first else stream
    return blocks[-1].linear2.weight, stream.detach(), output


def last_gradient_by_depth(torch: Any) -> bool:
    """From 4 to 16 fresh blocks the last feed-forward gradient stays in post-LN, about halves in pre-LN."""

    def fall(norm_first: bool) -> float:
        product = 1.0
        for seed in (83, 93, 103):
            norms = []
            for depth in (4, 16):
                weight, _, output = _stack(torch, norm_first, depth, seed)
                loss = (output * _random(torch, seed + 2, 4, 8, 32)).mean()
                norms.append(float(torch.autograd.grad(loss, weight)[0].norm()))
            product *= norms[0] / norms[1]
        return float(product ** (1 / 3))

    # By the theory the ratios are 1 and √(16/4) = 2.
    return abs(fall(norm_first=False) - 1) < 0.3 and abs(fall(norm_first=True) - 2) < 0.4


def only_the_pre_ln_stream_grows(torch: Any) -> bool:
    """From 4 to 16 fresh blocks the pre-LN stream's variance grows about fourfold; post-LN keeps it at 1."""

    def variance(norm_first: bool, depth: int) -> float:
        streams = [_stack(torch, norm_first, depth, seed)[1] for seed in (83, 93, 103)]
        return sum(float(stream.var(-1, correction=0).mean()) for stream in streams) / 3

    pre, post = ([variance(first, depth) for depth in (4, 16)] for first in (True, False))
    return 3 < pre[1] / pre[0] < 5 and pre[0] > 2 and all(abs(value - 1) < 1e-3 for value in post)


def encoder_has_no_final_norm(torch: Any) -> bool:
    """TransformerEncoder's `norm` is None by default, and one that is passed is applied at the end."""
    layer = _silence(torch, _layer(torch, 8, 16, norm_first=True))
    x, nn = 3 + 2 * _random(torch, 81, 2, 4, 8), torch.nn
    bare = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    last = nn.LayerNorm(8, dtype=torch.float64)
    normed = nn.TransformerEncoder(layer, 2, norm=last, enable_nested_tensor=False)
    return (
        bare.norm is None
        and torch.equal(bare(x), x)
        and _same(torch, normed(x), nn.functional.layer_norm(x, (8,)))
    )


def zeroed_block(torch: Any) -> bool:
    """With zeroed last layers and any γ, β a pre-LN block is the identity, a post-LN block LN₂(LN₁(x))."""
    x = 3 + 2 * _random(torch, 81, 2, 4, 8)
    parameters = [_random(torch, seed, 8) for seed in (84, 85, 86, 87)]
    outputs = []
    for norm_first in (True, False):
        layer = _silence(torch, _layer(torch, 8, 16, norm_first=norm_first))
        targets = (layer.norm1.weight, layer.norm1.bias, layer.norm2.weight, layer.norm2.bias)
        with torch.no_grad():
            for target, value in zip(targets, parameters, strict=True):
                target.copy_(value)
            outputs.append(layer(x))
    twice = x
    for gamma, beta in (parameters[:2], parameters[2:]):
        deviations = twice - twice.mean(-1, keepdim=True)
        twice = gamma * deviations / (deviations.square().mean(-1, keepdim=True) + 1e-5).sqrt() + beta
    return torch.equal(outputs[0], x) and _same(torch, outputs[1], twice)


def qk_norm_undoes_growth(torch: Any) -> bool:
    """Queries and keys 10 times as large make logits 100 times as large, and with QK-norm no larger."""
    q, k = _random(torch, 88, 5, 16), _random(torch, 89, 5, 16)

    def normed(v: Any) -> Any:
        return torch.nn.functional.rms_norm(v, (16,), eps=1e-12)

    plain = _same(torch, (10 * q) @ (10 * k).T, 100 * (q @ k.T))
    return plain and _same(torch, normed(10 * q) @ normed(10 * k).T, normed(q) @ normed(k).T)


def qk_norm_bound(torch: Any) -> bool:
    """With RMS-normalized queries and keys of 64 features no logit exceeds 8, and parallel ones reach it."""
    norm = torch.nn.RMSNorm(64, eps=1e-12, dtype=torch.float64)
    q, k = 50 * _random(torch, 88, 200, 64), 0.01 * _random(torch, 89, 200, 64)
    logits = norm(q) @ norm(k).T / 64**0.5
    parallel = (norm(q) * norm(7 * q)).sum(-1) / 64**0.5
    reached = bool((parallel - 8).abs().max() < 1e-9)
    return reached and bool(logits.abs().max() < 8) and bool((norm(q).norm(dim=-1) - 8).abs().max() < 1e-9)


def adaln_zero_starts_as_identity(torch: Any) -> bool:
    """With s, b, a from a zeroed layer the sublayer is the identity, due to a; 1+s and b act as γ and β."""
    x, condition, weight = _random(torch, 81, 4, 6), _random(torch, 82, 4, 3), _random(torch, 83, 6, 6)
    gamma, beta = _random(torch, 84, 6), _random(torch, 85, 6)
    functional = torch.nn.functional

    def sublayer(s: Any, b: Any, a: Any) -> Any:
        return x + a * torch.tanh(((1 + s) * functional.layer_norm(x, (6,)) + b) @ weight)

    computed = functional.linear(condition, torch.zeros(18, 3, dtype=torch.float64))
    branch = torch.tanh(functional.layer_norm(x, (6,), gamma, beta) @ weight)
    return (
        torch.equal(sublayer(*computed.chunk(3, dim=-1)), x)
        and torch.equal(sublayer(gamma - 1, beta, 0.0), x)
        and _same(torch, sublayer(gamma - 1, beta, 1.0), x + branch)
        and not _same(torch, x + branch, x)
    )


def default_feed_forward(torch: Any) -> bool:
    """For the widths 8 and 512 the default hidden width is 2048 both times."""
    layers = [torch.nn.TransformerEncoderLayer(width, 2, device="meta") for width in (8, 512)]
    shapes = [(layer.linear1.out_features, layer.linear2.in_features) for layer in layers]
    return shapes == [(2048, 2048)] * 2


def block_weights(torch: Any) -> bool:
    """A layer of width 24 and hidden width 96 has 4·24² weights in attention and 8·24² after it."""
    layer = torch.nn.TransformerEncoderLayer(24, 2, 96, bias=False, device="meta")
    attention = sum(weight.numel() for weight in layer.self_attn.parameters())
    after = layer.linear1.weight.numel() + layer.linear2.weight.numel()
    return (attention, after, attention + after) == (4 * 576, 8 * 576, 12 * 576)


def swiglu_width(torch: Any) -> bool:
    """For D = 12, three matrices of hidden width 32 and two of hidden width 48 have equally many weights."""

    def weights(*shapes: tuple[int, int]) -> int:
        return sum(torch.nn.Linear(*shape, bias=False, device="meta").weight.numel() for shape in shapes)

    return weights((12, 32), (12, 32), (32, 12)) == weights((12, 48), (48, 12)) == 8 * 12**2


def dropout_values(torch: Any) -> bool:
    """Dropout(0.2) turns 3 into 0 or 3.75, a fifth into 0; mean 3 and variance 0.25·9 follow."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(90)
        y = torch.nn.Dropout(0.2)(torch.full((100_000,), 3.0, dtype=torch.float64))
    dropped, kept = y == 0, (y - 3.75).abs() < 1e-12
    share, mean, variance = float(dropped.double().mean()), float(y.mean()), float(y.var())
    return (
        bool((dropped | kept).all())
        and abs(share - 0.2) < 0.01
        and abs(mean - 3) < 0.03
        and abs(variance - 2.25) < 0.08
    )


def dropout_is_silent_in_eval(torch: Any) -> bool:
    """In eval mode dropout returns its input; in training mode two calls on one input differ."""
    x, layer = _random(torch, 81, 1000), torch.nn.Dropout(0.2)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(90)
        differ = not torch.equal(layer(x), layer(x))
    return differ and torch.equal(layer.eval()(x), x)
