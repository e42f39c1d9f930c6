"""Writes the pages of misconceptions, families and coverage from the content: `python docs/generate.py`.

A test holds the committed pages to what this makes, so that no page lists what the content does not have.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from studynorm.content.library import load_library
from studynorm.content.referencefile import shipped_reference
from studynorm.demos.registry import demos
from studynorm.engine.domains import Parameter, parameters_of
from studynorm.engine.family import Family
from studynorm.engine.proof import SAMPLED, beliefs
from studynorm.engine.registry import load_families
from studynorm.engine.variant import draw
from studynorm.locate import content_root
from studynorm.study.coverage import (
    KINDS,
    Covered,
    coverage,
    inventory_path,
    load_inventory,
    shipped_exercises,
)
from studynorm.topics import TOPICS

PAGE = Path(__file__).parent / "misconceptions.md"
FAMILIES_PAGE = Path(__file__).parent / "families.md"
COVERAGE_PAGE = Path(__file__).parent / "coverage.md"
_LONGEST_DOMAIN = 70  # characters; `problem show --help-params` shows the whole of it

_HEAD = """\
# Misconceptions

{count} beliefs that lead to a wrong answer, and the families that recognise them.
An id names the belief, not the family: two families that meet the same belief use the same id.
Under each id stand the families, the levels that carry it, and what the learner is told there \
(on the variant of seed 0).

This page is made by `python docs/generate.py`; a test compares it with the families.
"""

_FAMILIES_HEAD = """\
# Families

{count} families of problems in {topics} topics.
The parameters are what `--set NAME=VALUE` takes; one without a default must be given.
`studynorm problem show FAMILY --help-params` shows the same for one family.

This page is made by `python docs/generate.py`; a test compares it with the families.
"""
_FAMILIES_TABLE = "| id | title | levels | answer | catalogue | parameters |\n|---|---|---|---|---|---|"

_COVERAGE_HEAD = """\
# Coverage

What a learner of this subject must be able to do: {count} facts and skills, \
and the families, cards and demos that ask or show each of them.
The list is `problems/inventory.toml`; a family names what it practises in `covers`, \
a term of `cards/reference/glossary.toml` likewise what it explains, \
and an entry of the list names its cards, notes and demos.
The last column says in which forms a fact is still to be offered; of all, {open_count} have such a gap.

This page is made by `python docs/generate.py`; a test compares it with the content.

| form | wanted | there | open |
|---|---|---|---|
"""


def _families() -> Mapping[str, Family[Any]]:
    families, broken = load_families()
    if broken:
        raise RuntimeError(f"mend this family first: {broken[0]}")
    return families


def misconceptions_page() -> str:
    """Return the whole page as Markdown. Raises `RuntimeError` where a family cannot be loaded."""
    families = _families()
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
        where = f" ({_levels(levels)})" if levels else ""
        told.setdefault(_why(belief, family, levels), []).append(f"`{family.id}`{where}")
    for why, named in told.items():
        yield f"- {', '.join(named)}:"
        yield f"  {why}"


def _levels(levels: list[int]) -> str:
    return f"level{'s' if len(levels) > 1 else ''} {', '.join(map(str, levels))}"


def _why(belief: str, family: Family[Any], levels: list[int]) -> str:
    """Return what the first variant that names the belief says about it."""
    for level in levels or sorted(family.levels):
        for seed in range(SAMPLED):
            for slip in draw(family, level, seed)[1].misconceptions:
                if slip.id == belief:
                    return " ".join(slip.why.split())
    raise RuntimeError(f"{family.id} never names {belief}")


def families_page() -> str:
    """Return the page of families as Markdown. Raises `RuntimeError` where a family cannot be loaded."""
    by_topic: dict[str, list[Family[Any]]] = {topic: [] for topic in TOPICS}
    for family in _families().values():
        by_topic[family.topic].append(family)
    filled = {topic: found for topic, found in by_topic.items() if found}
    count = sum(map(len, filled.values()))
    sections = [_FAMILIES_HEAD.format(count=count, topics=len(filled))]
    for topic, found in filled.items():
        rows = "\n".join(_family_row(family) for family in found)
        sections.append(f"## {topic}\n\n{_FAMILIES_TABLE}\n{rows}\n")
    return "\n".join(sections)


def _family_row(family: Family[Any]) -> str:
    cells = (
        f"`{family.id}`",
        family.title,
        ", ".join(map(str, sorted(family.levels))),
        family.kind.name,
        family.catalogue,
        "<br>".join(map(_parameter, parameters_of(family))),
    )
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _parameter(one: Parameter) -> str:
    domain = one.domain
    if len(domain) > _LONGEST_DOMAIN:
        domain = domain[:_LONGEST_DOMAIN].rpartition(" ")[0] + " …"
    default = "" if one.default is None else f"; default {one.default}"
    return f"`{one.name}`: {one.meaning} ({domain}{default})"


def coverage_page() -> str:
    """Return the page of what covers what. Raises `RuntimeError` where a family cannot be loaded."""
    library = load_library(content_root() / "cards", None)
    inventory = load_inventory(inventory_path())
    terms = shipped_reference().terms
    entries = coverage(inventory, _families(), library, demos(), shipped_exercises(), terms).entries
    incomplete = sum(1 for covered in entries if covered.missing)
    forms = "".join(f"{line}\n" for line in _forms(entries))
    sections = [_COVERAGE_HEAD.format(count=len(entries), open_count=incomplete) + forms]
    for topic in TOPICS:
        rows = [_row(covered) for covered in entries if covered.entry.topic == topic]
        if rows:
            head = "| fact or skill | families | cards | demos and exercises | terms | open |"
            sections.append(f"## {topic}\n\n{head}\n|---|---|---|---|---|---|\n" + "\n".join(rows) + "\n")
    return "\n".join(sections)


def _forms(entries: Sequence[Covered]) -> Iterator[str]:
    for kind in KINDS:
        wanted = [covered for covered in entries if kind in covered.entry.kinds]
        lacking = sum(1 for covered in wanted if kind in covered.missing)
        yield f"| {kind} | {len(wanted)} | {len(wanted) - lacking} | {lacking or ''} |"


def _row(covered: Covered) -> str:
    entry = covered.entry
    cells = (
        f"**{entry.slug}**: {entry.fact}",
        _names(covered.families),
        _names(entry.cards),
        _names((*entry.demos, *entry.exercises)),
        _names(covered.terms),
        ", ".join(covered.missing),
    )
    return f"| {' | '.join(cells)} |"


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    PAGE.write_text(misconceptions_page(), encoding="utf-8")
    FAMILIES_PAGE.write_text(families_page(), encoding="utf-8")
    COVERAGE_PAGE.write_text(coverage_page(), encoding="utf-8")
