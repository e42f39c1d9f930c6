"""`studynorm stats`: how learning goes, as plain lines or JSON."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import click

from studynorm.commands.scope import command, desk_of, examples, note_broken, plainly, print_json, unknown


@command("stats", epilog=examples("stats", "stats --topic batchnorm", "stats --json"))
@click.option("--topic", metavar="T", help="Only this topic, as `studynorm card list` names it.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.pass_context
@plainly
def stats(context: click.Context, *, topic: str | None, as_json: bool) -> None:
    """Say how learning goes: retention, streak, forecast, memory by topic, problems, misconceptions.

    Only reads. The streak is always that of all topics.
    """
    from studynorm.engine.titles import family_titles
    from studynorm.study.overview import overview
    from studynorm.study.progress import progress_of
    from studynorm.study.progress_report import report

    with desk_of(context) as desk:
        note_broken(desk.catalogue.library)
        topics = [known.id for known in desk.catalogue.topics]
        if topic is not None and topic not in topics:
            raise unknown("topic", topic, topics, f"there are {', '.join(topics)}")
        progress = progress_of(desk, overview(desk), topic)
    titles = family_titles()
    if as_json:
        print_json(_payload(progress, titles))
        return
    for line in report(progress, titles):
        click.echo(line)


def _payload(progress: Any, titles: Mapping[str, str]) -> dict[str, Any]:
    streak, calibration, times = progress.streak, progress.calibration, progress.times
    return {
        "day": _iso(progress.moment.day),
        "topic": progress.topic,
        "today": {
            "answers": progress.done.answers,
            "passed": progress.done.passed,
            "new": progress.done.new,
            "seconds": progress.done.duration_ms / 1000,
            "left": {
                "new": progress.left.new,
                "learning": progress.left.learning,
                "review": progress.left.review,
            },
        },
        "retention": {
            "desired": progress.desired,
            "last_30_days": _retention(progress.month),
            "last_365_days": _retention(progress.year),
        },
        "streak": {
            "days": streak.days,
            "rest_days": streak.rest,
            "longest": streak.longest,
            "studied_of_last_30": streak.recent,
        },
        "calendar": _calendar(progress.calendar),
        "forecast": {
            "backlog": progress.forecast.backlog,
            "average": progress.forecast.average,
            "due": list(progress.forecast.days),
        },
        "memory": _knowledge(progress.knowledge),
        "topics": [
            {
                "id": topic.id,
                "title": topic.title,
                **_knowledge(topic.knowledge),
                "retention": _share(topic.retention.all, "recalled"),
                "median_seconds": _seconds(times.topics[topic.id]) if topic.id in times.topics else None,
            }
            for topic in progress.topics
        ],
        "answer_times": {
            "cards": {"n": times.cards.n, "median_seconds": _seconds(times.cards)},
            "problems": {"n": times.problems.n, "median_seconds": _seconds(times.problems)},
        },
        "problems": [
            {
                "family": tries.family,
                "title": titles.get(tries.family, tries.family),
                "level": tries.level,
                **_share(tries.share, "right"),
            }
            for tries in progress.problems
        ],
        "misconceptions": [
            {
                "id": slip.id,
                "topic": slip.topic,
                "families": list(slip.families),
                "last_30_days": {"times": slip.recent.times, "answers": slip.recent.answers},
                "before": {"times": slip.before.times, "answers": slip.before.answers},
                "trend": slip.trend.value,
                "why": slip.why,
            }
            for slip in progress.slips
        ],
        "calibration": {
            "asked": progress.asks_confidence,
            "n": calibration.n,
            "brier": calibration.brier,
            "brier_of_average": calibration.base,
            "levels": [
                {"confidence": confidence, **_share(share, "passed")}
                for confidence, share in calibration.levels
            ],
        },
    }


def _iso(day: int) -> str:
    return date.fromordinal(day).isoformat()


def _share(share: Any, hits: str) -> dict[str, Any]:
    low, high = share.interval or (None, None)
    return {"n": share.n, hits: share.hits, "share": share.value, "low": low, "high": high}


def _retention(retention: Any) -> dict[str, Any]:
    return {
        **_share(retention.all, "recalled"),
        "young": _share(retention.young, "recalled"),
        "mature": _share(retention.mature, "recalled"),
    }


def _calendar(calendar: Any) -> dict[str, Any]:
    return {
        "first": _iso(calendar.first),
        "answers": {_iso(day): count for day, count in sorted(calendar.answers.items())},
        "rest": [_iso(day) for day in sorted(calendar.rest)],
    }


def _knowledge(known: Any) -> dict[str, Any]:
    return {
        "new": known.new,
        "learning": known.learning,
        "young": known.young,
        "mature": known.mature,
        "recall": known.recall,
    }


def _seconds(median: Any) -> float | None:
    return None if median.ms is None else median.ms / 1000
