"""The rows of the progress screen that one moves through: topics, families and misconceptions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text

from studynorm.content.visible import visible
from studynorm.study.firsttries import worth
from studynorm.study.progress import Progress, TopicProgress, topic_of
from studynorm.study.progress_words import (
    NONE,
    TREND_SIGNS,
    counted,
    interval_words,
    of_words,
    percent,
    period_words,
    seconds_words,
    slip_words,
)
from studynorm.study.retention import Share
from studynorm.study.slips import Period, Slip, Trend
from studynorm.tui.browse_view import fitted
from studynorm.tui.markup_view import markup_line
from studynorm.tui.theme import Palette

_GAP = 2
_LEAST_TITLE, _LEAST_TOPIC = 24, 36
Columns = Sequence[tuple[str, int]]

# In the order in which they are wanted when the window grows, and in that in which they are shown.
_MEMORY = (
    ("now", 5),
    ("", 10),
    ("measured", 12),
    ("mature", 6),
    ("young", 5),
    ("learning", 8),
    ("new", 4),
)
_MEMORY_SHOWN = ("new", "learning", "young", "mature", "", "now", "measured")
_PROBLEMS = (("level 1", 11), ("level 2", 11), ("level 3", 11), ("all", 11))
_PROBLEMS_SHOWN = ("level 1", "level 2", "level 3", "all")
_SLIPS = (("", 17), ("30 days", 9), ("60 before", 10))
_SLIPS_SHOWN = ("30 days", "60 before", "")


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a list: `id` is empty for a heading, which cannot be chosen; `detail` tells more of it."""

    id: str
    line: Text
    detail: Text


# -- what every list shares ----------------------------------------------------------------------------
def _fitting(
    wanted: Columns, shown: Sequence[str], width: int, least: int = _LEAST_TITLE
) -> tuple[int, Columns]:
    """Return the width of the title, and the columns that fit beside it, in the order of showing."""
    left, chosen = width, list[tuple[str, int]]()
    for name, cells in wanted:
        if left - cells - _GAP < least:
            break
        left -= cells + _GAP
        chosen.append((name, cells))
    return max(4, left), sorted(chosen, key=lambda column: shown.index(column[0]))


def _header(title: str, columns: tuple[int, Columns], palette: Palette) -> Text:
    line = Text(fitted(title, columns[0]), palette.quiet, no_wrap=True, overflow="crop")
    for name, width in columns[1]:
        line.append(" " * _GAP + fitted(name, width, right=True))
    return line


def _line(title: str, columns: tuple[int, Columns], cells: Mapping[str, Text], palette: Palette) -> Text:
    line = Text(no_wrap=True, overflow="crop")
    line.append(fitted(visible(title, keep_newlines=False), columns[0]), palette.ink)
    for name, width in columns[1]:
        cell = cells[name]
        line.append(" " * (_GAP + max(0, width - cell.cell_len))).append_text(cell)
    return line


def _share(share: Share, palette: Palette) -> Text:
    if not share.n:
        return Text(NONE, palette.faint)
    text = Text(percent(share.value), palette.ink)
    return text.append(f" of {share.n}", palette.quiet)


# -- memory by topic -----------------------------------------------------------------------------------
def memory_head(progress: Progress, palette: Palette) -> Text:
    """Return the predicted recall of everything that was learned."""
    known = progress.knowledge
    if not known.known:
        return Text(f"Nothing is learned yet; {counted(known.new, 'item')} wait for you.", palette.quiet)
    text = Text().append("Predicted recall now ", palette.ink)
    text.append(percent(known.recall), f"bold {palette.ink}")
    return text.append(f", on average over {counted(known.known, 'item')}; {known.new} are new.", palette.ink)


def memory_rows(progress: Progress, width: int, palette: Palette) -> tuple[Text, tuple[Row, ...]]:
    """Return the names of the columns, and the topics in learning order."""
    columns = _fitting(_MEMORY, _MEMORY_SHOWN, width, _LEAST_TOPIC)
    rows = tuple(
        Row(topic.id, _memory_line(topic, columns, palette), _memory_detail(topic, progress, palette))
        for topic in progress.topics
    )
    return _header("topic", columns, palette), rows


def _memory_line(topic: TopicProgress, columns: tuple[int, Columns], palette: Palette) -> Text:
    known = topic.knowledge
    counts = {"new": known.new, "learning": known.learning, "young": known.young, "mature": known.mature}
    cells = {
        "now": Text(percent(known.recall), palette.ink if known.known else palette.faint),
        "": _recall_bar(known.recall, dict(columns[1]).get("", 0), palette),
        "measured": _share(topic.retention.all, palette),
        **{
            name: Text(str(count), palette.quiet if count else palette.faint)
            for name, count in counts.items()
        },
    }
    return _line(topic.title, columns, cells, palette)


def _recall_bar(recall: float | None, width: int, palette: Palette) -> Text:
    full = round((recall or 0.0) * width)
    return Text().append("━" * full, palette.accent).append("┄" * (width - full), palette.faint)


def _memory_detail(topic: TopicProgress, progress: Progress, palette: Palette) -> Text:
    known, share, times = topic.knowledge, topic.retention.all, progress.times.topics.get(topic.id)
    told = [f"{known.new} new, {known.learning} learning, {known.young} young, {known.mature} mature"]
    if share.n:
        told.append(
            f"recalled {of_words(share)} in 365 days, {percent(share.value)} ({interval_words(share)})"
        )
    if times is not None and times.ms is not None:
        told.append(f"median answer {seconds_words(times.ms)}")
    return Text("; ".join(told) + ".", palette.quiet)


# -- problems ------------------------------------------------------------------------------------------
def problems_head(progress: Progress, palette: Palette) -> Text:
    """Say what the list of families shows."""
    if not progress.problems:
        return Text(
            "No problem was answered in the last 90 days. They come in reviews, and p at home practises.",
            palette.quiet,
        )
    return Text("Right at the first try in 90 days; worst first, few answers count less.", palette.ink)


def problem_rows(
    progress: Progress, titles: Mapping[str, str], width: int, palette: Palette
) -> tuple[Text, tuple[Row, ...]]:
    """Return the names of the columns, and the families with answers, worst first."""
    columns = _fitting(_PROBLEMS, _PROBLEMS_SHOWN, width)
    families: dict[str, dict[str, Share]] = {}
    for tries in progress.problems:
        families.setdefault(tries.family, {})[f"level {tries.level}"] = tries.share
    for levels in families.values():
        levels["all"] = Share(
            sum(share.hits for share in levels.values()), sum(share.n for share in levels.values())
        )
    rows = []
    for family in sorted(families, key=lambda one: (worth(families[one]["all"]), one)):
        levels = families[family]
        cells = {name: _share(levels.get(name, Share()), palette) for name in _PROBLEMS_SHOWN}
        line = _line(titles.get(family, family), columns, cells, palette)
        rows.append(Row(family, line, _problem_detail(family, levels["all"], progress, palette)))
    return _header("family", columns, palette), tuple(rows)


def _problem_detail(family: str, share: Share, progress: Progress, palette: Palette) -> Text:
    told = f"{progress.title(topic_of(family))} · {family}: {of_words(share)} at all levels"
    told += f", {percent(share.value)} ({interval_words(share)})."
    return Text(visible(told, keep_newlines=False), palette.quiet)


# -- slips ---------------------------------------------------------------------------------------------
def slips_head(progress: Progress, palette: Palette) -> Text:
    """Say what the list of misconceptions shows."""
    if not progress.slips:
        return Text("No misconception was recognised in your answers of the last 90 days.", palette.quiet)
    told = "Times made, of the answers in its families: last 30 days, and the 60 before."
    return Text(told, palette.ink)


def slip_rows(progress: Progress, width: int, palette: Palette) -> tuple[Text, tuple[Row, ...]]:
    """Return the names of the columns, and the misconceptions under the names of their topics."""
    columns = _fitting(_SLIPS, _SLIPS_SHOWN, width)
    order = {topic.id: place for place, topic in enumerate(progress.topics)}
    slips = sorted(progress.slips, key=lambda slip: (order.get(slip.topic, len(order)), slip.topic))
    rows, topic = list[Row](), None
    for slip in slips:
        if slip.topic != topic:
            topic = slip.topic
            title = visible(progress.title(topic), keep_newlines=False)
            rows.append(Row("", Text(title, palette.quiet, no_wrap=True, overflow="ellipsis"), Text()))
        cells = {
            "30 days": _period(slip.recent, palette),
            "60 before": _period(slip.before, palette),
            "": _trend(slip.trend, palette),
        }
        line = _line(f"  {slip_words(slip.id)}", columns, cells, palette)
        rows.append(Row(f"{slip.topic} {slip.id}", line, _slip_detail(slip, palette)))
    return _header("", columns, palette), tuple(rows)


def slip_of(progress: Progress, row: str) -> Slip | None:
    """Return the misconception of a row."""
    return next((slip for slip in progress.slips if f"{slip.topic} {slip.id}" == row), None)


def _period(period: Period, palette: Palette) -> Text:
    return Text(period_words(period), palette.ink if period.times else palette.quiet)


def _trend(trend: Trend, palette: Palette) -> Text:
    colours = {Trend.FADING: palette.good, Trend.GROWING: palette.hard, Trend.STEADY: palette.ink}
    return Text(f"{TREND_SIGNS[trend]} {trend.value}".ljust(_SLIPS[0][1]), colours.get(trend, palette.quiet))


def _slip_detail(slip: Slip, palette: Palette) -> Text:
    text = markup_line(slip.why, palette, palette.ink) if slip.why else Text()
    families = ", ".join(slip.families[:3]) + ("" if len(slip.families) <= 3 else ", …")
    families = visible(families, keep_newlines=False)
    return text.append(f"{' ' if slip.why else ''}({families})", palette.quiet)
