"""What the cards on reasons and choices claim and torch can show."""

from typing import Any


def _random(torch: Any, seed: int, *shape: int) -> Any:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def _same(torch: Any, a: Any, b: Any) -> bool:
    return bool(torch.allclose(a, b, rtol=0.0, atol=1e-9))


def groupnorm_ignores_the_batch(torch: Any) -> bool:
    """GroupNorm gives an image the same output alone and beside another one; BatchNorm does not."""
    images = _random(torch, 36, 2, 4, 3, 3)
    group = torch.nn.GroupNorm(2, 4, dtype=torch.float64)
    batch = torch.nn.BatchNorm2d(4, dtype=torch.float64)
    return _same(torch, group(images)[:1], group(images[:1])) and not _same(
        torch, batch(images)[:1], batch(images[:1])
    )


def new_token_changes_no_earlier_one(torch: Any) -> bool:
    """A sixth token leaves the first five alone in LayerNorm and RMSNorm, but not in BatchNorm over time."""
    tokens = _random(torch, 37, 1, 6, 8)

    def unmoved(norm: Any) -> bool:
        return _same(torch, norm(tokens)[:, :5], norm(tokens[:, :5]))

    kinds = [kind(8, dtype=torch.float64) for kind in (torch.nn.LayerNorm, torch.nn.RMSNorm)]
    batch = torch.nn.BatchNorm1d(8, dtype=torch.float64)
    over_time = unmoved(lambda x: batch(x.transpose(1, 2)).transpose(1, 2))
    return all(unmoved(norm) for norm in kinds) and not over_time


def identity_needs_zero_or_one(torch: Any) -> bool:
    """The block x + 0·relu(W₁x) is x; relu(0·x) is 0, and relu(I·x) is x only where x is not negative."""
    x, inner = _random(torch, 40, 20), _random(torch, 41, 20, 20)
    nothing, one = torch.zeros_like(inner), torch.eye(20, dtype=torch.float64)
    block = x + nothing @ torch.relu(inner @ x)
    plain = torch.relu(one @ x)
    kept = plain == x
    return bool(
        torch.equal(block, x)
        and not torch.relu(nothing @ x).any()
        and torch.equal(kept, x >= 0)
        and not kept.all()
    )


def zeroed_branches_start_as_the_identity(torch: Any) -> bool:
    """Zero γ, a zero last layer, a zero factor and a zero gate all make x + branch equal to x."""
    x, hidden = _random(torch, 44, 5, 4), torch.relu(_random(torch, 45, 5, 4))
    norm = torch.nn.BatchNorm1d(4, dtype=torch.float64).requires_grad_(False)

    def starts(value: float) -> list[bool]:
        """Tell for each branch, with all that is meant to be 0 filled with a value, whether x comes out."""
        norm.weight.fill_(value)
        last, gate = torch.full((4, 4), value).double(), torch.full((4,), value).double()
        branches = [norm(hidden), hidden @ last, value * hidden, gate * hidden]
        return [torch.equal(x + branch, x) for branch in branches]

    return starts(0.0) == [True] * 4 and starts(0.5) == [False] * 4


def what_follows_the_sum_meets_the_stream(torch: Any) -> bool:
    """Beside a zero branch, norm and ReLU leave x alone at the branch's head and change it after the sum."""
    x, zero = _random(torch, 46, 5, 4), torch.zeros(4, 4, dtype=torch.float64)
    norm = torch.nn.LayerNorm(4, dtype=torch.float64)
    moved_in = [x + norm(x) @ zero, x + torch.relu(norm(x)) @ zero]
    behind = [norm(x + x @ zero), torch.relu(x + norm(x @ zero))]
    return all(torch.equal(y, x) for y in moved_in) and not any(_same(torch, y, x) for y in behind)


def flat_directions_have_no_gradient(torch: Any) -> bool:
    """A loss behind BatchNorm has input gradients of sum 0 and weight gradients orthogonal to the weights."""
    x, weight = _random(torch, 47, 16, 5), _random(torch, 48, 5, 3).requires_grad_()
    norm = torch.nn.BatchNorm1d(3, eps=1e-14, dtype=torch.float64)
    z = x @ weight
    loss = (torch.sin(norm(z)) * _random(torch, 49, 16, 3)).sum()
    by_input, by_weight = torch.autograd.grad(loss, (z, weight))
    sums, product = by_input.sum(0), (by_weight * weight.detach()).sum()
    return bool((sums.abs() < 1e-9).all() and product.abs() < 1e-9 and by_input.abs().max() > 0.1)


def only_batchnorm_needs_company(torch: Any) -> bool:
    """Of four norms only BatchNorm treats an example in a batch otherwise than alone, and stores values."""
    x, nn = _random(torch, 50, 3, 4, 5), torch.nn
    norms = [nn.BatchNorm1d(4), nn.LayerNorm(5), nn.RMSNorm(5), nn.GroupNorm(2, 4)]
    coupled = [not _same(torch, norm.double()(x)[:1], norm(x[:1])) for norm in norms]
    stored = [bool(list(norm.buffers())) for norm in norms]
    return coupled == stored == [True, False, False, False]


def sum_catches_a_forgotten_mean(torch: Any) -> bool:
    """BatchNorm's input gradients sum to 0, whatever ε and γ are; with the mean held fixed they do not."""
    x, upstream = _random(torch, 52, 6, 2).requires_grad_(), _random(torch, 53, 6, 2)
    layer = torch.nn.BatchNorm1d(2, eps=0.5, dtype=torch.float64).requires_grad_(False)
    layer.weight.copy_(torch.tensor([2.0, -3.0]))
    (whole,) = torch.autograd.grad(layer(x), x, upstream)
    fixed_mean = layer.weight * (x - x.mean(0).detach()) / (x.var(0, correction=0) + 0.5).sqrt()
    (forgotten,) = torch.autograd.grad(fixed_mean, x, upstream)
    return bool((whole.sum(0).abs() < 1e-9).all() and (forgotten.sum(0).abs() > 1e-3).all())


def only_eval_batchnorm_is_affine(torch: Any) -> bool:
    """f(a+b) + f(0) = f(a) + f(b) holds for eval-mode BatchNorm, not in training, nor for GroupNorm."""
    a, b = _random(torch, 34, 5, 4), _random(torch, 35, 5, 4)
    batch = torch.nn.BatchNorm1d(4, dtype=torch.float64)
    batch(3 + a)

    def affine(f: Any) -> bool:
        return _same(torch, f(a + b) + f(torch.zeros_like(a)), f(a) + f(b))

    in_training = affine(batch)
    group = torch.nn.GroupNorm(2, 4, dtype=torch.float64)
    return affine(batch.eval()) and not in_training and not affine(group)


def freezing_keeps_the_function(torch: Any) -> bool:
    """Frozen BatchNorm gives images what it gave them after pretraining; GroupNorm gives something else."""
    images, nn = _random(torch, 54, 2, 4, 3, 3), torch.nn
    pretrained = nn.BatchNorm2d(4, momentum=1.0, dtype=torch.float64)
    pretrained(5 + 3 * _random(torch, 55, 50, 4, 3, 3))
    before = pretrained.eval()(images)
    model = nn.Sequential(pretrained).train()
    pretrained.eval()
    after = model(images)
    swapped = nn.GroupNorm(2, 4, dtype=torch.float64)(images)
    unfrozen = pretrained.train()(images)
    return _same(torch, after, before) and not any(_same(torch, y, before) for y in (swapped, unfrozen))


def weight_norm_passes_the_input_scale_on(torch: Any) -> bool:
    """Both ignore the length of the weights; 10 times the input gives 10 times the output in one of them."""
    x, v = _random(torch, 56, 16, 5), _random(torch, 57, 3, 5)

    def weight_norm(inputs: Any, weights: Any) -> Any:
        linear = torch.nn.utils.skip_init(torch.nn.Linear, 5, 3, bias=False, dtype=torch.float64)
        layer = torch.nn.utils.parametrizations.weight_norm(linear)
        with torch.no_grad():
            layer.parametrizations.weight.original0.fill_(2.0)
            layer.parametrizations.weight.original1.copy_(weights)
            return layer(inputs)

    def batch_norm(inputs: Any, weights: Any) -> Any:
        norm = torch.nn.BatchNorm1d(3, eps=1e-14, dtype=torch.float64)
        return norm(inputs @ weights.T)

    ignore_length = [_same(torch, f(x, 7 * v), f(x, v)) for f in (weight_norm, batch_norm)]
    passed_on = _same(torch, weight_norm(10 * x, v), 10 * weight_norm(x, v))
    return (
        ignore_length == [True, True] and passed_on and _same(torch, batch_norm(10 * x, v), batch_norm(x, v))
    )


def instancenorm_removes_contrast(torch: Any) -> bool:
    """Another contrast and brightness of an image leaves InstanceNorm's output alone, and not BatchNorm's."""
    images = _random(torch, 58, 2, 3, 4, 4)
    changed = images.clone()
    changed[0] = 0.5 * changed[0] + 4
    instance = torch.nn.InstanceNorm2d(3, eps=1e-14)
    batch = torch.nn.BatchNorm2d(3, eps=1e-14, dtype=torch.float64)
    return _same(torch, instance(changed), instance(images)) and not _same(
        torch, batch(changed), batch(images)
    )
