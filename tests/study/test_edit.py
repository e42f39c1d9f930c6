"""Editing a card: the right place is opened, nothing is lost, what came of it is told by file and line."""

import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from studynorm.content.library import load_library
from studynorm.study.edit import CannotEdit, DeckFolders, NoSuchCard, edit_card, new_card, place_to_edit
from studynorm.study.editor import NoEditor, editor_command, open_editor

SHIPPED = (
    '+++\nid = "batchnorm"\ntitle = "B"\n+++\nNote.\n\n## one\nQ: q1\nA: a1\n\n## two\nC: {{m::x}} {{n::y}}\n'
)
OWN = (
    '\ufeff+++\r\nid = "mine"\r\ntitle = "Mine"\r\n+++\r\n\r\n'
    "## first\r\nQ: q  \r\nA: a\r\n\r\n\r\n## second\r\nQ: r\r\nA: b\r\n"
)


class Editor:
    """An editor that changes what it opens, and remembers where it was opened."""

    def __init__(self, change: Callable[[str], str] = lambda text: text, code: int = 0) -> None:
        self.change = change
        self.code = code
        self.opened: list[tuple[Path, int]] = []
        self.saw = ""

    def __call__(self, path: Path, line: int) -> int:
        self.opened.append((path, line))
        self.saw = read(path)
        text = self.change(self.saw)
        if text != self.saw:
            path.write_bytes(text.encode("utf-8"))
        return self.code

    @property
    def line(self) -> str:
        """The text of the line at which the editor was opened."""
        (_, number) = self.opened[-1]
        return self.saw.removeprefix("\ufeff").splitlines()[number - 1]


def replacing(old: str, new: str) -> Editor:
    """Return an editor that replaces a text which must be there."""

    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return Editor(change)


def read(path: Path) -> str:
    """Return a file's text as it stands."""
    return path.read_bytes().decode("utf-8")


@pytest.fixture
def folders(tmp_path: Path) -> DeckFolders:
    """One shipped deck, and no folder of the user's yet."""
    shipped = tmp_path / "cards"
    shipped.mkdir()
    (shipped / "batchnorm.md").write_text(SHIPPED, encoding="utf-8")
    return DeckFolders(shipped, tmp_path / "decks")


@pytest.fixture
def own(folders: DeckFolders) -> Path:
    """An own deck, saved on Windows."""
    folders.user.mkdir()
    path = folders.user / "mine.md"
    path.write_bytes(OWN.encode("utf-8"))
    return path


def files(folders: DeckFolders) -> list[str]:
    """Return what lies in the user's folder."""
    return sorted(path.name for path in folders.user.iterdir()) if folders.user.exists() else []


# -- own cards -------------------------------------------------------------------------------------------
def test_an_own_card_is_opened_in_place(folders: DeckFolders, own: Path) -> None:
    """At its heading; what the editor leaves is there to the byte, and only the words tell of a new card."""
    editor = replacing("A: b", "A: better")
    edited = edit_card("card:mine/second", folders, editor)
    assert editor.opened == [(own, 11)]
    assert editor.line == "## second"
    assert read(own) == OWN.replace("A: b", "A: better")
    assert (edited.changed, edited.problems, edited.notices, edited.reworded) == (True, (), (), True)
    assert edited.card is not None
    assert edited.card.back == "better"
    assert edited.card.item_ids == ("card:mine/second",)


def test_an_edit_of_blanks_is_no_new_wording(folders: DeckFolders, own: Path) -> None:
    """The file changed, the card says what it said."""
    edited = edit_card("card:mine/first", folders, replacing("Q: q  ", "Q:   q"))
    assert (edited.changed, edited.reworded) == (True, False)


def test_an_unchanged_card_is_told_as_such(folders: DeckFolders, own: Path) -> None:
    """The file is what it was, down to its date."""
    before = own.stat().st_mtime_ns
    edited = edit_card("card:mine/first", folders, Editor())
    assert (edited.changed, edited.problems, edited.notices) == (False, (), ())
    assert edited.card is not None
    assert own.stat().st_mtime_ns == before


def test_a_broken_card_is_named_and_its_text_kept(folders: DeckFolders, own: Path) -> None:
    """The line is that of the card, the text stays in the file, and it can be opened again to mend it."""
    edited = edit_card("card:mine/first", folders, replacing("A: a\r\n", ""))
    assert edited.problems[0].startswith(f"{own}:6: the card has no `A:`. ")
    assert "your text is kept; the card is not asked until it is mended" in edited.problems[1]
    assert read(own) == OWN.replace("A: a\r\n", "")
    mended = edit_card("card:mine/first", folders, replacing("Q: q  \r\n", "Q: q  \r\nA: a\r\n"))
    assert (mended.changed, mended.problems) == (True, ())
    assert read(own) == OWN


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("A: a\r\n", "A: ```py\r\nx\r\n", "the code fence is never closed"),
        ("A: a\r\n", "A: $$ x\r\n", "the `$$` is never closed"),
        ("## second", "## first", "the card id 'first' is taken"),
        ("+++\r\nid", "+++\r\nid id", "not valid TOML"),
    ],
)
def test_every_fault_of_the_file_is_told_by_line(
    folders: DeckFolders, own: Path, old: str, new: str, words: str
) -> None:
    """Whatever went wrong, file, line and words are there, and the file is as the editor left it."""
    edited = edit_card("card:mine/first", folders, replacing(old, new))
    told = [problem for problem in edited.problems if words in problem]
    assert told
    assert told[0].startswith(f"{own}:")
    assert read(own) == OWN.replace(old, new)


def test_a_card_that_is_removed_or_renamed_is_told(folders: DeckFolders, own: Path) -> None:
    """That is allowed, and its history waits for its id."""
    edited = edit_card("card:mine/second", folders, replacing("## second", "## other"))
    assert edited.problems == ()
    assert "card:mine/second is no longer in" in edited.notices[0]
    assert "comes back with a card of this id" in edited.notices[0]
    assert edited.card is None


def test_a_file_that_is_no_text_any_more_is_told(folders: DeckFolders, own: Path) -> None:
    """Saved in another encoding: the bytes stay, and the way out is there."""

    def latin(path: Path, line: int) -> int:
        path.write_bytes("café".encode("latin-1"))
        return 0

    edited = edit_card("card:mine/first", folders, latin)
    assert "the file is not UTF-8. Save it as UTF-8" in edited.problems[0]
    assert "your text is kept" in edited.problems[1]
    assert own.read_bytes() == "café".encode("latin-1")


def test_a_file_that_the_editor_removed_is_put_back(folders: DeckFolders, own: Path) -> None:
    """A slip in an editor loses no deck."""

    def remove(path: Path, line: int) -> int:
        path.unlink()
        return 0

    edited = edit_card("card:mine/first", folders, remove)
    assert not edited.changed
    assert "is back as it was before" in edited.problems[0]
    assert read(own) == OWN


# -- shipped cards ---------------------------------------------------------------------------------------
def test_a_shipped_card_is_edited_in_a_copy_of_its_own(folders: DeckFolders) -> None:
    """The copy has the card's words and fingerprint, stands in the user's folder, and is what is asked."""
    editor = replacing("A: a1", "A: mine")
    edited = edit_card("card:batchnorm/one", folders, editor)
    path = folders.user / "batchnorm.overrides.md"
    assert editor.opened == [(path, 5)]
    assert editor.line == "## one"
    assert edited.problems == edited.notices == ()
    assert edited.reworded
    library = folders.library()
    assert (library.errors, library.notices) == ((), ())
    assert (card := library.card("card:batchnorm/one")) is not None
    assert (card.back, card.place.path, card.item_ids) == ("mine", path, ("card:batchnorm/one",))
    assert (shipped := load_library(folders.shipped, None).card("card:batchnorm/one")) is not None
    assert card.base == shipped.fingerprint
    assert read(folders.shipped / "batchnorm.md") == SHIPPED


def test_a_shipped_card_left_as_it_was_leaves_nothing_behind(folders: DeckFolders) -> None:
    """No override is there, whether the file was made for it or held others already."""
    edited = edit_card("card:batchnorm/one", folders, Editor())
    assert (edited.changed, edited.problems) == (False, ())
    assert files(folders) == []
    edit_card("card:batchnorm/one", folders, replacing("A: a1", "A: mine"))
    before = read(folders.user / "batchnorm.overrides.md")
    assert not edit_card("card:batchnorm/two", folders, Editor()).changed
    assert read(folders.user / "batchnorm.overrides.md") == before


def test_all_versions_of_one_deck_are_in_one_file(folders: DeckFolders) -> None:
    """The second card joins the first, and a third edit opens what is there."""
    edit_card("card:batchnorm/one", folders, replacing("A: a1", "A: mine"))
    edit_card("card:batchnorm/two#n", folders, replacing("{{m::x}}", "{{m::z}}"))
    assert files(folders) == ["batchnorm.overrides.md"]
    editor = replacing("A: mine", "A: mine again")
    edit_card("card:batchnorm/one", folders, editor)
    assert editor.line == "## one"
    text = read(folders.user / "batchnorm.overrides.md")
    assert text.count("## one") == text.count("## two") == 1
    assert folders.library().errors == ()


def test_an_override_file_that_is_there_is_used(folders: DeckFolders) -> None:
    """Whatever its name and folder; what it holds stays to the byte."""
    path = folders.user / "sub" / "my edits.md"
    path.parent.mkdir(parents=True)
    text = '+++\r\noverrides = "batchnorm"\r\n+++\r\n## two\r\nC: {{m::x}}  {{n::q}}\r\n'
    path.write_bytes(text.encode("utf-8"))
    assert place_to_edit("card:batchnorm/two", folders).line == 4
    edit_card("card:batchnorm/one", folders, replacing("A: a1", "A: mine"))
    assert read(path).startswith(text)
    assert "\n" not in read(path).replace("\r\n", "")
    assert [child.name for child in folders.user.iterdir()] == ["sub"]


def test_a_broken_version_of_a_shipped_card_is_kept_and_the_shipped_one_asked(folders: DeckFolders) -> None:
    """The message says where the text is; opened again, it is there to be mended."""
    edited = edit_card("card:batchnorm/one", folders, replacing("A: a1", "Answer it"))
    path = folders.user / "batchnorm.overrides.md"
    assert edited.problems[0].startswith(f"{path}:5: the card has no `A:`")
    assert edited.problems[1].startswith(f"{path}:5: your text is kept; the shipped card is asked until")
    assert (card := folders.library().card("card:batchnorm/one")) is not None
    assert card.back == "a1"
    editor = replacing("Answer it", "A: it")
    assert edit_card("card:batchnorm/one", folders, editor).problems == ()
    assert editor.opened == [(path, 5)]


def test_a_version_of_another_kind_is_told(folders: DeckFolders) -> None:
    """A recall card cannot become a cloze under its id."""
    edited = edit_card("card:batchnorm/one", folders, replacing("Q: q1\nA: a1", "C: {{a::b}}"))
    assert "changes the kind of the shipped card" in edited.problems[0]
    assert "the shipped card is asked" in edited.problems[1]


def test_a_version_that_drops_a_mark_is_told(folders: DeckFolders) -> None:
    """It is in use, and what it lacks is a notice."""
    edited = edit_card("card:batchnorm/two", folders, replacing(" {{n::y}}", ""))
    assert edited.problems == ()
    assert "lacks the marks n" in edited.notices[0]


def test_a_version_that_is_deleted_brings_the_shipped_card_back(folders: DeckFolders) -> None:
    """Which is said."""
    edit_card("card:batchnorm/one", folders, replacing("A: a1", "A: mine"))
    edited = edit_card("card:batchnorm/one", folders, Editor(lambda text: text.partition("## one")[0]))
    assert edited.problems == ()
    assert "the shipped card is asked now" in edited.notices[0]
    assert edited.card is not None
    assert edited.card.back == "a1"


@pytest.fixture
def overrides(folders: DeckFolders) -> Path:
    """An override deck with a version of both cards, as two edits leave it."""
    edit_card("card:batchnorm/one", folders, replacing("A: a1", "A: mine"))
    edit_card("card:batchnorm/two", folders, replacing("{{m::x}}", "{{m::z}}"))
    return folders.user / "batchnorm.overrides.md"


def broken(path: Path, old: str, new: str) -> str:
    """Break a file, as an edit by hand would, and return its text."""
    text = read(path)
    assert text.count(old) == 1
    path.write_bytes(text.replace(old, new).encode("utf-8"))
    return read(path)


@pytest.mark.parametrize(
    ("card", "old", "new", "line"),
    [
        ("one", "## one", "# one", "Q: q1"),
        ("two", "## two", "# two", "# two"),
        ("one", "## two", "# two", "# two"),
        ("two", "## two\n", "", "Base: "),
        ("two", "## two", "## Two!", "## Two!"),
        ("two", "## two", "## twoo", "## twoo"),
        ("two", "{{m::z}}", "{{m::z", "C: {{m::z {{n::y}}"),
        ("one", "overrides = ", "overrides ", 'overrides "batchnorm"'),
    ],
)
def test_a_broken_version_is_opened_where_it_is_broken(
    folders: DeckFolders, overrides: Path, card: str, old: str, new: str, line: str
) -> None:
    """Never is a second copy of the card put beside it; once mended, it is what is asked."""
    whole = read(overrides)
    text = broken(overrides, old, new)
    editor = Editor()
    edited = edit_card(f"card:batchnorm/{card}", folders, editor)
    assert editor.saw == text
    assert editor.line.startswith(line)
    assert (read(overrides), files(folders)) == (text, [overrides.name])
    assert not edited.changed
    assert edited.problems[0].startswith(f"{overrides}:{editor.opened[0][1]}: ")
    assert "your text is kept; the shipped card is asked until it is mended" in edited.problems[-1]
    mended = edit_card(f"card:batchnorm/{card}", folders, Editor(lambda _: whole))
    assert mended.problems == ()
    assert mended.card is not None
    assert mended.card.place.path == overrides


def test_a_heading_broken_in_the_editor_keeps_the_text_and_says_so(
    folders: DeckFolders, overrides: Path
) -> None:
    """The card is not told to be gone: its text is there to be mended."""
    edited = edit_card("card:batchnorm/two", folders, replacing("## two", "# two"))
    assert (edited.changed, edited.notices) == (True, ())
    assert "text behind `Base:`" in edited.problems[0]
    assert "your text is kept; the shipped card is asked until it is mended" in edited.problems[-1]


def test_a_fault_of_another_card_does_not_keep_a_card_from_being_edited(folders: DeckFolders) -> None:
    """The copy is added, as that fault is not in its text."""
    edit_card("card:batchnorm/one", folders, replacing("A: a1", ""))
    editor = replacing("{{m::x}}", "{{m::z}}")
    edit_card("card:batchnorm/two", folders, editor)
    assert editor.line == "## two"
    assert (card := folders.library().card("card:batchnorm/two")) is not None
    assert card.front.startswith("{{m::z}}")


@pytest.mark.parametrize(("old", "new"), [("## one", "# one"), ("Base:", "# one\nBase:")])
def test_the_broken_text_of_another_card_is_left_alone(folders: DeckFolders, old: str, new: str) -> None:
    """Though it is under no heading of its own, it says whose it is."""
    edit_card("card:batchnorm/one", folders, replacing("A: a1", "A: mine"))
    text = broken(folders.user / "batchnorm.overrides.md", old, new)
    editor = replacing("{{m::x}}", "{{m::z}}")
    edited = edit_card("card:batchnorm/two", folders, editor)
    assert editor.line == "## two"
    assert editor.saw.startswith(text)
    assert edited.card is not None
    assert edited.card.front.startswith("{{m::z}}")


def test_a_card_edited_after_a_mended_fault_is_not_told_to_be_gone(
    folders: DeckFolders, overrides: Path
) -> None:
    """It never was in the file, which was opened for its fault."""
    overrides.write_text('+++\noverrides = "batchnorm"\n+++\n## onee\nQ: q\nA: a\n', encoding="utf-8")
    edited = edit_card("card:batchnorm/two", folders, replacing("## onee", "## one"))
    assert edited.problems == ()
    assert edited.notices[0].startswith(
        f"card:batchnorm/two is not in {overrides}: the shipped card is asked"
    )


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("## second", "# second", "Q: r"),
        ("## first", "# first", "Q: q  "),
        ("title =", "title", 'title "Mine"'),
    ],
)
def test_a_broken_own_card_is_opened_where_it_is_broken(
    folders: DeckFolders, own: Path, old: str, new: str, line: str
) -> None:
    """Though no card has its id now."""
    text = broken(own, old, new)
    editor = Editor()
    card = "second" if "second" in old else "first"
    edited = edit_card(f"card:mine/{card}", folders, editor)
    assert (editor.line, read(own)) == (line, text)
    assert "your text is kept; the card is not asked until it is mended" in edited.problems[-1]
    assert edit_card(f"card:mine/{card}", folders, replacing(new, old)).problems == ()


def test_a_fault_elsewhere_makes_no_card_of_a_wrong_id(folders: DeckFolders, own: Path) -> None:
    """A fault of another card, of the header or of an empty new card opens nothing."""
    broken(own, "A: b", "")
    broken(own, 'title = "Mine"', 'title = "Mine"\r\nrequires = ["none"]')
    new_card("mine", folders, None)
    with pytest.raises(NoSuchCard):
        edit_card("card:mine/frist", folders, Editor())


def test_an_override_file_that_cannot_be_read_is_not_written(folders: DeckFolders) -> None:
    """It may hold cards of the learner: it is named, with what is wrong, and stays."""
    folders.user.mkdir()
    path = folders.user / "batchnorm.overrides.md"
    path.write_text("+++\noverrides = batchnorm\n+++\n## one\nQ: q\nA: a\n", encoding="utf-8")
    before = read(path)
    with pytest.raises(CannotEdit, match=r"batchnorm\.overrides\.md:2: the header is not valid TOML"):
        edit_card("card:batchnorm/two", folders, Editor())
    assert (read(path), files(folders)) == (before, ["batchnorm.overrides.md"])


def test_a_deck_of_that_odd_name_is_left_alone(folders: DeckFolders) -> None:
    """Another file takes the override."""
    folders.user.mkdir()
    (folders.user / "batchnorm.overrides.md").write_text(
        '+++\nid = "odd"\ntitle = "Odd"\n+++\n', encoding="utf-8"
    )
    edit_card("card:batchnorm/one", folders, replacing("A: a1", "A: mine"))
    assert files(folders) == ["batchnorm.overrides-2.md", "batchnorm.overrides.md"]


# -- editors that fail -----------------------------------------------------------------------------------
def test_an_editor_that_gives_up_changes_nothing(folders: DeckFolders, own: Path) -> None:
    """As with `:cq` in vim; the code is told, and no override stays."""
    for item in ("card:mine/first", "card:batchnorm/one"):
        edited = edit_card(item, folders, Editor(code=1))
        assert not edited.changed
        assert edited.problems == ("the editor ended with code 1; nothing was changed.",)
    assert (files(folders), read(own)) == (["mine.md"], OWN)


def test_what_a_crashed_editor_saved_is_kept(folders: DeckFolders, own: Path) -> None:
    """The text is the learner's, whatever became of the editor."""
    editor = replacing("A: b", "A: saved")
    editor.code = -9
    edited = edit_card("card:mine/second", folders, editor)
    assert edited.notices == ("the editor was stopped by signal 9; what it left in the file is kept.",)
    assert "A: saved" in read(own)


@pytest.mark.parametrize("error", [NoEditor("there is no editor."), KeyboardInterrupt()])
def test_an_editor_that_never_ran_leaves_no_override(folders: DeckFolders, error: BaseException) -> None:
    """Neither a missing editor nor an interrupt leaves a copy of a shipped card behind."""

    def fail(path: Path, line: int) -> int:
        raise error

    with pytest.raises(CannotEdit if isinstance(error, NoEditor) else KeyboardInterrupt):
        edit_card("card:batchnorm/one", folders, fail)
    assert files(folders) == []


def test_without_an_editor_the_place_of_an_own_card_is_told(folders: DeckFolders, own: Path) -> None:
    """So that it can be opened by hand."""

    def fail(path: Path, line: int) -> int:
        raise NoEditor("there is no editor.")

    with pytest.raises(CannotEdit, match=r"there is no editor\. The card stands in .*mine\.md:6\."):
        edit_card("card:mine/first", folders, fail)


@pytest.mark.parametrize("item", ["card:mine/none", "card:batchnorm/none", "card:none/none"])
def test_a_card_that_is_not_there_opens_nothing(folders: DeckFolders, own: Path, item: str) -> None:
    """The refusal says how to list all."""
    with pytest.raises(NoSuchCard, match="`studynorm card list` shows all"):
        edit_card(item, folders, Editor())


@pytest.mark.parametrize("item", ["family:batchnorm.vector", "exercise:x", "card:x"])
def test_what_is_no_card_is_not_edited(folders: DeckFolders, item: str) -> None:
    """Families and exercises are code, and not the learner's text."""
    with pytest.raises(CannotEdit, match="only cards are edited"):
        edit_card(item, folders, Editor())


# -- new cards -------------------------------------------------------------------------------------------
def filled(question: str, answer: str) -> Editor:
    """Return an editor that fills in the new card."""
    return replacing("Q: \nA: \n", f"Q: {question}\nA: {answer}\n")


def test_a_new_deck_is_made_with_its_first_card(folders: DeckFolders) -> None:
    """The editor opens at the question, and the card's id comes from it."""
    editor = filled("What is eps for?", "Safety.")
    edited = new_card("My deck", folders, editor)
    assert editor.opened == [(folders.user / "my-deck.md", 7)]
    assert editor.line == "Q: "
    deck = folders.library().deck("my-deck")
    assert deck is not None
    assert (deck.title, [card.id for card in deck.cards]) == ("My deck", ["what-is-eps-for"])
    assert edited.card == deck.cards[0]
    assert str(edited.place) == f"{folders.user / 'my-deck.md'}:6"


def test_a_new_card_joins_an_own_deck(folders: DeckFolders, own: Path) -> None:
    """Its id is the one asked for, and what was there stays to the byte."""
    editor = Editor(lambda text: text.replace("Q: \r\nA: \r\n", "Q: x\r\nA: y\r\n"))
    edited = new_card("mine", folders, editor, "third")
    assert read(own) == OWN + "\r\n## third\r\nQ: x\r\nA: y\r\n"
    assert edited.card is not None
    assert edited.card.item_ids == ("card:mine/third",)


def test_a_new_card_left_empty_leaves_nothing_behind(folders: DeckFolders, own: Path) -> None:
    """Neither a new file nor an empty card."""
    assert not new_card("mine", folders, Editor()).changed
    assert not new_card("other", folders, Editor()).changed
    assert (files(folders), read(own)) == (["mine.md"], OWN)


def test_a_new_card_half_written_is_kept_and_named(folders: DeckFolders) -> None:
    """The question is there, the missing answer is told by line."""
    edited = new_card("mine", folders, filled("half", ""))
    path = folders.user / "mine.md"
    assert edited.changed
    assert [problem.partition(". ")[0] for problem in edited.problems] == [f"{path}:8: `A:` is empty"]
    assert "## half\nQ: half\n" in read(path)


def test_a_new_card_without_a_terminal_can_be_written_all_the_same(
    folders: DeckFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal names the flag; nothing is written."""

    def fail(path: Path, line: int) -> int:
        raise NoEditor("no editor can be opened without a terminal.")

    with pytest.raises(CannotEdit, match=r"without a terminal\. Or add `--no-edit`"):
        new_card("mine", folders, fail)
    assert files(folders) == []


def test_an_empty_card_opened_and_left_empty_is_a_notice(folders: DeckFolders) -> None:
    """It is still in its file and not asked."""
    new_card("mine", folders, None, "eps")
    edited = edit_card("card:mine/eps", folders, replacing('"Mine"', '"Ours"'))
    assert edited.problems == ()
    assert [notice.partition(". ")[0] for notice in edited.notices] == [
        f"{folders.user / 'mine.md'}:6: a new card is still empty"
    ]


def test_without_an_editor_the_empty_card_is_written(folders: DeckFolders) -> None:
    """To be filled in by hand."""
    edited = new_card("mine", folders, None, "eps")
    assert read(folders.user / "mine.md") == ('+++\nid = "mine"\ntitle = "Mine"\n+++\n\n## eps\nQ: \nA: \n')
    assert edited.place.line == 6


@pytest.mark.parametrize(
    ("name", "card_id", "words"),
    [
        ("batchnorm", None, "batchnorm is a shipped deck.*card new my-batchnorm.*card edit batchnorm/ID"),
        ("mine", "first", r"mine\.md:6: the card id first is taken"),
        ("mine", "Two Words", "'Two Words' is no card id.*two-words"),
        ("漢字", None, "can't name a deck"),
        ("../x", None, "can't name a deck"),
        ("mine.md", None, "can't name a deck"),
        ("broken", None, r"broken\.md:1: the deck has no .* Take another name"),
        ("elsewhere", None, r"elsewhere\.md holds another deck, odd\. Take another name"),
    ],
)
def test_a_new_card_that_cannot_be_is_refused(
    folders: DeckFolders, own: Path, name: str, card_id: str | None, words: str
) -> None:
    """Nothing is written, and the way out is named."""
    (folders.user / "broken.md").write_text("mine!\n", encoding="utf-8")
    (folders.user / "elsewhere.md").write_text('+++\nid = "odd"\ntitle = "Odd"\n+++\n', encoding="utf-8")
    before = {path: read(path) for path in folders.user.iterdir()}
    with pytest.raises(CannotEdit, match=words):
        new_card(name, folders, Editor(lambda text: text + "x"), card_id)
    assert {path: read(path) for path in folders.user.iterdir()} == before


# -- the editor itself -----------------------------------------------------------------------------------
FILE = Path("/decks/my deck.md")
COMMANDS = [
    ("vim", "vim +7 FILE"),
    ("vi", "vi +7 FILE"),
    ("nvim -f", "nvim -f +7 FILE"),
    ("gvim", "gvim -f +7 FILE"),
    ("/usr/bin/nano -w", "/usr/bin/nano -w +7 FILE"),
    ("emacs -nw", "emacs -nw +7 FILE"),
    ("kak", "kak +7 FILE"),
    ("micro", "micro +7 FILE"),
    ("code", "code --wait -g FILE:7"),
    ("code -w -n", "code -w -n -g FILE:7"),
    ("codium --wait", "codium --wait -g FILE:7"),
    ("subl", "subl --wait FILE:7"),
    ("hx", "hx FILE:7"),
    ("Code.exe", "Code.exe --wait -g FILE:7"),
    ("my-editor --flag 'a b'", "my-editor --flag 'a b' FILE"),
]


@pytest.mark.parametrize(("value", "expected"), COMMANDS)
def test_each_known_editor_is_told_the_line_in_its_own_way(value: str, expected: str) -> None:
    """An unknown one is given the file alone."""
    command = editor_command(FILE, 7, {"EDITOR": value}, terminal=False, which=lambda name: None)
    assert list(command) == [word.replace("FILE", str(FILE)) for word in shlex.split(expected)]


def test_visual_comes_before_editor_and_empty_counts_as_unset() -> None:
    """Then nano, vim or vi, if one is there and there is a terminal."""

    def chosen(environ: dict[str, str], *found: str) -> str:
        return editor_command(
            FILE, 1, environ, terminal=True, which=lambda name: name if name in found else None
        )[0]

    assert chosen({"VISUAL": "a", "EDITOR": "b"}) == "a"
    assert chosen({"VISUAL": " ", "EDITOR": "b"}) == "b"
    assert chosen({"EDITOR": ""}, "vi", "nano") == "nano"
    assert chosen({}, "vi") == "vi"
    assert chosen({"EDITOR": "/opt/my editor/ed"}, "/opt/my editor/ed") == "/opt/my editor/ed"


@pytest.mark.parametrize(
    ("environ", "terminal", "words"),
    [
        ({}, True, "there is no editor. Set VISUAL or EDITOR"),
        ({}, False, "no editor can be opened without a terminal. Set VISUAL or EDITOR"),
        ({"VISUAL": "vim 'x"}, True, "VISUAL can't be read: No closing quotation"),
    ],
)
def test_no_editor_is_told_with_what_to_set(environ: dict[str, str], terminal: bool, words: str) -> None:
    """A full-screen editor is not guessed where there is no terminal for it."""
    found = {"vi"} if not terminal else set()
    with pytest.raises(NoEditor, match=words):
        editor_command(
            FILE, 1, environ, terminal=terminal, which=lambda name: name if name in found else None
        )


def test_the_editor_of_the_environment_is_run_and_waited_for(
    folders: DeckFolders, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script as `EDITOR`, with an argument of its own, edits the file; its exit code comes back."""
    script = tmp_path / "my editor.py"
    script.write_text(
        "import sys, pathlib\n"
        "path = pathlib.Path(sys.argv[2])\n"
        "path.write_bytes(path.read_bytes().replace(b'A: b', sys.argv[1].encode()))\n"
        "sys.exit(3)\n",
        encoding="utf-8",
    )
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", shlex.join([sys.executable, str(script), "A: from outside"]))
    edited = edit_card("card:mine/second", folders, open_editor)
    assert edited.notices == ("the editor ended with code 3; what it left in the file is kept.",)
    assert edited.card is not None
    assert edited.card.back == "from outside"


@pytest.mark.parametrize("command", ["no-such-editor-here", "."])
def test_an_editor_that_is_not_there_is_named(
    folders: DeckFolders, own: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """With what to set; the file is as it was."""
    monkeypatch.setenv("VISUAL", command)
    with pytest.raises(CannotEdit, match=rf"the editor {command} can't be run: .*Set VISUAL or EDITOR"):
        edit_card("card:mine/second", folders, open_editor)
    assert read(own) == OWN


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in this file system")
def test_a_pipe_in_the_place_of_the_file_keeps_nobody_waiting(folders: DeckFolders, own: Path) -> None:
    """An editor that leaves one: the file is named as no ordinary one, and nothing hangs."""

    def editor(path: Path, line: int) -> int:
        path.unlink()
        os.mkfifo(path)
        return 0

    edited = edit_card("card:mine/first", folders, editor)
    assert any("no ordinary file" in problem for problem in edited.problems)
