"""Search in the command palette: screens, topics, families, demos, terms and cards, by words or id."""

import asyncio
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual.command import Hit, Hits, Provider

from studynorm.study.search import Entry, Found, Match, best, entries, entry, searched
from studynorm.tui.flow import title_flow
from studynorm.tui.theme import Palette

if TYPE_CHECKING:
    from studynorm.tui.app import StudyNorm

_MOST = 20
_AT_ONCE = 2000
"""So many entries are prepared before the screen may draw again."""
_LONGEST = 120
_ASIDE = 6
"""The margins and the scrollbar beside a hit."""
_WEIGHTS = {Match.EXACT: 5.0, Match.BEGINS: 3.5, Match.WORDS: 2.8, Match.NAMED: 2.5, Match.MENTIONED: 2.0}
"""Per letter typed. Textual gives its own commands 4 for the very word and about 3 for a part of one."""
_SCREENS: dict[str, tuple[str, str, Callable[["StudyNorm"], None]]] = {
    "review": ("Review", "What is due now, and new items", lambda app: app.show_review()),
    "practice": ("Practice", "Problems without ratings", lambda app: app.show_practice()),
    "browse": ("Browse", "All items as a table", lambda app: app.show_browse()),
    "demos": ("Demos", "Predict, then watch it measured", lambda app: app.show_demos()),
    "interview": ("Interview", "Long questions, graded by yourself", lambda app: app.show_interview()),
    "progress": ("Progress", "Retention, streak, forecast, misconceptions", lambda app: app.show_progress()),
    "glossary": ("Glossary", "Terms, references and diagrams", lambda app: app.show_reference()),
    "answers": ("Past answers", "What you typed, as it was then", lambda app: app.show_answers()),
    "ready": ("Readiness", "What you would recall on the interview date", lambda app: app.show_readiness()),
    "catch-up": ("Catch up", "Spread what is waiting over days", lambda app: app.show_catch_up()),
    "settings": (
        "Options",
        "Settings: desired retention, steps, limits, theme and more",
        lambda app: app.show_settings(),
    ),
    "weights": ("Optimise", "Fit the weights of FSRS to your reviews", lambda app: app.show_weights()),
    "reload": ("Reload decks", "Read all decks again", lambda app: app.reload_decks()),
}


class SearchProvider(Provider):
    """Finds everything there is to turn to, once the desk is open; before that nothing."""

    _entries: tuple[Entry, ...] | None = None

    @property
    def study(self) -> "StudyNorm":
        """The program."""
        return cast("StudyNorm", self.app)

    async def startup(self) -> None:
        """Prepare what is searched, in pieces, so that the screen goes on."""
        await self._prepared()

    async def discover(self) -> Hits:
        """Offer the screens while nothing is typed."""
        if self.study.is_open:
            for number, one in enumerate(_screens()):
                yield self._hit(one, 1 - number / 100, "")

    async def search(self, query: str) -> Hits:
        """Find what has every word of the query, the best first."""
        for match, one in best(await self._prepared(), query, _MOST):
            yield self._hit(one, _WEIGHTS[match] * (len(query) + 1), query)

    async def _prepared(self) -> tuple[Entry, ...]:
        if self._entries is None and self.study.is_open:
            found = list[Entry]()
            for one in entries(self.study.desk.catalogue, _demos()):
                found.append(one)
                if len(found) % _AT_ONCE == 0:
                    await asyncio.sleep(0)
            self._entries = (*_screens(), *found)
        return self._entries or ()

    def _hit(self, one: Entry, score: float, query: str) -> Hit:
        # Textual's list would break lines inside a formula.
        width = max(self.study.size.width - _ASIDE, 1)
        lines = hit_text(one, query, self.study.palette).wrap(self.study.console, width)
        shown = Text("\n").join(lines)
        return Hit(score, shown, lambda: go_to(self.study, one), one.line)


def hit_text(one: Entry, query: str, palette: Palette) -> Text:
    """Return a hit: its title with the words typed underlined, and under it what it is. Nothing is markup."""
    title = one.line if len(one.line) <= _LONGEST else f"{one.line[:_LONGEST].rstrip()}…"
    text = title_flow(title, f"not bold {palette.ink}")
    for start, end in places(title, query):
        text.stylize(f"bold underline {palette.accent}", start, end)
    about = _SCREENS[one.id][1] if one.kind is Found.SCREEN else f"{one.kind.value} · {one.id}"
    return text.append(f"\n{about}", f"not bold {palette.quiet}")


def places(title: str, query: str) -> Iterator[tuple[int, int]]:
    """Yield from where to where each word of a query first stands in a title; `gamma` stands at a γ too."""
    spelt, owners = "", list[int]()
    for place, char in enumerate(title):
        letters = searched(char)
        spelt += letters
        owners += [place] * len(letters)
    for word in searched(query).split():
        start = spelt.find(word)
        if start >= 0:
            yield owners[start], owners[start + len(word) - 1] + 1


def go_to(app: "StudyNorm", one: Entry) -> None:
    """Turn to what was found."""
    match one.kind:
        case Found.SCREEN:
            _SCREENS[one.id][2](app)
        case Found.TOPIC:
            app.show_topic(one.id)
        case Found.TERM:
            app.show_reference(one.id)
        case Found.CARD | Found.FAMILY:
            app.show_item(one.target)
        case Found.DEMO:
            app.show_target(one.target)


def _screens() -> Iterator[Entry]:
    return (entry(Found.SCREEN, name, title, about) for name, (title, about, _) in _SCREENS.items())


def _demos() -> Iterator[Entry]:
    from studynorm.demos.registry import demos

    return (entry(Found.DEMO, demo.name, demo.title, demo.question) for demo in demos().values())
