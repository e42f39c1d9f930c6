"""The examples in the pages on adding content hold: the deck reads, the family is proved, the demo runs."""

import re
import runpy
from pathlib import Path

import pytest
import torch

from studynorm.content.deck import parse_deck
from studynorm.content.library import load_library
from studynorm.demos.demo import Demo, read_settings
from studynorm.demos.run import run_demo
from studynorm.engine.family import Family
from studynorm.engine.proof import prove
from studynorm.engine.registry import load_file
from studynorm.study.claims import claim_holds

ROOT = Path(__file__).resolve().parents[2]


def blocks(page: str, language: str) -> list[str]:
    """Return the fenced blocks of a page in one language."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [block for named, block in found if named == language]


def test_the_deck_example_reads_without_a_fault() -> None:
    """One recall card and one cloze card with two marks."""
    deck, errors = parse_deck(blocks("adding-a-card.md", "")[0], Path("my-deck.md"))
    assert not errors
    assert deck is not None
    assert [card.item_ids for card in deck.cards] == [
        ("card:my-deck/layernorm-axes",),
        ("card:my-deck/rms-cloze#what", "card:my-deck/rms-cloze#mean"),
    ]


def test_the_override_example_replaces_the_shipped_card(tmp_path: Path) -> None:
    """The card keeps its id and place and asks what the learner wrote; nothing is complained about."""
    (tmp_path / "mine.md").write_text(blocks("adding-a-card.md", "")[1], encoding="utf-8")
    library = load_library(ROOT / "cards", tmp_path)
    card = library.card("card:batchnorm/epsilon-default")
    assert card is not None
    assert "unless you say otherwise" in card.front
    assert not library.errors
    assert not library.notices


def test_the_claim_example_holds(tmp_path: Path) -> None:
    """It is a function that torch answers with True."""
    (tmp_path / "claims.py").write_text(
        "from typing import Any\n" + blocks("adding-a-card.md", "python")[0], encoding="utf-8"
    )
    assert claim_holds(runpy.run_path(str(tmp_path / "claims.py"))["default_eps"], torch) is None


def test_the_family_example_proves_itself(tmp_path: Path) -> None:
    """Every level of it passes the proof on 50 seeds."""
    file = tmp_path / "batchnorm" / "variance.py"
    file.parent.mkdir()
    file.write_text(blocks("adding-a-family.md", "python")[0], encoding="utf-8")
    family = load_file(file)
    assert isinstance(family, Family), family
    assert prove(family, torch, seeds=50).findings == []


def test_the_demo_example_runs(tmp_path: Path) -> None:
    """Its last mean is that of all the numbers drawn from the seed."""
    (tmp_path / "settling.py").write_text(blocks("adding-a-demo.md", "python")[0], encoding="utf-8")
    demo = runpy.run_path(str(tmp_path / "settling.py"))["DEMO"]
    assert isinstance(demo, Demo)
    payload = run_demo(
        torch, demo, read_settings(demo, {}), seed=3, device="cpu", progress=lambda fraction, text: None
    )
    drawn = torch.randn(100, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    data = payload["data"]
    assert isinstance(data, dict)
    means = data["means"]
    assert isinstance(means, list)
    assert means[-1] == pytest.approx(drawn.mean().item(), abs=1e-12)
