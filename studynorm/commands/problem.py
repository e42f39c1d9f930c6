"""`studynorm problem`: list, show, solve and grade problems, on drawn or on the learner's own numbers."""

import secrets
from typing import Any

import click

from studynorm.commands.scope import Failed, global_flags, note, plainly, print_json

_EXIT = {"correct": 0, "wrong": 1, "imprecise": 3, "malformed": 3}


@click.group("problem")
@global_flags
def problem() -> None:
    """Draw problems, solve them on your own numbers, grade answers."""


def _which(function: Any) -> Any:
    """Add the options that choose a variant."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output."),
        click.option(
            "--set",
            "given",
            metavar="NAME=VALUE",
            multiple=True,
            help="Use your own numbers; may be repeated.",
        ),
        click.option("--seed", metavar="N", type=click.IntRange(0, 2**63), help="Which variant to draw."),
        click.option(
            "--level", metavar="L", type=click.IntRange(1, 3), default=1, show_default=True, help="1 to 3."
        ),
        click.argument("family", metavar="FAMILY"),
    ):
        function = option(function)
    return function


def _values(given: tuple[str, ...]) -> dict[str, str]:
    values: dict[str, str] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise click.BadParameter(f"“{text}” is not NAME=VALUE, as in x=0,2,4,6", param_hint="--set")
        if name.strip() in values:
            raise click.BadParameter(f"{name.strip()} is set twice", param_hint="--set")
        values[name.strip()] = value
    return values


def _variant(family: str, level: int, seed: int, given: dict[str, str], *, verified: bool) -> Any:
    """Return the variant asked for, every refusal turned into a usage error or a failure."""
    from studynorm.engine.family import Refused
    from studynorm.engine.oracle import Disagreement
    from studynorm.engine.registry import BrokenFamily, UnknownFamily, load_family
    from studynorm.engine.variant import NoVariant, draw, from_values

    try:
        found = load_family(family)
        if isinstance(found, BrokenFamily):
            raise Failed(str(found))
        # The parameters are read before torch is loaded, so that a slip of the keyboard is answered at once.
        drawn = from_values(found, level, given)[1] if given else draw(found, level, seed)[1]
        if not verified:
            return drawn
        from studynorm.worker import lab

        return lab.values(family, level, given) if given else lab.variant(family, level, seed)
    except UnknownFamily as unknown:
        raise click.UsageError(str(unknown)) from None
    except Refused as refused:
        raise click.BadParameter(refused.message, param_hint=f"--set {refused.name}") from None
    except (NoVariant, Disagreement) as broken:
        raise Failed(str(broken)) from None


@problem.command("list", epilog="Example: studynorm problem list --json")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@global_flags
@plainly
def list_(*, as_json: bool) -> None:
    """List every problem family."""
    from studynorm.engine.registry import load_families

    families, broken = load_families()
    for trouble in broken:
        note(f"studynorm: left out {trouble}")
    if as_json:
        print_json(
            {
                "families": [
                    {
                        "id": family.id,
                        "version": family.version,
                        "topic": family.topic,
                        "title": family.title,
                        "levels": sorted(family.levels),
                        "answer_kind": family.kind.name,
                        "catalogue": family.catalogue,
                    }
                    for family in families.values()
                ]
            }
        )
    else:
        for family in families.values():
            levels = "".join(str(level) for level in sorted(family.levels))
            click.echo(f"{family.id:32} {family.kind.name:9} levels {levels:4} {family.title}")
    if broken:
        raise click.exceptions.Exit(1)


@problem.command(
    "show", epilog="Example: studynorm problem show batchnorm.vector --level 2 --seed 7 --reveal"
)
@_which
@click.option("--reveal", is_flag=True, help="Show the verified answer and the worked solution too.")
@global_flags
@plainly
def show(
    family: str, *, level: int, seed: int | None, given: tuple[str, ...], as_json: bool, reveal: bool
) -> None:
    """Show a problem; without --seed a fresh one, whose seed is printed."""
    values = _values(given)
    seed = secrets.randbelow(2**31) if seed is None else seed
    _print(_variant(family, level, seed, values, verified=reveal), as_json=as_json, reveal=reveal)


@problem.command(
    "solve", epilog="Example: studynorm problem solve batchnorm.vector --set x=0,2,4,6 --set eps=0"
)
@_which
@global_flags
@plainly
def solve(family: str, *, level: int, seed: int | None, given: tuple[str, ...], as_json: bool) -> None:
    """Solve a problem, step by step and verified by torch; on your own numbers with --set."""
    _print(_variant(family, level, seed or 0, _values(given), verified=True), as_json=as_json, reveal=True)


@problem.command(
    "grade",
    context_settings={"ignore_unknown_options": True},
    epilog="Example: studynorm problem grade batchnorm.entry '-3/sqrt(5)' --set x=0,2,4,6 --set index=1",
)
@_which
@click.argument("answer", metavar="ANSWER")
@global_flags
@plainly
def grade(
    family: str, answer: str, *, level: int, seed: int | None, given: tuple[str, ...], as_json: bool
) -> None:
    """Judge an answer. Exit code 0: correct, 1: wrong, 3: not graded (malformed or imprecise)."""
    from studynorm.engine import grading

    verdict = grading.grade(_variant(family, level, seed or 0, _values(given), verified=True), answer)
    slips = [slip.id for slip in verdict.misconceptions]
    suggested = {"correct": "good", "wrong": "again"}.get(verdict.outcome.value)
    if as_json:
        print_json(
            {
                "verdict": verdict.outcome.value,
                "read_as": verdict.read_as or None,
                "misconception": slips[0] if slips else None,
                "misconceptions": slips,
                "message": verdict.message,
                "suggested_rating": suggested,
            }
        )
    else:
        from studynorm.study.plaintext import plain_text

        if verdict.read_as:
            click.echo(f"read as {verdict.read_as}")
        click.echo(plain_text(f"**{verdict.outcome.value}** {verdict.message}"))
        for slip in slips:
            click.echo(f"misconception: {slip}")
    raise click.exceptions.Exit(_EXIT[verdict.outcome.value])


def _print(variant: Any, *, as_json: bool, reveal: bool) -> None:
    from studynorm.engine.variant import to_json

    data = to_json(variant)
    if as_json:
        wanted = ["family", "version", "topic", "level", "seed", "prompt", "params", "answer_kind"]
        if reveal:
            wanted += ["answer", "misconceptions", "hints", "solution", "verified"]
        print_json({name: data[name] for name in wanted})
        return
    from studynorm.study.plaintext import plain_text

    seed = "own numbers" if variant.seed is None else f"seed {variant.seed}"
    click.echo(f"{variant.family} · level {variant.level} · {seed}\n")
    click.echo(plain_text(variant.prompt))
    if not reveal:
        click.echo(f"\nAnswer with {variant.kind.how(variant.answer)}.")
        return
    from studynorm.study.worked import plain_solution

    click.echo()
    click.echo(plain_solution(variant))
    for slip in variant.misconceptions:
        unclear = "" if slip.distinguishable else " (cannot be told apart on these numbers)"
        from studynorm.engine.numbers import rounded

        click.echo(f"\nNot {rounded(slip.value)}: {slip.id}{unclear}")
        click.echo(plain_text(slip.why))
    if variant.verified is not None:
        click.echo(f"\nverified: {variant.verified.line()}")
