"""The options: each with its value, what it does and what it can be; what is changed holds at once."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option as Row

from studynorm.content.visible import visible
from studynorm.study.config import Source
from studynorm.study.configfile import ConfigError
from studynorm.study.optionkinds import Value
from studynorm.study.options import Option, OptionError, with_themes
from studynorm.study.preferences import keep, keep_default
from studynorm.tui.calm_screen import HERE, IN_FIELD, MOVING, PROGRAM, CalmScreen
from studynorm.tui.settings_view import about, field_hint, group_row, option_row, trouble_of, troubles_words
from studynorm.tui.text_input import TextInput
from studynorm.tui.theme import ordered


class SettingList(OptionList):
    """The options; Enter or a click changes one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "select", "Change", group=HERE),
        Binding("right", "screen.step(1)", "Next value", show=False, group=HERE),
        Binding("left", "screen.step(-1)", "Value before", show=False, group=HERE),
        Binding("down,j", "cursor_down", "Next", show=False, group=MOVING),
        Binding("up,k", "cursor_up", "Before", show=False, group=MOVING),
    ]


class OptionInput(TextInput):
    """The field in which a value is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Keep", group=IN_FIELD),
        Binding("escape", "screen.close_field", "Leave it as it was", group=IN_FIELD),
    ]


class SettingsScreen(CalmScreen):
    """All options of the profile in use."""

    CSS_PATH: ClassVar[Path] = Path(__file__).with_name("settings.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "to_default", "Default", group=HERE),
        Binding("w", "weights", "Weights of FSRS", group=HERE),
        Binding("q,escape", "app.pop_screen", "Back", group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._options: tuple[Option, ...] = ()

    def body(self) -> Iterable[Widget]:
        """Yield the title, the list, what its option does, and the field."""
        with Horizontal(id="settings-head"):
            yield Static("Options", classes="title", markup=False)
            yield Static(id="settings-place", markup=False)
        yield SettingList(markup=False, compact=True)
        yield Static(id="settings-about", markup=False)
        with Vertical(id="settings-panel"):
            with Horizontal(id="settings-line"):
                yield Static(id="settings-label", markup=False)
                yield OptionInput(id="settings-field", select_on_focus=True, compact=True)
            yield Static(id="settings-hint", markup=False)

    def on_mount(self) -> None:
        """Show the options and say where they are kept."""
        desk = self.study.desk
        self._options = tuple(with_themes(ordered(self.app.available_themes)).values())
        whose = "" if desk.name == "default" else f"profile {desk.name} · "
        place = visible(f"{whose}{desk.home.config_file}", keep_newlines=False)
        self.query_one("#settings-place", Static).update(f"  {place}")
        self.repaint()
        self._list.focus()
        self._tell_troubles()

    def on_resize(self) -> None:
        """Fit the rows to the new width."""
        self.call_after_refresh(self.repaint)

    # -- what is shown -------------------------------------------------------------------------------
    @property
    def _list(self) -> SettingList:
        return self.query_one(SettingList)

    @property
    def here(self) -> Option | None:
        """The option under the cursor."""
        at = self._list.highlighted
        name = None if at is None else self._list.get_option_at_index(at).id
        return next((option for option in self._options if option.key == name), None)

    def repaint(self) -> None:
        """Paint everything again in the colours, the size and the values of now."""
        super().repaint()
        width = self._list.scrollable_content_region.width - 2
        if width < 8:
            return
        desk = self.study.desk
        here, at, group, rows = self.here, 1, None, list[Row]()
        for option in self._options:
            if option.group is not group:
                group = option.group
                rows.append(Row(group_row(group, self.palette), disabled=True))
            if option is here:
                at = len(rows)
            row = option_row(option, desk.config, width, self.palette, alone=desk.name == "default")
            rows.append(Row(row, id=option.key))
        self._list.set_options(rows)
        self._list.highlighted = at
        self._tell_about()

    def _tell_about(self) -> None:
        option = self.here
        if option is not None:
            words = about(option, self.study.desk.config, os.environ, self.palette)
            self.query_one("#settings-about", Static).update(words)
        self.refresh_bindings()

    def _tell_troubles(self) -> None:
        self.tell(troubles_words(self.study.desk.config) or None, trouble=True)

    def on_option_list_option_highlighted(self) -> None:
        """Say what the option under the cursor does."""
        self._tell_about()

    # -- changing ------------------------------------------------------------------------------------
    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Change the chosen option: turn to its next value, or let the learner type one."""
        event.stop()
        option = self.here
        if option is None or self._is_broken():
            return
        if option.key == "theme":
            self.study.action_change_theme()
        elif option.kind.choices:
            self.action_step(1)
        else:
            self._open_field(option)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what would do something to the option under the cursor."""
        option = self.here if self._options else None
        match action:
            case "step":
                return option is not None and bool(option.kind.choices)
            case "to_default":
                return option is not None and self._is_set(option)
        return super().check_action(action, parameters)

    def _is_set(self, option: Option) -> bool:
        config = self.study.desk.config
        return config.source(option.key) is not Source.DEFAULT or bool(trouble_of(option, config))

    def action_step(self, way: int) -> None:
        """Turn to the value after or before that of now."""
        option = self.here
        if option is None or not option.kind.choices or self._is_broken():
            return
        choices = list(option.kind.choices)
        value = self.study.desk.config.value(option.key)
        at = choices.index(value) if value in choices else 0
        self._keep(option, choices[(at + way) % len(choices)])

    def action_weights(self) -> None:
        """Show FSRS' weights, which are kept in the profile and not in the file."""
        self.study.show_weights()

    def action_to_default(self) -> None:
        """Let the default hold again."""
        option = self.here
        if option is not None and not self._is_broken():
            self._change(lambda: keep_default(self.study.desk, option))

    def _is_broken(self) -> bool:
        """Refuse to write into a file that could not be read, and say why."""
        config = self.study.desk.config
        if config.broken:
            self.tell(f"Nothing can be changed here yet. {troubles_words(config)}", trouble=True)
        return config.broken

    def _keep(self, option: Option, value: Value) -> bool:
        return self._change(lambda: keep(self.study.desk, option, value))

    def _change(self, change: Callable[[], None]) -> bool:
        try:
            change()
        except ConfigError as error:
            self.tell(f"{error.path.name}: {error.reason}", trouble=True)
            return False
        self.study.options_changed()
        self._tell_troubles()
        self.repaint()
        return True

    # -- the field -----------------------------------------------------------------------------------
    @property
    def _field(self) -> OptionInput:
        return self.query_one(OptionInput)

    def _open_field(self, option: Option) -> None:
        self.query_one("#settings-panel").display = True
        self.query_one("#settings-label", Static).update(f"{option.title}: ")
        self._field.value = option.text(self.study.desk.config.value(option.key))
        self._tell_hint(option)
        self._field.focus()

    def action_close_field(self) -> None:
        """Give the keys back to the list."""
        self.query_one("#settings-panel").display = False
        self._list.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say whether what is typed so far is possible."""
        event.stop()
        option = self.here
        if option is not None:
            self._tell_hint(option)

    def _tell_hint(self, option: Option) -> None:
        hint = field_hint(option, self._field.value, self.palette)
        self.query_one("#settings-hint", Static).update(hint)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep what was typed, if it is possible; else the field stays open."""
        event.stop()
        option = self.here
        if option is None:
            return
        try:
            value = option.read(event.value)
        except OptionError as error:
            self.tell(str(error), trouble=True)
            return
        if self._keep(option, value):
            self.action_close_field()
