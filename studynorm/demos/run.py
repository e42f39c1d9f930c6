"""Runs one demo so that it leaves nothing behind: threads, random state and warnings are put back.

The payload is what `studynorm demo NAME --json` prints and what the worker sends.
"""

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from studynorm.demos.demo import JSON, Bench, Demo, DemoFailed, Progress, SettingRefused, Settings
from studynorm.demos.device import choose_device
from studynorm.demos.payload import table_to_json, to_json

_HIGHEST_SEED = 2**53 - 1  # every JSON reader keeps it exactly
_OUT_OF_MEMORY = ("out of memory", "allocate memory", "not enough memory", "buffer size")


def run_demo(
    torch: ModuleType, demo: Demo, settings: Settings, *, seed: int, device: str, progress: Progress
) -> dict[str, JSON]:
    """Return the payload of one run, strict JSON: `payload.payload_to_result` reads it back.

    `settings` come from `read_settings`. `notes` holds what the learner should know besides the summary:
    a device that was not taken, another dtype, torch's own warnings.

    Raises DeviceRefused, SettingRefused (for a seed out of range), and DemoFailed when memory runs out or a
    result is not finite. What `progress` raises goes through.
    """
    if not 0 <= seed <= _HIGHEST_SEED:
        raise SettingRefused(
            f"seed cannot be {seed}: it takes a whole number from 0 to {_HIGHEST_SEED} (default 0)."
        )
    place = choose_device(torch, device)
    dtype, notes = demo.dtype, [place.note] if place.note else []
    if place.name == "mps" and dtype == "float64":
        dtype = "float32"
        notes.append("mps has no float64, so this was computed in float32.")
    with _undisturbed(torch) as heard:
        torch.default_generator.manual_seed(seed)
        try:
            result = demo.compute(torch, settings, Bench(place.name, dtype, seed, progress))
        except (MemoryError, RuntimeError) as error:
            if not _is_out_of_memory(torch, error):
                raise
            if place.name == "cuda":
                torch.cuda.empty_cache()
            raise DemoFailed(
                f"{demo.name} ran out of memory on {place.name}: take smaller settings"
                f"{'' if place.name == 'cpu' else ', or --device cpu'}."
            ) from error
    notes += heard
    version = str(torch.__version__)
    payload = {
        "schema": 1,
        "demo": demo.name,
        "seed": seed,
        "device": place.name,
        "dtype": dtype,
        "torch": version,
        "settings": dict(settings),
        "data": result.data,
        "table": table_to_json(result.table),
        "plots": [to_json(plot) for plot in result.plots],
        "summary": [
            *result.summary,
            f"Measured with torch {version} · {dtype} · {place.name} · seed {seed}.",
        ],
        "notes": notes,
    }
    try:
        plain: dict[str, JSON] = json.loads(json.dumps(payload, allow_nan=False))
    except ValueError as error:
        raise DemoFailed(f"{demo.name} gave a number that is not finite: take smaller settings.") from error
    return plain


@contextmanager
def _undisturbed(torch: ModuleType) -> Iterator[list[str]]:
    """One thread, own random state, and torch's warnings collected (each once) instead of printed."""
    threads, heard = torch.get_num_threads(), list[str]()
    torch.set_num_threads(1)  # two threads made small encoder stacks six times slower
    try:
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield heard
            heard += dict.fromkeys(" ".join(str(warning.message).split()) for warning in caught)
    finally:
        torch.set_num_threads(threads)


def _is_out_of_memory(torch: ModuleType, error: BaseException) -> bool:
    if isinstance(error, MemoryError | torch.cuda.OutOfMemoryError):
        return True
    return any(sign in str(error).lower() for sign in _OUT_OF_MEMORY)
