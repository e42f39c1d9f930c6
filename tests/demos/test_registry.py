"""Demos are found by their files, and each is complete enough to be shown."""

import subprocess
import sys

import pytest

from studynorm.demos.demo import Demo, read_settings
from studynorm.demos.registry import demos


def test_both_demos_are_found() -> None:
    """The package's own folder yields the demos, each under the name of its file."""
    assert {"pre_post_ln", "residual_product"} <= set(demos())


@pytest.mark.parametrize("demo", demos().values(), ids=lambda demo: demo.name)
def test_a_demo_can_be_asked_and_steered(demo: Demo) -> None:
    """Every demo asks a question with a right option, and its defaults pass its own checks."""
    assert demo.question.endswith("?")
    assert demo.right is None or 0 <= demo.right < len(demo.options)
    typed = {setting.name: setting.default_text for setting in demo.settings}
    assert read_settings(demo, typed) == read_settings(demo, {})
    assert all(setting.help for setting in demo.settings)


def test_listing_demos_loads_no_torch() -> None:
    """A front end can list and plot demos without torch, numpy or plotext in memory."""
    code = (
        "import sys, studynorm.demos.registry as r, studynorm.demos.run, studynorm.plotting; r.demos();"
        "print([m for m in ('torch', 'numpy', 'plotext') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
