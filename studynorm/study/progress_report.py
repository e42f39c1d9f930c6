"""Progress as plain lines of at most 80 columns, for pipes and screen readers: words and numbers alone."""

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from studynorm.content.visible import visible
from studynorm.mathtext.cells import cell_width
from studynorm.study.progress import Progress
from studynorm.study.progress_words import (
    NONE,
    counted,
    day_words,
    grouped,
    interval_words,
    of_words,
    percent,
    period_words,
    seconds_words,
    slip_words,
    spent_words,
    streak_words,
)
from studynorm.study.retention import against
from studynorm.study.titles import shortened

WIDTH = 80
_LABEL, _TITLE = 14, 44
_MOST_ROWS = 15
_WEEK, _WEEKS = 7, 8


def report(progress: Progress, titles: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines; `titles` are those of the families. What is empty is said in a sentence."""
    parts: tuple[Callable[[], Iterable[str]], ...] = (
        lambda: _today(progress),
        lambda: _retention(progress),
        lambda: _calendar(progress),
        lambda: _forecast(progress),
        lambda: _memory(progress),
        lambda: _times(progress),
        lambda: _problems(progress, titles),
        lambda: _slips(progress),
        lambda: _calibration(progress),
    )
    for number, part in enumerate(parts):
        lines = list(part())
        if lines and number:
            yield ""
        yield from lines


def _said(label: str, text: str) -> list[str]:
    lines = textwrap.wrap(text, WIDTH - _LABEL) or [""]
    return [f"{label if not number else '':{_LABEL}}{line}" for number, line in enumerate(lines)]


def _today(progress: Progress) -> Iterator[str]:
    done, left = progress.done, progress.left
    answers = (
        f"{counted(done.answers, 'answer')}, {done.passed} passed, {done.new} new, "
        f"{spent_words(done.duration_ms)}."
        if done.answers
        else "No answer yet."
    )
    yield from _said("Today", answers)
    yield from _said("Left", f"{left.new} new + {left.learning} learning + {left.review} review")
    present, more = streak_words(progress.streak)
    yield from _said("Streak", f"{present} {more}".strip())


def _retention(progress: Progress) -> Iterator[str]:
    yield f"Retention: desired {percent(progress.desired)}"
    if not progress.year.all.n:
        yield "  Nothing is measured yet: that takes an item that comes back on a later day."
        return
    yield _row("", "recalled", "share", "95% interval")
    for label, retention in (("last 30 days", progress.month), ("last 365 days", progress.year)):
        for name, share in (
            (label, retention.all),
            ("  young", retention.young),
            ("  mature", retention.mature),
        ):
            verdict = f"  {against(share, progress.desired).value}" if share is retention.all else ""
            yield _row(name, of_words(share), percent(share.value), interval_words(share)) + verdict


def _row(name: str, of: str, share: str, interval: str) -> str:
    return f"  {name:18}{of:>16}{share:>8}{interval:>14}".rstrip()


def _calendar(progress: Progress) -> Iterator[str]:
    calendar, today = progress.calendar, progress.moment.day
    busiest = calendar.busiest
    if busiest is None:
        yield "Calendar: no answers in the last 53 weeks."
        return
    most = f"{calendar.answers[busiest]} ({day_words(busiest, today)})"
    yield from textwrap.wrap(
        f"Calendar: {counted(calendar.total, 'answer')} on {counted(len(calendar.answers), 'day')} "
        f"of the last 53 weeks, at most {most}. The last {_WEEKS} weeks, Monday to Sunday:",
        WIDTH,
    )
    monday = calendar.first + _WEEK * (53 - _WEEKS)
    for start in range(monday, monday + _WEEK * _WEEKS, _WEEK):
        counts = "".join(f"{_day(progress, day):>6}" for day in range(start, start + _WEEK))
        yield f"  {day_words(start, today + _WEEK):12}{counts}".rstrip()
    if calendar.rest:
        yield f"  {NONE} nothing was due"


def _day(progress: Progress, day: int) -> str:
    if day > progress.moment.day and day not in progress.calendar.answers:
        return ""
    return NONE if day in progress.calendar.rest else str(progress.calendar.answers.get(day, 0))


def _forecast(progress: Progress) -> Iterator[str]:
    forecast, today = progress.forecast, progress.moment.day
    if not forecast.total:
        yield "Forecast: nothing is due in the next 30 days."
        return
    busiest = "" if forecast.busiest is None else day_words(today + forecast.busiest, today)
    most = f", at most {max(forecast.days)} ({busiest})" if busiest else ""
    backlog = f"a backlog of {grouped(forecast.backlog)} from before" if forecast.backlog else "no backlog"
    yield from textwrap.wrap(
        f"Forecast: {forecast.days[0]} due today, {backlog}. "
        f"In 30 days {grouped(sum(forecast.days))}, {forecast.average:.1f} a day{most}. From today on:",
        WIDTH,
    )
    for start in range(0, len(forecast.days), 10):
        yield "  " + "".join(f"{count:>7}" for count in forecast.days[start : start + 10])


def _memory(progress: Progress) -> Iterator[str]:
    whole = progress.knowledge
    if not whole.known:
        yield f"Memory: nothing is learned yet; {counted(whole.new, 'item')} to come."
        return
    items = counted(whole.known, "item")
    yield f"Memory: predicted recall now {percent(whole.recall)}, on average over {items}"
    yield f"  {'':{_TITLE}}{'recall':>6}{'new':>5}{'learning':>10}{'young':>6}{'mature':>7}"
    for topic in progress.topics:
        known = topic.knowledge
        yield (
            f"  {_cut(topic.title, _TITLE)}{percent(known.recall):>6}{known.new:>5}{known.learning:>10}"
            f"{known.young:>6}{known.mature:>7}"
        )
    measured = [topic for topic in progress.topics if topic.retention.all.n]
    if measured:
        yield ""
        yield "Recalled of what came back in 365 days"
        for topic in measured:
            share = topic.retention.all
            numbers = f"{percent(share.value):>6}{of_words(share):>15}{interval_words(share):>10}"
            yield f"  {_cut(topic.title, _TITLE)}{numbers}"


def _times(progress: Progress) -> Iterator[str]:
    times = progress.times
    if not times.cards.n + times.problems.n:
        return
    kinds = (("cards", times.cards), ("problems", times.problems))
    told = ", ".join(f"{name} {seconds_words(found.ms)} (of {found.n})" for name, found in kinds if found.n)
    slow = ", ".join(
        f"{visible(progress.title(topic), keep_newlines=False)} {seconds_words(times.topics[topic].ms)}"
        for topic in times.slowest[:3]
    )
    text = f"Answer times, median of 30 days: {told}.{f' Slowest: {slow}.' if slow else ''}"
    yield from textwrap.wrap(text, WIDTH, subsequent_indent="  ")


def _problems(progress: Progress, titles: Mapping[str, str]) -> Iterator[str]:
    if not progress.problems:
        yield "Problems: no answers in the last 90 days."
        return
    yield "Problems: first tries right in 90 days, worst first (few answers count less)"
    for tries in progress.problems[:_MOST_ROWS]:
        title = _cut(titles.get(tries.family, tries.family), 44)
        yield f"  {title}level {tries.level}{percent(tries.share.value):>7}{of_words(tries.share):>12}"
    yield from _more(progress.problems)


def _slips(progress: Progress) -> Iterator[str]:
    if not progress.slips:
        yield "Misconceptions: none was recognised in the last 90 days."
        return
    yield "Misconceptions: the last 30 days, the 60 days before, and whether they fade"
    shown = progress.slips[:_MOST_ROWS]
    for topic in dict.fromkeys(slip.topic for slip in shown):
        yield f"  {visible(progress.title(topic), keep_newlines=False)}"
        for slip in shown:
            if slip.topic == topic:
                now, before = (f"{period_words(period):>10}" for period in (slip.recent, slip.before))
                yield f"    {_cut(slip_words(slip.id), 36)}{now}{before}  {slip.trend.value}"
    yield from _more(progress.slips)


def _calibration(progress: Progress) -> Iterator[str]:
    calibration = progress.calibration
    if calibration.brier is None:
        if progress.asks_confidence:
            yield "Calibration: no answer carries a confidence yet."
        return
    yield from textwrap.wrap(
        f"Calibration: Brier score {calibration.brier:.3f} of {counted(calibration.n, 'answer')} in 90 days; "
        f"0 is perfect, and always naming your own average would score {calibration.base:.3f}.",
        WIDTH,
    )
    for confidence, share in calibration.levels:
        yield _row(f"{confidence}% sure", of_words(share), percent(share.value), interval_words(share))


def _more(rows: Sequence[object]) -> Iterator[str]:
    left = len(rows) - _MOST_ROWS
    if left > 0:
        yield f"  and {left} more; --json has all"


def _cut(title: str, width: int) -> str:
    """Return a title cut or filled to so many cells, a blank at its end."""
    short = shortened(visible(title, keep_newlines=False), width - 1)
    return short + " " * (width - cell_width(short))
