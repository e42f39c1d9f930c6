"""`studynorm demo`: run a demo and print its table, its plot or its data."""

import csv
from pathlib import Path
from typing import Any

import click

from studynorm.commands.scope import Failed, command, note, plainly


@command(
    "demo",
    epilog="Examples: studynorm demo list · studynorm demo pre_post_ln --seed 0 --json",
)
@click.argument("name", metavar="NAME|list")
@click.option("--set", "given", metavar="K=V", multiple=True, help="Change a setting; may be repeated.")
@click.option(
    "--seed", metavar="N", type=click.IntRange(0), default=0, show_default=True, help="Random seed."
)
@click.option(
    "--device", metavar="auto|cpu|cuda|mps", default="auto", show_default=True, help="Where to compute."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option(
    "--csv", "csv_file", metavar="FILE", type=click.Path(path_type=Path), help="Write the table as CSV."
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

    if name == "list":
        _list(demos())
        return
    if name not in demos():
        raise click.UsageError(f"there is no demo “{name}”; there are {', '.join(demos())}")
    settings: dict[str, str] = {}
    for text in given:
        key, sign, value = text.partition("=")
        if not sign:
            raise click.BadParameter(f"“{text}” is not K=V, as in depth=50", param_hint="--set")
        settings[key.strip()] = value
    if csv_file is not None and csv_file.exists():
        raise Failed(f"{csv_file} exists already; name another file")
    try:
        read_settings(demos()[name], settings)
        from studynorm.worker import lab

        payload = lab.demo(name, settings, seed, device, lambda fraction, text: None)
    except (SettingRefused, DeviceRefused) as refused:
        raise click.UsageError(str(refused)) from None
    except DemoFailed as failed:
        raise Failed(str(failed)) from None
    for line in payload["notes"]:
        note(f"studynorm: {line}")
    if csv_file is not None:
        _write_csv(csv_file, payload["table"])
        note(f"wrote {csv_file}")
    if as_json:
        import json

        click.echo(json.dumps(payload, ensure_ascii=False, allow_nan=False))
    elif csv_file is None:
        _print(name, payload, plain=plain)


def _list(demos: Any) -> None:
    for one in demos.values():
        click.echo(f"{one.name}: {one.title}")
        for setting in one.settings:
            click.echo(f"  --set {setting.name}={setting.default_text}  {setting.label}: {setting.allowed}")


def _write_csv(path: Path, table: Any) -> None:
    beside = path.with_name(path.name + ".part")
    try:
        with beside.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(table["header"])
            writer.writerows(table["rows"])
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise Failed(f"cannot write {path}: {error.strerror}") from None


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
