"""`studynorm reference`: every term in a line, those asked for in full, and refusals in one line."""

import shutil
from pathlib import Path

import pytest

from studynorm.content import referencefile
from studynorm.locate import content_root
from tests.cli.conftest import Run, payload, refusal, usage_error


def test_without_words_every_term_stands_on_a_line(run: Run) -> None:
    """One line each, none too long for a terminal; the diagrams are named below."""
    said = run("reference")
    assert (said.exit_code, said.stderr) == (0, "")
    lines, _, below = said.stdout.partition("\n\n")
    terms = payload(run("reference", "--json"))["terms"]
    assert [line.partition(":")[0] for line in lines.splitlines()] == [term["term"] for term in terms]
    assert max(map(len, lines.splitlines())) <= 90
    assert "pre-norm-block" in below


def test_words_show_what_matches_in_full_the_best_first(run: Run) -> None:
    """Name, other names, meaning, formula, where to go on; then what there is to read."""
    shown = run("reference", "RMSNorm").stdout
    assert shown.startswith("RMSNorm (also: root mean square normalization)\n")
    head = shown.partition("\n\n")[0]
    assert "    y = γ ⊙ x/r" in head
    assert "card:other_norms/rmsnorm-formula" in head
    assert "Root Mean Square Layer Normalization\nBiao Zhang, Rico Sennrich · 2019\n" in shown
    assert run("reference", "rms", "norm", "backward").stdout.startswith("backward pass of RMSNorm\n")


def test_a_section_is_shown_alone(run: Run) -> None:
    """References in the order of the topics, the plan numbered."""
    told = run("reference", "--references").stdout
    assert told.index("Batch Normalization: Accelerating") < told.index("DeepNet: Scaling")
    assert "Why read it: " in told
    plan = run("reference", "--plan").stdout
    assert [line[:2] for line in plan.splitlines() if line[:1].isdigit()] == ["1.", "2.", "3.", "4.", "5."]
    assert "1. Understanding Deep Learning, chapter 11" in plan
    assert "Residual Networks Behave Like Ensembles" in run("reference", "--references", "veit").stdout


def test_a_diagram_is_drawn_in_box_characters_or_in_7_bit_ones(run: Run) -> None:
    """Both have title, drawing and explanation; with `--ascii` the drawing is plain."""
    boxes = run("reference", "--diagram", "post-norm-block").stdout
    assert boxes.startswith("Post-norm transformer block\n\n")
    assert "▶│ LN │━▶ u" in boxes
    plain = run("reference", "--diagram", "post-norm-block", "--ascii").stdout
    assert ">| LN |=> u" in plain
    assert plain.isascii()


def test_json_holds_everything_or_what_was_asked_for(run: Run) -> None:
    """Lists that were not asked for are empty; no match is an empty list."""
    everything = payload(run("reference", "--json"))
    assert all(everything[key] for key in ("terms", "references", "plan", "diagrams"))
    one = payload(run("reference", "--diagram", "residual-block", "--json"))
    assert [len(one[key]) for key in ("terms", "references", "plan", "diagrams")] == [0, 0, 0, 1]
    plan = payload(run("reference", "--plan", "--json"))
    assert [step["number"] for step in plan["plan"]] == [1, 2, 3, 4, 5]
    assert plan["terms"] == []
    assert payload(run("reference", "no such words", "--json"))["terms"] == []


def test_no_match_is_refused_with_the_nearest_name(run: Run) -> None:
    """One line, and how to see all."""
    said = refusal(run("reference", "groupnrm"))
    assert said == (
        "studynorm: nothing matches “groupnrm”; did you mean GroupNorm? `studynorm reference` lists all terms"
    )
    assert "\x1b" not in refusal(run("reference", "\x1b[2J"))


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--diagram", "pre-nrm-block"), "did you mean pre-norm-block?"),
        (("--diagram", "pre-norm-block", "ln"), "--diagram shows one diagram; give it alone"),
        (("--diagram", "pre-norm-block", "--plan"), "--diagram shows one diagram; give it alone"),
    ],
)
def test_wrong_use_is_told(run: Run, args: tuple[str, ...], said: str) -> None:
    """Exit code 2, nothing on standard output."""
    assert said in usage_error(run("reference", *args))


def test_a_broken_file_costs_only_itself(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are shown; the broken one is named on standard error; alone it is a refusal."""
    (tmp_path / "cards").mkdir()
    folder = tmp_path / "cards" / "reference"
    shutil.copytree(content_root() / "cards" / "reference", folder)
    (folder / "plan.toml").write_text("[[step]\n", encoding="utf-8")
    monkeypatch.setattr(referencefile, "content_root", lambda: tmp_path)
    said = run("reference", "rezero")
    assert said.exit_code == 0
    assert said.stdout.startswith("ReZero\n")
    assert said.stderr.startswith(f"studynorm: {folder / 'plan.toml'}:1: the file is no TOML: ")
    assert "Traceback" not in said.output
    alone = run("reference", "--plan")
    assert alone.exit_code == 1
    assert alone.stdout == ""
    assert "there is nothing to show" in alone.stderr
