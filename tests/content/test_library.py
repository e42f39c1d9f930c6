"""All decks together: order, clashes, overrides, prerequisites, and files that are no decks."""

import os
from pathlib import Path

import pytest

from studynorm.content.deckfile import MAX_BYTES, read_deck
from studynorm.content.library import Library, NoDecks, load_library


def deck_text(deck_id: str, *cards: str, title: str | None = None, requires: str = "[]") -> str:
    """Return a deck's text; a card is `id question answer`, or `id C text`."""
    blocks = []
    for card in cards:
        card_id, first, rest = card.split(" ", 2)
        blocks.append(
            f"## {card_id}\nC: {rest}\n" if first == "C" else f"## {card_id}\nQ: {first}\nA: {rest}\n"
        )
    header = f'id = "{deck_id}"\ntitle = "{title or deck_id}"\nrequires = {requires}'
    return f"+++\n{header}\n+++\n" + "".join(blocks)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Return an empty folder for shipped decks and one for the learner's."""
    shipped, user = tmp_path / "shipped", tmp_path / "user"
    shipped.mkdir()
    user.mkdir()
    return shipped, user


def messages(library: Library) -> list[str]:
    """Return the errors as shown, with the folders cut off."""
    return [str(error).rsplit("/", 1)[-1] for error in library.errors]


def test_topics_come_in_learning_order_and_the_learners_decks_by_title(folders: tuple[Path, Path]) -> None:
    """Shipped decks follow the twelve topics; others follow them by title, the learner's last."""
    shipped, user = folders
    for deck_id in ("concepts", "backward", "batchnorm", "unlisted"):
        (shipped / f"{deck_id}.md").write_text(deck_text(deck_id, "a q a"))
    (user / "z.md").write_text(deck_text("mine-z", "a q a", title="apples"))
    (user / "a.md").write_text(deck_text("mine-a", "a q a", title="Bananas"))
    library = load_library(shipped, user)
    assert library.errors == ()
    assert [deck.id for deck in library.decks] == [
        "batchnorm",
        "backward",
        "concepts",
        "unlisted",
        "mine-z",
        "mine-a",
    ]


def test_cards_are_found_by_item_id_with_and_without_mark(folders: tuple[Path, Path]) -> None:
    """A mark id finds its card; one that the card lacks finds nothing."""
    shipped, _ = folders
    (shipped / "batchnorm.md").write_text(deck_text("batchnorm", "a q a", "b C {{m::x}} {{n::y}}"))
    library = load_library(shipped, None)
    found = {
        item: card.id if (card := library.card(item)) else None
        for item in (
            "card:batchnorm/a",
            "card:batchnorm/b",
            "card:batchnorm/b#n",
            "card:batchnorm/b#x",
            "card:x/a",
        )
    }
    assert list(found.values()) == ["a", "b", "b", None, None]
    assert library.card("card:batchnorm/a#m") is None
    assert (deck := library.deck("batchnorm")) is not None
    assert len(deck.cards) == 2
    assert library.deck("x") is None


def test_no_shipped_deck_is_an_error(folders: tuple[Path, Path]) -> None:
    """An empty or missing folder of shipped decks means a broken installation, and says which folder."""
    shipped, user = folders
    (shipped / "_claims.md").write_text("x")
    for folder in (shipped, shipped / "missing"):
        with pytest.raises(NoDecks, match=str(folder)):
            load_library(folder, user)


def test_underscored_and_hidden_files_are_no_decks(folders: tuple[Path, Path]) -> None:
    """Drafts and an editor's lock files are passed over."""
    shipped, user = folders
    (shipped / "batchnorm.md").write_text(deck_text("batchnorm", "a q a"))
    for name in ("_draft.md", ".#lock.md", "readme.txt"):
        (user / name).write_text("no deck")
    assert load_library(shipped, user).errors == ()


def test_a_missing_user_folder_is_no_error(folders: tuple[Path, Path]) -> None:
    """A learner without decks of their own has no folder yet."""
    shipped, user = folders
    (shipped / "batchnorm.md").write_text(deck_text("batchnorm", "a q a"))
    assert load_library(shipped, user / "none").errors == ()


def test_a_user_folder_that_is_a_file_is_named(folders: tuple[Path, Path]) -> None:
    """The error names the path, and the shipped decks load."""
    shipped, user = folders
    (shipped / "batchnorm.md").write_text(deck_text("batchnorm", "a q a"))
    (user / "file").write_text("x")
    library = load_library(shipped, user / "file")
    assert len(library.decks) == 1
    assert [error.place.path for error in library.errors] == [user / "file"]


def test_two_decks_with_one_id_are_named_both_and_the_first_wins(folders: tuple[Path, Path]) -> None:
    """The shipped deck stays, and the error names the two files."""
    shipped, user = folders
    (shipped / "batchnorm.md").write_text(deck_text("batchnorm", "a q a"))
    (user / "copy.md").write_text(deck_text("batchnorm", "b q a"))
    library = load_library(shipped, user)
    (error,) = library.errors
    assert error.place.path == user / "copy.md"
    assert str(shipped / "batchnorm.md") in error.message
    assert library.card("card:batchnorm/b") is None


def override(folders: tuple[Path, Path], body: str, deck_id: str = "batchnorm") -> Library:
    """Load a shipped deck of a recall and a cloze card with one override deck."""
    shipped, user = folders
    (shipped / "batchnorm.md").write_text(deck_text("batchnorm", "a old old", "b C {{m::x}} {{n::y}}"))
    (user / "edits.md").write_text(f'+++\noverrides = "{deck_id}"\n+++\n{body}')
    return load_library(shipped, user)


def test_an_override_replaces_the_card_under_its_item_id(folders: tuple[Path, Path]) -> None:
    """The card keeps id and order, and its place is the learner's file."""
    library = override(folders, "## a\nQ: new\nA: new\n")
    assert library.errors == ()
    assert library.notices == ()
    card = library.card("card:batchnorm/a")
    assert card is not None
    assert (card.front, card.back) == ("new", "new")
    assert str(card.place).endswith("edits.md:4")
    assert [card.id for card in library.decks[0].cards] == ["a", "b"]
    assert len(library.decks) == 1


def test_an_upgrade_of_an_overridden_card_is_noticed(folders: tuple[Path, Path]) -> None:
    """A `Base:` that is the shipped card's fingerprint is quiet; another one is told."""
    shipped, _ = folders
    (shipped / "batchnorm.md").write_text(deck_text("batchnorm", "a old old"))
    base = load_library(shipped, None).decks[0].cards[0].fingerprint
    assert override(folders, f"## a\nQ: new\nA: new\nBase: {base}\n").notices == ()
    (notice,) = override(folders, "## a\nQ: new\nA: new\nBase: 0000000000000000\n").notices
    assert "card:batchnorm/a changed since your edit" in notice
    assert base in notice


OVERRIDE_FAULTS = [
    ("## zzz\nQ: q\nA: a\n", "batchnorm", 4, "no shipped card card:batchnorm/zzz"),
    ("## a\nC: {{m::x}}\n", "batchnorm", 4, "changes the kind"),
    ("## a\nQ: q\nA: a\n", "nowhere", 1, "no shipped deck 'nowhere'"),
]


@pytest.mark.parametrize(("body", "deck_id", "line", "words"), OVERRIDE_FAULTS)
def test_an_override_without_its_card_is_an_error(
    folders: tuple[Path, Path], body: str, deck_id: str, line: int, words: str
) -> None:
    """The shipped card stays, and the error points at the override."""
    library = override(folders, body, deck_id)
    assert [(error.place.path.name, error.place.line) for error in library.errors] == [("edits.md", line)]
    assert words in library.errors[0].message
    card = library.card("card:batchnorm/a")
    assert card is not None
    assert card.front == "old"


def test_two_overrides_of_one_card_are_named_both(folders: tuple[Path, Path]) -> None:
    """The first file's version is used."""
    shipped, user = folders
    override(folders, "## a\nQ: first\nA: a\n")
    (user / "more.md").write_text('+++\noverrides = "batchnorm"\n+++\n## a\nQ: second\nA: a\n')
    library = load_library(shipped, user)
    (error,) = library.errors
    assert error.place.path.name == "more.md"
    assert "edits.md:4" in error.message
    assert (card := library.card("card:batchnorm/a")) is not None
    assert card.front == "first"


def test_a_mark_that_an_override_drops_is_told(folders: tuple[Path, Path]) -> None:
    """Its history is never lost in silence."""
    library = override(folders, "## b\nC: only {{m::x}}\n")
    assert library.errors == ()
    (notice,) = library.notices
    assert "lacks the marks n." in notice


def test_prerequisites_must_exist_and_run_in_no_circle(folders: tuple[Path, Path]) -> None:
    """An unknown prerequisite and a circle are errors; the decks load all the same."""
    shipped, user = folders
    (shipped / "batchnorm.md").write_text(deck_text("batchnorm", "a q a"))
    (user / "1.md").write_text(deck_text("one", "a q a", requires='["two", "batchnorm"]'))
    (user / "2.md").write_text(deck_text("two", "a q a", requires='["three"]'))
    (user / "3.md").write_text(deck_text("three", "a q a", requires='["one", "gone"]'))
    library = load_library(shipped, user)
    assert len(library.decks) == 4
    unknown, circle = sorted(library.errors, key=lambda error: "circle" in error.message)
    assert (unknown.place.path.name, "'gone'" in unknown.message) == ("3.md", True)
    names = circle.message.split(": ")[1].split(" → ")
    assert sorted(names[:-1]) == ["one", "three", "two"]
    assert names[0] == names[-1]


def test_a_long_chain_of_prerequisites_is_walked_without_recursion(folders: tuple[Path, Path]) -> None:
    """Two thousand decks, each requiring the next, load without an error."""
    shipped, user = folders
    (shipped / "batchnorm.md").write_text(deck_text("batchnorm", "a q a"))
    for number in range(2000):
        requires = f'["d{number + 1}"]' if number < 1999 else "[]"
        (user / f"{number}.md").write_text(deck_text(f"d{number}", "a q a", requires=requires))
    assert load_library(shipped, user).errors == ()


def test_files_that_are_no_text_are_refused_in_plain_words(tmp_path: Path) -> None:
    """Latin-1, a folder, a pipe, a dead link and a huge file each give one error and no exception."""
    (tmp_path / "latin.md").write_bytes(b'+++\nid = "a"\ntitle = "caf\xe9"\n+++\n')
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "link.md").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.md")
    with (tmp_path / "huge.md").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    expected = {
        "latin.md": (3, "not UTF-8"),
        "folder.md": (1, "a folder"),
        "link.md": (1, "can't be read"),
        "pipe.md": (1, "no ordinary file"),
        "huge.md": (1, "larger than 5 MB"),
    }
    for name, (line, words) in expected.items():
        deck, (error,) = read_deck(tmp_path / name)
        assert deck is None
        assert error.place.line == line
        assert words in error.message


def test_an_unreadable_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal by the file system is an error with the path, not a traceback."""
    path = tmp_path / "a.md"
    path.write_text("x")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    deck, (error,) = read_deck(path)
    assert deck is None
    assert "Permission denied" in str(error)


def test_a_file_name_with_escape_codes_is_shown_harmless(tmp_path: Path) -> None:
    """An error that names such a file holds no control character (B12), and brackets stay (B01)."""
    path = tmp_path / "[dim]\x1b[31m\n.md"
    path.write_text("no deck")
    _, (error,) = read_deck(path)
    assert "[dim]␛[31m␊.md:1" in str(error)
    assert str(error).isprintable()


# -- folders of the learner ------------------------------------------------------------------------------
def ids(library: Library) -> list[str]:
    """Return the ids of all decks but the shipped one."""
    return [deck.id for deck in library.decks if deck.id != "batchnorm"]


def test_decks_in_sub_folders_are_found(folders: tuple[Path, Path]) -> None:
    """At any depth, but not in hidden folders and those beginning with `_`."""
    shipped, user = folders
    (shipped / "batchnorm.md").write_text(deck_text("batchnorm", "a q a"))
    for name in ("top", "one/deep", "one/two/deeper", ".git/hidden", "_old/draft", "one/_no/draft"):
        path = user / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(deck_text(path.stem, "a q a"))
    library = load_library(shipped, user)
    assert library.errors == ()
    assert sorted(ids(library)) == ["deep", "deeper", "top"]


def test_shipped_decks_lie_in_their_folder_alone(folders: tuple[Path, Path]) -> None:
    """A folder among the shipped decks holds other things."""
    shipped, user = folders
    (shipped / "batchnorm.md").write_text(deck_text("batchnorm", "a q a"))
    (shipped / "reference").mkdir()
    (shipped / "reference" / "page.md").write_text("no deck")
    library = load_library(shipped, user)
    assert (library.errors, ids(library)) == ((), [])


def test_an_override_in_a_sub_folder_counts_and_the_upper_file_comes_first(
    folders: tuple[Path, Path],
) -> None:
    """Of two versions of one card, that in the folder above is used, and both are named."""
    shipped, user = folders
    (shipped / "batchnorm.md").write_text(deck_text("batchnorm", "a old old"))
    (user / "a").mkdir()
    (user / "a" / "deep.md").write_text('+++\noverrides = "batchnorm"\n+++\n## a\nQ: deep\nA: a\n')
    assert (card := load_library(shipped, user).card("card:batchnorm/a")) is not None
    assert card.front == "deep"
    (user / "z.md").write_text('+++\noverrides = "batchnorm"\n+++\n## a\nQ: upper\nA: a\n')
    library = load_library(shipped, user)
    assert (card := library.card("card:batchnorm/a")) is not None
    assert card.front == "upper"
    (error,) = library.errors
    assert error.place.path.name == "deep.md"
    assert f"{user / 'z.md'}:4" in error.message


def test_links_that_run_in_a_circle_are_harmless(folders: tuple[Path, Path]) -> None:
    """Each folder is read once, however many links lead to it; a link to itself is passed over or named."""
    shipped, user = folders
    (shipped / "batchnorm.md").write_text(deck_text("batchnorm", "a q a"))
    (user / "sub").mkdir()
    (user / "sub" / "mine.md").write_text(deck_text("mine", "a q a"))
    (user / "sub" / "up").symlink_to(user)
    (user / "again").symlink_to(user / "sub")
    (user / "self").symlink_to(user / "self")
    (user / "self.md").symlink_to(user / "self.md")
    library = load_library(shipped, user)
    assert ids(library) == ["mine"]
    assert [error.place.path.name for error in library.errors] == ["self.md"]
    assert "can't be read" in library.errors[0].message


def test_a_sub_folder_that_cannot_be_listed_costs_only_itself(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is named, and the decks beside it load."""
    shipped, user = folders
    (shipped / "batchnorm.md").write_text(deck_text("batchnorm", "a q a"))
    (user / "mine.md").write_text(deck_text("mine", "a q a"))
    (user / "locked").mkdir()
    iterdir = Path.iterdir

    def refuse(path: Path) -> object:
        if path.name == "locked":
            raise PermissionError(13, "Permission denied")
        return iterdir(path)

    monkeypatch.setattr(Path, "iterdir", refuse)
    library = load_library(shipped, user)
    assert ids(library) == ["mine"]
    assert [str(error).partition(". ")[0] for error in library.errors] == [
        f"{user / 'locked'}:1: the folder can't be read: Permission denied"
    ]


def test_a_folder_named_like_a_deck_is_named(folders: tuple[Path, Path]) -> None:
    """It is no deck, and nobody has to wonder why it isn't asked."""
    shipped, user = folders
    (shipped / "batchnorm.md").write_text(deck_text("batchnorm", "a q a"))
    (user / "mine.md").mkdir()
    assert messages(load_library(shipped, user)) == [
        "mine.md:1: this is a folder. A deck is a text file: rename or move this one."
    ]


def test_empty_new_cards_of_the_learner_are_one_quiet_line_per_file(folders: tuple[Path, Path]) -> None:
    """They are no fault of the deck; in a shipped deck each is one."""
    shipped, user = folders
    template = "## \nQ: \nA: \n"
    (shipped / "batchnorm.md").write_text(deck_text("batchnorm", "a q a"))
    (user / "one.md").write_text(deck_text("one", "a q a") + template)
    (user / "two.md").write_text(deck_text("two", "a q a") + template * 2)
    library = load_library(shipped, user)
    assert (library.errors, library.notices) == ((), ())
    assert [line.rsplit("/", 1)[-1].partition(". ")[0] for line in library.unfinished] == [
        "one.md:9: a new card is still empty",
        "two.md:9: 2 new cards are still empty",
    ]
    (shipped / "batchnorm.md").write_text(deck_text("batchnorm", "a q a") + template)
    assert messages(load_library(shipped, None))[0].startswith("batchnorm.md:9: a new card is still empty. ")
