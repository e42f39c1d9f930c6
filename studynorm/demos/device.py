"""Chooses the device of a demo, and makes sure by a small computation that it works."""

import warnings
from dataclasses import dataclass
from types import ModuleType

CHOICES = ("auto", "cpu", "cuda", "mps")


class DeviceRefused(ValueError):
    """A device that is unknown, missing or unusable; the message says how to go on."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device that works, and what the learner should know about the choice (or nothing)."""

    name: str
    note: str = ""


def choose_device(torch: ModuleType, wanted: str) -> Device:
    """Return a device that was seen to work; `auto` takes cuda, then mps, then cpu.

    Raises DeviceRefused for a name that is not one of CHOICES, and for a device that is asked for by
    name and is not there or does not work.
    """
    if wanted not in CHOICES:
        raise DeviceRefused(f"There is no device {wanted[:40]!r}: choose one of {', '.join(CHOICES)}.")
    if wanted == "cpu":
        return Device("cpu")
    note = ""
    for name in ("cuda", "mps") if wanted == "auto" else (wanted,):
        fault = _fault(torch, name)
        if fault is None:
            return Device(name, note)
        if wanted != "auto":
            raise DeviceRefused(
                f"The device {name} {fault}. Use --device cpu, or --device auto to take what works."
            )
        if fault != _MISSING:
            note = f"{name} {fault}, so this ran on the cpu."
    return Device("cpu", note)


_MISSING = "is not available here"


def _fault(torch: ModuleType, name: str) -> str | None:
    """Say what is wrong with a device, or None: is_available() alone may promise what then fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        available = torch.cuda.is_available() if name == "cuda" else torch.backends.mps.is_available()
        if not available:
            return _MISSING
        try:
            ones = torch.ones(2, 2, device=name)
            works = (ones @ ones).sum().item() == 8
        except (RuntimeError, AssertionError) as error:
            return f"is there but does not work ({(str(error).splitlines() or ['no message'])[0][:100]})"
    return None if works else "is there but computes wrongly"
