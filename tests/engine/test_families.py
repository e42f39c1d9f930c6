"""Every shipped family proves itself on twenty seeds a level."""

import pytest
import torch

from studynorm.engine.family import Family, givens
from studynorm.engine.files import family_files
from studynorm.engine.proof import prove
from studynorm.engine.registry import load_family
from studynorm.topics import TOPICS

IDS = tuple(family_files())
torch.set_num_threads(1)  # small layers run several times faster on one thread


@pytest.mark.parametrize("name", IDS)
def test_a_family_proves_itself(name: str) -> None:
    """Closed form and torch agree, every slip is recognised, hints and solution hold, on all levels."""
    family = load_family(name)
    assert isinstance(family, Family), family
    proof = prove(family, torch, seeds=20)
    assert list(map(str, proof.findings)) == []
    assert proof.variants == 20 * len(family.levels)


@pytest.mark.parametrize("name", IDS)
def test_a_family_declares_itself_fully(name: str) -> None:
    """Id, topic, title, catalogue number, levels from 1 to 3, labelled parameters, existing prerequisites."""
    family = load_family(name)
    assert isinstance(family, Family), family
    assert (family.id, family.topic) == (name, name.partition(".")[0])
    assert family.topic in TOPICS
    assert family.title[0].isupper()
    assert family.catalogue[0] in "ABCDEFGHIJKL"
    assert family.catalogue[1:].isdigit()
    assert family.levels
    assert set(family.levels) <= {1, 2, 3}
    assert all(spec.label for spec in givens(family).values())
    assert set(family.requires) <= set(IDS)
    assert all(card.startswith("card:") for card in family.cards)
