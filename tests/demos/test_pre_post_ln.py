"""Gradients and stream sizes of encoder stacks, against the published numbers."""

from typing import Any

import pytest
import torch

from studynorm.demos.demo import read_settings
from studynorm.demos.registry import demos
from studynorm.demos.run import run_demo

DEMO = demos()["pre_post_ln"]


def _run(seed: int = 0, **given: str) -> dict[str, Any]:
    return run_demo(
        torch, DEMO, read_settings(DEMO, given), seed=seed, device="cpu", progress=lambda fraction, text: None
    )


def test_seed_0_gives_the_published_numbers() -> None:
    """Depths 6, 12, 24, 48 with seed 0 print the twelve numbers of the lesson's own script."""
    data = _run()["data"]
    assert data["depths"] == [6, 12, 24, 48]
    assert [round(g, 3) for g in data["post_ln"]["gradient"]] == [0.363, 0.371, 0.373, 0.398]
    assert [round(g, 3) for g in data["pre_ln"]["gradient"]] == [0.213, 0.162, 0.096, 0.074]
    assert [round(s, 1) for s in data["pre_ln"]["stream"]] == [3.8, 6.8, 13.6, 34.1]
    assert data["post_ln"]["stream"] == pytest.approx([1, 1, 1, 1], abs=1e-4)
    assert "gradient_spread" not in data["pre_ln"]


def test_five_seeds_give_the_published_means() -> None:
    """The means of seeds 0 to 4 are the published ones, and the spread shows how far single draws go."""
    data = _run(seeds="5")["data"]
    assert data["seeds"] == [0, 1, 2, 3, 4]
    assert [round(g, 3) for g in data["post_ln"]["gradient"]] == [0.338, 0.357, 0.360, 0.384]
    assert [round(g, 3) for g in data["pre_times_sqrt_depth"]] == [0.503, 0.506, 0.473, 0.489]
    assert data["pre_ln"]["stream"] == pytest.approx([3.76, 7.97, 16.5, 31.8], rel=3e-3)
    low, high = data["post_ln"]["gradient_spread"][-1]
    assert (round(low, 2), round(high, 2)) == (0.30, 0.54)


def test_means_and_spreads_are_of_the_single_seeds() -> None:
    """Seeds 3 and 4 together give the mean and the range of two runs of one seed each."""
    both = _run(seed=3, seeds="2", depths="2,3", width="8")["data"]["pre_ln"]
    single = [_run(seed=seed, depths="2,3", width="8")["data"]["pre_ln"] for seed in (3, 4)]
    for n in range(2):
        first, second = (run["gradient"][n] for run in single)
        assert both["gradient"][n] == pytest.approx((first + second) / 2)
        assert both["gradient_spread"][n] == [min(first, second), max(first, second)]
    assert single[0]["gradient"] != single[1]["gradient"]


def test_the_number_of_threads_changes_nothing() -> None:
    """The same seed gives the same bits with one thread and with four, and the thread count is put back."""
    before = torch.get_num_threads()
    runs = []
    try:
        for threads in (1, 4):
            torch.set_num_threads(threads)
            runs.append(_run(seed=7, depths="2", width="64")["data"])
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert runs[0] == runs[1]


def test_one_depth_alone_is_said_as_such() -> None:
    """With a single depth the sentences compare the two stacks instead of telling a trend."""
    payload = _run(depths="2", width="8")
    assert "At 2 blocks" in payload["summary"][0]
    assert len(payload["table"]["rows"]) == 1


def test_progress_follows_every_stack() -> None:
    """Progress is told after each stack, grows to 1, and says which stack it was."""
    told: list[tuple[float, str]] = []
    settings = read_settings(DEMO, {"depths": "1,3", "width": "8", "seeds": "2"})
    run_demo(torch, DEMO, settings, seed=0, device="cpu", progress=lambda *step: told.append(step))
    fractions = [fraction for fraction, _ in told]
    assert len(told) == 8
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1
    assert "pre-LN, 3 blocks" in told[-1][1]
