"""The way of a demo's result through JSON and back: front ends plot what another process computed."""

import math
from collections.abc import Iterable
from typing import Any

from studynorm.demos.demo import JSON, Plot, Result, Series, Table


def payload_to_result(payload: dict[str, Any]) -> Result:
    """Return the result that a payload of `run_demo` holds; numbers that were not finite come back as nan."""
    table = payload["table"]
    return Result(
        data=payload["data"],
        plots=tuple(_plot(plot) for plot in payload["plots"]),
        table=Table(table["name"], tuple(table["header"]), tuple(tuple(row) for row in table["rows"])),
        summary=tuple(payload["summary"]),
    )


def to_json(plot: Plot) -> dict[str, JSON]:
    """Return a plot as JSON; numbers that are not finite become null."""
    return {
        "title": plot.title,
        "x_label": plot.x_label,
        "y_label": plot.y_label,
        "log_x": plot.log_x,
        "log_y": plot.log_y,
        "y_is_log10": plot.y_is_log10,
        "series": [
            {
                "name": series.name,
                "x": _finite(series.x),
                "y": _finite(series.y),
                "spread": None if series.spread is None else [_finite(pair) for pair in series.spread],
            }
            for series in plot.series
        ],
    }


def table_to_json(table: Table) -> dict[str, JSON]:
    """Return a table as JSON."""
    return {"name": table.name, "header": table.header, "rows": table.rows}


def _finite(numbers: Iterable[float]) -> list[float | None]:
    return [number if math.isfinite(number) else None for number in numbers]


def _plot(plot: dict[str, Any]) -> Plot:
    return Plot(
        title=plot["title"],
        x_label=plot["x_label"],
        y_label=plot["y_label"],
        log_x=plot["log_x"],
        log_y=plot["log_y"],
        y_is_log10=plot["y_is_log10"],
        series=tuple(
            Series(
                name=series["name"],
                x=_numbers(series["x"]),
                y=_numbers(series["y"]),
                spread=None
                if series["spread"] is None
                else tuple((low, high) for low, high in map(_numbers, series["spread"])),
            )
            for series in plot["series"]
        ),
    )


def _numbers(values: Iterable[float | None]) -> tuple[float, ...]:
    return tuple(math.nan if value is None else float(value) for value in values)
