"""The measure of how slow a machine is."""

import pytest

from studynorm.engine import pace


@pytest.mark.parametrize(("seconds", "times"), [(0.018, 3.0), (0.006, 1.0), (0.001, 1.0)])
def test_it_is_the_loop_s_time_in_units_of_the_usual_one(
    monkeypatch: pytest.MonkeyPatch, seconds: float, times: float
) -> None:
    """Three times the usual time is 3; a fast machine counts as a usual one."""
    monkeypatch.setattr(pace, "_loop", lambda: seconds)
    assert pace.slowness() == pytest.approx(times)


def test_the_loop_takes_time() -> None:
    """A hundred thousand rounds take between a tenth of a millisecond and ten seconds."""
    assert 1e-4 < pace._loop() < 10
