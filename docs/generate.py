"""Writes `docs/misconceptions.md` from the families themselves: `python docs/generate.py`.

A test holds the committed page to what this makes, so that the page never lists a belief no family names.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from studynorm.engine.family import Family
from studynorm.engine.proof import beliefs
from studynorm.engine.registry import load_families
from studynorm.engine.variant import draw

PAGE = Path(__file__).parent / "misconceptions.md"

_HEAD = """\
# Misconceptions

{count} beliefs that lead to a wrong answer, and the families that recognise them.
An id names the belief, not the family: two families that meet the same belief use the same id.
Under each id stand the families, the levels that carry it, and what the learner is told there \
(on the variant of seed 0).

This page is made by `python docs/generate.py`; a test compares it with the families.
"""


def misconceptions_page() -> str:
    """Return the whole page as Markdown. Raises `RuntimeError` where a family cannot be loaded."""
    families, broken = load_families()
    if broken:
        raise RuntimeError(f"mend this family first: {broken[0]}")
    found = beliefs(families)
    sections = [_HEAD.format(count=len(found))]
    for belief, family_ids in found.items():
        lines = "\n".join(_lines(belief, [families[family_id] for family_id in family_ids]))
        sections.append(f"## {belief}\n\n{lines}\n")
    return "\n".join(sections)


def _lines(belief: str, families: list[Family[Any]]) -> Iterator[str]:
    told: dict[str, list[str]] = {}
    for family in families:
        levels = [level for level in sorted(family.levels) if belief in family.levels[level].misconceptions]
        told.setdefault(_why(belief, family, levels[0]), []).append(f"`{family.id}` ({_levels(levels)})")
    for why, named in told.items():
        yield f"- {', '.join(named)}:"
        yield f"  {why}"


def _levels(levels: list[int]) -> str:
    return f"level{'s' if len(levels) > 1 else ''} {', '.join(map(str, levels))}"


def _why(belief: str, family: Family[Any], level: int) -> str:
    _, variant = draw(family, level, 0)
    by_id: Mapping[str, str] = {slip.id: slip.why for slip in variant.misconceptions}
    return " ".join(by_id[belief].split())


if __name__ == "__main__":
    PAGE.write_text(misconceptions_page(), encoding="utf-8")
