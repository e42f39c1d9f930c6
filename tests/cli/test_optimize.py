"""`studynorm optimize`: what is said and changed; the fit itself is tested where it is made."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from studynorm.commands import optimize
from studynorm.scheduling.scheduler import PUBLISHED
from studynorm.storage.home import Home
from studynorm.study.desk import Desk, open_desk
from tests.cli.conftest import Run, payload, refusal, usage_error
from tests.learner import TRUE, keep, reviews

Finds = Callable[..., list[Mapping[str, Any]]]


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    """Return a desk with a log of a thousand answers, of which 680 count."""
    with open_desk(Home(home)) as opened:
        keep(opened, reviews(1000))
        yield opened


@pytest.fixture
def finds(monkeypatch: pytest.MonkeyPatch) -> Finds:
    """Give every fit these weights and losses; return the requests that it got."""

    def fake(
        weights: Sequence[float], before: float, after: float, then: Callable[[], None] | None = None
    ) -> Any:
        asked: list[Mapping[str, Any]] = []

        class Lab:
            @staticmethod
            def optimise(request: Mapping[str, Any], tell: Callable[[float, str], None]) -> dict[str, Any]:
                asked.append(request)
                tell(0.5, "fitting")
                if then is not None:
                    then()
                return {
                    "weights": list(weights),
                    "n_train": 544,
                    "n_held_out": 136,
                    "before": before,
                    "after": after,
                }

        monkeypatch.setattr(optimize, "torch_lab", lambda: Lab)
        return asked

    return fake


def used(desk: Desk) -> tuple[float, ...]:
    """Return the weights that the next review is computed with."""
    return tuple(desk.scheduler.weights)


def test_weights_that_predict_better_are_adopted_and_listed(run: Run, desk: Desk, finds: Finds) -> None:
    """It says by how much; the fit got the weights in use, and the published ones can be had again."""
    asked = finds(TRUE, 0.4071, 0.3985)
    said = run("optimize")
    assert said.exit_code == 0
    assert "Adopted: held-out log loss 0.4071 → 0.3985 (n = 136), lower by 0.0086." in said.stdout
    assert asked[0]["weights"] == list(PUBLISHED)
    assert used(desk) == TRUE
    assert run("optimize", "--use", "published").exit_code == 0
    assert used(desk) == PUBLISHED
    listed = run("optimize", "--list").stdout.splitlines()
    assert listed[0].startswith("* published")
    assert listed[2].startswith("  1          fitted ")
    assert run("optimize", "--use", "1").exit_code == 0
    assert used(desk) == TRUE


@pytest.mark.parametrize(
    ("after", "words"), [(0.4071, "no lower by four digits"), (0.4171, "higher by 0.0100")]
)
def test_weights_that_predict_no_better_are_not_adopted(
    run: Run, desk: Desk, finds: Finds, after: float, words: str
) -> None:
    """Those in use stay, and it says why; that is no failure."""
    finds(TRUE, 0.4071, after)
    said = run("optimize")
    assert said.exit_code == 0
    assert "Kept: " in said.stdout
    assert words in said.stdout
    assert used(desk) == PUBLISHED


def test_a_dry_run_changes_nothing(run: Run, desk: Desk, finds: Finds) -> None:
    """It says what would come of it."""
    finds(TRUE, 0.4071, 0.3985)
    assert "Better: held-out log loss 0.4071 → 0.3985" in run("optimize", "--dry-run").stdout
    assert used(desk) == PUBLISHED
    assert len(run("optimize", "--list").stdout.splitlines()) == 2


def test_other_weights_that_came_into_use_meanwhile_stay(run: Run, desk: Desk, finds: Finds) -> None:
    """What was measured against the weights before says nothing about these."""
    others = (*PUBLISHED[:20], 0.2)
    finds(TRUE, 0.4, 0.3, lambda: desk.store.ledger.adopt("FSRS-6", others) and None)
    assert "came into use meanwhile" in refusal(run("optimize"))
    assert used(desk) == others


@pytest.mark.parametrize("count", [0, 1, 5])
def test_too_few_reviews_are_told_with_what_is_missing(run: Run, home: Path, count: int) -> None:
    """No fit is tried, and no profile made where there is none."""
    if count:
        with open_desk(Home(home)) as desk:
            keep(desk, reviews(count))
    said = run("optimize")
    assert said.exit_code == 1
    assert said.stdout.startswith("0 of the 640 reviews that a fit needs: 640 missing.\n")
    assert count or not Home(home).profile_file("default").exists()
    found = payload(run("optimize", "--json"), 1)
    assert (found["reviews"]["whole"], found["reviews"]["missing"], found["fit"]) == (count, 640, None)


def test_weights_by_hand_are_used_and_wrong_ones_refused(run: Run, desk: Desk) -> None:
    """21 numbers as they are pasted; the place of a wrong one is named and nothing changes."""
    assert run("optimize", "--weights", ", ".join(map(str, TRUE))).exit_code == 0
    assert used(desk) == TRUE
    assert "weights[0]" in usage_error(run("optimize", "--weights", "nan " * 21))
    assert "3 numbers" in usage_error(run("optimize", "--weights", "1 2 3"))
    assert used(desk) == TRUE


def test_options_that_exclude_each_other_and_unknown_weights(run: Run, desk: Desk) -> None:
    """Each is a usage error that names the ways out."""
    assert "--list, --use" in usage_error(run("optimize", "--list", "--use", "1"))
    assert "there are published" in usage_error(run("optimize", "--use", "7"))
