"""The shipped claims hold on the installed torch, and every card's `Check:` names one of them."""

import importlib.util
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from studynorm.topics import TOPICS

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "problems").glob("*/_claims.py"))

Claim = Callable[[Any], bool]


def load(path: Path) -> dict[str, Claim]:
    """Return the public functions of one claims file by claim id."""
    name = f"claims_of_{path.parent.name}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {
        f"claim:{path.parent.name}.{function_name}": function
        for function_name, function in vars(module).items()
        if inspect.isfunction(function) and function.__module__ == name and not function_name.startswith("_")
    }


def failing(claims: dict[str, Claim]) -> list[str]:
    """Return the ids of the claims that do not answer True."""
    return [claim_id for claim_id, claim in claims.items() if claim(torch) is not True]


CLAIMS = {claim_id: claim for path in FILES for claim_id, claim in load(path).items()}


def named_in_decks() -> dict[str, str]:
    """Return every claim id that a shipped card names, with one place where it does."""
    places: dict[str, str] = {}
    for deck in sorted((ROOT / "cards").glob("*.md")):
        for number, line in enumerate(deck.read_text(encoding="utf-8").splitlines(), start=1):
            if line.startswith("Check:"):
                places |= dict.fromkeys(line.split()[1:], f"{deck.name}:{number}")
    return places


def test_claims_are_found() -> None:
    """Each topic brings at least four claims."""
    for topic in TOPICS:
        assert sum(claim_id.startswith(f"claim:{topic}.") for claim_id in CLAIMS) >= 4, topic


@pytest.mark.parametrize("claim_id", CLAIMS)
def test_claim_holds(claim_id: str) -> None:
    """The installed torch behaves as the claim says."""
    assert CLAIMS[claim_id](torch) is True, inspect.getdoc(CLAIMS[claim_id])


@pytest.mark.parametrize("claim_id", CLAIMS)
def test_claim_says_what_it_claims(claim_id: str) -> None:
    """Each claim has one line that ends in a full stop, and calls the torch that it is handed."""
    claim = CLAIMS[claim_id]
    text = inspect.getdoc(claim) or ""
    assert text.endswith(".")
    assert "\n" not in text
    with pytest.raises(AttributeError):
        claim(object())


@pytest.mark.parametrize("claim_id", CLAIMS)
def test_claim_leaves_the_random_state_alone(claim_id: str) -> None:
    """Running a claim neither draws from nor reseeds torch's global generator."""
    before = torch.get_rng_state()
    CLAIMS[claim_id](torch)
    assert torch.equal(torch.get_rng_state(), before)


def test_cards_name_claims_that_exist() -> None:
    """No card's `Check:` line names a claim that is missing."""
    missing = {claim_id: place for claim_id, place in named_in_decks().items() if claim_id not in CLAIMS}
    assert missing == {}
    assert all(re.fullmatch(r"claim:[a-z0-9_]+\.[a-z0-9_]+", claim_id) for claim_id in CLAIMS)


def test_every_claim_backs_a_card() -> None:
    """No claim is left that no card refers to."""
    assert sorted(set(CLAIMS) - set(named_in_decks())) == []


def test_a_false_claim_is_reported(tmp_path: Path) -> None:
    """A claim that torch contradicts is listed as failing, and a true one beside it is not."""
    topic = tmp_path / "invented"
    topic.mkdir()
    (topic / "_claims.py").write_text(
        "def default_eps_is_zero(torch):\n"
        "    return torch.nn.BatchNorm1d(2).eps == 0.0\n"
        "def default_eps_is_positive(torch):\n"
        "    return torch.nn.BatchNorm1d(2).eps > 0.0\n"
        "def _hidden(torch):\n"
        "    return False\n",
        encoding="utf-8",
    )
    assert failing(load(topic / "_claims.py")) == ["claim:invented.default_eps_is_zero"]


def test_claims_notice_another_convention(monkeypatch: pytest.MonkeyPatch) -> None:
    """With Keras's meaning of momentum put into torch, the claims about the update fail and others hold."""
    batch_norm = torch.nn.functional.batch_norm

    def keras_batch_norm(
        x: Any,
        mean: Any,
        variance: Any,
        weight: Any = None,
        bias: Any = None,
        training: bool = False,
        momentum: float = 0.1,
        eps: float = 1e-5,
    ) -> Any:
        return batch_norm(x, mean, variance, weight, bias, training, 1 - momentum, eps)

    monkeypatch.setattr(torch.nn.functional, "batch_norm", keras_batch_norm)
    failed = failing(CLAIMS)
    assert {
        "claim:running_stats.mean_update",
        "claim:running_stats.variance_update",
        "claim:running_stats.momentum_weighs_the_new_value",
        "claim:running_stats.start_value_fades",
    } <= set(failed)
    # Of the other topics only the claim that a bias shows up in the running mean depends on momentum.
    others = {claim_id for claim_id in failed if claim_id.startswith(("claim:batchnorm.", "claim:backward."))}
    assert others == {"claim:batchnorm.bias_before_is_redundant"}
