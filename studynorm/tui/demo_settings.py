"""The settings of a demo as a small form: one field for each, with what it takes beside it."""

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from studynorm.demos.demo import Demo
from studynorm.tui.calm_screen import IN_FIELD, plain
from studynorm.tui.demo_view import setting_hint
from studynorm.tui.text_input import TextInput


class SettingInput(TextInput):
    """The field of one setting."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Run", group=IN_FIELD),
        Binding("escape", "close", "Close the settings", group=IN_FIELD),
        Binding("down", "app.focus_next", "Next setting", show=False, group=IN_FIELD),
        Binding("up", "app.focus_previous", "Setting before", show=False, group=IN_FIELD),
    ]

    def action_close(self) -> None:
        """Close the form."""
        self.post_message(DemoSettings.Closed())


class DemoSettings(VerticalScroll):
    """The form; `texts` are its values as typed."""

    can_focus = False

    class Closed(Message):
        """The form was left."""

    def __init__(self, demo: Demo) -> None:
        super().__init__(id="settings")
        self._demo = demo

    def compose(self) -> Iterable[Widget]:
        """Yield a row for each setting."""
        for setting in self._demo.settings:
            with Horizontal(classes="setting"):
                yield Static(plain(setting.label), classes="label")
                yield SettingInput(
                    setting.default_text, id=f"set-{setting.name}", compact=True, select_on_focus=True
                )
                yield Static(plain(setting_hint(setting)), classes="hint")

    @property
    def texts(self) -> dict[str, str]:
        """The settings as typed."""
        return {
            setting.name: self.query_one(f"#set-{setting.name}", SettingInput).value
            for setting in self._demo.settings
        }

    def open(self) -> None:
        """Show the form and go to its first field."""
        self.display = True
        self.query(SettingInput).first().focus()
