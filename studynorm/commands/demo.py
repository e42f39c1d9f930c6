"""`studynorm demo`: run a demo and print its table, its plot or its data."""

import csv
import os
from pathlib import Path
from typing import Any

import click

from studynorm.commands.scope import (
    Failed,
    command,
    examples,
    note,
    plainly,
    print_json,
    torch_lab,
    unknown,
)


@command(
    "demo",
    epilog=examples(
        "demo list",
        "demo pre_post_ln --seed 0 --json",
        "demo residual_product --set depth=100 --csv product.csv",
    ),
)
@click.argument("name", metavar="NAME|list")
@click.option("--set", "given", metavar="K=V", multiple=True, help="Change a setting; may be repeated.")
@click.option(
    "--seed", metavar="N", type=click.IntRange(0), default=0, show_default=True, help="Random seed."
)
@click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda", "mps"]),
    default="auto",
    show_default=True,
    help="Where to compute.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option(
    "--csv", "csv_file", metavar="FILE", type=click.Path(path_type=Path), help="Write every point as CSV."
)
@click.option("--plain", is_flag=True, help="Table and summary in words, without a plot.")
@click.pass_context
@plainly
def demo(
    context: click.Context,
    name: str,
    *,
    given: tuple[str, ...],
    seed: int,
    device: str,
    as_json: bool,
    csv_file: Path | None,
    plain: bool,
) -> None:
    """Measure a phenomenon with PyTorch. `studynorm demo list` names the demos and their settings."""
    from studynorm.demos.demo import DemoFailed, SettingRefused, read_settings
    from studynorm.demos.device import DeviceRefused
    from studynorm.demos.registry import demos

    if sum([as_json, csv_file is not None, plain]) > 1:
        raise click.UsageError("choose one of --json, --csv and --plain")
    if name == "list":
        _list(demos(), as_json=as_json)
        return
    if name not in demos():
        raise unknown("demo", name, demos(), f"there are {', '.join(demos())}")
    settings = _settings(given)
    if csv_file is not None:
        _check_target(csv_file)
    try:
        read_settings(demos()[name], settings)
        payload = torch_lab().demo(name, settings, seed, device, lambda fraction, text: None)
    except SettingRefused as refused:
        raise click.UsageError(str(refused)) from None
    except (DeviceRefused, DemoFailed) as failed:
        raise Failed(str(failed)) from None
    for line in payload["notes"]:
        note(f"studynorm: {line}")
    if as_json:
        print_json(payload)
    elif csv_file is not None:
        points = _write_csv(csv_file, payload["plots"])
        note(f"wrote {csv_file}: {points} points")
    else:
        _print(name, payload, plain=plain)


def _settings(given: tuple[str, ...]) -> dict[str, str]:
    settings: dict[str, str] = {}
    for text in given:
        key, sign, value = text.partition("=")
        if not sign or not key.strip():
            raise click.BadParameter(f"“{text}” is not K=V, as in depth=50", param_hint="--set")
        if key.strip() in settings:
            raise click.BadParameter(f"{key.strip()} is set twice", param_hint="--set")
        settings[key.strip()] = value
    return settings


def _list(demos: Any, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "demos": [
                    {
                        "name": one.name,
                        "title": one.title,
                        "settings": [
                            {
                                "name": setting.name,
                                "kind": setting.kind,
                                "default": setting.default,
                                "allowed": setting.allowed,
                            }
                            for setting in one.settings
                        ],
                    }
                    for one in demos.values()
                ]
            }
        )
        return
    for one in demos.values():
        click.echo(f"{one.name}: {one.title}")
        for setting in one.settings:
            click.echo(f"  --set {setting.name}={setting.default_text}  {setting.label}: {setting.allowed}")


def _check_target(path: Path) -> None:
    """Refuse a file that cannot be written before anything is computed."""
    if path.is_dir():
        raise Failed(f"{path} is a folder; name a file in it")
    if path.exists():
        raise Failed(f"{path} exists already; name another file")
    if not path.parent.is_dir():
        raise Failed(f"there is no folder {path.parent}; make it first, or name a file elsewhere")
    if not os.access(path.parent, os.W_OK):
        raise Failed(f"{path.parent} cannot be written; name a file in another folder")


def _write_csv(path: Path, plots: Any) -> int:
    """Write one row for each point of each line; return how many. `low` and `high` bound several runs."""
    rows = [
        [plot["title"], line["name"], plot["x_label"], x, _measure(plot), y, *(spread or ("", ""))]
        for plot in plots
        for line in plot["series"]
        for x, y, spread in zip(line["x"], line["y"], line["spread"] or [None] * len(line["x"]), strict=True)
    ]
    try:
        with path.open("x", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["plot", "line", "x_name", "x", "y_name", "y", "y_low", "y_high"])
            writer.writerows(rows)
    except FileExistsError:
        raise Failed(f"{path} exists already; name another file") from None
    except OSError as error:
        path.unlink(missing_ok=True)
        raise Failed(f"cannot write {path}: {error.strerror}") from None
    return len(rows)


def _measure(plot: Any) -> str:
    return f"log10 {plot['y_label']}" if plot["y_is_log10"] else str(plot["y_label"])


def _print(name: str, payload: Any, *, plain: bool) -> None:
    import shutil
    import sys

    from studynorm.demos.payload import payload_to_result
    from studynorm.demos.registry import demos
    from studynorm.plotting import describe, draw
    from studynorm.study.plaintext import plain_text

    result = payload_to_result(payload)
    click.echo(plain_text(demos()[name].title) + "\n")
    width = min(shutil.get_terminal_size((80, 24)).columns, 100)
    for plot in result.plots:
        click.echo(describe(plot) if plain else draw(plot, width, 20, colour=sys.stdout.isatty()))
        click.echo()
    _print_table(result.table)
    for line in payload["summary"]:
        click.echo("\n" + plain_text(line))


def _print_table(table: Any) -> None:
    rows = [
        [f"{cell:.4g}" if isinstance(cell, float) else "" if cell is None else str(cell) for cell in row]
        for row in table.rows
    ]
    columns = list(zip(table.header, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    for line in [table.header, *rows]:
        click.echo("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))
