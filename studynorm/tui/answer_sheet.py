"""The rows of an answer that is picked: follows the answer field, and writes into it by keys and clicks."""

from typing import ClassVar, Protocol

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text
from textual import events
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Static

from studynorm.engine.variant import Variant
from studynorm.study.situation import ProblemPrompt
from studynorm.tui.markup_view import markup, source_line
from studynorm.tui.sheet import AxisToggles, OneOf, OrderRows, Row, Sheet, Written, sheet_of
from studynorm.tui.theme import Palette


class Writable(Protocol):
    """What the rows need of the answer field."""

    value: str
    cursor_position: int


def row_view(
    row: Row,
    palette: Palette,
    widths: tuple[int, int],
    *,
    at_cursor: bool = False,
    held: bool = False,
    right: bool | None = None,
    tail: str = "",
) -> RenderableType:
    """Return a row: cursor, what is set, letter, text, and a sign where it was judged.

    `widths` are the cells for what is set and for the letter.
    """
    grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
    grid.add_column(no_wrap=True, width=1)
    grid.add_column(no_wrap=True, width=widths[0])
    if row.label:
        grid.add_column(no_wrap=True, width=widths[1] + 1)
    grid.add_column(ratio=1)
    grid.add_column(no_wrap=True, width=1)
    cursor = Text("⇅" if held else "❯" if at_cursor else " ", f"bold {palette.accent}")
    lead = Text(row.lead, f"bold {palette.accent}" if row.on else palette.faint)
    label = (
        [Text(row.label.rjust(widths[1]), f"bold {palette.ink}" if row.on else palette.quiet)]
        if row.label
        else []
    )
    text = source_line(row.text, palette) if row.code else markup(row.text, palette)
    if right is not None:
        sign = Text("✓", palette.good) if right else Text("✗", palette.again)
    else:
        sign = Text(tail, palette.faint)
    grid.add_row(cursor, lead, *label, text, sign)
    return grid


class SheetRow(Static):
    """One row that can be clicked; `tail` says that its last cells were."""

    can_focus = False

    class Clicked(Message):
        """The row was clicked."""

        def __init__(self, at: int, *, tail: bool) -> None:
            super().__init__()
            self.at = at
            self.tail = tail

    def __init__(self, at: int, classes: str) -> None:
        super().__init__(classes=classes)
        self.at = at

    def on_click(self, event: events.Click) -> None:
        """Tell which row was clicked, and where."""
        event.stop()
        offset = event.get_content_offset(self)
        tail = offset is not None and offset.x >= self.content_size.width - 3
        self.post_message(self.Clicked(self.at, tail=tail))


class AnswerSheet(Vertical):
    """The rows of the problem on the screen. Nothing is kept here but the cursor: the field has the answer.

    The rows have the hand, so that letters mean rows, from the first arrow key or click until something
    else is typed.
    """

    can_focus = False
    _ARROWS: ClassVar[dict[str, int]] = {"up": -1, "down": 1}
    _SAME: ClassVar[dict[str, str]] = {"shift+up": "K", "shift+down": "J"}

    def __init__(self) -> None:
        super().__init__(id="sheet")
        self.sheet: Sheet | None = None
        self.hand = False
        self._field: Writable | None = None
        self._palette: Palette | None = None
        self._prompt: ProblemPrompt | None = None
        self._judged = ""
        self._at = 0
        self._held = False
        self._written: str | None = None
        self._rows: list[SheetRow] = []
        self._below: list[SheetRow] = []

    def ask(self, variant: Variant | None, field: Writable) -> None:
        """Show the rows of a variant; none for a card or a kind that is only typed."""
        self.sheet = None if variant is None else sheet_of(variant)
        self.hand = self._held = False
        self._at, self._judged, self._written, self._prompt = 0, "", None, None
        self._field = field
        self.display = self.sheet is not None
        self.remove_children()
        self._rows, self._below = [], []
        if self.sheet is None:
            return
        self._rows = [SheetRow(at, "row") for at in range(len(self.sheet.rows("")))]
        count = len(self._rows)
        self._below = [SheetRow(count + at, "given") for at in range(len(self.sheet.below))]
        for first in self._below[:1]:
            first.add_class("first")
        self.mount_all([*self._rows, *self._below])

    def show(self, prompt: ProblemPrompt, judged: str, palette: Palette) -> None:
        """Show how a problem stands; `judged` is the text to which its last verdict belongs."""
        if prompt.closed or judged != self._judged:
            self.hand = self._held = False
        self._prompt, self._judged, self._palette = prompt, judged, palette
        self._paint()

    def follow(self) -> None:
        """Look at the field again; a text that was not written here takes the hand from the rows."""
        if self.sheet is None or self._field is None:
            return
        if self._field.value != self._written:
            self.hand = self._held = False
        self._written = None
        self._paint()

    # -- keys ----------------------------------------------------------------------------------------
    @property
    def open(self) -> bool:
        """Whether something can be picked now."""
        return self.sheet is not None and self._prompt is not None and not self._prompt.closed

    def takes(self, key: str) -> bool:
        """Tell whether a key in the field means the rows."""
        if not self.open or self.sheet is None or self._field is None:
            return False
        if key in self._ARROWS:
            return True
        if isinstance(self.sheet, OrderRows) and key in self._SAME:
            return True
        return self.hand and (
            (isinstance(self.sheet, OrderRows) and key == "space")
            or self.sheet.after(self._field.value, self._at, key) is not None
        )

    def press(self, key: str) -> None:
        """Do what a key means for the row at the cursor."""
        if not self.takes(key) or self.sheet is None or self._field is None:
            return
        key = self._SAME.get(key, key)
        if key in self._ARROWS and not self._held:
            last = len(self._rows) - 1
            self._at = min(max(0, self._at + self._ARROWS[key]), last) if self.hand else self._begin(key)
            self.hand = True
        elif isinstance(self.sheet, OrderRows) and key == "space":
            self.hand, self._held = True, not self._held
        elif key in self._ARROWS and isinstance(self.sheet, OrderRows):
            self._write(self.sheet.moved(self._field.value, self._at, self._at + self._ARROWS[key]))
        else:
            self.hand = True
            self._write(self.sheet.after(self._field.value, self._at, key))
        self._paint()
        self._in_view()

    def enter(self) -> bool:
        """Take Enter where it means the rows: pick, drop, or take the steps as they are shown."""
        if not self.open or self.sheet is None or self._field is None:
            return False
        if self._held:
            self._held = False
        elif isinstance(self.sheet, OneOf) and self.hand and not self._row_on():
            self._write(self.sheet.after(self._field.value, self._at, "space"))
        elif isinstance(self.sheet, OrderRows) and not self._field.value.strip():
            self._write(self.sheet.moved("", 0, 0))
        else:
            return False
        self._paint()
        return True

    def on_sheet_row_clicked(self, event: SheetRow.Clicked) -> None:
        """Do what a click means: pick, turn, give a letter, or take up and drop."""
        event.stop()
        if not self.open or self.sheet is None or self._field is None:
            return
        typed, before = self._field.value, self._at
        if event.at >= len(self._rows):
            at = self._at if self.hand else self._first_gap()
            self.hand, self._at = True, at
            self._write(self.sheet.after(typed, at, self.sheet.below[event.at - len(self._rows)][0]))
        else:
            had, self.hand, self._at = self.hand, True, event.at
            if not isinstance(self.sheet, OrderRows):
                self._write(self.sheet.after(typed, event.at, "space"))
            elif event.tail:
                self._held = False
                self._write(self.sheet.after(typed, event.at, "x"))
            elif had and self._held:
                self._held = False
                if event.at != before:
                    self._write(self.sheet.moved(typed, before, event.at))
            else:
                self._held = True
        self._paint()

    # -- inside --------------------------------------------------------------------------------------
    def _begin(self, key: str) -> int:
        """Return where the cursor comes up: at what is picked, else at the first row, or the last for ↑."""
        assert self.sheet is not None
        assert self._field is not None
        rows = self.sheet.rows(self._field.value)
        if self.sheet.picks_one:
            for at, row in enumerate(rows):
                if row.on:
                    return min(max(0, at + self._ARROWS[key]), len(rows) - 1)
        return len(rows) - 1 if key == "up" else 0

    def _row_on(self) -> bool:
        assert self.sheet is not None
        assert self._field is not None
        return self.sheet.rows(self._field.value)[self._at].on

    def _first_gap(self) -> int:
        assert self.sheet is not None
        assert self._field is not None
        rows = self.sheet.rows(self._field.value)
        return next((at for at, row in enumerate(rows) if not row.on), 0)

    def _write(self, written: Written | None) -> None:
        if written is None or self._field is None:
            return
        self._at = written.at
        if written.text != self._field.value:
            self._written = written.text
            self._field.value = written.text
            self._field.cursor_position = len(written.text)

    def _in_view(self) -> None:
        if self.hand and self._at < len(self._rows):
            row = self._rows[self._at]
            self.call_after_refresh(row.scroll_visible, animate=False)

    def _paint(self) -> None:
        sheet, palette = self.sheet, self._palette
        if sheet is None or palette is None or self._field is None or self._prompt is None:
            return
        order, closed = isinstance(sheet, OrderRows), self._prompt.closed
        rows = sheet.rows(self._field.value)
        widths = (max(sheet.width, *(len(row.lead) for row in rows)), max(len(row.label) for row in rows))
        for at, (row, place) in enumerate(zip(rows, self._rows, strict=True)):
            here = self.hand and at == self._at
            tail = ("✕" if row.on else "+") if order and not closed else ""
            place.update(
                row_view(
                    row,
                    palette,
                    widths,
                    at_cursor=here,
                    held=here and self._held,
                    right=self._judgement(row, at),
                    tail=tail,
                )
            )
            place.set_class(here, "here")
            place.set_class(closed, "closed")
        for (letter, text), place in zip(sheet.below, self._below, strict=True):
            used = any(row.lead == letter for row in rows)
            given = Row(" ", letter, text, used)
            place.update(row_view(given, palette, widths))
            place.set_class(closed, "closed")

    def _judgement(self, row: Row, at: int) -> bool | None:
        """Return whether a row is right, None while that is not to be told."""
        prompt, sheet = self._prompt, self.sheet
        assert prompt is not None
        assert sheet is not None
        assert self._field is not None
        right = prompt.closed and sheet.right(at)
        if not prompt.verdicts or self._field.value != self._judged:
            return True if right else None
        if isinstance(sheet, AxisToggles):
            return row.on == right if prompt.closed and (row.on or right) else None
        if right:
            return True
        verdict = prompt.verdicts[-1]
        if row.entry is not None and row.entry < len(verdict.marks):
            return verdict.marks[row.entry]
        return None
