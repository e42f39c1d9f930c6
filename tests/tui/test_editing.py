"""Editing from a screen: the terminal is lent and comes back, and the screen says what came of it."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from textual.app import App
from textual.widget import Widget
from textual.widgets import Static

from studynorm.storage.home import Home
from studynorm.study.edit import Edited
from studynorm.study.editor import NoEditor
from studynorm.tui.app import StudyNorm
from studynorm.tui.calm_screen import CalmScreen
from studynorm.tui.editing import edit_card
from studynorm.tui.theme import palette_of

ITEM = "card:batchnorm/epsilon-default"
MARK = "card:batchnorm/normalize-cloze#source"


class Plain(CalmScreen):
    """A screen with a notice line and nothing else."""

    def body(self) -> Iterable[Widget]:
        yield Static("a card", markup=False)


class Host(App[None]):
    """As much of the program as the hook asks for."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self.palette = palette_of({})
        self.engine_chip = ""
        self.desk = SimpleNamespace(home=Home(root))
        self.reloads = 0

    def get_default_screen(self) -> Plain:
        return Plain()

    def reload_decks(self) -> None:
        self.reloads += 1

    def edit(
        self,
        item: str,
        editor: Callable[[Path, int], int],
        lent: Callable[[], AbstractContextManager[None]] | None = nullcontext,
    ) -> Edited | None:
        """Edit as a screen would."""
        return edit_card(cast("StudyNorm", self), item, editor=editor, lent=lent)

    @property
    def notice(self) -> str:
        """What the notice line says."""
        return str(cast("Any", self.screen.query_one("#notice", Static)).content)


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """A program over the shipped decks and a fresh home."""
    return Host(tmp_path / "home")


async def test_the_terminal_is_lent_to_the_editor_and_the_decks_are_read_again(host: Host) -> None:
    """The editor runs while the program is suspended, and the decks are read after it."""
    order: list[str] = []

    @contextmanager
    def lent() -> Iterator[None]:
        order.append("lent")
        yield
        order.append("back")

    def editor(path: Path, line: int) -> int:
        order.append(path.read_text(encoding="utf-8").splitlines()[line - 1])
        path.write_text(path.read_text(encoding="utf-8").replace("Q: ", "Q: Mine: "), encoding="utf-8")
        return 0

    async with host.run_test():
        edited = host.edit(ITEM, editor, lent)
        assert order == ["lent", "## epsilon-default", "back"]
        assert edited is not None
        assert edited.changed
        assert edited.card is not None
        assert edited.card.front.startswith("Mine: ")
        assert host.reloads == 1
        assert host.notice == f"Edited: {edited.place}"


async def test_an_unchanged_card_reloads_nothing(host: Host) -> None:
    """It is told, and the home has no override."""
    async with host.run_test():
        edited = host.edit(MARK, lambda path, line: 0)
        assert edited is not None
        assert not edited.changed
        assert host.reloads == 0
        assert host.notice == "The card is unchanged."
        assert list(host.desk.home.decks.iterdir()) == []


async def test_a_broken_card_is_a_warning_with_file_and_line(host: Host) -> None:
    """With a sign as well as a colour; brackets and escape codes are shown, not obeyed (B01, B12)."""

    def editor(path: Path, line: int) -> int:
        path.write_text(
            path.read_text(encoding="utf-8").replace("See: ", "See: [red]\x1b[31m "), encoding="utf-8"
        )
        return 0

    async with host.run_test():
        edited = host.edit(ITEM, editor)
        assert edited is not None
        assert host.notice.startswith(f"! {edited.place.path}:")
        assert "[red]" in host.notice
        assert "\x1b" not in host.notice
        assert host.notice.endswith("(and 1 more: `studynorm check` shows all)")


async def test_a_terminal_that_cannot_be_lent_leads_to_another_one(host: Host) -> None:
    """As in the test driver: nothing is opened or written, and the command and the file are named."""

    def editor(path: Path, line: int) -> int:
        raise AssertionError("the editor has no terminal")

    async with host.run_test():
        assert host.edit(MARK, editor, None) is None
        assert "`studynorm card edit batchnorm/normalize-cloze`" in host.notice
        assert str(host.desk.home.decks / "batchnorm.overrides.md") in host.notice
        assert not host.desk.home.root.exists()


@pytest.mark.parametrize(
    ("item", "words"),
    [(ITEM, "there is no editor"), ("family:batchnorm.vector", "only cards"), ("card:x/y", "no card x/y")],
)
async def test_what_cannot_be_edited_is_told(host: Host, item: str, words: str) -> None:
    """Nothing is left behind, and the screen stays as it was."""

    def editor(path: Path, line: int) -> int:
        raise NoEditor("there is no editor.")

    async with host.run_test():
        assert host.edit(item, editor) is None
        assert words in host.notice
        assert host.reloads == 0
        assert not list(host.desk.home.root.rglob("*.md"))


async def test_an_editor_that_cannot_start_gives_the_terminal_back(host: Host) -> None:
    """Textual's suspension does not survive an exception inside it, so none may pass through."""
    order: list[str] = []

    @contextmanager
    def lent() -> Iterator[None]:
        order.append("lent")
        yield
        order.append("back")

    def editor(path: Path, line: int) -> int:
        raise NoEditor("the editor /nope can't be run: No such file or directory.")

    def broken(path: Path, line: int) -> int:
        raise RuntimeError("a fault of the program")

    async with host.run_test():
        assert host.edit(ITEM, editor, lent) is None
        assert order == ["lent", "back"]
        assert "/nope can't be run" in host.notice
        with pytest.raises(RuntimeError):
            host.edit(ITEM, broken, lent)
        assert order == ["lent", "back"] * 2


async def test_news_for_a_screen_that_is_not_composed_yet_is_shown_when_it_is(host: Host) -> None:
    """After the last card was spoilt by an edit, the end of the session tells so."""
    async with host.run_test() as pilot:
        screen = Plain()
        host.push_screen(screen)
        screen.tell("Something happened.")
        await pilot.pause(0.1)
        assert host.notice == "Something happened."
