"""`studynorm attempt`: past answers by their ids, as they were, and the same problem again."""

from typing import Any

import click

from studynorm.commands.scope import (
    Failed,
    desk_of,
    examples,
    global_flags,
    note,
    plain_text,
    plainly,
    print_json,
)

_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")


@click.group("attempt", epilog=examples("attempt list", "attempt show 1"))
@global_flags
def attempt() -> None:
    """Look back at what you typed in reviews and drills."""


@attempt.command("list", epilog=examples("attempt list --family batchnorm.entry --limit 5"))
@click.option("--family", metavar="F", help="Only this family, also one that is no longer there.")
@click.option(
    "--limit", metavar="N", type=click.IntRange(1, 100_000), default=20, show_default=True, help="How many."
)
@_JSON
@global_flags
@click.pass_context
@plainly
def list_(context: click.Context, *, family: str | None, limit: int, as_json: bool) -> None:
    """List past answers, the newest first."""
    from studynorm.content.visible import visible
    from studynorm.study.replay import replays_of

    with desk_of(context) as desk:
        found, left_out = replays_of(desk.store, limit, family)
    if left_out:
        note(f"studynorm: {left_out}")
    if as_json:
        print_json({"attempts": [_row(one) for one in found]})
        return
    if not found:
        click.echo("Nothing was typed yet." if family is None else f"Nothing was typed yet in {family}.")
    for one in found:
        made = " ".join(slip.id for slip in one.misconceptions if slip.made)
        typed = visible(one.typed, keep_newlines=False)
        typed = typed if len(typed) <= 40 else typed[:39] + "…"
        where = f"{one.id:6}  {_local(one)}  {one.kind:6}  {one.family:32} {one.level}"
        click.echo(f"{where}  {one.verdict:8}  {typed}  {made}".rstrip())


@attempt.command("show", epilog=examples("attempt show 1", "attempt show 1 --json", "attempt show 1 --again"))
@click.argument("number", metavar="ID", type=click.IntRange(1, 2**63 - 1))
@click.option("--again", is_flag=True, help="Draw the same problem again and answer it.")
@_JSON
@global_flags
@click.pass_context
@plainly
def show(context: click.Context, number: int, *, again: bool, as_json: bool) -> None:
    """Show one past answer with everything around it, as it was then."""
    from studynorm.study.replay import replay_of

    if again and as_json:
        raise click.UsageError("--again asks you for an answer, and --json prints an object; choose one")
    with desk_of(context) as desk:
        stored = desk.store.attempt(number)
        if stored is None:
            raise Failed(f"there is no attempt {number}; `studynorm attempt list` shows the newest")
        replay = replay_of(stored)
        version = _version_now(replay.family)
        change = replay.change(version)
        if again:
            context.exit(_again(desk, replay, version, change))
    if as_json:
        print_json(_row(replay) | _more(replay, version))
    else:
        _print(replay, change)


def _version_now(family: str) -> int | None:
    from studynorm.engine.registry import BrokenFamily, UnknownFamily, load_family

    try:
        found = load_family(family)
    except UnknownFamily:
        return None
    return None if isinstance(found, BrokenFamily) else found.version


def _again(desk: Any, replay: Any, version: int | None, change: str | None) -> int:
    from studynorm.plain_drill import run_drill
    from studynorm.plain_voice import Voice
    from studynorm.study.drill import DrillSession

    if version is None:
        raise Failed(f"the family {replay.family} is no longer there, so this cannot be drawn again")
    if change is not None:
        note(
            f"studynorm: {replay.family} was version {replay.version} and is {version} now; "
            f"the same seed may give another problem"
        )
    session = DrillSession(desk.store, (), desk.clock, seed=replay.seed, only=replay.key)
    return run_drill(desk, session, Voice())


def _local(replay: Any) -> str:
    return f"{replay.at.astimezone():%Y-%m-%d %H:%M}"


def _row(replay: Any) -> dict[str, Any]:
    return {
        "id": replay.id,
        "kind": replay.kind,
        "at": replay.at.isoformat(timespec="milliseconds"),
        "family": replay.family,
        "version": replay.version,
        "level": replay.level,
        "seed": replay.seed,
        "typed": replay.typed,
        "verdict": replay.verdict,
        "made": [slip.id for slip in replay.misconceptions if slip.made],
    }


def _more(replay: Any, version: int | None) -> dict[str, Any]:
    return {
        "version_now": version,
        "prompt": replay.prompt,
        "params": dict(replay.params),
        "answer": replay.truth,
        "misconceptions": [
            {
                "id": slip.id,
                "value": slip.value,
                "why": slip.why,
                "distinguishable": slip.distinguishable,
                "made": slip.made,
            }
            for slip in replay.misconceptions
        ],
        "hints": replay.hints,
        "confidence": replay.confidence,
    }


def _print(replay: Any, change: str | None) -> None:
    from studynorm.content.visible import visible
    from studynorm.study.worked import value_text

    click.echo(
        f"Attempt {replay.id}, {_local(replay)}, in a {replay.kind} · "
        f"{replay.family} version {replay.version} · level {replay.level} · seed {replay.seed}"
    )
    if change is not None:
        click.echo(change)
    click.echo(f"\n{plain_text(replay.prompt)}\n")
    for name, value in replay.params.items():
        click.echo(f"{name} = {visible(value_text(value), keep_newlines=False)}")
    click.echo(f"\nYou typed: {visible(replay.typed, keep_newlines=False)}")
    hints = f", after {replay.hints} hint{'s' if replay.hints > 1 else ''}" if replay.hints else ""
    click.echo(f"Verdict: {replay.verdict}{hints}")
    if replay.confidence is not None:
        click.echo(f"How sure you were: {replay.confidence} %")
    if replay.unjudged:
        click.echo(f"\nModel answer:\n{plain_text(str(replay.truth))}")
    else:
        click.echo(f"Right: {value_text(replay.truth)}")
    for slip in replay.misconceptions:
        yours = "Yours" if slip.made else "Not yours"
        click.echo(f"\n{yours}: {slip.id}, which gives {value_text(slip.value)}")
        click.echo(plain_text(slip.why))
