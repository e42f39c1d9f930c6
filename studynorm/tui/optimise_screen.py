"""FSRS' weights: fit them to the learner's reviews in a process of its own, and choose among those kept."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from studynorm.storage.errors import StoreError
from studynorm.study import weights
from studynorm.study.optimise_words import name_words
from studynorm.study.weights import WeightsChanged
from studynorm.tui.calm_screen import HERE, MOVING, PROGRAM, CalmScreen
from studynorm.tui.demo_view import progress_text
from studynorm.tui.optimise_view import evidence_view, verdict_view, weights_row
from studynorm.tui.patience import Patience
from studynorm.worker.client import WorkerError

if TYPE_CHECKING:
    from studynorm.scheduling.evidence import Evidence
    from studynorm.scheduling.fit import Fit
    from studynorm.study.weights import Kept
    from studynorm.tui.engine_link import Engine

_LONGEST_FIT = 7200.0  # seconds; Esc ends a fit at any time


class WeightsList(OptionList):
    """The weights; Enter or a click uses some."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "select", "Use these", group=HERE),
        Binding("down,j", "cursor_down", "Next", show=False, group=MOVING),
        Binding("up,k", "cursor_up", "Before", show=False, group=MOVING),
    ]


class OptimiseScreen(CalmScreen):
    """What there is to fit to, the fit, and the weights that can be used."""

    CSS_PATH: ClassVar[Path] = Path(__file__).with_name("optimise.tcss")
    SCROLLED = "#optimise-text"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "fit", "Fit to my reviews", group=HERE),
        Binding("escape", "cancel", "Stop it", group=HERE),
        Binding("q,escape", "app.pop_screen", "Back", group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._evidence: Evidence | None = None
        self._kept: tuple[Kept, ...] = ()
        self._fit: Fit | None = None
        self._before: Kept | None = None
        self._adopted = False
        self._fitting = False
        self._engine: Engine | None = None
        self._patience = Patience(self)

    def body(self) -> Iterable[Widget]:
        """Yield what there is to fit to, the bar, what came of it, and the list."""
        yield Static("The weights of FSRS", classes="title", markup=False)
        with VerticalScroll(id="optimise-text", can_focus=False):
            yield Static(id="optimise-evidence", markup=False)
            yield Static(id="optimise-progress", markup=False)
            yield Static(id="optimise-verdict", markup=False)
            yield Static("Weights to choose from", id="optimise-head", markup=False)
            yield WeightsList(markup=False, compact=True)

    def on_mount(self) -> None:
        """Show the weights, and read the log beside."""
        self._look()
        self.query_one(WeightsList).focus()
        self._read()

    async def on_unmount(self) -> None:
        """Leave no process behind."""
        if self._engine is not None:
            await self._engine.close()

    def on_resize(self) -> None:
        """Fit the rows to the new width."""
        self.call_after_refresh(self.repaint)

    # -- what is shown -------------------------------------------------------------------------------
    def _look(self) -> None:
        try:
            self._kept = weights.kept_weights(self.study.desk)
        except StoreError as error:
            self.tell(str(error), trouble=True)
        self.repaint()

    def repaint(self) -> None:
        """Paint everything again in the colours, the size and the values of now."""
        super().repaint()
        self.query_one("#optimise-evidence", Static).update(evidence_view(self._evidence, self.palette))
        self.query_one("#optimise-progress").display = self._fitting
        verdict = self.query_one("#optimise-verdict", Static)
        verdict.display = self._fit is not None and not self._fitting
        if self._fit is not None and self._before is not None:
            verdict.update(verdict_view(self._fit, self._before, self.palette, adopted=self._adopted))
        known = self.query_one(WeightsList)
        width = known.scrollable_content_region.width - 2
        if width >= 8:
            at = known.highlighted
            known.set_options(
                Option(weights_row(one, width, self.palette), id=str(place))
                for place, one in enumerate(self._kept)
            )
            used = next((place for place, one in enumerate(self._kept) if one.in_use), 0)
            known.highlighted = used if at is None else min(at, len(self._kept) - 1)
        self.refresh_bindings()

    @work(exclusive=True, group="read")
    async def _read(self) -> None:
        from studynorm.scheduling.evidence import Evidence
        from studynorm.study.optimise import read_evidence

        path = self.study.desk.path
        try:
            found = await asyncio.to_thread(read_evidence, path) if path.exists() else Evidence()
        except StoreError as error:
            self.tell(str(error), trouble=True)
            return
        self._evidence = found
        self.repaint()

    # -- the fit -------------------------------------------------------------------------------------
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what would do something now."""
        match action:
            case "fit":
                return not self._fitting and self._evidence is not None and not self._evidence.missing
            case "cancel":
                return self._fitting
        return super().check_action(action, parameters)

    def action_fit(self) -> None:
        """Begin a fit against the weights in use."""
        self._look()
        self._before = next((one for one in self._kept if one.in_use), None)
        if self._before is None or self._evidence is None:
            return
        self.tell(None)
        self._patience.stop()
        self._fit, self._adopted, self._fitting = None, False, True
        self._report(0.0, "loading torch")
        self.repaint()
        self._run(self._evidence, self._before)

    @work(exclusive=True, group="fit")
    async def _run(self, evidence: "Evidence", before: "Kept") -> None:
        from studynorm.study.optimise import fit_in, request_of

        if self._engine is None:
            self._engine = self.study.new_engine()
        request = request_of(evidence, before.values)
        try:
            answer = await self._engine.request(
                "optimise", timeout=_LONGEST_FIT, progress=self._report, **request
            )
        except WorkerError as error:
            self.tell(f"{error}. Nothing was changed.", trouble=True)
            return
        finally:
            self._fitting = False
            if self.is_attached:
                self.repaint()
        self._fit = fit_in(answer)
        if self._fit.is_better:
            self._patience.give(self._adopt, "Press f to fit again.")
        self.repaint()

    def _report(self, fraction: float, words: str) -> None:
        line = self.query_one("#optimise-progress", Static)
        line.update(progress_text(fraction, words, max(20, line.size.width), self.palette))

    def _adopt(self) -> None:
        if self._fit is None or self._before is None:
            return
        try:
            weights.adopt(self.study.desk, self._fit, self._before)
        except WeightsChanged as changed:
            self.tell(f"Not adopted: {changed}.", trouble=True)
            return
        self._adopted = True
        self._use_row(None)

    async def action_cancel(self) -> None:
        """End the fit by ending its process."""
        self.workers.cancel_group(self, "fit")
        if self._engine is not None:
            await self._engine.close()
        self._fitting = False
        self.repaint()
        self.tell("Stopped. Nothing was changed.")

    # -- the list ------------------------------------------------------------------------------------
    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Use the chosen weights."""
        event.stop()
        kept = self._kept[event.option_index]
        if kept.in_use:
            self.tell("These are in use.")
        elif self._fitting:
            self.tell("A fit is measured against the weights in use; stop it first, or let it end.")
        else:
            self._use(kept)

    def _use(self, kept: "Kept") -> None:
        try:
            weights.use(self.study.desk, kept)
        except StoreError as error:
            self.tell(f"{error} Nothing was changed.", trouble=True)
            return
        self._use_row(f"In use now: {name_words(kept)}. They count from the next answer to each item on.")

    def _use_row(self, words: str | None) -> None:
        self.query_one(WeightsList).highlighted = None
        self._look()
        self.tell(words)
