"""The generated pages are what their generator makes today."""

import runpy
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_of_misconceptions_is_up_to_date() -> None:
    """`docs/misconceptions.md` equals what `python docs/generate.py` writes from the families."""
    made = runpy.run_path(str(DOCS / "generate.py"))["misconceptions_page"]()
    assert (DOCS / "misconceptions.md").read_text(encoding="utf-8") == made, "run `python docs/generate.py`"


def test_the_page_of_families_is_up_to_date() -> None:
    """`docs/families.md` equals what `python docs/generate.py` writes from the families."""
    made = runpy.run_path(str(DOCS / "generate.py"))["families_page"]()
    assert (DOCS / "families.md").read_text(encoding="utf-8") == made, "run `python docs/generate.py`"


def test_the_page_of_coverage_is_up_to_date() -> None:
    """`docs/coverage.md` equals what `python docs/generate.py` writes from inventory, families and decks."""
    made = runpy.run_path(str(DOCS / "generate.py"))["coverage_page"]()
    assert (DOCS / "coverage.md").read_text(encoding="utf-8") == made, "run `python docs/generate.py`"
