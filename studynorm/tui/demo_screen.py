"""One demo: predict, watch it run in a process of its own, compare; change the settings and run again."""

from collections.abc import Iterable
from enum import StrEnum
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Input, Static

from studynorm.demos.demo import Demo, Result, SettingRefused, read_settings
from studynorm.demos.payload import payload_to_result
from studynorm.tui.calm_screen import HERE, PROGRAM, CalmScreen, plain, scroll_bindings
from studynorm.tui.demo_settings import DemoSettings
from studynorm.tui.demo_view import progress_text, question_view, result_words
from studynorm.tui.engine_link import Engine
from studynorm.tui.plot_pane import PlotPane
from studynorm.worker.client import WorkerError

_LONGEST_RUN = 1800.0  # seconds; Esc ends a run at any time


class Stage(StrEnum):
    """Where a demo stands."""

    PREDICT = "predict"
    RUNNING = "running"
    RESULT = "result"


class DemoScreen(CalmScreen):
    """A demo from the prediction to the comparison."""

    SCROLLED = "#demo-text"
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(str(number), f"predict({number})", f"Option {number}", show=False, group=HERE)
            for number in range(1, 10)
        ),
        Binding("enter", "skip", "Run without a guess", group=HERE),
        Binding("escape", "cancel", "Stop it", group=HERE),
        Binding("g", "change_view", "Table or plot", group=HERE),
        Binding("n", "next_plot", "Next plot", group=HERE),
        Binding("r", "again", "Run again", group=HERE),
        Binding("s", "settings", "Settings", group=HERE),
        Binding("q,escape", "app.pop_screen", "Demos", group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
        *(binding for binding in scroll_bindings() if isinstance(binding, Binding) and binding.key != "g"),
    ]

    def __init__(self, demo: Demo) -> None:
        super().__init__()
        self._demo = demo
        self.stage = Stage.PREDICT
        self._chosen: int | None = None
        self._seed = 0
        self._result: Result | None = None
        self._notes: tuple[str, ...] = ()
        self._plot = 0
        self._table = False
        self._engine: Engine | None = None

    def body(self) -> Iterable[Widget]:
        """Yield title, plot, words and the form."""
        yield Static(plain(self._demo.title), classes="title")
        yield PlotPane()
        with VerticalScroll(id="demo-text", can_focus=False):
            yield Static(id="demo-words")
        yield Static(id="progress", markup=False)
        yield DemoSettings(self._demo)

    def on_mount(self) -> None:
        """Ask for a prediction."""
        self._show()

    async def on_unmount(self) -> None:
        """Leave no process behind."""
        if self._engine is not None:
            await self._engine.close()

    def repaint(self) -> None:
        """Paint everything again in the colours of now."""
        super().repaint()
        self._show()

    def _show(self) -> None:
        words = self.query_one("#demo-words", Static)
        plot = self.query_one(PlotPane)
        plot.display = self.stage is Stage.RESULT and not self._table
        self.query_one("#progress").display = self.stage is Stage.RUNNING
        self.query_one("#demo-text").set_class(plot.display, "under-plot")
        if self._result is None or self.stage is not Stage.RESULT:
            words.update(question_view(self._demo, self.palette))
        else:
            words.update(
                result_words(
                    self._demo, self._result, self._notes, self._chosen, self.palette, table=self._table
                )
            )
            if plot.display and self._result.plots:
                plot.show(self._result.plots[self._plot % len(self._result.plots)])
        self.refresh_bindings()

    # -- running -------------------------------------------------------------------------------------
    def _start(self) -> None:
        try:
            read_settings(self._demo, self.query_one(DemoSettings).texts)
        except SettingRefused as refused:
            self.tell(str(refused), trouble=True)
            return
        self.tell(None)
        self.query_one(DemoSettings).display = False
        self.set_focus(None)
        self.stage = Stage.RUNNING
        self._report(0.0, "loading torch")
        self._show()
        self._run()

    @work(exclusive=True, group="demo")
    async def _run(self) -> None:
        if self._engine is None:
            self._engine = self.study.new_engine()
        try:
            payload = await self._engine.request(
                "demo",
                timeout=_LONGEST_RUN,
                progress=self._report,
                name=self._demo.name,
                settings=self.query_one(DemoSettings).texts,
                seed=self._seed,
                device="auto",
            )
        except WorkerError as error:
            self.stage = Stage.PREDICT if self._result is None else Stage.RESULT
            self._show()
            self.tell(str(error), trouble=True)
            return
        self._result = payload_to_result(payload)
        self._notes = tuple(payload.get("notes", ()))
        self.stage = Stage.RESULT
        self.query_one("#demo-text").scroll_home(animate=False)
        self._show()

    def _report(self, fraction: float, words: str) -> None:
        line = self.query_one("#progress", Static)
        line.update(progress_text(fraction, words, max(20, line.size.width), self.palette))

    # -- keys ----------------------------------------------------------------------------------------
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what would do something now."""
        match action:
            case "predict":
                number = parameters[0]
                return (
                    self.stage is Stage.PREDICT
                    and isinstance(number, int)
                    and number <= len(self._demo.options)
                )
            case "skip":
                return self.stage is Stage.PREDICT
            case "cancel":
                return self.stage is Stage.RUNNING
            case "change_view" | "again":
                return self.stage is Stage.RESULT
            case "next_plot":
                return self.stage is Stage.RESULT and not self._table and self._plots() > 1
            case "settings":
                return self.stage is not Stage.RUNNING
        return super().check_action(action, parameters)

    def _plots(self) -> int:
        return 0 if self._result is None else len(self._result.plots)

    def action_predict(self, number: int) -> None:
        """Take a prediction and run."""
        self._chosen = number - 1
        self._start()

    def action_skip(self) -> None:
        """Run without a prediction."""
        self._start()

    async def action_cancel(self) -> None:
        """End the run by ending its process."""
        self.workers.cancel_group(self, "demo")
        if self._engine is not None:
            await self._engine.close()
        self.stage = Stage.PREDICT if self._result is None else Stage.RESULT
        self._show()
        self.tell("Stopped.")

    def action_change_view(self) -> None:
        """Change between the plot and the table."""
        self._table = not self._table
        self.query_one("#demo-text").scroll_home(animate=False)
        self._show()

    def action_next_plot(self) -> None:
        """Show the next plot."""
        self._plot += 1
        self._show()

    def action_again(self) -> None:
        """Run again with the next seed."""
        self._seed += 1
        self._start()

    def action_settings(self) -> None:
        """Open the settings."""
        self.query_one(DemoSettings).open()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Run with the settings of the form."""
        event.stop()
        self._start()

    def on_demo_settings_closed(self) -> None:
        """Close the form and give the keys back."""
        self.query_one(DemoSettings).display = False
        self.tell(None)
        self.set_focus(None)
