"""Changes to a deck's text touch one block and nothing else, and an edit never changes what a card is."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studynorm.content.card import Card
from studynorm.content.deck import Deck, parse_deck
from studynorm.content.deckfile import read_deck
from studynorm.content.deckwrite import NotWritten, remove_deck, write_deck
from studynorm.content.editing import (
    card_block,
    card_line,
    override_deck,
    own_deck,
    with_card_ids,
    with_new_card,
    with_override,
)
from studynorm.content.library import load_library
from studynorm.content.source import Source, lines_of

PATH = Path("deck.md")
HEAD = '+++\nid = "norms"\ntitle = "Norms"\n+++\n'
DECK = (
    HEAD
    + "A note.\n\n## one\nQ: q1\nA: a1\n\n## two\nQ: q2\nA: see\n```\n## three\n```\n\n"
    + "## three\nQ: q3\nA: a3\n"
)


def deck_of(text: str) -> Deck:
    """Parse a deck that must have no fault."""
    deck, errors = parse_deck(text, PATH)
    assert errors == ()
    assert deck is not None
    return deck


# -- the text, byte for byte -----------------------------------------------------------------------------
@given(st.text(st.sampled_from("a \t\r\n\ufeff\u2028#+"), max_size=30))
def test_a_text_taken_apart_is_put_together_again(text: str) -> None:
    """Every byte comes back, and the lines are those that the reader counts."""
    source = Source.of(text)
    assert source.text == text
    assert list(source.lines) == lines_of(text)


def test_a_card_is_found_at_its_heading() -> None:
    """A heading inside a code fence is none; an id that is not there has no line."""
    assert [card_line(DECK, card_id) for card_id in ("one", "two", "three", "four")] == [7, 11, 18, None]


def test_a_card_is_found_in_a_deck_that_is_broken() -> None:
    """With a faulty header, or with a missing answer, the card is where it is."""
    assert card_line("no header\n## one\nQ: q\n", "one") == 2
    assert card_line(HEAD + "## one\nQ: q\n", "one") == 5


def test_the_block_of_a_card_ends_with_its_last_word() -> None:
    """Blank lines behind a card are no part of it; code inside is."""
    assert card_block(DECK, "two") == ("## two", "Q: q2", "A: see", "```", "## three", "```")
    assert card_block(DECK, "three") == ("## three", "Q: q3", "A: a3")
    assert card_block(DECK, "four") == ()


def test_an_override_holds_the_shipped_card_and_its_fingerprint() -> None:
    """The copy reads as the shipped card does, and stands where the line says."""
    shipped = deck_of(DECK).cards[1]
    placed = with_override(override_deck("norms"), card_block(DECK, "two"), shipped.fingerprint)
    (copy,) = deck_of(placed.text).cards
    assert deck_of(placed.text).overrides
    assert (copy.item_ids, copy.front, copy.back) == (shipped.item_ids, shipped.front, shipped.back)
    assert copy.base == copy.fingerprint == shipped.fingerprint
    assert copy.place.line == placed.line


BEGINNINGS = [
    '+++\noverrides = "norms"\n+++\n',
    '+++\noverrides = "norms"\n+++',
    '\ufeff+++\r\noverrides = "norms"\r\n+++\r\n\r\n## one\r\nQ: x  \r\nA: y\r\n\r\n\r\n',
    '+++\roverrides = "norms"\r+++\r## one\rQ: x\rA: y',
    '+++\noverrides = "norms"\n+++\n## one\nQ: no answer\n   ',
    '+++\noverrides = "norms"\n+++\n## one\nQ: open\nA: ```py\nx = 1\n',
]


@pytest.mark.parametrize("text", BEGINNINGS, ids=range(len(BEGINNINGS)))
def test_a_new_block_leaves_all_before_it_as_it_was(text: str) -> None:
    """Byte order mark, line ends, blanks and broken cards stay; new lines end as the others do."""
    placed = with_override(text, card_block(DECK, "three"), "0123456789abcdef")
    assert placed.text.startswith(text)
    assert len(set(Source.of(placed.text).ends[:-1])) == 1
    deck, _ = parse_deck(placed.text, PATH)
    assert deck is not None
    assert (deck.cards[-1].id, deck.cards[-1].place.line) == ("three", placed.line)
    assert card_line(placed.text, "three") == placed.line
    assert Source.of(placed.text).lines[placed.line - 2].strip() == ""


def test_a_new_card_opens_at_its_question() -> None:
    """The line is that of `Q:`, and the deck's other cards are as they were."""
    placed = with_new_card(DECK, "four")
    assert placed.text.startswith(DECK)
    assert placed.text.split("\n")[placed.line - 1] == "Q: "
    filled = placed.text.replace("Q: \nA: \n", "Q: q4\nA: a4\n")
    assert [card.id for card in deck_of(filled).cards] == ["one", "two", "three", "four"]


@pytest.mark.parametrize("title", ['My "own" deck', "a\\b", "tab\there", "ŷ 漢 [red]", "\x7f"])
def test_a_new_deck_has_the_title_that_was_asked_for(title: str) -> None:
    """Quotes, backslashes and control characters are written as TOML wants them."""
    deck = deck_of(own_deck("my-deck", title))
    assert (deck.id, deck.title, deck.cards) == ("my-deck", title, ())


def test_cards_without_an_id_get_one_of_their_own() -> None:
    """It comes from the question, and from a number where that is taken; an empty card waits."""
    text = (
        HEAD
        + "## what-is-eps\nQ: q\nA: a\n##\nQ: What is eps?\nA: a\n##\nC: What {{a::is}} eps\n##\nQ:\nA:\n"
    )
    named = with_card_ids(text)
    assert [line for line in named.split("\n") if line.startswith("##")] == [
        "## what-is-eps",
        "## what-is-eps-2",
        "## what-a-is-eps",
        "##",
    ]
    assert with_card_ids(text, skip=1) == named.replace("## what-is-eps-2", "##")


# -- identity --------------------------------------------------------------------------------------------
V1 = HEAD + "## eps\nQ: What is eps for?\nA: avoid division by zero\n\n## other\nQ: q\nA: a\n"


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """A user's folder of decks, with one deck."""
    folder = tmp_path / "user"
    folder.mkdir()
    (folder / "norms.md").write_text(V1, encoding="utf-8")
    return folder


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    """A folder of shipped decks, with one deck."""
    folder = tmp_path / "shipped"
    folder.mkdir()
    (folder / "batchnorm.md").write_text(
        '+++\nid = "batchnorm"\ntitle = "B"\n+++\n## a\nQ: old\nA: old\n', encoding="utf-8"
    )
    return folder


def eps(shipped: Path, user: Path) -> Card | None:
    """Return the card as a library read anew has it."""
    library = load_library(shipped, user)
    assert library.errors == ()
    return library.card("card:norms/eps")


def test_an_edited_answer_keeps_the_item_and_shows_as_an_edit(shipped: Path, user: Path) -> None:
    """The item id is that of before, the fingerprint is another (B22)."""
    before = eps(shipped, user)
    write_deck(user / "norms.md", V1.replace("by zero", "by zero."), was=V1)
    after = eps(shipped, user)
    assert before is not None
    assert after is not None
    assert after.item_ids == before.item_ids == ("card:norms/eps",)
    assert after.fingerprint != before.fingerprint


@pytest.mark.parametrize("name", ["renamed.md", "sub/folder/norms.md", "[dim].md"])
def test_a_deck_file_that_is_renamed_or_moved_keeps_its_items(shipped: Path, user: Path, name: str) -> None:
    """The ids stand in the file, not in its name (B22)."""
    before = eps(shipped, user)
    (user / name).parent.mkdir(parents=True, exist_ok=True)
    (user / "norms.md").rename(user / name)
    after = eps(shipped, user)
    assert before is not None
    assert after is not None
    assert (after.item_ids, after.fingerprint) == (before.item_ids, before.fingerprint)
    assert after.place.path == user / name


def test_a_card_that_is_removed_and_brought_back_is_the_same_item(shipped: Path, user: Path) -> None:
    """Nothing but its id makes it what it was, so its history is found again."""
    before = eps(shipped, user)
    without = V1.replace("## eps\nQ: What is eps for?\nA: avoid division by zero\n\n", "")
    write_deck(user / "norms.md", without, was=V1)
    assert eps(shipped, user) is None
    write_deck(
        user / "norms.md", without + "\n## eps\nQ: What is eps for?\nA: avoid division by zero\n", was=without
    )
    after = eps(shipped, user)
    assert before is not None
    assert after is not None
    assert (after.item_ids, after.fingerprint) == (before.item_ids, before.fingerprint)


def test_an_upgrade_of_a_shipped_card_is_told_to_who_has_a_version_of_it(shipped: Path, user: Path) -> None:
    """The copy that an edit makes is quiet until the shipped card changes; then it is named by its line."""
    file = shipped / "batchnorm.md"
    text = file.read_text(encoding="utf-8")
    card = load_library(shipped, None).decks[0].cards[0]
    placed = with_override(override_deck("batchnorm"), card_block(text, "a"), card.fingerprint)
    mine = user / "batchnorm.overrides.md"
    write_deck(mine, placed.text.replace("A: old", "A: mine"), was=None)
    assert load_library(shipped, user).notices == ()
    file.write_text(text.replace("A: old", "A: better"), encoding="utf-8")
    library = load_library(shipped, user)
    (notice,) = library.notices
    assert notice.startswith(f"{mine}:{placed.line}: the shipped card card:batchnorm/a changed")
    assert (found := library.card("card:batchnorm/a")) is not None
    assert found.back == "mine"


# -- on disk ---------------------------------------------------------------------------------------------
def test_writing_keeps_permissions_and_links(tmp_path: Path) -> None:
    """The file behind a link is written, the link stays, and nothing is left beside it."""
    real, link = tmp_path / "real" / "deck.md", tmp_path / "deck.md"
    real.parent.mkdir()
    real.write_bytes("\ufeffa\r\n".encode())
    real.chmod(0o640)
    link.symlink_to(real)
    write_deck(link, "\ufeffb\r\n", was="\ufeffa\r\n")
    assert link.is_symlink()
    assert real.read_bytes() == "\ufeffb\r\n".encode()
    assert real.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in real.parent.iterdir()] == ["deck.md"]


@pytest.mark.parametrize("was", [None, "a", "b\n"])
def test_a_file_that_holds_something_else_is_never_written_over(tmp_path: Path, was: str | None) -> None:
    """What another program wrote meanwhile stays, and the message names the file."""
    path = tmp_path / "deck.md"
    path.write_text("theirs", encoding="utf-8")
    with pytest.raises(NotWritten, match=r"deck\.md is not written: it was changed meanwhile"):
        write_deck(path, "mine", was=was)
    remove_deck(path, was="mine")
    assert path.read_text(encoding="utf-8") == "theirs"


def test_a_write_that_fails_leaves_the_old_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk at the last moment costs nothing but the new text, and leaves no half file."""
    path = tmp_path / "deck.md"
    path.write_text("old", encoding="utf-8")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(NotWritten, match="No space left on device"):
        write_deck(path, "new", was="old")
    assert path.read_text(encoding="utf-8") == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["deck.md"]


def test_a_read_only_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Taking its place would be possible, and is not what its owner wants."""
    path = tmp_path / "deck.md"
    path.write_text("old", encoding="utf-8")
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(NotWritten, match="it is read-only"):
        write_deck(path, "new", was="old")
    assert path.read_text(encoding="utf-8") == "old"


# -- files that are no decks -----------------------------------------------------------------------------
def test_text_in_another_encoding_is_named(tmp_path: Path) -> None:
    """UTF-16 with its mark, UTF-16 without, Latin-1 and an empty file each say what to do."""
    expected = {
        "utf16.md": (DECK.encode("utf-16"), "not UTF-8"),
        "utf16le.md": (DECK.encode("utf-16-le"), "no `+++` header"),
        "latin.md": ((HEAD + "café").encode("latin-1"), "not UTF-8"),
        "empty.md": (b"", "empty"),
    }
    for name, (data, words) in expected.items():
        (tmp_path / name).write_bytes(data)
        deck, errors = read_deck(tmp_path / name)
        assert deck is None
        assert words in errors[0].message
        assert errors[0].way_out


def test_an_unclosed_dollar_is_a_dollar() -> None:
    """A lone `$` is text, so that prices need no backslash; the card is asked as it was typed."""
    (card,) = deck_of(HEAD + "## a\nQ: costs $5\nA: yes $x\n").cards
    assert (card.front, card.back) == ("costs $5", "yes $x")
