"""How learning goes: everything that the progress screen and `studynorm stats` tell, as one value."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from studynorm.scheduling.forgetting import forgetting_curve
from studynorm.scheduling.studyday import Moment
from studynorm.storage.figures import figures
from studynorm.storage.glance import DaySummary
from studynorm.storage.statistics import Statistics, Totals
from studynorm.study.answertimes import AnswerTimes, answer_times
from studynorm.study.calibration import CALIBRATION_DAYS, Calibration, calibration_of
from studynorm.study.firsttries import FirstTries, by_family_and_level
from studynorm.study.heat import Calendar, calendar_of, first_day
from studynorm.study.knowledge import Knowledge, together
from studynorm.study.overview import Overview, TopicState
from studynorm.study.retention import TESTED, Retention, retention_of
from studynorm.study.situation import Counts
from studynorm.study.slips import BEFORE_DAYS, RECENT_DAYS, Slip, explained, slips_of
from studynorm.study.streak import Streak, streak_of
from studynorm.study.workload import FORECAST_DAYS, Forecast, forecast_of

if TYPE_CHECKING:
    from studynorm.study.desk import Desk

MONTH, YEAR = 30, 365
"""The two stretches of study days over which retention is measured, today included."""
_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class TopicProgress:
    """One topic: what is remembered of its items, and its retention over a year."""

    id: str
    title: str
    knowledge: Knowledge
    retention: Retention


@dataclass(frozen=True, slots=True)
class Progress:
    """How learning goes on one study day, of all topics or of one `topic`.

    Streak and calendar's rest days always belong to all topics. `done` and `left` are today's; `month` and
    `year` the retention of 30 and of 365 study days; `times` the answer times of 30 study days; `problems`
    and `slips` come from the answers typed in 90 days. `asks_confidence` tells whether the learner is asked
    how sure they are.
    """

    moment: Moment
    topic: str | None
    desired: float
    done: DaySummary
    left: Counts
    month: Retention
    year: Retention
    streak: Streak
    calendar: Calendar
    forecast: Forecast
    topics: tuple[TopicProgress, ...]
    times: AnswerTimes
    problems: tuple[FirstTries, ...]
    slips: tuple[Slip, ...]
    calibration: Calibration
    asks_confidence: bool

    @property
    def knowledge(self) -> Knowledge:
        """What is remembered of all these topics."""
        return together(topic.knowledge for topic in self.topics)

    def title(self, topic: str) -> str:
        """Return the title of a topic, or its id where no deck names it."""
        return next((known.title for known in self.topics if known.id == topic), topic)


def progress_of(desk: "Desk", seen: Overview, topic: str | None = None) -> Progress:
    """Return how learning goes, of all topics or of one; only reads, and makes no profile.

    `seen` is the overview of the same desk, which tells the moment and what is left. Raises StoreError.
    """
    if isinstance(desk.profile, Path):
        with figures(desk.path) as statistics:
            if statistics is not None:
                return _progress(desk, statistics, seen, topic)
    return _progress(desk, desk.store.statistics, seen, topic)  # opening an older profile upgrades it


def _progress(desk: "Desk", statistics: Statistics, seen: Overview, topic: str | None) -> Progress:
    now = seen.moment
    today = _narrowed(statistics.by_topic(now.day, now.day), topic)
    month, year = (
        _narrowed(statistics.by_topic(now.day - days + 1, now.day, TESTED), topic) for days in (MONTH, YEAR)
    )
    topics = [state for state in seen.topics if topic in (None, state.id)]
    # Cards and families that are gone are never asked: their memories are left out.
    known = sum(state.total - state.new for state in seen.topics)
    gone = statistics.gone(desk.catalogue.candidates) if statistics.count_memories() != known else ()
    recalls = _recalls(statistics, now.day, gone)
    due = statistics.due(now.day, now.day + FORECAST_DAYS, gone, topic)
    rest = statistics.rest_days()
    typed = statistics.typed_answers(now.at - (RECENT_DAYS + BEFORE_DAYS) * _DAY_MS)
    durations = statistics.durations(now.day - MONTH + 1, now.day)
    if topic is not None:
        typed = [answer for answer in typed if topic_of(answer.family) == topic]
        durations = [row for row in durations if topic_of(row[0]) == topic]
    slips = slips_of(typed, now.at, topic_of)
    return Progress(
        moment=now,
        topic=topic,
        desired=desk.settings.desired_retention,
        done=_summary(today.values()),
        left=_sum(state.today for state in topics),
        month=retention_of(month.values()),
        year=retention_of(year.values()),
        streak=streak_of(statistics.studied_days(), rest, statistics.first_due_day(), now.day),
        calendar=calendar_of(
            statistics.answers_by_day(first_day(now.day), now.day + 7, topic), rest, now.day
        ),
        forecast=forecast_of(due, now.day),
        topics=tuple(_topic(state, recalls.get(state.id), year.get(state.id, Totals())) for state in topics),
        times=answer_times(durations, topic_of),
        problems=by_family_and_level(typed),
        slips=explained(slips, statistics.misconceptions_of([slip.newest for slip in slips])),
        calibration=calibration_of(statistics.confidences(now.day - CALIBRATION_DAYS + 1, now.day, topic)),
        asks_confidence=desk.settings.confidence,
    )


def topic_of(name: str) -> str:
    """Return the topic that an item or a family names: `card:<topic>/…`, `family:<topic>.…`, `<topic>.…`."""
    kind, colon, rest = name.partition(":")
    return rest.partition("/")[0] if colon and kind != "family" else (rest or kind).partition(".")[0]


def _recalls(statistics: Statistics, today: int, gone: Sequence[str]) -> Mapping[str, float]:
    if not statistics.exists:
        return {}
    from studynorm.scheduling.scheduler import PUBLISHED

    return statistics.recalls(forgetting_curve(statistics.weights() or PUBLISHED), today, gone)


def _topic(state: TopicState, recall: float | None, year: Totals) -> TopicProgress:
    known = Knowledge(state.new, state.learning, state.young, state.mature)
    return TopicProgress(
        state.id,
        state.title,
        replace(known, recall=recall if known.known else None),
        retention_of([year]),
    )


def _narrowed(totals: Mapping[str, Totals], topic: str | None) -> Mapping[str, Totals]:
    return totals if topic is None else {one: total for one, total in totals.items() if one == topic}


def _summary(totals: Iterable[Totals]) -> DaySummary:
    answers = passed = duration = fresh = 0
    for total in totals:
        answers += total.answers
        passed += total.passed
        duration += total.duration_ms
        fresh += total.fresh
    return DaySummary(answers, passed, duration, fresh)


def _sum(counts: Iterable[Counts]) -> Counts:
    new = learning = review = 0
    for one in counts:
        new, learning, review = new + one.new, learning + one.learning, review + one.review
    return Counts(new, learning, review)
