"""The product of layer derivatives of 50 scalar layers, plain and residual, held in the log domain."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType

from studynorm.demos.demo import Bench, Demo, Plot, Result, Series, Setting, Settings, Table

_LN10 = math.log(10)
_MARGIN = 0.01  # decades kept from both ends of a dtype's range, where a logarithm cannot tell inf from max
_TABLE_ROWS = 5  # steps between the depths that the table shows


@dataclass(frozen=True, slots=True)
class _Products:
    """Products of the first 0, 1, …, L factors: log10 of the size (None for 0) and the sign (-1, 0, 1)."""

    log10: tuple[float | None, ...]
    sign: tuple[int, ...]


def _compute(torch: ModuleType, settings: Settings, bench: Bench) -> Result:
    depth, size = settings.whole("depth"), settings.real("size")
    up = settings.word("signs") == "all_plus"
    derivatives = [size if up or layer % 2 == 0 else -size for layer in range(depth)]
    plain, residual = _closed_form(derivatives, 0.0), _closed_form(derivatives, 1.0)
    bench.progress(0.2, "closed form")
    seen_plain = _autograd(torch, derivatives, bench, residual=False)
    bench.progress(0.6, "autograd, plain")
    seen_residual = _autograd(torch, derivatives, bench, residual=True)
    bench.progress(1.0, "autograd, residual")
    limits = torch.finfo(getattr(torch, bench.dtype))
    low, high = math.log10(limits.tiny) + _MARGIN, math.log10(limits.max) - _MARGIN
    gaps = _gaps(plain, seen_plain, low, high) + _gaps(residual, seen_residual, low, high)
    depths = range(depth + 1)
    final = {
        "plain": {"log10": plain.log10[-1], "sign": plain.sign[-1], "value": _value(plain)},
        "residual": {"log10": residual.log10[-1], "sign": residual.sign[-1], "value": _value(residual)},
    }
    return Result(
        data={
            "depth": list(depths),
            "plain": {"log10": plain.log10, "sign": plain.sign},
            "residual": {"log10": residual.log10, "sign": residual.sign},
            "final": final,
            "autograd": {
                "plain": seen_plain[-1],
                "residual": seen_residual[-1],
                "compared": len(gaps),
                "max_difference": max(gaps),
            },
        },
        plots=(
            Plot(
                title="Size of the product of layer derivatives",
                x_label="layers passed",
                y_label="|product|",
                series=(_series("plain", plain), _series("residual", residual)),
                log_y=True,
                y_is_log10=True,
            ),
        ),
        table=Table(
            name="Product after so many layers",
            header=("layers", "plain", "residual"),
            rows=tuple(
                (n, _text(plain, n), _text(residual, n))
                for n in sorted({round(depth * k / _TABLE_ROWS) for k in range(_TABLE_ROWS + 1)})
            ),
        ),
        summary=(
            f"At depth {depth} with derivatives of size {size:g} the plain product is {_text(plain, depth)}.",
            f"With the skip connection each factor is 1 + a, and the product is {_text(residual, depth)}.",
            f"Autograd gives the same: {len(gaps)} compared, largest relative difference {max(gaps):.0e}"
            f"{'.' if len(gaps) == 2 * depth + 2 else '; the others leave the range of a float.'}",
        ),
    )


def _closed_form(derivatives: Sequence[float], skip: float) -> _Products:
    """Products of `skip + a` from counts and powers, one logarithm for each different factor."""
    log10: list[float | None] = []
    sign: list[int] = []
    counts: dict[float, int] = {}
    for n in range(len(derivatives) + 1):
        if n:
            counts[derivatives[n - 1]] = counts.get(derivatives[n - 1], 0) + 1
        factors = {skip + a: count for a, count in counts.items()}
        if 0.0 in factors:
            log10.append(None)
            sign.append(0)
            continue
        log10.append(
            sum(
                count * (math.log1p(a) / _LN10 if skip and a > -1 else math.log10(abs(skip + a)))
                for a, count in counts.items()
            )
        )
        sign.append(-1 if sum(count for factor, count in factors.items() if factor < 0) % 2 else 1)
    return _Products(tuple(log10), tuple(sign))


def _autograd(
    torch: ModuleType, derivatives: Sequence[float], bench: Bench, *, residual: bool
) -> list[float | None]:
    """Gradient of the output after passing back through 0, 1, …, L layers; None where it is not finite.

    The last layer of the stack has the first derivative, so that one backward pass meets the layers in order.
    """
    a = torch.tensor(list(derivatives), dtype=getattr(torch, bench.dtype)).to(bench.device)
    h = torch.ones((), dtype=a.dtype).to(bench.device).requires_grad_()
    hidden = [h]
    for layer in reversed(range(len(derivatives))):
        h = h + a[layer] * h if residual else a[layer] * h
        hidden.append(h)
    gradients = torch.stack(torch.autograd.grad(h, hidden)).flip(0).tolist()
    return [g if math.isfinite(g) else None for g in gradients]


def _gaps(closed: _Products, seen: Sequence[float | None], low: float, high: float) -> list[float]:
    """Relative differences wherever the product is within the normal numbers of the dtype, or exactly 0."""
    gaps = []
    for log10, sign, gradient in zip(closed.log10, closed.sign, seen, strict=True):
        if log10 is None:
            gaps.append(0.0 if gradient == 0 else 1.0)
        elif low < log10 < high:
            size = 0.0 if gradient is None else gradient * sign
            gaps.append(abs(math.expm1((math.log10(size) - log10) * _LN10)) if size > 0 else 1.0)
    return gaps


def _series(name: str, products: _Products) -> Series:
    y = tuple(-math.inf if log10 is None else log10 for log10 in products.log10)
    return Series(name=name, x=tuple(float(n) for n in range(len(y))), y=y)


def _value(products: _Products) -> float | None:
    """Return the last product as a float, None where it would underflow to 0 or overflow."""
    log10 = products.log10[-1]
    if log10 is None:
        return 0.0
    return products.sign[-1] * 10**log10 if -307 < log10 < 308 else None


def _text(products: _Products, n: int) -> str:
    """Write the product after n layers, however large or small: `0.77782`, `-1e-50`, `1.7e512`."""
    log10, sign = products.log10[n], "-" if products.sign[n] < 0 else ""
    if log10 is None:
        return "0"
    if -4 <= log10 < 6:
        return f"{sign}{10**log10:.5g}"
    exponent = math.floor(log10)
    digits = round(10 ** (log10 - exponent), 3)
    return f"{sign}{digits:g}e{exponent}" if digits < 10 else f"{sign}1e{exponent + 1}"


DEMO = Demo(
    name="residual_product",
    title="Plain and residual products",
    question=(
        "50 scalar layers: 25 have derivative $+0.1$ and 25 have $-0.1$. The plain stack multiplies them to "
        "$10^{-50}$ in size. What does a residual stack get, where each factor is $1 + a$?"
    ),
    options=("about $10^{-25}$", "about 0.78", "exactly 1", "about 117"),
    right=1,
    explanation=(
        "One layer of each sign multiplies to $1.1 \\cdot 0.9 = 0.99$, and $0.99^{25} = 0.778$. "
        "It is 117 only if all signs are $+$."
    ),
    settings=(
        Setting("depth", "depth", "int", 50, 1, 1000, unit="layers", help="number of layers"),
        Setting("size", "size s", "float", 0.1, 0, 3, help="size of every layer derivative"),
        Setting(
            "signs",
            "signs",
            "choice",
            "alternating",
            choices=("alternating", "all_plus"),
            help="the layer derivatives are +s, -s, +s, … or all +s",
        ),
    ),
    dtype="float64",
    compute=_compute,
    see=("family:residual.product",),
)
