"""`studynorm card edit`, `card new` and `fmt`: what is opened, written and told, and with which exit code."""

import shlex
import shutil
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from studynorm.locate import content_root
from tests.cli.conftest import Run, refusal, usage_error

CARD = "## first\nQ: q\nA: a\n"
DECK = f'+++\nid = "mine"\ntitle = "Mine"\n+++\n\n{CARD}'
UNTIDY = '+++\ntitle = "Mine"\n+++\n##\nQ: What is [red]?\nA: a \n\n\n\n##   b\nQ: \x1b[31m\nA: a\n'
TIDY = (
    '+++\nid = "mine"\ntitle = "Mine"\n+++\n'
    "## what-is-red\nQ: What is [red]?\nA: a\n\n## b\nQ: \x1b[31m\nA: a\n"
)

Edits = Callable[[str, str], None]


@pytest.fixture
def decks(home: Path) -> Path:
    """The user's folder with one deck in it."""
    folder = home / "decks"
    folder.mkdir(parents=True)
    (folder / "mine.md").write_text(DECK, encoding="utf-8")
    return folder


@pytest.fixture
def edits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Edits:
    """Let the editor of the environment replace one text by another."""
    script = tmp_path / "editor.py"
    script.write_text(
        "import sys, pathlib\n"
        "old, new, file = sys.argv[1:]\n"
        "text = pathlib.Path(file).read_text(encoding='utf-8')\n"
        "assert old in text\n"
        "pathlib.Path(file).write_text(text.replace(old, new), encoding='utf-8')\n",
        encoding="utf-8",
    )

    def set_up(old: str, new: str) -> None:
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", shlex.join([sys.executable, str(script), old, new]))

    set_up("Q", "Q")
    return set_up


# -- card edit -------------------------------------------------------------------------------------------
def test_an_edited_card_is_shown_as_edited(run: Run, decks: Path, edits: Edits) -> None:
    """The place and the id are told, and `card show` has the new words; the id may have a mark."""
    edits("A: a\n", "A: better\n")
    done = run("card", "edit", "mine/first")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == f"edited {decks / 'mine.md'}:6 (card:mine/first)\n"
    assert "better" in run("card", "show", "mine/first").stdout


def test_a_shipped_card_is_edited_in_the_users_folder(run: Run, home: Path, edits: Edits) -> None:
    """The shipped file is untouched, the folder is made, and the card is the learner's from now on."""
    shipped = content_root() / "cards" / "batchnorm.md"
    before = shipped.read_bytes()
    edits("Q: ", "Q: Mine: ")
    done = run("card", "edit", "card:batchnorm/epsilon-default")
    assert done.exit_code == 0
    assert done.stdout.startswith(f"edited {home / 'decks' / 'batchnorm.overrides.md'}:5 ")
    assert run("card", "show", "batchnorm/epsilon-default").stdout.startswith("Mine: ")
    assert shipped.read_bytes() == before


def test_a_card_left_as_it_was_is_told(run: Run, home: Path, edits: Edits) -> None:
    """Exit code 0, and no file is there."""
    done = run("card", "edit", "batchnorm/epsilon-default")
    assert (done.exit_code, done.stdout) == (0, "batchnorm/epsilon-default: unchanged\n")
    assert list((home / "decks").iterdir()) == []


def test_a_card_that_is_broken_now_is_exit_code_1(run: Run, decks: Path, edits: Edits) -> None:
    """Each line on standard error begins with the program's name and has file and line."""
    edits("A: a\n", "")
    done = run("card", "edit", "mine/first")
    assert done.exit_code == 1
    assert [line.partition(". ")[0] for line in done.stderr.splitlines()] == [
        f"studynorm: {decks / 'mine.md'}:6: the card has no `A:`",
        f"studynorm: {decks / 'mine.md'}:6: your text is kept; the card is not asked until it is mended",
    ]
    assert (decks / "mine.md").read_text(encoding="utf-8") == DECK.replace("A: a\n", "")


def test_an_unknown_card_is_told_the_nearest(run: Run, decks: Path, edits: Edits) -> None:
    """As with `card show`."""
    assert "did you mean mine/first?" in usage_error(run("card", "edit", "mine/frist"))


@pytest.mark.parametrize("command", ["edit", "show"])
def test_an_id_without_its_deck_is_an_unknown_card(run: Run, decks: Path, command: str) -> None:
    """Both commands say so in the same words, with the nearest id."""
    said = usage_error(run("card", command, "nope"))
    assert said.rstrip() == "there is no card “nope”; `studynorm card list` shows all"
    assert "did you mean batchnorm/epsilon-default?" in usage_error(run("card", command, "epsilon-default"))


def test_without_an_editor_the_refusal_says_what_to_set(
    run: Run, decks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line, exit code 1, and where the card stands."""
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", "")
    monkeypatch.setenv("PATH", "")
    said = refusal(run("card", "edit", "mine/first"))
    assert "Set VISUAL or EDITOR to one" in said
    assert said.endswith(f"The card stands in {decks / 'mine.md'}:6.")


# -- card new --------------------------------------------------------------------------------------------
def test_a_new_card_opens_the_editor_on_it(run: Run, home: Path, edits: Edits) -> None:
    """Its id is made of the question."""
    edits("Q: \nA: \n", "Q: What is eps?\nA: small\n")
    done = run("card", "new", "My deck")
    assert done.stdout == f"edited {home / 'decks' / 'my-deck.md'}:6 (card:my-deck/what-is-eps)\n"
    assert run("card", "show", "my-deck/what-is-eps").exit_code == 0


def test_a_new_card_without_the_editor_is_written(run: Run, decks: Path) -> None:
    """Place and next step are told; the editor is not asked for."""
    done = run("card", "new", "mine", "--id", "eps", "--no-edit")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0] == f"wrote {decks / 'mine.md'}:10"
    assert (decks / "mine.md").read_text(encoding="utf-8") == DECK + "\n## eps\nQ: \nA: \n"


def test_a_new_card_without_a_terminal_is_refused_with_what_to_do(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The input was the trouble, not the editor: VISUAL, EDITOR and the flag are named."""
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.setattr("sys.__stdin__", None)
    said = refusal(run("card", "new", "my-deck"))
    assert "no editor can be opened without a terminal" in said
    assert "VISUAL or EDITOR" in said
    assert "`--no-edit`" in said


def test_empty_new_cards_cost_every_command_one_quiet_line(run: Run, decks: Path) -> None:
    """Told by file and line of the first, and asked by none."""
    run("card", "new", "mine", "--no-edit")
    run("card", "new", "mine", "--no-edit", "--id", "eps")
    done = run("card", "list", "--topic", "mine")
    assert [line.partition(". ")[0] for line in done.stderr.splitlines()] == [
        f"studynorm: {decks / 'mine.md'}:10: 2 new cards are still empty"
    ]
    assert done.stdout == "Mine (mine)\n  mine/first: q\n"


def test_a_check_of_the_file_names_an_empty_new_card(run: Run, decks: Path) -> None:
    """Whoever asks whether a deck is whole is told that it is not."""
    run("card", "new", "mine", "--no-edit")
    done = run("check", str(decks / "mine.md"))
    assert done.exit_code == 1
    assert "mine.md:10: a new card is still empty" in done.stderr


def test_a_new_card_left_empty_is_told(run: Run, decks: Path, edits: Edits) -> None:
    """Nothing is written."""
    done = run("card", "new", "mine")
    assert (done.exit_code, done.stdout) == (0, "nothing was written: the card was left empty\n")
    assert (decks / "mine.md").read_text(encoding="utf-8") == DECK


def test_a_shipped_deck_takes_no_new_card(run: Run, home: Path) -> None:
    """Both ways out are named."""
    said = refusal(run("card", "new", "batchnorm", "--no-edit"))
    assert "`studynorm card new my-batchnorm`" in said
    assert "`studynorm card edit batchnorm/ID`" in said
    assert not home.exists()


# -- fmt -------------------------------------------------------------------------------------------------
def test_fmt_tidies_the_users_decks_and_shows_a_diff(run: Run, decks: Path) -> None:
    """Sub-folders too; what the terminal would obey is shown harmless, and a second go has nothing to do."""
    path = decks / "sub" / "mine.md"
    path.parent.mkdir()
    (decks / "mine.md").unlink()
    path.write_text(UNTIDY, encoding="utf-8")
    path.chmod(0o600)
    done = run("fmt")
    assert done.exit_code == 0
    assert path.read_text(encoding="utf-8") == TIDY
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    lines = done.stdout.splitlines()
    assert lines[:2] == [f"--- {path}", f"+++ {path} (tidy)"]
    assert '+id = "mine"' in lines
    assert "-##   b" in lines
    assert "+## what-is-red" in lines
    assert " Q: ␛[31m" in lines
    assert lines[-1] == "1 of 1 deck changed"
    assert run("fmt").stdout == "1 deck: nothing to change\n"


@pytest.mark.parametrize(
    ("flags", "code", "last"),
    [
        (("--check",), 1, "1 of 1 deck would change"),
        (("--diff",), 0, "1 of 1 deck would change"),
        (("--check", "--diff"), 1, "1 of 1 deck would change"),
    ],
)
def test_fmt_check_and_diff_write_nothing(
    run: Run, decks: Path, flags: tuple[str, ...], code: int, last: str
) -> None:
    """`--check` tells by its exit code, `--diff` shows what would change."""
    path = decks / "mine.md"
    path.write_text(UNTIDY, encoding="utf-8")
    done = run("fmt", *flags)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (code, last)
    assert ("+## what-is-red" in done.stdout) == ("--diff" in flags)
    assert path.read_text(encoding="utf-8") == UNTIDY
    path.write_text(TIDY, encoding="utf-8")
    assert run("fmt", *flags).exit_code == 0


def test_two_new_decks_of_one_name_get_ids_of_their_own(run: Run, decks: Path) -> None:
    """The ids of all decks are taken, those that were just given too."""
    for folder in ("a", "b"):
        (decks / folder).mkdir()
        (decks / folder / "mine.md").write_text("+++\n+++\n" + CARD, encoding="utf-8")
        (decks / folder / "batchnorm.md").write_text("+++\n+++\n" + CARD, encoding="utf-8")
    assert run("fmt").exit_code == 0
    listed = run("card", "list")
    assert listed.stderr == ""
    for name in ("mine", "mine-2", "mine-3", "batchnorm-2", "batchnorm-3"):
        assert f"({name})" in listed.stdout


def test_a_file_that_is_no_deck_is_named_and_left(run: Run, decks: Path) -> None:
    """Each by file and line; the others are tidied all the same, and the exit code is 1."""
    broken = {
        "latin.md": "caf\xe9".encode("latin-1"),
        "header.md": b'+++\nid = "a\n+++\n',
        "page.md": b"# A page\n",
        "utf16.md": DECK.encode("utf-16"),
    }
    for name, data in broken.items():
        (decks / name).write_bytes(data)
    (decks / "mine.md").write_text(UNTIDY, encoding="utf-8")
    (decks / "huge.md").write_bytes(b"")
    with (decks / "huge.md").open("wb") as file:
        file.truncate(50_000_000)
    done = run("fmt")
    assert done.exit_code == 1
    assert done.stdout.endswith("1 of 6 decks changed, 5 can't be read and stayed as they were\n")
    for name, line in (("latin.md", 1), ("header.md", 2), ("page.md", 1), ("utf16.md", 1), ("huge.md", 1)):
        assert f"studynorm: {decks / name}:{line}: " in done.stderr
    assert {name: (decks / name).read_bytes() for name in broken} == broken
    assert (decks / "mine.md").read_text(encoding="utf-8") == TIDY


def test_fmt_of_a_path_touches_nothing_else(run: Run, decks: Path, tmp_path: Path) -> None:
    """A file or a folder that is named; one that is not there is a usage error."""
    other = tmp_path / "other.md"
    for path in (other, decks / "mine.md"):
        path.write_text(UNTIDY.replace("+++\n", '+++\nid = "mine"\n', 1), encoding="utf-8")
    assert run("fmt", str(other)).exit_code == 0
    assert other.read_text(encoding="utf-8") == TIDY
    assert (decks / "mine.md").read_text(encoding="utf-8") != TIDY
    assert "does not exist" in usage_error(run("fmt", str(tmp_path / "none.md")))


def test_fmt_without_a_deck_says_so(run: Run, home: Path) -> None:
    """A learner without decks of their own is told where they would be."""
    done = run("fmt")
    assert (done.exit_code, done.stdout) == (0, f"no decks in {home / 'decks'}\n")
    assert not home.exists()


def test_installed_decks_are_never_written(
    run: Run, decks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even when named, or through a link; those of a checkout may be named."""
    installed = tmp_path / "_content"
    (installed / "cards").mkdir(parents=True)
    shipped = installed / "cards" / "batchnorm.md"
    shipped.write_text(UNTIDY.replace("+++\n", '+++\nid = "batchnorm"\n', 1), encoding="utf-8")
    (decks / "link.md").symlink_to(shipped)
    (decks / "mine.md").unlink()
    before = shipped.read_bytes()
    monkeypatch.setattr("studynorm.locate.content_root", lambda: installed)
    for args in ((), (str(shipped),), (str(shipped.parent),)):
        done = run("fmt", *args)
        assert done.exit_code == 1
        assert "is shipped and never written" in done.stderr
    assert shipped.read_bytes() == before
    checkout = tmp_path / "checkout"
    shutil.copytree(installed, checkout)
    (checkout / "cards" / "reference").mkdir()
    (checkout / "cards" / "reference" / "page.md").write_text("no deck", encoding="utf-8")
    monkeypatch.setattr("studynorm.locate.content_root", lambda: checkout)
    assert run("fmt", str(checkout / "cards")).exit_code == 0
    assert (checkout / "cards" / "batchnorm.md").read_bytes() != before
