"""Which layer turned x into y."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en

Rows = tuple[tuple[float, ...], ...]
BATCH = {
    "batch_norm": "BatchNorm in training mode",
    "batch_norm_eval": "BatchNorm in eval mode, running mean 1 and variance 4 in every channel",
    "layer_norm": "LayerNorm over the features",
    "rms_norm": "RMSNorm over the features",
    "group_norm": "GroupNorm with two groups of features",
}
IMAGE = {
    "instance_norm": "InstanceNorm",
    "one_group": "GroupNorm with one group",
    "group_norm": "GroupNorm with two groups",
    "layer_norm": "LayerNorm over the channels at each position",
    "rms_norm": "RMSNorm over the channels at each position",
}
SHARED = {
    "batch_norm": "Each column of $y$ would have mean 0 and variance 1.",
    "batch_norm_eval": "Every entry would be $(x - 1)/2$, whatever stands beside it.",
    "layer_norm": "Each token (or position) would have mean 0 over its features, and not over half of them.",
    "rms_norm": "No mean would be removed: each token (or position) would be its $x$ times one factor.",
    "group_norm": "Each half of the features or channels would have mean 0 and variance 1, no smaller part.",
    "instance_norm": "Each channel, that is each row of $y$, would have mean 0 and variance 1.",
    "one_group": "All of $y$ together would have mean 0 and variance 1, but no smaller part of it.",
}

BELIEFS = {
    "batch_norm": "batch_norm_instead",
    "batch_norm_eval": "eval_stats_instead",
    "layer_norm": "layer_norm_instead",
    "rms_norm": "rms_instead",
    "group_norm": "group_norm_instead",
    "instance_norm": "instance_norm_instead",
    "one_group": "one_group_instead",
}


@dataclass(frozen=True, slots=True)
class Params:
    x: Rows = en.matrix("the input", square=False)
    layout: str = en.option("what rows and columns are", ("batch", "image"), "batch")
    layer: str = en.option("the layer that made y", tuple(BATCH | IMAGE), "layer_norm")


class Identify(en.Family[Params]):
    title = "Which layer did this"
    catalogue = "K5"
    given = Params
    kind = en.Choice()
    levels = {1: en.Level(), 2: en.Level()}
    covers = ("recognize-the-layer", "rows-vs-columns")
    cards = ("card:statistics/batchnorm-image-group", "card:statistics/layernorm-token-group")
    requires = ("other_norms.rows_and_columns",)

    def kind_of(self, p: Params) -> en.Choice:
        return en.Choice(options=tuple(offered(p).values()))

    def draw(self, level: int, rng: en.Rng) -> Params:
        layout = "batch" if level == 1 else "image"
        rows, columns = (3, 4) if level == 1 else (4, 3)
        x = tuple(tuple(float(v) for v in rng.integers(columns, -4, 9)) for _ in range(rows))
        return Params(x, layout, rng.choice(tuple(BATCH if layout == "batch" else IMAGE)))

    def validate(self, p: Params) -> None:
        if p.layer not in offered(p):
            raise en.Refused("layer", f"with layout {p.layout} one of {', '.join(offered(p))} is wanted")
        rows, columns = len(p.x), len(p.x[0])
        if min(rows, columns) < 2 or (columns if p.layout == "batch" else rows) % 2:
            raise en.Refused("x", "two rows and columns or more, and an even number of features or channels")
        if any(abs(value) > 1e4 for row in p.x for value in row):
            raise en.Refused("x", "values from -10000 to 10000 are wanted")
        if any(en.moments(group).var < 1e-6 for name in offered(p) for group in groups(p, name)):
            raise en.Refused("x", "some layer's group holds (nearly) equal values alone, so that ε matters")
        if any(en.mean([v * v for v in token]) < 1e-6 for token in tokens(p)):
            raise en.Refused("x", "some token or position is (nearly) 0 as a whole, so that ε matters")
        outputs = [cents(output(p, name)) for name in offered(p)]
        if any(
            max(abs(a - b) for a, b in zip(one, other, strict=True)) < 5
            for at, one in enumerate(outputs)
            for other in outputs[:at]
        ):
            raise en.Refused("x", "two of the layers give nearly the same output here; take other values")

    def prompt(self, p: Params) -> str:
        what = (
            "Rows are the examples of a batch and columns its features."
            if p.layout == "batch"
            else "It is one example: rows are its channels and columns its positions."
        )
        shown = tuple(tuple(round(value, 2) + 0.0 for value in row) for row in output(p, p.layer))
        return (
            "A layer with scale 1 and no shift turned $x$ into $y$ ($\\varepsilon$ negligible, $y$ rounded). "
            f"{what}\n\n$$x = {en.tex(p.x)}$$\n\n$$y = {en.tex(shown)}$$\n\nWhich layer was it?"
        )

    def solve(self, p: Params) -> int:
        return tuple(offered(p)).index(p.layer)

    def oracle(self, p: Params, torch: Any) -> int:
        # Every layer on offer is run; exactly one gives the output that was shown.
        shown = cents(output(p, p.layer))
        fitting = []
        for place, name in enumerate(offered(p)):
            y = run(p, name, torch).flatten().tolist()
            if max(abs(100 * a - b) for a, b in zip(y, shown, strict=True)) <= 0.51:
                fitting.append(place)
        return fitting[0] if len(fitting) == 1 else -1

    def misconceptions(self, p: Params) -> en.Slips:
        for place, name in enumerate(offered(p)):
            if name != p.layer:
                yield en.Misconception(BELIEFS[name], place, f"{SHARED[name]} Check that on $y$.")

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Add up parts of $y$: which of them have the sum 0, rows, columns, halves or only the whole?",
            "If nothing sums to 0, no mean was removed. Then compare $y$ with $x$ entry by entry.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        found = {
            "batch_norm": "Every column of $y$ sums to 0 and has mean square 1.",
            "batch_norm_eval": "Every entry of $y$ is $(x - 1)/2$.",
            "layer_norm": "Every row of $y$ sums to 0, but not already each half of it."
            if p.layout == "batch"
            else "Every column of $y$ sums to 0, but not already each half of it.",
            "rms_norm": "No part sums to 0: each token or position of $y$ is that of $x$ times one number.",
            "group_norm": "Each half of a row sums to 0."
            if p.layout == "batch"
            else "The upper and the lower half of $y$ each sum to 0, and no single row does.",
            "instance_norm": "Every row of $y$ sums to 0 and has mean square 1.",
            "one_group": "All of $y$ sums to 0, and neither rows nor halves do.",
        }[p.layer]
        return en.Step(found), en.Step(f"So it was {offered(p)[p.layer]}.")


def offered(p: Params) -> dict[str, str]:
    """Return the layers on offer, by name."""
    return BATCH if p.layout == "batch" else IMAGE


def groups(p: Params, name: str) -> tuple[en.Vec, ...]:
    """Return the numbers that share a mean, group by group; none where nothing is shared by a variance."""
    rows, columns = p.x, tuple(zip(*p.x, strict=True))
    half = len(columns if p.layout == "batch" else rows) // 2
    if name == "batch_norm":
        return columns
    if name == "instance_norm":
        return rows
    if name == "layer_norm":
        return tokens(p)
    if name == "group_norm" and p.layout == "batch":
        return tuple(part for row in rows for part in (row[:half], row[half:]))
    if name == "group_norm":
        return tuple(tuple(v for row in part for v in row) for part in (rows[:half], rows[half:]))
    return (tuple(v for row in rows for v in row),) if name == "one_group" else ()


def tokens(p: Params) -> Rows:
    """Return what RMSNorm and LayerNorm take one by one: the examples, or the positions of the image."""
    return p.x if p.layout == "batch" else tuple(zip(*p.x, strict=True))


def output(p: Params, name: str) -> Rows:
    """Return what a layer makes of x, without torch and with ε = 0."""
    rows = p.x
    if name == "batch_norm_eval":
        return tuple(tuple((v - 1) / 2 for v in row) for row in rows)
    if name == "rms_norm":
        scaled = [[v / en.mean([u * u for u in token]) ** 0.5 for v in token] for token in tokens(p)]
        return tuple(map(tuple, scaled if p.layout == "batch" else zip(*scaled, strict=True)))
    parts = [en.moments(group).hat() for group in groups(p, name)]
    width = len(rows[0])
    if name == "batch_norm" or (name == "layer_norm" and p.layout == "image"):
        return tuple(zip(*parts, strict=True))
    flat = [v for part in parts for v in part]
    return tuple(tuple(flat[at : at + width]) for at in range(0, len(flat), width))


def cents(rows: Rows) -> list[float]:
    """Return all entries in hundredths, rounded."""
    return [round(100 * value) for row in rows for value in row]


def run(p: Params, name: str, torch: Any) -> Any:
    """Return what PyTorch's own layer makes of x."""
    functional, x = torch.nn.functional, torch.tensor(p.x, dtype=torch.float64)
    if name == "batch_norm":
        return functional.batch_norm(x, None, None, training=True, eps=1e-12)
    if name == "batch_norm_eval":
        ones = torch.ones(x.shape[1], dtype=torch.float64)
        return functional.batch_norm(x, ones, 4 * ones, training=False, eps=0.0)
    channels = x if p.layout == "batch" else x.unsqueeze(0)
    if name == "instance_norm":
        return functional.instance_norm(channels, eps=1e-12)
    if name in {"one_group", "group_norm"}:
        return functional.group_norm(channels, 1 if name == "one_group" else 2, eps=1e-12)
    turned = x if p.layout == "batch" else x.T
    norm = functional.layer_norm if name == "layer_norm" else functional.rms_norm
    y = norm(turned, turned.shape[1:], eps=1e-12)
    return y if p.layout == "batch" else y.T


FAMILY = Identify()
