"""Packages as Anki sees them: imported into a real collection, once and again."""

import os
import re
import sqlite3
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest

from studynorm.content.deck import Deck, parse_deck
from studynorm.content.library import load_library
from studynorm.exchange.anki import deck_names, export_anki
from studynorm.exchange.target import ExportRefused
from studynorm.locate import content_root

NOW = 1_760_000_000_000  # 2025-10-09, in milliseconds

TEXT = r"""+++
id = "trial"
title = "Trial: first steps"
tags = ["normalization", "two words"]
+++
A note.

## signs
Q: If 0<p and q>0, is p&lt;q? And \(a<b\)?
A: <b>no</b>: x<y & AT&T
Why: because $\frac{a}{b^{2}}$ says so

## templates
Q: {{Front}} {{c1::trap}} {{{FrontSide}}} {{#A}}x{{/A}}
A: template words stay text

## scale
C: The scale is {{scale::$\frac{1}{\sqrt{\sigma^{2}}}$}}, and {{sum::the `{{sum}}`}} ends.
"""


def _deck(text: str = TEXT) -> Deck:
    deck, errors = parse_deck(text, Path("trial.md"))
    assert deck is not None
    assert errors == ()
    return deck


def _titled(deck_id: str, title: str) -> Deck:
    deck = _deck()
    cards = tuple(replace(card, deck_id=deck_id) for card in deck.cards)
    return replace(deck, id=deck_id, title=title, cards=cards)


@pytest.fixture
def collection(tmp_path: Path) -> Iterator[Any]:
    """Yield a new, empty Anki collection."""
    opened = Collection(str(tmp_path / "collection.anki2"))
    yield opened
    opened.close()


def _import(collection: Any, path: Path) -> Any:
    request = ImportAnkiPackageRequest(package_path=str(path), options=ImportAnkiPackageOptions())
    return collection.import_anki_package(request).log


def _note(collection: Any, source: str) -> Any:
    (note_id,) = [
        note_id for note_id in collection.find_notes("") if collection.get_note(note_id)["Source"] == source
    ]
    return collection.get_note(note_id)


def test_all_shipped_decks_arrive_with_the_reported_numbers(collection: Any, tmp_path: Path) -> None:
    """A real collection holds as many notes and cards as the report says, in nested decks, with tags."""
    library = load_library(content_root() / "cards", None)
    report = export_anki(library.decks, tmp_path / "all.apkg", clock_ms=NOW)
    log = _import(collection, report.path)
    assert (
        len(log.new)
        == report.notes
        == collection.note_count()
        == sum(len(deck.cards) for deck in library.decks)
    )
    assert report.cards == collection.card_count()
    names = {deck.name for deck in collection.decks.all_names_and_ids()}
    assert {f"studynorm::{deck.title}" for deck in library.decks} <= names
    for count in report.per_deck:
        assert len(collection.find_cards(f'deck:"{count.name}"')) == count.cards
    for deck in library.decks:
        assert len(collection.find_notes(f"tag:studynorm::{deck.id}")) == len(deck.cards)


def test_a_second_import_after_an_edit_updates_without_a_duplicate(collection: Any, tmp_path: Path) -> None:
    """The same export again brings nothing new; an edited and a renamed deck updates its notes in place."""
    export_anki([_deck()], tmp_path / "a.apkg", clock_ms=NOW)
    _import(collection, tmp_path / "a.apkg")
    log = _import(collection, tmp_path / "a.apkg")
    assert (len(log.new), len(log.duplicate)) == (0, 3)
    edited = _deck(TEXT.replace("is p&lt;q? And", "what follows? And").replace("and {{sum", "then {{sum"))
    export_anki([edited], tmp_path / "b.apkg", clock_ms=NOW + 5000)
    log = _import(collection, tmp_path / "b.apkg")
    assert (len(log.new), len(log.conflicting)) == (0, 0)
    assert collection.note_count() == 3
    assert collection.card_count() == 4
    assert "what follows?" in _note(collection, "card:trial/signs")["Front"]
    assert "then {{c2::" in _note(collection, "card:trial/scale")["Text"]


def test_signs_reach_the_notes_escaped_and_the_screen_as_typed(collection: Any, tmp_path: Path) -> None:
    """`<`, `>` and `&` are entities in the fields, typed entities stay typed, and math keeps its LaTeX."""
    export_anki([_deck()], tmp_path / "a.apkg", clock_ms=NOW)
    _import(collection, tmp_path / "a.apkg")
    note = _note(collection, "card:trial/signs")
    assert note["Front"] == r"If 0&lt;p and q&gt;0, is p&amp;lt;q? And \(a&lt;b\)?"
    assert note["Back"] == "&lt;b&gt;no&lt;/b&gt;: x&lt;y &amp; AT&amp;T"
    answer = note.cards()[0].answer()
    for part in (note["Front"], note["Back"], r"\(\frac{a}{b^{2}}\)", "card:trial/signs"):
        assert part in answer
    assert note["Back"] not in note.cards()[0].question()


def test_template_words_stay_text(collection: Any, tmp_path: Path) -> None:
    """`{{Front}}` and a cloze-like text in a recall card are shown as they are and make no extra card."""
    export_anki([_deck()], tmp_path / "a.apkg", clock_ms=NOW)
    _import(collection, tmp_path / "a.apkg")
    note = _note(collection, "card:trial/templates")
    assert len(note.cards()) == 1
    assert "{{Front}} {{c1::trap}} {{{FrontSide}}} {{#A}}x{{/A}}" in note.cards()[0].question()


def test_cloze_marks_become_one_card_each(collection: Any, tmp_path: Path) -> None:
    """Each mark id is one card that hides its own mark; braces in math and code neither end nor add one."""
    export_anki([_deck()], tmp_path / "a.apkg", clock_ms=NOW)
    _import(collection, tmp_path / "a.apkg")
    first, second = _note(collection, "card:trial/scale").cards()
    assert "[...]" in first.question()
    assert r"\sqrt" not in re.sub(r"<[^>]*>", "", first.question())
    assert "<code>&#123;&#123;sum&#125;&#125;</code>" in first.question()
    assert r"\(\frac{1}{\sqrt{\sigma^{2} } }\)" in second.question()
    assert r"\(\frac{1}{\sqrt{\sigma^{2} } }\)" in first.answer()
    assert "<code>&#123;&#123;sum&#125;&#125;</code> ends" not in second.question()
    assert second.answer().rstrip().count(" ends.") == 1


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Deep/Norm::BatchNorm 100%", "Deep/Norm∷BatchNorm 100%"),
        ("../../etc/passwd", "../../etc/passwd"),
        ("CON", "CON"),
        ("   ", "odd"),
        ('name "with" quotes', 'name "with" quotes'),
        ("[bold]deck", "[bold]deck"),
        ("↔∞", "↔∞"),
        ("x" * 200, "x" * 200),
        ("a\x1f\nb\t c", "a b c"),
        (":::", "∷"),
        (":: norm", "∷ norm"),
    ],
)
def test_odd_titles_are_one_deck_below_studynorm(
    collection: Any, tmp_path: Path, title: str, name: str
) -> None:
    """Any title makes exactly one deck right below `studynorm`, and only the file asked for."""
    folder = tmp_path / "out"
    folder.mkdir()
    report = export_anki([_titled("odd", title)], folder / "odd.apkg", clock_ms=NOW)
    _import(collection, report.path)
    names = sorted(deck.name for deck in collection.decks.all_names_and_ids())
    assert names == sorted(["Default", "studynorm", f"studynorm::{name}"])
    assert [count.name for count in report.per_deck] == [f"studynorm::{name}"]
    assert [entry.name for entry in folder.iterdir()] == ["odd.apkg"]


def test_decks_of_one_title_stay_apart() -> None:
    """Two decks of the same title, also in other letter case, are told apart by their ids."""
    names = deck_names([_titled("a", "Same"), _titled("b", "same"), _titled("c", "Other")])
    assert names == {"a": "studynorm::Same (a)", "b": "studynorm::same (b)", "c": "studynorm::Other"}


def test_tags_have_no_blanks(collection: Any, tmp_path: Path) -> None:
    """A tag of two words becomes one word: a blank would make two tags of it in Anki."""
    export_anki([_deck()], tmp_path / "a.apkg", clock_ms=NOW)
    _import(collection, tmp_path / "a.apkg")
    assert sorted(_note(collection, "card:trial/signs").tags) == [
        "normalization",
        "studynorm::trial",
        "two_words",
    ]


def test_ids_do_not_change_between_exports(tmp_path: Path) -> None:
    """Equal decks at an equal time give the same bytes; an edited text keeps the GUIDs of its notes."""
    export_anki([_deck()], tmp_path / "a.apkg", clock_ms=NOW)
    export_anki([_deck()], tmp_path / "b.apkg", clock_ms=NOW)
    assert (tmp_path / "a.apkg").read_bytes() == (tmp_path / "b.apkg").read_bytes()
    export_anki([_deck(TEXT.replace("says so", "holds"))], tmp_path / "c.apkg", clock_ms=NOW + 1)
    assert _guids(tmp_path / "a.apkg") == _guids(tmp_path / "c.apkg")


def _guids(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        database = archive.extract("collection.anki2", path.with_suffix(".d"))
    connection = sqlite3.connect(database)
    try:
        return [guid for (guid,) in connection.execute("select guid from notes order by id")]
    finally:
        connection.close()


def test_an_existing_file_is_kept_unless_forced(tmp_path: Path) -> None:
    """A file that exists is refused and untouched; with force it is replaced."""
    target = tmp_path / "a.apkg"
    target.write_text("mine")
    with pytest.raises(ExportRefused, match=r"exists\. Add --force"):
        export_anki([_deck()], target, clock_ms=NOW)
    assert target.read_text() == "mine"
    assert export_anki([_deck()], target, force=True, clock_ms=NOW).notes == 3
    assert zipfile.is_zipfile(target)


def test_targets_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    """A wrong ending, a missing folder, a folder as target, no cards: each is one line with the way out."""
    (tmp_path / "folder.apkg").mkdir()
    for target, reason in (
        (tmp_path / "a.zip", r"does not end in \.apkg"),
        (tmp_path / "none" / "a.apkg", "There is no folder"),
        (tmp_path / "folder.apkg", "is a folder"),
    ):
        with pytest.raises(ExportRefused, match=reason) as refused:
            export_anki([_deck()], target, clock_ms=NOW, force=True)
        assert "\n" not in str(refused.value)
    with pytest.raises(ExportRefused, match="no card"):
        export_anki([replace(_deck(), cards=())], tmp_path / "a.apkg", clock_ms=NOW)
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder.apkg"]


def test_a_failing_write_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the rename fails, the old file is as it was, nothing lies beside it, and the reason is named."""
    target = tmp_path / "a.apkg"
    target.write_text("mine")

    def fails(self: Path, target: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(ExportRefused, match=r"cannot be written \(Permission denied\)"):
        export_anki([_deck()], target, force=True, clock_ms=NOW)
    assert target.read_text() == "mine"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.apkg"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_refused(tmp_path: Path) -> None:
    """A folder without write permission is named, with another place as the way out."""
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(ExportRefused, match=r"cannot be written .* another folder"):
            export_anki([_deck()], tmp_path / "a.apkg", clock_ms=NOW)
    finally:
        tmp_path.chmod(0o700)
