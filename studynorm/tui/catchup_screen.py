"""A box in which a catch-up plan is begun, changed or ended; each plan says by when it is through."""

from typing import TYPE_CHECKING, ClassVar, cast

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from studynorm.scheduling.catchup import MOST_A_DAY
from studynorm.storage.errors import StoreError
from studynorm.study.catchup import NoCatchUp, Waiting, begin, end, reckoned_words
from studynorm.tui.catchup_view import (
    action_row,
    box_words,
    held_first,
    number_words,
    plan_row,
)
from studynorm.tui.text_input import TextInput

if TYPE_CHECKING:
    from studynorm.tui.app import StudyNorm

OWN, END = "own", "end"


class PlanList(OptionList):
    """The plans; Enter, Space or a click takes one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "select", "Take"),
        Binding("down,j", "cursor_down", "Next", show=False),
        Binding("up,k", "cursor_up", "Before", show=False),
    ]


class NumberInput(TextInput):
    """The field for a number of one's own."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Take"),
        Binding("escape", "screen.close_field", "Back"),
    ]


class CatchUpScreen(ModalScreen[str | None]):
    """Returns what came of it in one sentence, None where nothing was changed."""

    DEFAULT_CSS = """
    CatchUpScreen { align: center middle; background: $background 60%; }
    CatchUpScreen:ansi { background: ansi_default; }
    #catchup-words, #catchup-foot { width: 100%; height: auto; }
    #catchup-foot { margin: 1 0 0 0; }
    PlanList, PlanList:focus { height: auto; max-height: 10; border: none; background: transparent;
      background-tint: transparent 0%; padding: 0; margin: 1 0 0 0; scrollbar-size-vertical: 1; }
    PlanList > .option-list--option { padding: 0 1; }
    PlanList > .option-list--option-highlighted, PlanList:focus > .option-list--option-highlighted {
      background: $panel; color: $foreground; text-style: none; }
    NumberInput, NumberInput:focus { display: none; width: 100%; height: 1; border: none; padding: 0 1;
      margin: 1 0 0 0; background: $panel; background-tint: transparent 0%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(number), f"take({number})", "Take", show=False) for number in range(1, 5)),
        Binding("o", "own", "Own number", show=False),
        Binding("e", "end", "End it", show=False),
        Binding("escape,q,c", "dismiss", "Close"),
    ]

    def __init__(self, waiting: Waiting) -> None:
        super().__init__()
        self._waiting = waiting
        held = None if waiting.plan is None else waiting.plan.per_day
        self._held = held
        self._plans = held_first(waiting.backlog.choices(waiting.usual), held)

    @property
    def study(self) -> "StudyNorm":
        """The program."""
        return cast("StudyNorm", self.app)

    def compose(self) -> ComposeResult:
        """Yield the box with the plans."""
        palette, backlog = self.study.palette, self._waiting.backlog
        options = [
            Option(plan_row(str(number), backlog, plan, palette, held=plan == self._held), id=str(plan))
            for number, plan in enumerate(self._plans, 1)
        ]
        options.append(Option(action_row("o", "another number …", palette), id=OWN))
        if self._held is not None:
            options.append(
                Option(action_row("e", "end it: the usual limits, and new items", palette), id=END)
            )
        with Vertical(classes="box") as box:
            box.border_title = "Catch up"
            box.border_subtitle = "Enter takes · Esc closes"
            yield Static(box_words(self._waiting, palette), id="catchup-words", markup=False)
            yield PlanList(*options, markup=False, compact=True)
            yield NumberInput(compact=True, placeholder="reviews a day", max_length=9)
            yield Static(Text(reckoned_words(backlog), palette.quiet), id="catchup-foot", markup=False)

    def on_mount(self) -> None:
        """Mark the plan that holds, else the middle one."""
        plans = self.query_one(PlanList)
        middle = (len(self._plans) - 1) // 2 if self._plans else 0
        plans.highlighted = middle if self._held is None else self._plans.index(self._held)
        plans.focus()

    def on_click(self, event: events.Click) -> None:
        """Close on a click beside the box."""
        if event.widget is self:
            self.dismiss(None)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the chosen plan."""
        event.stop()
        match event.option.id:
            case "own":
                self.action_own()
            case "end":
                self.action_end()
            case chosen:
                self._begin(int(chosen or 0))

    def action_take(self, number: int) -> None:
        """Take the plan behind a digit."""
        if number <= len(self._plans):
            self._begin(self._plans[number - 1])

    def action_end(self) -> None:
        """End the plan that holds."""
        if self._held is None:
            return
        try:
            end(self.study.desk)
        except StoreError as error:
            self._say(str(error), "hard")
            return
        self.dismiss("The catch-up is ended: the usual limits hold again.")

    def _begin(self, per_day: int) -> None:
        try:
            begin(self.study.desk, per_day)
        except (StoreError, NoCatchUp) as error:
            self._say(str(error), "hard")
            return
        self.dismiss(f"At most {per_day} reviews a day from here on, the most forgotten first.")

    # -- a number of one's own -----------------------------------------------------------------------
    def action_own(self) -> None:
        """Let the learner type a number."""
        field = self.query_one(NumberInput)
        field.display = True
        field.focus()
        self._say(reckoned_words(self._waiting.backlog), "quiet")

    def action_close_field(self) -> None:
        """Give the keys back to the plans."""
        self.query_one(NumberInput).display = False
        self.query_one(PlanList).focus()
        self._say(reckoned_words(self._waiting.backlog), "quiet")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say what the number would come to."""
        event.stop()
        number, words = number_words(event.value, self._waiting.backlog, MOST_A_DAY)
        self._say(
            words if number is None else f"{number} a day: {words}.", "quiet" if number is None else "math"
        )

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Begin with the number; one that cannot be is told and stays."""
        event.stop()
        number, words = number_words(event.value, self._waiting.backlog, MOST_A_DAY)
        if number is None:
            self._say(f"! {words}", "hard")
        else:
            self._begin(number)

    def _say(self, words: str, colour: str) -> None:
        text = Text(words[:1].upper() + words[1:], str(getattr(self.study.palette, colour)))
        self.query_one("#catchup-foot", Static).update(text)
