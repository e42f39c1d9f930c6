"""Where practice is chosen: everything, weak spots, a topic or one family, and the level."""

from collections.abc import Iterable
from typing import ClassVar

from rich.table import Table
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from studynorm.content.visible import visible
from studynorm.tui.calm_screen import HERE, MOVING, PROGRAM, CalmScreen
from studynorm.tui.practice import Practice, families_of
from studynorm.tui.theme import Palette

_LEVELS = (None, 1, 2, 3)
_ALL, _WEAK = "all", "weak"


def level_line(level: int | None, palette: Palette) -> tuple[Text, list[tuple[int, int]]]:
    """Return the line on the level with the chosen one marked, and from where to where each one reaches."""
    line, spans = Text("Level   ", palette.quiet), list[tuple[int, int]]()
    for number in _LEVELS:
        word = "follows you" if number is None else str(number)
        start = line.cell_len
        line.append(f" {word} ", f"bold reverse {palette.accent}" if number == level else palette.ink)
        spans.append((start, line.cell_len))
        line.append("  ")
    return line, spans


class PracticeList(OptionList):
    """What can be practised; Enter or a click begins."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "select", "Begin", group=HERE),
        Binding("down,j", "cursor_down", "Next", show=False, group=MOVING),
        Binding("up,k", "cursor_up", "Before", show=False, group=MOVING),
    ]


class PracticeScreen(CalmScreen):
    """Topics with their families; one topic can be opened into its families."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "families", "Families", group=HERE),
        Binding("l", "level", "Level", group=HERE),
        Binding("0", "set_level(0)", "Level follows you", show=False, group=HERE),
        *(
            Binding(str(level), f"set_level({level})", f"Level {level}", show=False, group=HERE)
            for level in (1, 2, 3)
        ),
        Binding("f", "topics", "Topics", group=HERE),
        Binding("a", "answers", "Past answers", group=HERE),
        Binding("q,escape", "back", "Back", group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
    ]

    def __init__(self, topic: str | None = None) -> None:
        super().__init__()
        self._topic = topic
        self._opened: str | None = None
        self._level: int | None = None
        self._spans: list[tuple[int, int]] = []

    def body(self) -> Iterable[Widget]:
        """Yield the title, the level and the list."""
        yield Static("Practice", classes="title", markup=False)
        yield Static(
            "Problems without ratings. Your schedule stays as it is.", classes="subtitle", markup=False
        )
        yield Static(id="level", markup=False)
        yield PracticeList(markup=False, compact=True)

    def on_mount(self) -> None:
        """Show the topics, the one that the learner came from marked."""
        choices = self.query_one(PracticeList)
        choices.focus()
        self._fill(self._topic or _ALL)

    def on_screen_resume(self) -> None:
        """Count the weak spots anew after a drill."""
        self.repaint()

    def on_resize(self) -> None:
        """Fit the rows to the new width."""
        self.call_after_refresh(self.repaint)

    def repaint(self) -> None:
        """Paint everything again in the colours of now."""
        super().repaint()
        choices = self.query_one(PracticeList)
        if choices.option_count and choices.highlighted is not None:
            self._fill(choices.get_option_at_index(choices.highlighted).id or _ALL)

    # -- showing -------------------------------------------------------------------------------------
    def _families(self, topic: str | None = None) -> tuple[str, ...]:
        return tuple(
            family
            for family in families_of(self.study.desk)
            if topic is None or family.partition(".")[0] == topic
        )

    def _fill(self, marked: str) -> None:
        line, self._spans = level_line(self._level, self.palette)
        self.query_one("#level", Static).update(line)
        rows = self._topic_rows() if self._opened is None else self._family_rows(self._opened)
        choices = self.query_one(PracticeList)
        choices.set_options(Option(self._row(title, aside), id=name) for name, title, aside in rows)
        places = [name for name, _, _ in rows]
        choices.highlighted = places.index(marked) if marked in places else 0
        self.refresh_bindings()

    def _topic_rows(self) -> list[tuple[str, str, str]]:
        weak = self.study.weak_families()
        rows = [(_ALL, "Everything, mixed", _families_words(self._families()))]
        if weak:
            rows.append((_WEAK, "Weak spots: slips of the last 30 days", _families_words(weak)))
        for topic in self.study.desk.catalogue.topics:
            families = self._families(topic.id)
            if families:
                rows.append((topic.id, topic.title, _families_words(families)))
        return rows

    def _family_rows(self, topic: str) -> list[tuple[str, str, str]]:
        from studynorm.engine.registry import BrokenFamily, load_family

        title = self.study.desk.catalogue.topic_title(topic)
        families = self._families(topic)
        rows = [(topic, f"All of {title}, mixed", _families_words(families))]
        for name in families:
            family = load_family(name)
            if isinstance(family, BrokenFamily):
                continue
            levels = "–".join(str(level) for level in dict.fromkeys((min(family.levels), max(family.levels))))
            rows.append((name, family.title, f"level {levels}" if "–" not in levels else f"levels {levels}"))
        return rows

    def _row(self, title: str, aside: str) -> Table:
        row = Table.grid(expand=True)
        row.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        row.add_column(justify="right", no_wrap=True)
        row.add_row(
            Text(visible(title, keep_newlines=False), self.palette.ink), Text(aside, self.palette.quiet)
        )
        return row

    # -- keys ----------------------------------------------------------------------------------------
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the families of a topic, or the way back from them."""
        match action:
            case "families":
                return self._opened is None and self._marked() not in (None, _ALL, _WEAK)
            case "topics":
                return self._opened is not None
        return super().check_action(action, parameters)

    def _marked(self) -> str | None:
        for choices in self.query(PracticeList):
            if choices.highlighted is not None:
                return choices.get_option_at_index(choices.highlighted).id
        return None

    def on_option_list_option_highlighted(self) -> None:
        """Offer what can be done with the marked row."""
        self.refresh_bindings()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Begin with the chosen row."""
        event.stop()
        chosen = event.option_id or _ALL
        families = (chosen,) if "." in chosen else self._families(None if chosen in (_ALL, _WEAK) else chosen)
        self.study.show_drill(Practice(families, level=self._level, weak=chosen == _WEAK))

    def action_families(self) -> None:
        """Open the marked topic into its families."""
        marked = self._marked()
        if marked is not None:
            self._opened = marked
            self._fill(marked)

    def action_topics(self) -> None:
        """Go back to the topics."""
        opened, self._opened = self._opened, None
        self._fill(opened or _ALL)

    def action_back(self) -> None:
        """Go back to the topics, and from there to where the learner came from."""
        if self._opened is not None:
            self.action_topics()
        else:
            self.study.show_home()

    def action_answers(self) -> None:
        """Show what was typed in the past."""
        from studynorm.tui.attempts_screen import AttemptsScreen

        self.app.push_screen(AttemptsScreen())

    def action_level(self) -> None:
        """Take the next level."""
        self.action_set_level((_LEVELS.index(self._level) + 1) % len(_LEVELS))

    def action_set_level(self, level: int) -> None:
        """Set the level; with 0 it follows the learner."""
        self._level = level or None
        self.repaint()

    def on_click(self, event: events.Click) -> None:
        """Set the level by a click on it."""
        if event.widget is None or event.widget.id != "level":
            return
        offset = event.get_content_offset(event.widget)
        for level, (start, end) in enumerate(self._spans):
            if offset is not None and start <= offset.x < end:
                self.action_set_level(level)


def _families_words(families: Iterable[str]) -> str:
    count = len(tuple(families))
    return "1 family" if count == 1 else f"{count} families"
