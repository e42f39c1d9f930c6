"""What starting costs: nothing heavy is loaded before it is needed."""

import subprocess
import sys

import pytest

HEAVY = ("torch", "numpy", "pandas", "plotext", "genanki", "alembic", "markdown_it", "tomlkit")


def modules_after(statement: str) -> set[str]:
    """Return the top-level modules that a fresh interpreter has loaded after `statement`."""
    code = f"{statement}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "module", ["studynorm.cli", "studynorm.tui.app", "studynorm.study.desk", "studynorm.plain"]
)
def test_front_ends_load_nothing_heavy(module: str) -> None:
    """Importing a front end loads no torch, numpy, pandas or plotext, and no Markdown, Anki or migrations."""
    assert not modules_after(f"import {module}") & set(HEAVY)


def test_the_command_line_alone_loads_next_to_nothing() -> None:
    """The module behind `studynorm --version` loads neither the database layer nor the screen."""
    loaded = modules_after("import studynorm.cli")
    assert not loaded & {*HEAVY, "sqlalchemy", "textual", "rich", "fsrs"}


def test_families_are_found_without_being_imported() -> None:
    """The catalogue knows every family by its file; importing them is left to those who draw."""
    code = (
        "import sys; from studynorm.study.catalogue import open_catalogue; c = open_catalogue(None)\n"
        "assert sum(item.startswith('family:') for item in c.candidates) >= 12\n"
        "assert not [name for name in sys.modules if name.startswith('studynorm.problems.')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
