"""Running a demo: devices, what is put back, what is refused, and the way through JSON."""

import json
import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
import torch

from studynorm.demos.demo import (
    Bench,
    Demo,
    DemoFailed,
    Plot,
    Result,
    Series,
    SettingRefused,
    Settings,
    Table,
)
from studynorm.demos.device import DeviceRefused, choose_device
from studynorm.demos.payload import payload_to_result
from studynorm.demos.registry import demos
from studynorm.demos.run import run_demo

Action = Callable[[ModuleType, Bench], Result]
EMPTY = Result(data={}, plots=(), table=Table("", (), ()), summary=())


def _demo(action: Action, dtype: str = "float32") -> Demo:
    def compute(torch_module: ModuleType, settings: Settings, bench: Bench, /) -> Result:
        return action(torch_module, bench)

    return replace(demos()["residual_product"], name="trial", settings=(), dtype=dtype, compute=compute)


def _run(action: Action, seed: int = 0, device: str = "cpu", dtype: str = "float32") -> dict[str, Any]:
    return run_demo(
        torch,
        _demo(action, dtype),
        Settings(),
        seed=seed,
        device=device,
        progress=lambda fraction, text: None,
    )


def _raise(error: BaseException) -> Result:
    raise error


def test_the_payload_is_complete() -> None:
    """The payload says what ran, where and with which settings."""
    payload = _run(lambda torch_module, bench: replace(EMPTY, data={"a": [1, 2.5]}), seed=3)
    assert payload["schema"] == 1
    assert (payload["demo"], payload["seed"], payload["device"], payload["dtype"]) == (
        "trial",
        3,
        "cpu",
        "float32",
    )
    assert payload["torch"] == torch.__version__
    assert payload["settings"] == {}
    assert payload["data"] == {"a": [1, 2.5]}
    assert payload["notes"] == []


def test_random_state_and_threads_are_put_back() -> None:
    """A demo draws from its own seed and leaves torch's random state and thread count as they were."""
    threads = torch.get_num_threads()
    torch.manual_seed(11)
    expected = torch.rand(3).tolist()
    torch.manual_seed(11)

    def draws(torch_module: ModuleType, bench: Bench) -> Result:
        assert torch_module.get_num_threads() == 1
        return replace(EMPTY, data={"drawn": torch_module.rand(2).tolist()})

    first, second = (_run(draws, seed=5)["data"]["drawn"] for _ in range(2))
    assert first == second
    assert torch.rand(3).tolist() == expected
    assert torch.get_num_threads() == threads


def test_everything_is_put_back_after_a_failure() -> None:
    """When a demo breaks, the error goes through and the threads are as before."""
    threads = torch.get_num_threads()
    with pytest.raises(ValueError, match="bug"):
        _run(lambda torch_module, bench: _raise(ValueError("bug")))
    assert torch.get_num_threads() == threads


def test_warnings_are_notes() -> None:
    """What torch warns about while a demo runs is in the notes, each warning once, and printed nowhere."""

    def warns(torch_module: ModuleType, bench: Bench) -> Result:
        for _ in range(3):
            warnings.warn("lazy\ninitialization", UserWarning, stacklevel=1)
        return EMPTY

    assert _run(warns)["notes"] == ["lazy initialization"]


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
        RuntimeError(
            "[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes."
        ),
    ],
)
def test_out_of_memory_ends_the_demo_only(error: BaseException) -> None:
    """Every way in which memory runs out becomes one line that says to take smaller settings."""
    with pytest.raises(DemoFailed, match=r"^trial ran out of memory on cpu: take smaller settings\.$"):
        _run(lambda torch_module, bench: _raise(error))


def test_a_real_allocation_that_is_too_large() -> None:
    """An allocation of a million terabytes fails in torch itself and is reported the same way."""
    with pytest.raises(DemoFailed, match="out of memory"):
        _run(lambda torch_module, bench: replace(EMPTY, data={"n": torch_module.empty(2**58).numel()}))


def test_other_runtime_errors_go_through() -> None:
    """A mistake in a demo is not taken for a lack of memory."""
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        _run(lambda torch_module, bench: torch_module.ones(2, 3) @ torch_module.ones(2, 3))


def test_data_that_are_not_finite_are_refused() -> None:
    """A nan in the data would be no JSON: the demo fails with a line that says so."""
    with pytest.raises(DemoFailed, match="not finite"):
        _run(lambda torch_module, bench: replace(EMPTY, data={"loss": math.nan}))


@pytest.mark.parametrize("seed", [-1, 2**53])
def test_a_seed_out_of_range_is_refused(seed: int) -> None:
    """Seeds are whole numbers that JSON keeps exactly."""
    with pytest.raises(SettingRefused, match=f"seed cannot be {seed}"):
        _run(lambda torch_module, bench: EMPTY, seed=seed)


def test_progress_can_end_a_demo() -> None:
    """What the progress callback raises ends the run and goes through as it is."""

    def stop(fraction: float, text: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_demo(torch, demos()["residual_product"], _defaults(), seed=0, device="cpu", progress=stop)


def _defaults() -> Settings:
    return Settings({setting.name: setting.default for setting in demos()["residual_product"].settings})


def test_results_survive_json() -> None:
    """Plots, table and summary come back from the payload's text as they were; a gap comes back as nan."""
    plot = Plot(
        title="t",
        x_label="x",
        y_label="y",
        series=(
            Series("a", (0.0, 1.0), (1.5, -2.0), ((1.0, 2.0), (-3.0, -1.0))),
            Series("b", (0.0, 1.0), (math.inf, 4.0)),
        ),
        log_x=True,
        y_is_log10=True,
    )
    result = Result(
        data={"k": None}, plots=(plot,), table=Table("n", ("p", "q"), ((1, "x"), (2.5, None))), summary=("s",)
    )
    back = payload_to_result(
        json.loads(json.dumps(_run(lambda torch_module, bench: result), allow_nan=False))
    )
    assert back.plots[0].series[0] == plot.series[0]
    assert math.isnan(back.plots[0].series[1].y[0])
    assert back.plots[0].series[1].y[1] == 4.0
    assert replace(back.plots[0], series=()) == replace(plot, series=())
    assert back.table == result.table
    assert back.data == {"k": None}
    assert back.summary[0] == "s"


class _Backend:
    """A stand-in for torch.cuda or torch.backends.mps."""

    def __init__(self, available: bool) -> None:
        self.available = available

    def is_available(self) -> bool:
        """Say what was planned, with the kind of warning that drivers print."""
        warnings.warn("CUDA initialization: the driver is too old", UserWarning, stacklevel=1)
        return self.available


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make torch say that there is neither cuda nor mps."""
    monkeypatch.setattr(torch.cuda, "is_available", _Backend(False).is_available)
    monkeypatch.setattr(torch.backends.mps, "is_available", _Backend(False).is_available)


def test_an_unknown_device_is_refused_with_the_choices() -> None:
    """`banana` is answered with the devices that exist."""
    with pytest.raises(DeviceRefused, match=r"'banana': choose one of auto, cpu, cuda, mps\."):
        choose_device(torch, "banana")


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize("wanted", ["cuda", "mps"])
def test_a_missing_device_says_how_to_go_on(wanted: str) -> None:
    """A device asked for by name that is not there is one line with the way out, and no driver warning."""
    with pytest.raises(DeviceRefused) as refused:
        choose_device(torch, wanted)
    assert str(refused.value) == (
        f"The device {wanted} is not available here. Use --device cpu, or --device auto to take what works."
    )


@pytest.mark.usefixtures("no_gpu")
def test_auto_falls_back_to_the_cpu() -> None:
    """Without a GPU, auto takes the cpu and has nothing to remark."""
    device = choose_device(torch, "auto")
    assert (device.name, device.note) == ("cpu", "")


@pytest.mark.usefixtures("no_gpu")
def test_a_device_that_only_claims_to_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU that is promised and fails at the first call is refused; auto says why it ran on the cpu."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    ones = torch.ones

    def fails(*shape: int, device: str = "cpu") -> torch.Tensor:
        if device == "cuda":
            raise RuntimeError("CUDA error: no kernel image is available for execution on the device\nmore")
        return ones(*shape, device=device)

    monkeypatch.setattr(torch, "ones", fails)
    with pytest.raises(
        DeviceRefused, match=r"does not work \(CUDA error: no kernel image .*\)\. Use --device cpu"
    ):
        choose_device(torch, "cuda")
    device = choose_device(torch, "auto")
    assert device.name == "cpu"
    assert "no kernel image" in device.note
    assert "\n" not in device.note


def test_mps_falls_to_float32_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A float64 demo on mps runs in float32, and the notes say so."""
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    ones = torch.ones
    monkeypatch.setattr(torch, "ones", lambda *shape, device="cpu": ones(*shape))
    seen: list[str] = []

    def looks(torch_module: ModuleType, bench: Bench) -> Result:
        seen.append(f"{bench.device} {bench.dtype}")
        return EMPTY

    payload = _run(looks, device="mps", dtype="float64")
    assert seen == ["mps float32"]
    assert payload["dtype"] == "float32"
    assert payload["notes"] == ["mps has no float64, so this was computed in float32."]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("name", ["residual_product", "pre_post_ln"])
def test_cuda_agrees_with_the_cpu(name: str) -> None:
    """On a GPU the same seed gives the same figures to the rounding of the dtype."""
    demo = demos()[name]
    settings = Settings({setting.name: setting.default for setting in demo.settings})
    tables = [
        run_demo(torch, demo, settings, seed=0, device=device, progress=lambda fraction, text: None)["data"]
        for device in ("cpu", "cuda")
    ]
    for cpu, cuda in zip(_numbers(tables[0]), _numbers(tables[1]), strict=True):
        assert cuda == pytest.approx(cpu, rel=1e-3, abs=1e-12)


def _numbers(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [number for part in value.values() for number in _numbers(part)]
    if isinstance(value, list):
        return [number for part in value for number in _numbers(part)]
    return [float(value)] if isinstance(value, int | float) else []
