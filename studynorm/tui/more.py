"""The hint that a scrolled text goes on below: when it is due, and how it reads."""

from collections.abc import Callable

from textual.widget import Widget

MORE = "▼ PgDn"


def has_more(part: Widget) -> bool:
    """Tell whether a scrolled part that is shown goes on below its lower edge."""
    return bool(part.display) and part.size.height > 0 and part.scroll_offset.y < part.max_scroll_y


def follow_scrolling(watcher: Widget, part: Widget, changed: Callable[[], object]) -> None:
    """Call `changed` after each frame in which a part was scrolled, or it or its text changed its size."""

    def told() -> None:
        if watcher.is_running:
            watcher.call_after_refresh(changed)

    for name in ("scroll_y", "virtual_size", "size"):
        watcher.watch(part, name, told, init=False)
