"""What can be done to the items that a screen shows: pause, forget, set due, grade now, take back."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from studynorm.storage.errors import StoreError
from studynorm.study.changes import NO_DUE_DAY, Changes, has_due_day, named
from studynorm.study.items import ItemRow
from studynorm.tui.ask_screen import AskScreen
from studynorm.tui.due_screen import DueScreen

if TYPE_CHECKING:
    from studynorm.tui.app import StudyNorm

_FORGET = (
    "What is remembered is taken away, and it begins as new. The answers stay in its history, and u gives "
    "the memory back."
)


class ItemActions:
    """The actions; the screen says which items are meant, and shows them anew afterwards."""

    _known_changes: Changes | None = None

    @property
    def study(self) -> "StudyNorm":
        """The program."""
        raise NotImplementedError

    def targets(self) -> Sequence[ItemRow]:
        """Return the items that are meant now."""
        raise NotImplementedError

    def say(self, message: str, *, trouble: bool = False) -> None:
        """Say what came of it."""
        raise NotImplementedError

    def show_anew(self) -> None:
        """Show the items as they are now."""
        raise NotImplementedError

    @property
    def _changes(self) -> Changes:
        if self._known_changes is None:
            self._known_changes = Changes(self.study.desk)
        return self._known_changes

    def action_suspend(self) -> None:
        """Suspend the items, or resume them."""
        self._change(self._changes.suspend, self.targets())

    def action_bury(self) -> None:
        """Bury the items until tomorrow, or take them out again."""
        self._change(self._changes.bury, self.targets())

    def action_take_back(self) -> None:
        """Give back memories that were forgotten, or due days that were set."""
        self._change(self._changes.take_back, self.targets())

    def action_forget(self) -> None:
        """Ask whether the memories of the items are to be taken away, and do so."""
        rows = [row for row in self.targets() if row.memory is not None]
        if not rows:
            self.say("There is nothing to forget: a new item has no memory.")
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self._change(self._changes.forget, rows)

        words = Text(_FORGET, self.study.palette.ink)
        self.study.push_screen(AskScreen(f"Forget {named(rows)}?", words), answered)

    def action_set_due(self) -> None:
        """Ask for a day, and make the items due then."""
        rows = self.targets()
        if not any(map(has_due_day, rows)):
            self.say(NO_DUE_DAY)
            return

        def answered(day: int | None) -> None:
            if day is not None:
                self._change(lambda rows: self._changes.set_due(rows, day), rows)

        self.study.push_screen(DueScreen(named(rows), self.study.desk.clock().day), answered)

    def action_grade(self) -> None:
        """Ask the items now, whenever they are due; every rating counts."""
        rows = [row for row in self.targets() if not row.gone]
        if not rows:
            self.say("There is no item here that can be asked.")
        elif all(row.suspended for row in rows):
            self.say(f"{named(rows)}: suspended, so not asked; @ resumes.")
        else:
            self.study.show_review(items=[row.item for row in rows])

    def _change(self, change: Callable[[Sequence[ItemRow]], str], rows: Sequence[ItemRow]) -> None:
        """Change items, say what came of it and show them anew."""
        try:
            told = change(rows) if rows else "There is no item here."
        except StoreError as error:
            self.say(str(error), trouble=True)
            return
        self.say(told)
        self.show_anew()
