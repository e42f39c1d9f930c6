"""What the cards on shared statistics and counts claim about PyTorch, as functions that run it.

Groups are measured and not read off a formula: the inputs with a nonzero derivative of one output entry are
exactly the numbers in that entry's group.
"""

from collections.abc import Callable
from typing import Any


def _random(torch: Any, *shape: int) -> Any:
    generator = torch.Generator().manual_seed(31)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def _reach(torch: Any, layer: Callable[[Any], Any], shape: tuple[int, ...], entry: tuple[int, ...]) -> Any:
    """Return the mask of the inputs that one output entry depends on."""
    x = _random(torch, *shape).requires_grad_()
    layer(x)[entry].backward()
    return x.grad.abs() > 1e-9


def _batch_norm(torch: Any) -> Callable[[Any], Any]:
    return lambda x: torch.nn.functional.batch_norm(x, None, None, training=True)


def _token_batch_norm(torch: Any) -> Callable[[Any], Any]:
    return lambda x: _batch_norm(torch)(x.transpose(1, 2)).transpose(1, 2)


def _numbers(tensors: Any) -> int:
    return sum(tensor.numel() for tensor in tensors)


def batchnorm_group(torch: Any) -> bool:
    """On (N, C, H, W) = (2, 3, 4, 5) a BatchNorm output depends on the 2·4·5 values of its channel."""
    mask = _reach(torch, _batch_norm(torch), (2, 3, 4, 5), (0, 1, 2, 3))
    return bool(mask[:, 1].all()) and int(mask.sum()) == 2 * 4 * 5


def layernorm_group(torch: Any) -> bool:
    """On (B, T, D) = (2, 3, 5) LayerNorm's and RMSNorm's outputs depend on the 5 features of their token."""
    functional = torch.nn.functional
    layers = (lambda x: functional.layer_norm(x, (5,)), lambda x: functional.rms_norm(x, (5,)))
    masks = [_reach(torch, layer, (2, 3, 5), (1, 2, 3)) for layer in layers]
    return all(bool(mask[1, 2].all()) and int(mask.sum()) == 5 for mask in masks)


def batchnorm_mean_dims(torch: Any) -> bool:
    """Averaging over the dimensions (0, 2, 3) gives the means that BatchNorm2d stores with momentum 1."""
    layer = torch.nn.BatchNorm2d(3, momentum=1.0, dtype=torch.float64)
    x = _random(torch, 2, 3, 4, 5)
    layer(x)
    means = x.mean(dim=(0, 2, 3))
    return means.shape == (3,) and bool(torch.allclose(means, layer.running_mean))


def groupnorm_group(torch: Any) -> bool:
    """On (2, 6, 4, 5) with 2 groups a GroupNorm output depends on the 3·4·5 values of its group."""
    mask = _reach(torch, lambda x: torch.nn.functional.group_norm(x, 2), (2, 6, 4, 5), (1, 4, 0, 0))
    return bool(mask[1, 3:].all()) and int(mask.sum()) == 3 * 4 * 5


def instancenorm_group(torch: Any) -> bool:
    """On (2, 3, 4, 5) an InstanceNorm output depends on the 4·5 values of its channel in its example."""
    mask = _reach(torch, torch.nn.functional.instance_norm, (2, 3, 4, 5), (1, 2, 0, 0))
    return bool(mask[1, 2].all()) and int(mask.sum()) == 4 * 5


def means_on_images(torch: Any) -> bool:
    """On (2, 6, 4, 5) BatchNorm has 6 groups, GroupNorm with 3 groups 2·3, and InstanceNorm 2·6."""
    functional = torch.nn.functional
    layers = (
        (_batch_norm(torch), 6),
        (lambda x: functional.group_norm(x, 3), 6),
        (lambda x: functional.group_norm(x, 2), 4),
        (functional.instance_norm, 12),
    )
    size = 2 * 6 * 4 * 5
    return all(
        int(_reach(torch, layer, (2, 6, 4, 5), (0, 0, 0, 0)).sum()) * groups == size
        for layer, groups in layers
    )


def only_batchnorm_couples_examples(torch: Any) -> bool:
    """Of five layers on images only BatchNorm's output for one example depends on another example."""
    functional = torch.nn.functional
    per_example = (
        lambda x: functional.layer_norm(x, (6, 4, 5)),
        lambda x: functional.rms_norm(x, (6, 4, 5)),
        lambda x: functional.group_norm(x, 2),
        functional.instance_norm,
    )
    shape, entry = (3, 6, 4, 5), (0, 0, 0, 0)
    apart = not any(bool(_reach(torch, layer, shape, entry)[1:].any()) for layer in per_example)
    return apart and bool(_reach(torch, _batch_norm(torch), shape, entry)[1:].any())


def padding_shifts_batchnorm(torch: Any) -> bool:
    """Zero tokens appended to a sequence change BatchNorm's output for the real ones, and not LayerNorm's."""
    x = _random(torch, 2, 3, 4) + 1
    padded = torch.cat([x, torch.zeros(2, 2, 4, dtype=torch.float64)], dim=1)
    batch_norm, functional = _token_batch_norm(torch), torch.nn.functional
    shifted = (batch_norm(padded)[:, :3] - batch_norm(x)).abs().max() > 0.1
    same = torch.allclose(functional.layer_norm(padded, (4,))[:, :3], functional.layer_norm(x, (4,)))
    return bool(shifted) and bool(same)


def batchnorm_sees_the_future(torch: Any) -> bool:
    """With statistics over batch and time, BatchNorm mixes later tokens and other sequences into a token."""
    mask = _reach(torch, _token_batch_norm(torch), (2, 5, 3), (0, 1, 0))
    return bool(mask[0, 2:, 0].all()) and bool(mask[1, :, 0].all()) and not bool(mask[..., 1:].any())


def learned_counts(torch: Any) -> bool:
    """BatchNorm2d(16) and GroupNorm(4, 16) learn 32 numbers, LayerNorm(4096) 8192, RMSNorm(4096) 4096."""
    nn = torch.nn
    layers = (
        nn.BatchNorm2d(16),
        nn.GroupNorm(4, 16),
        nn.LayerNorm(4096),
        nn.RMSNorm(4096),
    )
    return [_numbers(layer.parameters()) for layer in layers] == [32, 32, 8192, 4096]


def stored_counts(torch: Any) -> bool:
    """BatchNorm2d(16) stores 32 running values, and 33 numbers in its buffers altogether."""
    layer = torch.nn.BatchNorm2d(16)
    return layer.running_mean.numel() + layer.running_var.numel() == 32 and _numbers(layer.buffers()) == 33


def layernorm_takes_the_last_axis(torch: Any) -> bool:
    """LayerNorm(64) on (2, 64, 8, W) raises for W = 9 and normalizes over the width for W = 64."""
    layer = torch.nn.LayerNorm(64, dtype=torch.float64)
    try:
        layer(_random(torch, 2, 64, 8, 9))
    except RuntimeError:
        y = layer(_random(torch, 2, 64, 8, 64) + 5).detach()
        return bool(y.mean(dim=3).abs().max() < 1e-9) and bool(y.mean(dim=1).abs().max() > 0.01)
    return False


def batchnorm1d_takes_axis_one(torch: Any) -> bool:
    """BatchNorm1d(6) on (4, L, 6) raises for L = 5; for L = 6 it normalizes positions and not features."""
    layer = torch.nn.BatchNorm1d(6, dtype=torch.float64)
    try:
        layer(_random(torch, 4, 5, 6))
    except RuntimeError:
        y = layer(_random(torch, 4, 6, 6) + 5).detach()
        return bool(y.mean(dim=(0, 2)).abs().max() < 1e-9) and bool(y.mean(dim=(0, 1)).abs().max() > 0.01)
    return False


def batchnorm_columns_layernorm_rows(torch: Any) -> bool:
    """On a table BatchNorm gives every column the mean 0 and LayerNorm every row, not the other way round."""
    x = _random(torch, 5, 4) + 3
    columns, rows = _batch_norm(torch)(x), torch.nn.functional.layer_norm(x, (4,))

    def centered(y: Any, dim: int) -> bool:
        return bool(y.mean(dim).abs().max() < 1e-9)

    return [centered(y, dim) for y in (columns, rows) for dim in (0, 1)] == [True, False, False, True]


def layernorm_mean_dim(torch: Any) -> bool:
    """Subtracting `x.mean(dim=-1)`, of shape (B, T), from each token reproduces LayerNorm."""
    x = _random(torch, 2, 3, 5) + 1
    means = x.mean(dim=-1)
    deviations = x - means.unsqueeze(-1)
    by_hand = deviations / (deviations.square().mean(-1, keepdim=True) + 1e-5).sqrt()
    return means.shape == (2, 3) and bool(torch.allclose(torch.nn.functional.layer_norm(x, (5,)), by_hand))


def groupnorm_mean_by_reshape(torch: Any) -> bool:
    """Reshaped to (N, G, rest) and standardized over axis 2, a tensor is what GroupNorm returns."""
    x = _random(torch, 2, 6, 4, 5) + 1
    gathered = x.reshape(2, 3, -1)
    means = gathered.mean(dim=2)
    deviations = gathered - means.unsqueeze(2)
    by_hand = (deviations / (deviations.square().mean(2, keepdim=True) + 1e-5).sqrt()).reshape(x.shape)
    return means.shape == (2, 3) and bool(torch.allclose(torch.nn.functional.group_norm(x, 3), by_hand))


def instancenorm_mean_dims(torch: Any) -> bool:
    """Averaged over (2, 3) and stored with momentum 1, the means are those that InstanceNorm2d tracks."""
    x = _random(torch, 2, 3, 4, 5) + 1
    layer = torch.nn.InstanceNorm2d(3, momentum=1.0, track_running_stats=True, dtype=torch.float64)
    layer(x[:1])
    means = x.mean(dim=(2, 3))
    return means.shape == (2, 3) and bool(torch.allclose(means[0], layer.running_mean))


def groupnorm_ignores_the_batch_size(torch: Any) -> bool:
    """An image comes out of GroupNorm the same alone and in a batch of 64; out of BatchNorm it does not."""
    x, functional = _random(torch, 64, 4, 3, 3), torch.nn.functional
    alone, among = functional.group_norm(x[:1], 2), functional.group_norm(x, 2)[:1]
    batch_norm = _batch_norm(torch)
    differs = (batch_norm(x[:1]) - batch_norm(x)[:1]).abs().max() > 0.1
    return bool(torch.allclose(alone, among)) and bool(differs)


def layernorm_ignores_batch_and_length(torch: Any) -> bool:
    """A token comes out of LayerNorm the same by itself and among 7 tokens of 4 sequences."""
    x, functional = _random(torch, 4, 7, 5), torch.nn.functional
    alone = functional.layer_norm(x[2:3, 3:4], (5,))
    among = functional.layer_norm(x, (5,))[2:3, 3:4]
    token_norm = _token_batch_norm(torch)
    differs = (token_norm(x[2:3])[:, 3] - token_norm(x)[2:3, 3]).abs().max() > 0.1
    return bool(torch.allclose(alone, among)) and bool(differs)


def groupnorm_learns_per_channel(torch: Any) -> bool:
    """GroupNorm(G, 12) learns 24 numbers for every G, a weight and a bias of 12 entries each."""
    layers = [torch.nn.GroupNorm(groups, 12) for groups in (1, 2, 3, 4, 6, 12)]
    return all([tuple(p.shape) for p in layer.parameters()] == [(12,), (12,)] for layer in layers)


def norms_of_a_transformer(torch: Any) -> bool:
    """Twelve pre-LN blocks and a final norm hold 25 LayerNorms, which learn 50 numbers per feature."""
    nn = torch.nn
    with torch.device("meta"):
        block = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True)
        model = nn.TransformerEncoder(block, 12, norm=nn.LayerNorm(8), enable_nested_tensor=False)
    norms = [module for module in model.modules() if isinstance(module, nn.LayerNorm)]
    return len(norms) == 25 and sum(_numbers(norm.parameters()) for norm in norms) == 50 * 8
