"""How progress looks, as plain functions: the sections, today and retention, forecast, calibration."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from rich.text import Text

from studynorm.content.visible import visible
from studynorm.demos.demo import Plot, Series
from studynorm.study.progress import Progress
from studynorm.study.progress_words import (
    counted,
    day_words,
    grouped,
    interval_words,
    of_words,
    percent,
    seconds_words,
    spent_words,
    streak_words,
)
from studynorm.study.retention import Against, Share, against
from studynorm.study.workload import FORECAST_DAYS, Forecast
from studynorm.tui.theme import Palette
from studynorm.tui.topic_view import left_words
from studynorm.tui.when import date_words

_LABEL, _OF, _SHARE, _INTERVAL, _GAP = 15, 13, 6, 10, 3
_LEAST_SCALE, _WIDEST_SCALE = 12, 51
_STARTS, _STARTS_BELOW = (0.8, 0.7, 0.6, 0.5), 0.05
"""Where the scale of retention may begin: at the first of these that leaves every interval on it."""
_VERDICTS = {
    Against.BELOW: "▼ Below what you desire",
    Against.ABOVE: "▲ Above what you desire",
    Against.AS_DESIRED: "✓ As desired",
}


class Section(StrEnum):
    """The parts, in the order of their keys."""

    TODAY = "Today"
    CALENDAR = "Calendar"
    FORECAST = "Forecast"
    MEMORY = "Memory"
    PROBLEMS = "Problems"
    SLIPS = "Slips"
    CALIBRATION = "Calibration"


def sections_of(progress: Progress) -> tuple[Section, ...]:
    """Return the parts that there are: calibration only where it is turned on or was."""
    told = progress.asks_confidence or progress.calibration.n > 0
    return tuple(section for section in Section if told or section is not Section.CALIBRATION)


def tabs_line(
    sections: Sequence[Section], here: Section, width: int, palette: Palette
) -> tuple[Text, list[tuple[int, int]]]:
    """Return the line of sections with their keys, and from where to where each one reaches.

    Where it is narrow the keys are left out, and then the names of the sections that are not shown.
    """
    for keys, names in ((True, True), (False, True), (True, False)):
        line, spans = Text(no_wrap=True, overflow="crop"), list[tuple[int, int]]()
        for number, section in enumerate(sections, 1):
            start = line.cell_len
            shown = [str(number)] if keys else []
            shown += [section.value] if names or section is here else []
            active = section is here
            line.append(f" {' '.join(shown)} ", f"bold reverse {palette.accent}" if active else palette.ink)
            spans.append((start, line.cell_len))
        if line.cell_len <= width:
            break
    return line, spans


# -- today and retention -------------------------------------------------------------------------------
def today_view(progress: Progress, width: int, palette: Palette) -> Text:
    """Return what was done today, the streak, and measured against desired retention."""
    done = progress.done
    told = [f"{done.passed} passed", f"{done.new} new", spent_words(done.duration_ms)]
    answers = ", ".join([counted(done.answers, "answer"), *told]) if done.answers else "No answer yet today"
    present, more = streak_words(progress.streak)
    text = Text().append(f"{date_words(progress.moment)}\n", f"bold {palette.ink}")
    text.append(f"\n{answers}. {left_words(progress.left)}\n", palette.ink)
    text.append(f"{present} {more}".rstrip() + "\n\n", palette.ink)
    text.append_text(_retention(progress, width, palette))
    times = progress.times
    if times.cards.n + times.problems.n:
        text.append_text(_times(progress, palette))
    return text


def _retention(progress: Progress, width: int, palette: Palette) -> Text:
    text = Text().append("Retention", f"bold {palette.ink}")
    scale = _scale_width(width)
    if progress.year.all.n and scale:
        text.append("   ● measured   ─ 95% range   │ desired", palette.quiet)
    text.append("\n")
    if not progress.year.all.n:
        desired = percent(progress.desired)
        return text.append(
            f"Desired: {desired}. It is measured as soon as an item comes back on a later day.\n",
            palette.quiet,
        )
    text.append_text(_headline(progress, palette)).append("\n\n")
    rows = [
        (label, share)
        for name, retention in (("30 days", progress.month), ("365 days", progress.year))
        for label, share in (
            (name, retention.all),
            ("  young", retention.young),
            ("  mature", retention.mature),
        )
    ]
    lows = [share.interval[0] for _, share in rows if share.interval]
    start = next((end for end in _STARTS if min([*lows, progress.desired - _STARTS_BELOW]) >= end), 0.0)
    text.append(f"{'':{_LABEL}}{'recalled':>{_OF}}{'':{_SHARE}}{'95% range':>{_INTERVAL}}", palette.quiet)
    if scale:
        text.append(" " * _GAP).append_text(_ruler(start, progress.desired, scale, palette))
    text.append("\n")
    for label, share in rows:
        text.append(f"{label:{_LABEL}}", palette.ink if label[0] != " " else palette.quiet)
        text.append(f"{of_words(share):>{_OF}}", palette.quiet)
        text.append(f"{percent(share.value):>{_SHARE}}", f"bold {palette.ink}" if share.n else palette.faint)
        text.append(f"{interval_words(share):>{_INTERVAL}}", palette.quiet)
        if scale:
            text.append(" " * _GAP).append_text(_bar(share, start, progress.desired, scale, palette))
        text.append("\n")
    return text


def _headline(progress: Progress, palette: Palette) -> Text:
    """Say measured against desired in one sentence, over 30 days where that is measured, else over 365."""
    share, days = (progress.month.all, 30) if progress.month.all.n else (progress.year.all, 365)
    verdict = against(share, progress.desired)
    colour = {Against.BELOW: palette.hard, Against.ABOVE: palette.easy}.get(verdict, palette.good)
    text = Text().append(_VERDICTS.get(verdict, verdict.value), f"bold {colour}")
    text.append(f": recalled {percent(share.value)} of {grouped(share.n)} in {days} days", palette.ink)
    text.append(f" ({interval_words(share)})", palette.quiet)
    return text.append(f"; desired {percent(progress.desired)}.", palette.ink)


def _scale_width(width: int) -> int:
    room = min(_WIDEST_SCALE, width - _LABEL - _OF - _SHARE - _INTERVAL - _GAP)
    return room if room >= _LEAST_SCALE else 0


def _place(value: float, start: float, cells: int) -> int:
    share = (value - start) / (1 - start)
    return min(cells - 1, max(0, round(share * (cells - 1))))


def _ruler(start: float, desired: float, cells: int, palette: Palette) -> Text:
    """Return the ends of the scale, and the desired retention at its place where there is room."""
    low, high, wanted = percent(start), "100%", percent(desired)
    at = max(0, min(cells, _place(desired, start, cells) + len(wanted) // 2 + 1) - len(wanted))
    line = [" "] * cells
    for place, label in ((0, low), (cells - len(high), high)):
        if place + len(label) < at or at + len(wanted) < place:
            line[place : place + len(label)] = label
    line[at : at + len(wanted)] = wanted
    return Text("".join(line), palette.quiet)


def _bar(share: Share, start: float, desired: float, cells: int, palette: Palette) -> Text:
    """Return the interval as a line with the measured share on it and the desired one across."""
    line = Text(no_wrap=True)
    wanted = _place(desired, start, cells)
    low, high = (_place(end, start, cells) for end in share.interval or (2.0, -1.0))
    measured = -1 if share.value is None else _place(share.value, start, cells)
    for cell in range(cells):
        if cell == measured:
            line.append("●", f"bold {palette.accent}")
        elif cell == wanted:
            line.append("│", palette.ink)
        elif share.n and low <= cell <= high:
            line.append("─", palette.accent)
        else:
            line.append(" ")
    return line


def _times(progress: Progress, palette: Palette) -> Text:
    times = progress.times
    text = Text().append("\nAnswer times\n", f"bold {palette.ink}")
    kinds = (("card", times.cards), ("problem", times.problems))
    told = ", ".join(f"{name} {seconds_words(found.ms)} of {found.n}" for name, found in kinds if found.n)
    text.append(f"Median of 30 days: {told}.", palette.ink)
    slow = times.slowest[:2]
    if slow:
        names = ", ".join(
            f"{visible(progress.title(topic), keep_newlines=False)} {seconds_words(times.topics[topic].ms)}"
            for topic in slow
        )
        text.append(f"\nSlowest: {names}.", palette.quiet)
    return text


# -- forecast ------------------------------------------------------------------------------------------
def forecast_head(progress: Progress, palette: Palette) -> Text:
    """Return the numbers of the forecast."""
    forecast, today = progress.forecast, progress.moment.day
    if not forecast.total:
        told = "Nothing is due in the next 30 days. Items stand here once you have answered some."
        if progress.knowledge.known:
            told = "Nothing is due in the next 30 days."
        return Text(told, palette.quiet)
    text = Text()
    parts = [
        ("today ", str(forecast.days[0])),
        ("backlog ", str(forecast.backlog)),
        ("30 days ", str(sum(forecast.days))),
        ("a day ", f"{forecast.average:.1f}"),
    ]
    if forecast.busiest is not None:
        parts.append(
            ("most ", f"{max(forecast.days)} {_on(day_words(today + forecast.busiest, today))}".strip())
        )
    for number, (word, figure) in enumerate(parts):
        text.append("   " if number else "")
        text.append(word, palette.quiet)
        text.append(figure, f"bold {palette.ink}")
    weeks = _weeks(forecast)
    text.append(f"\nBy week: {weeks}. New items not counted.", palette.quiet)
    return text


def _on(day: str) -> str:
    return day if day == "today" else f"on {day}"


def _weeks(forecast: Forecast) -> str:
    sums = [sum(forecast.days[start : start + 7]) for start in range(0, 28, 7)]
    return f"{', '.join(map(str, sums))}, last two days {sum(forecast.days[28:])}"


def forecast_plot(progress: Progress) -> Plot:
    """Return the forecast as a plot: a column for each day, with today at 0."""
    days = Series("due", tuple(map(float, range(FORECAST_DAYS))), tuple(map(float, progress.forecast.days)))
    return Plot("", "days from today", "items due", (days,), columns=True)


# -- calibration ---------------------------------------------------------------------------------------
def calibration_view(progress: Progress, width: int, palette: Palette) -> Text:
    """Return how sure the learner was and what came of it."""
    calibration = progress.calibration
    if calibration.brier is None or calibration.base is None:
        return Text(
            "No answer carries a confidence yet. You are asked how sure you are before an answer is shown; "
            "here you will see whether 75% sure means 75% recalled.",
            palette.quiet,
        )
    text = Text(
        f"{counted(calibration.n, 'answer')} in 90 days. Brier score {calibration.brier:.3f}: "
        f"0 is perfect; always naming your own average would score {calibration.base:.3f}.\n\n",
        palette.ink,
    )
    scale = _scale_width(width)
    text.append(f"{'':{_LABEL}}{'passed':>{_OF}}{'':{_SHARE}}{'95% range':>{_INTERVAL}}", palette.quiet)
    if scale:
        text.append(" " * _GAP).append("0%".ljust(scale - 4) + "100%", palette.quiet)
    for told, share in calibration.levels:
        text.append(f"\n{f'{told}% sure':{_LABEL}}", palette.ink)
        text.append(f"{of_words(share):>{_OF}}", palette.quiet)
        text.append(f"{percent(share.value):>{_SHARE}}", f"bold {palette.ink}")
        text.append(f"{interval_words(share):>{_INTERVAL}}", palette.quiet)
        if scale:
            text.append(" " * _GAP).append_text(_bar(share, 0.0, told / 100, scale, palette))
    if scale:
        text.append("\n\n● passed   ─ 95% range   │ as sure as you said", palette.quiet)
    for line in _surest(calibration.levels):
        text.append(f"\n{line}", palette.ink)
    return text


def _surest(levels: Sequence[tuple[int, Share]]) -> Iterator[str]:
    """Say where the confidence lies outside the interval of what came."""
    for told, share in levels:
        verdict = against(share, told / 100)
        if verdict is Against.BELOW:
            yield f"When you are {told}% sure you are right less often than that: {percent(share.value)}."
        elif verdict is Against.ABOVE:
            yield f"When you are {told}% sure you are right more often than that: {percent(share.value)}."
