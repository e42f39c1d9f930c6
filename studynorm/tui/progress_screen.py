"""How learning goes: today and retention, the calendar, what comes, memory, problems and misconceptions."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events, work
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import OptionList, Static

from studynorm.engine.titles import family_titles
from studynorm.storage.errors import StoreError
from studynorm.study.progress import Progress, progress_of
from studynorm.tui.calm_screen import HERE, PROGRAM, CalmScreen, scroll_bindings
from studynorm.tui.key_line import KeyLine
from studynorm.tui.practice import Practice
from studynorm.tui.progress_calendar import calendar_view, calendar_words
from studynorm.tui.progress_list import ProgressList
from studynorm.tui.progress_rows import (
    Row,
    memory_head,
    memory_rows,
    problem_rows,
    problems_head,
    slip_of,
    slip_rows,
    slips_head,
)
from studynorm.tui.progress_view import (
    Section,
    calibration_view,
    forecast_head,
    forecast_plot,
    sections_of,
    tabs_line,
    today_view,
)

if TYPE_CHECKING:
    pass

_LISTS = frozenset({Section.MEMORY, Section.PROBLEMS, Section.SLIPS})
_TEXTS = frozenset({Section.TODAY, Section.CALENDAR, Section.CALIBRATION})
_CALENDAR_TOO = 34
"""From this height on the calendar stands under today as well."""


class ProgressScreen(CalmScreen):
    """One section at a time, turned by Tab, ← and →, or its number."""

    CSS_PATH: ClassVar[Path] = Path(__file__).with_name("progress.tcss")
    SCROLLED = "#progress-text"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab,right", "turn(1)", "Next part", group=HERE),
        Binding("shift+tab,left", "turn(-1)", "Part before", show=False, group=HERE),
        *(
            Binding(str(number), f"section({number})", section, show=False, group=HERE)
            for number, section in enumerate(Section, 1)
        ),
        Binding("r", "reload", "Count again", show=False, group=HERE),
        Binding("q,escape", "app.pop_screen", "Back", group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
        *scroll_bindings(),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._progress: Progress | None = None
        self._section = Section.TODAY
        self._spans: list[tuple[int, int]] = []
        self._at: dict[Section, str] = {}

    def body(self) -> Iterable[Widget]:
        """Yield the sections, and what each of them may need."""
        yield Static(id="progress-tabs", markup=False)
        yield Static("Adding up your answers …", id="progress-head", markup=False)
        yield Static(id="progress-columns", markup=False)
        yield ProgressList()
        yield Static(id="progress-detail", markup=False)
        with VerticalScroll(id="progress-text", can_focus=False):
            yield Static(id="progress-words", markup=False)

    # -- reading ---------------------------------------------------------------------------------------
    def on_screen_resume(self) -> None:
        """Count anew, at first and whenever the learner comes back."""
        self.action_reload()

    def decks_changed(self) -> None:
        """Count decks that were read again, unless another screen hides them."""
        if self.is_current:
            self.action_reload()

    def action_reload(self) -> None:
        """Count again."""
        self._read()

    @work(exclusive=True, group="progress")
    async def _read(self) -> None:
        """Count in a thread: ten years of answers take a moment."""
        seen = self.study.overview()
        try:
            if seen is not None:
                self._progress = await asyncio.to_thread(progress_of, self.study.desk, seen)
        except StoreError as error:
            self.tell(str(error), trouble=True)
        if self._progress is None:
            self.query_one("#progress-head", Static).update("Your answers could not be read. r tries again.")
            return
        if self._section not in sections_of(self._progress):
            self._section = Section.TODAY
        self._paint()

    # -- showing ---------------------------------------------------------------------------------------
    def on_resize(self) -> None:
        """Fit everything to the new size."""
        self.call_after_refresh(self._paint)

    def repaint(self) -> None:
        """Paint everything again in the colours and the size of now."""
        super().repaint()
        self._paint()

    def _paint(self) -> None:
        progress, section = self._progress, self._section
        width = self.query_one("#progress-tabs").size.width
        if progress is None or width < 4:
            return
        palette = self.palette
        line, self._spans = tabs_line(sections_of(progress), section, width, palette)
        self.query_one("#progress-tabs", Static).update(line)
        for one in Section:
            self.set_class(one is section, f"on-{one.value.lower()}")
        self.set_class(section in _LISTS, "on-list")
        head, words = self.query_one("#progress-head", Static), self.query_one("#progress-words", Static)
        match section:
            case Section.TODAY:
                text = today_view(progress, width - 1, palette)
                if self.app.size.height >= _CALENDAR_TOO and progress.calendar.answers:
                    text.append("\n\n").append_text(calendar_view(progress, width - 1, palette))
                words.update(text)
            case Section.CALENDAR:
                text = calendar_view(progress, width - 1, palette)
                words.update(text.append("\n\n").append_text(calendar_words(progress, palette)))
            case Section.CALIBRATION:
                words.update(calibration_view(progress, width - 1, palette))
            case Section.FORECAST:
                head.update(forecast_head(progress, palette))
                self._show_plot(progress)
            case Section.MEMORY:
                head.update(memory_head(progress, palette))
                self._show_rows(*memory_rows(progress, self._room(width), palette))
            case Section.PROBLEMS:
                head.update(problems_head(progress, palette))
                self._show_rows(*problem_rows(progress, family_titles(), self._room(width), palette))
            case Section.SLIPS:
                head.update(slips_head(progress, palette))
                self._show_rows(*slip_rows(progress, self._room(width), palette))
        self.set_focus(self._list if section in _LISTS and self._list.rows else None)
        self.refresh_bindings()
        self.call_after_refresh(self.query_one(KeyLine).refresh)

    @property
    def _list(self) -> ProgressList:
        return self.query_one(ProgressList)

    def _room(self, width: int) -> int:
        return max(4, width - 3)  # the margins of a row, and the scroll bar

    def _show_plot(self, progress: Progress) -> None:
        """Draw the forecast; the pane is made, and the plotting library read, when it is first wanted."""
        from studynorm.tui.plot_pane import PlotPane

        pane: PlotPane
        found = self.query(PlotPane)
        if found:
            pane = found.first()
        else:
            pane = PlotPane()
            self.mount(pane, after="#progress-detail")
        pane.set_class(progress.forecast.total == 0, "empty")
        if progress.forecast.total:
            pane.show(forecast_plot(progress))

    def _show_rows(self, columns: Text, rows: tuple[Row, ...]) -> None:
        """Show the rows of a section, the cursor where it was."""
        self.query_one("#progress-columns", Static).update(columns if rows else "")
        self._list.show(rows, self._at.get(self._section))
        self._show_detail()

    def _show_detail(self) -> None:
        here = self._list.here
        self.query_one("#progress-detail", Static).update("" if here is None else here.detail)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Tell more of the row at the cursor."""
        event.stop()
        here = self._list.here
        if here is not None:
            self._at[self._section] = here.id
        self._show_detail()
        self.refresh_bindings()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go where a clicked row leads."""
        event.stop()
        if self._section is Section.MEMORY:
            self.action_topic()
        else:
            self.action_practice()

    # -- keys ------------------------------------------------------------------------------------------
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what would do something now."""
        match action:
            case "topic":
                return self._section is Section.MEMORY and self._list.here is not None
            case "practice":
                return self._section in (Section.PROBLEMS, Section.SLIPS) and bool(self._families())
            case "turn":
                return self._progress is not None
            case "section":
                known = () if self._progress is None else sections_of(self._progress)
                return list(Section)[int(str(parameters[0])) - 1] in known
            case "scroll_text" | "scroll_page" | "scroll_far" if self._section not in _TEXTS:
                return False
        return super().check_action(action, parameters)

    @property
    def has_more(self) -> bool:
        """Whether the text goes on below, while it is shown."""
        return self._section in _TEXTS and super().has_more

    def action_section(self, number: int) -> None:
        """Turn to a section by its number."""
        self._section = list(Section)[number - 1]
        self.query_one("#progress-text").scroll_home(animate=False)
        self._paint()

    def action_turn(self, way: int) -> None:
        """Turn to the next section, or the one before."""
        if self._progress is not None:
            known = sections_of(self._progress)
            at = known.index(self._section)
            self.action_section(list(Section).index(known[(at + way) % len(known)]) + 1)

    def action_topic(self) -> None:
        """Open the topic at the cursor."""
        here = self._list.here
        if here is not None:
            self.study.show_topic(here.id)

    def action_practice(self) -> None:
        """Practise the family at the cursor, or those in which the misconception was made."""
        families = self._families()
        if families:
            self.study.show_drill(Practice(families))

    def _families(self) -> tuple[str, ...]:
        """Return what can be practised of the row at the cursor; families may be gone."""
        here = self._list.here
        if here is None or self._progress is None:
            return ()
        slip = slip_of(self._progress, here.id) if self._section is Section.SLIPS else None
        names = (here.id,) if slip is None else slip.families
        return tuple(name for name in names if f"family:{name}" in self.study.desk.catalogue.candidates)

    def on_click(self, event: events.Click) -> None:
        """Turn to a section by a click on it."""
        if event.widget is None or event.widget.id != "progress-tabs" or self._progress is None:
            return
        offset = event.get_content_offset(event.widget)
        for section, (start, end) in zip(sections_of(self._progress), self._spans, strict=False):
            if offset is not None and start <= offset.x < end:
                self.action_section(list(Section).index(section) + 1)
