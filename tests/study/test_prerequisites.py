"""The order of new items: what builds on something comes behind it, and nothing else moves."""

import re
from pathlib import Path

import pytest

from studynorm.engine.files import family_files
from studynorm.engine.registry import load_families
from studynorm.scheduling.queue import Candidate
from studynorm.study.prerequisites import Needs, in_order, required_families


def candidates(*items: str) -> list[Candidate]:
    """Return candidates; the topic of `card:deck/id` and of `family:topic.name` is its first part."""
    return [Candidate(item, re.split("[:./]", item)[1], item) for item in items]


def ordered(items: list[Candidate], needs: Needs) -> list[str]:
    return [candidate.item for candidate in in_order(items, needs)]


def test_what_is_read_from_the_text_is_what_the_families_say() -> None:
    """For every shipped family that loads, reading and importing agree."""
    families, _ = load_families()
    read = {family: required_families(path) for family, path in family_files().items() if family in families}
    assert read == {family.id: family.requires for family in families.values()}
    assert any(read.values())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('class A:\n    requires = ("a.b",)\n', ("a.b",)),
        ('class A:\n    requires = (\n        "a.b",\n        "c.d",\n    )\n', ("a.b", "c.d")),
        ('class A:\n    requires: ClassVar[tuple[str, ...]] = ("a.b",)\n', ("a.b",)),
        ("class A:\n    requires = SOMETHING\n", ()),
        ("class A:\n    requires = (open,)\n", ()),
        ('class A:\n    requires = ("a.b"\n', ()),
        ("", ()),
    ],
)
def test_only_a_plain_tuple_of_texts_is_read(tmp_path: Path, text: str, found: tuple[str, ...]) -> None:
    """Nothing is run, and whatever is not understood counts as nothing."""
    path = tmp_path / "family.py"
    path.write_text(text, encoding="utf-8")
    assert required_families(path) == found
    assert required_families(tmp_path / "none.py") == ()


def test_a_family_waits_for_those_it_requires() -> None:
    """It comes right behind the last of them, and the others keep their order."""
    items = candidates("family:a.top", "family:a.x", "family:b.base", "family:b.y", "family:b.second")
    needs = Needs({"a.top": ("b.base", "b.second")}, {})
    assert ordered(items, needs) == [
        "family:a.x",
        "family:b.base",
        "family:b.y",
        "family:b.second",
        "family:a.top",
    ]


def test_what_is_known_already_is_not_waited_for() -> None:
    """A requirement that is not among the new items changes nothing."""
    items = candidates("family:a.top", "family:a.x")
    assert ordered(items, Needs({"a.top": ("b.base",)}, {})) == ["family:a.top", "family:a.x"]


def test_a_chain_is_released_at_once() -> None:
    """C needs b, b needs a: behind a come b and c."""
    items = candidates("family:t.c", "family:t.b", "family:t.z", "family:t.a", "family:t.y")
    needs = Needs({"t.c": ("t.b",), "t.b": ("t.a",)}, {})
    assert ordered(items, needs) == ["family:t.z", "family:t.a", "family:t.b", "family:t.c", "family:t.y"]


def test_the_cards_of_a_deck_wait_for_all_cards_of_a_required_deck() -> None:
    """Families of the topics are held back by their own requirements alone."""
    items = candidates("card:late/1", "family:late.f", "card:late/2", "card:early/1", "card:early/2")
    assert ordered(items, Needs({}, {"late": ("early",)})) == [
        "family:late.f",
        "card:early/1",
        "card:early/2",
        "card:late/1",
        "card:late/2",
    ]


def test_a_circle_loses_nothing() -> None:
    """It is opened at its first item; a family that requires itself waits for nothing."""
    items = candidates("family:t.a", "family:t.b", "family:t.c")
    needs = Needs({"t.a": ("t.b",), "t.b": ("t.a",), "t.c": ("t.c",)}, {})
    assert ordered(items, needs) == ["family:t.c", "family:t.a", "family:t.b"]
