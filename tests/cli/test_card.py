"""`studynorm card`: every card by its id, marks on request, and nothing that a terminal would obey."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run, payload, usage_error

CONTROLS = "\x1b]0;owned\x07 \x9b2J \x08 \u202e"
DECK = f"""+++
id = "mine"
title = "My [bold]deck[/bold]"
+++

## escape
Q: Before {CONTROLS} [red]after[/red]
A: Yes.

## two
C: one {{{{a::first}}}} and {{{{b::second}}}}
"""


@pytest.fixture
def decks(home: Path) -> Path:
    """A folder of user decks with one deck in it."""
    folder = home / "decks"
    folder.mkdir(parents=True)
    (folder / "mine.md").write_text(DECK, encoding="utf-8")
    return folder


def test_a_shipped_card_shows_both_sides(run: Run) -> None:
    """Question, rule, answer, reason; the id works with and without `card:`."""
    shown = run("card", "show", "batchnorm/epsilon-default").stdout
    question, rule, rest = shown.partition("-" * 20)
    assert question.strip().endswith("?")
    assert rule
    assert "1e-5" in rest
    assert run("card", "show", "card:batchnorm/epsilon-default").stdout == shown


def test_control_characters_of_a_deck_are_shown_not_obeyed(run: Run, decks: Path) -> None:
    """On both streams every control character has become a visible stand-in; brackets stay as typed."""
    for args in (("card", "show", "mine/escape"), ("card", "list")):
        shown = run(*args).stdout
        assert not {
            character for character in shown if character in CONTROLS and not character.isspace()
        } - set("]0;owned2J")
        assert "␛]0;owned␇" in shown
        assert "⟨U+202E⟩" in shown
        assert "[red]after[/red]" in shown
    assert "My [bold]deck[/bold] (mine)" in run("card", "list").stdout


def test_a_mark_of_a_cloze_is_chosen_by_its_id(run: Run, decks: Path) -> None:
    """`#b` hides the second mark; without a mark the first is hidden, and the card says which it is."""
    assert payload(run("card", "show", "mine/two#b", "--json"))["question"] == "one first and […]"
    assert run("card", "show", "mine/two#b").stdout.startswith("Mark b of a, b\n\none first and […]\n")
    assert run("card", "show", "mine/two").stdout.startswith("Mark a of a, b\n\none […] and second\n")


@pytest.mark.parametrize("wrong", ["mine/twoo", "mine/two#c", "card:mine/twoo"])
def test_an_unknown_card_or_mark_is_told_the_nearest(run: Run, decks: Path, wrong: str) -> None:
    """The nearest id is named, and how to list all."""
    said = usage_error(run("card", "show", wrong))
    assert "did you mean mine/two" in said
    assert "`studynorm card list` shows all" in said


def test_an_unknown_deck_is_told_which_there_are(run: Run) -> None:
    """Nothing is listed, and the decks are named."""
    said = usage_error(run("card", "list", "--topic", "batchnrm"))
    assert said.startswith("there is no deck “batchnrm”; did you mean batchnorm? there are batchnorm, ")


@pytest.mark.parametrize(
    "args",
    [("card", "list"), ("card", "show", "mine/escape"), ("due",), ("review", "--plain", "--topic", "mine")],
    ids=" ".join,
)
def test_a_broken_deck_is_named_and_costs_only_itself(run: Run, decks: Path, args: tuple[str, ...]) -> None:
    """File and line stand on standard error, the command does its work."""
    (decks / "broken.md").write_text('+++\nid = "broken"\n+++\n', encoding="utf-8")
    result = run(*args)
    assert result.exit_code == 0
    assert f"studynorm: {decks / 'broken.md'}:1: " in result.stderr
    assert result.stdout


def test_a_file_name_with_control_characters_is_named_visibly(run: Run, decks: Path) -> None:
    """An error names the file without handing its escape code to the terminal."""
    (decks / "a\x1b[2Jb.md").write_text("no header\n", encoding="utf-8")
    said = run("card", "list").stderr
    assert "a␛[2Jb.md" in said
    assert "\x1b" not in said
