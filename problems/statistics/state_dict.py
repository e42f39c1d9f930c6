"""What a normalization layer keeps: which keys are saved, and which of them are learned."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en

LAYERS: dict[str, tuple[str, dict[str, bool]]] = {
    "bn": ("BatchNorm2d", {}),
    "bn-no-affine": ("BatchNorm2d", {"affine": False}),
    "bn-no-track": ("BatchNorm2d", {"track_running_stats": False}),
    "ln": ("LayerNorm", {}),
    "ln-no-bias": ("LayerNorm", {"bias": False}),
    "rms": ("RMSNorm", {}),
    "gn": ("GroupNorm", {}),
    "in": ("InstanceNorm2d", {}),
    "in-affine": ("InstanceNorm2d", {"affine": True}),
    "in-track": ("InstanceNorm2d", {"track_running_stats": True}),
}
LEARNED = ("weight", "bias")
BUFFERS = ("running_mean", "running_var", "num_batches_tracked")
ASKED = ("saved", "learned")
ROWS = tuple(
    f"{layer}:{key}:{asked}"
    for layer in LAYERS
    for key in ("weight", "bias", "running_mean", "num_batches_tracked")
    for asked in ASKED
)


@dataclass(frozen=True, slots=True)
class Params:
    width: int = en.whole("the number of channels or features", 64, low=1, high=2**16)
    a: str = en.option("case A, as layer:key:question", ROWS, "bn:running_mean:saved")
    b: str = en.option("case B, as layer:key:question", ROWS, "bn:running_mean:learned")
    c: str = en.option("case C, as layer:key:question", ROWS, "bn:num_batches_tracked:saved")
    d: str = en.option("case D, as layer:key:question", ROWS, "rms:bias:saved")
    e: str = en.option("case E, as layer:key:question", ROWS, "in:weight:saved")


SLIPS = ("buffers_not_saved", "running_counted_as_learned", "counter_forgotten", "rms_has_bias")


class StateDict(en.Family[Params]):
    title = "What a norm saves and what it learns"
    catalogue = "C11"
    given = Params
    kind = en.YesNo()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS, "batchnorm_defaults_assumed")}
    covers = ("buffers-vs-parameters", "rmsnorm-parameter-saving", "instancenorm-defaults")
    cards = (
        "card:running_stats/three-buffers",
        "card:running_stats/buffers-not-parameters",
        "card:other_norms/rmsnorm-parameters",
        "card:other_norms/instancenorm-state",
    )
    requires = ("statistics.batchnorm_count", "statistics.layernorm_count")

    def draw(self, level: int, rng: en.Rng) -> Params:
        tracked = ("bn",) if level == 1 else ("bn", "bn-no-affine", "in-track")
        other = (
            ("ln:bias:saved", "ln:running_mean:saved", "gn:weight:learned", "bn:weight:learned")
            if level == 1
            else ("bn-no-affine:weight:saved", "bn-no-track:running_mean:saved", "ln-no-bias:bias:saved",
                  "in:weight:saved", "in:running_mean:saved", "in-track:weight:saved",
                  "in-affine:running_mean:saved", "gn:running_mean:saved", "gn:num_batches_tracked:saved")
        )  # fmt: skip
        rows = (
            f"{rng.choice(tracked)}:running_mean:saved",
            f"{rng.choice(tracked)}:{rng.choice(('running_mean', 'num_batches_tracked'))}:learned",
            f"{rng.choice(tracked)}:num_batches_tracked:saved",
            f"rms:bias:{rng.choice(ASKED)}",
            rng.choice(other),
        )
        return Params(rng.choice((16, 32, 64, 128, 256)), *rng.shuffled(rows))

    def prompt(self, p: Params) -> str:
        layers = "\n".join(
            f"- **{letter}**: `{code(row.split(':')[0], p.width)}`" for letter, row in lettered(p)
        )
        return (
            f"Five new PyTorch layers for {en.tex(p.width)} channels or features:\n\n{layers}\n\nWhat is "
            "true? (Saved: the key is in the layer's `state_dict()`. Learned: it is one of its "
            "`parameters()`.)"
        )

    def kind_of(self, p: Params) -> en.YesNo:
        return en.YesNo(
            labels=tuple("{}: `{}` is {}".format(letter, *row.split(":")[1:]) for letter, row in lettered(p))
        )

    def solve(self, p: Params) -> tuple[int, ...]:
        return tuple(holds(row) for _, row in lettered(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        found = []
        for _, row in lettered(p):
            layer, key, asked = row.split(":")
            name, flags = LAYERS[layer]
            sizes = (1, p.width) if name == "GroupNorm" else (p.width,)
            made = getattr(torch.nn, name)(*sizes, **flags, device="meta")
            keys = made.state_dict() if asked == "saved" else dict(made.named_parameters())
            found.append(int(key in keys))
        return tuple(found)

    def misconceptions(self, p: Params) -> en.Slips:
        def believed(row: str, belief: str) -> int:
            layer, key, asked = row.split(":")
            if belief == "buffers_not_saved" and key in BUFFERS and asked == "saved":
                return 0
            if belief == "running_counted_as_learned" and key in BUFFERS and asked == "learned":
                return holds(f"{layer}:{key}:saved")
            if belief == "counter_forgotten" and key == "num_batches_tracked":
                return 0
            if belief == "rms_has_bias" and layer == "rms" and key == "bias":
                return 1
            if belief == "batchnorm_defaults_assumed" and layer != "rms":
                return holds(f"bn:{key}:{asked}")
            return holds(row)

        whys = {
            "buffers_not_saved": "Buffers are saved: `state_dict()` holds parameters and buffers alike.",
            "running_counted_as_learned": "Buffers are measured, not learned: they are saved but not among "
            "`parameters()`.",
            "counter_forgotten": "Besides mean and variance, the layer keeps and saves the counter "
            "`num_batches_tracked`.",
            "rms_has_bias": r"RMSNorm has only the scale `weight` ($\gamma$); there is no `bias`.",
            "batchnorm_defaults_assumed": "That is what BatchNorm has by default. Look at the flags and the "
            "class: LayerNorm and GroupNorm keep no running statistics, and InstanceNorm keeps nothing "
            "unless told.",
        }
        for belief, why in whys.items():
            value = tuple(believed(row, belief) for _, row in lettered(p))
            yield en.Misconception(belief, value, why)

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Parameters are learned by the optimizer; buffers are kept by the forward pass. Both are saved.",
            r"`weight` and `bias` are $\gamma$ and $\beta$; running statistics and the counter are buffers. "
            "Which layers keep running statistics at all?",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        words = []
        for letter, row in lettered(p):
            layer, key = row.split(":")[:2]
            if key not in state(layer):
                reason = f"this layer has no `{key}`"
            elif key in BUFFERS:
                reason = f"`{key}` is a buffer: saved, not learned"
            else:
                reason = f"`{key}` is a parameter: saved and learned"
            words.append(en.Step(f"{letter}: {reason}. So **{('no', 'yes')[holds(row)]}**."))
        return tuple(words)


def lettered(p: Params) -> tuple[tuple[str, str], ...]:
    return tuple(zip("ABCDE", (p.a, p.b, p.c, p.d, p.e), strict=True))


def code(layer: str, width: int) -> str:
    name, flags = LAYERS[layer]
    sizes = ["1"] if name == "GroupNorm" else []
    return f"nn.{name}({', '.join([*sizes, str(width), *(f'{flag}={on}' for flag, on in flags.items())])})"


def state(layer: str) -> tuple[str, ...]:
    """Return the keys that a layer has."""
    name, flags = LAYERS[layer]
    instance = name == "InstanceNorm2d"
    affine = flags.get("affine", not instance)
    tracked = flags.get("track_running_stats", name == "BatchNorm2d")
    learned = ("weight",) if name == "RMSNorm" or not flags.get("bias", True) else LEARNED
    return (learned if affine else ()) + (BUFFERS if tracked else ())


def holds(row: str) -> int:
    layer, key, asked = row.split(":")
    return int(key in state(layer) and (asked == "saved" or key in LEARNED))


FAMILY = StateDict()
