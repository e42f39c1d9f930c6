"""The program shown with a solution runs by itself, and torch gives the answer."""

from typing import Any

import pytest
import torch

from studynorm.engine.family import Family
from studynorm.engine.files import family_files
from studynorm.engine.numbers import distance, scale_of
from studynorm.engine.registry import load_family
from studynorm.engine.variant import draw


@pytest.mark.parametrize("family_id", family_files())
def test_every_snippet_reproduces_the_answer(family_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    """At every level the program prints, and its oracle gives what the torch-free derivation gives."""
    family = load_family(family_id)
    assert isinstance(family, Family)
    if family.arithmetic_only:
        assert draw(family, 1, 11)[1].snippet == ""
        return
    for level in family.levels:
        _, variant = draw(family, level, 11)
        scope: dict[str, Any] = {"__name__": "snippet"}
        with torch.random.fork_rng(devices=[]):
            exec(compile(variant.snippet, family_id, "exec"), scope)
            found = scope["oracle"](scope["p"], torch)
        torch.set_printoptions(profile="default")  # type: ignore[no-untyped-call]
        value = found.tolist() if hasattr(found, "tolist") else found
        assert distance(_tuples(value), variant.answer) <= 1e-9 * scale_of(variant.answer)
        assert capsys.readouterr().out.strip()


def _tuples(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    return tuple(_tuples(entry) for entry in value) if isinstance(value, list | tuple) else value
