"""What a final pass says of itself: on the top line while it runs, and at its end."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from studynorm.content.visible import visible
from studynorm.engine.titles import family_titles
from studynorm.study.catalogue import Catalogue
from studynorm.study.rehearsal import Rehearsal
from studynorm.study.situation import ProblemPrompt
from studynorm.study.titles import title_of
from studynorm.tui.theme import Palette
from studynorm.tui.top_bar import Standing
from studynorm.tui.when import counted

TITLE = "Final pass"
_MOST_NAMED = 12


def pass_standing(session: Rehearsal, topic: str) -> Standing:
    """Return what the top line says: that this is no review, the topic, and how much is left."""
    prompt = session.situation
    detail = [topic, *([f"level {prompt.variant.level}"] if isinstance(prompt, ProblemPrompt) else [])]
    left = f"{session.left} left · not scheduled"
    return Standing(TITLE, " · ".join(detail), None, None, session.answered, left, session.left)


def titles_of(items: Sequence[str], catalogue: Catalogue) -> tuple[str, ...]:
    """Return what each item asks in one line; its name where it is not there any more."""
    families, found = family_titles(), list[str]()
    for item in items:
        card, name = catalogue.library.card(item), item.partition(":")[2]
        if card is not None:
            found.append(title_of(card.question(item.partition("#")[2] or None)))
        else:
            found.append(families.get(name, name))
    return tuple(found)


def pass_summary(session: Rehearsal, titles: Sequence[str], palette: Palette) -> RenderableType:
    """Return how a pass went, with the forgotten items by their titles, and that nothing of it counted."""
    forgotten, left = len(titles), session.left
    lines: list[RenderableType] = [
        Text(
            "The final pass is done." if not left else "The final pass rests here.", f"bold {palette.accent}"
        ),
        Text(),
        Text(sums_of(session), palette.ink),
        Text("Your schedule is as it was: nothing of this counted.", palette.quiet),
    ]
    if forgotten:
        lines += [Text(), Text("Forgotten at first:", f"bold {palette.quiet}")]
        for title in titles[:_MOST_NAMED]:
            line = Text("✗ ", palette.again, no_wrap=True, overflow="ellipsis")
            lines.append(line.append(visible(title, keep_newlines=False), palette.ink))
        if forgotten > _MOST_NAMED:
            lines.append(Text(f"and {forgotten - _MOST_NAMED} more", palette.quiet))
        words = Text("To count them, grade them now: ", palette.quiet)
        words.append("g", f"bold {palette.accent}").append(" here, or ", palette.quiet)
        lines += [Text(), words.append("b", f"bold {palette.accent}").append(" to choose.", palette.quiet)]
    return Group(*lines)


def sums_of(session: Rehearsal) -> str:
    """Return `12 known, 3 of them not at once, 4 left`."""
    known, left = session.answered, session.left
    again = len(session.forgotten)
    parts = [f"{counted(known, 'item')} known", f"{again} forgotten at first" if again else "none forgotten"]
    return ", ".join([*parts, *([f"{left} left"] if left else [])])


def browse_text(items: Sequence[str]) -> str:
    """Return the filter that shows just these items."""
    return " or ".join(items)
