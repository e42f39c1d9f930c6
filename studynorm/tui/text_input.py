"""A line of text whose editing keys act in the order typed."""

from textual import events
from textual.binding import Binding
from textual.widgets import Input


class TextInput(Input):
    """An Input that does what an editing key says at once.

    Left to bubble it would act after text that was typed behind it: over a slow line "1 5 ⌫ 2" became 15.
    """

    async def _on_key(self, event: events.Key) -> None:
        if await self._edits(event.key):
            event.stop()
            event.prevent_default()
            return
        await super()._on_key(event)

    async def _edits(self, key: str) -> bool:
        for binding in Input.BINDINGS:
            if isinstance(binding, Binding) and binding.action != "submit" and key in binding.key.split(","):
                return await self.app.run_action(binding.action, default_namespace=self)
        return False
