"""`studynorm problem`: list, show, solve and grade problems, on drawn or on the learner's own numbers."""

import secrets
from typing import Any

import click

from studynorm.commands.scope import Failed, examples, global_flags, note, plainly, print_json, torch_lab

_EXIT = {"correct": 0, "wrong": 1, "imprecise": 3, "malformed": 3}


@click.group("problem", epilog=examples("problem list", "problem show batchnorm.vector"))
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
        click.option("--seed", metavar="N", type=click.IntRange(0, 2**63 - 1), help="Which variant to draw."),
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
    except UnknownFamily as missing:
        near = f"did you mean {' or '.join(missing.near)}? " if missing.near else ""
        raise click.UsageError(
            f"there is no family “{family}”; {near}`studynorm problem list` shows all"
        ) from None
    if isinstance(found, BrokenFamily):
        raise Failed(str(found))
    try:
        # The parameters are read before torch is loaded, so that a slip of the keyboard is answered at once.
        variant = from_values(found, level, given)[1] if given else draw(found, level, seed)[1]
        if verified:
            lab = torch_lab()
            variant = lab.values(family, level, given) if given else lab.variant(family, level, seed)
    except Refused as refused:
        raise click.BadParameter(refused.message, param_hint=f"--set {refused.name}") from None
    except (NoVariant, Disagreement) as broken:
        raise Failed(str(broken)) from None
    except click.ClickException:
        raise
    except Exception as broken:  # noqa: BLE001  a family may fail in any way, and each costs only itself
        raise Failed(
            f"{family} cannot be drawn ({type(broken).__name__}: {broken}); `studynorm check` says where"
        ) from None
    if variant.level != level:
        note(f"studynorm: {family} has no level {level}; this is level {variant.level}")
    return variant


@problem.command("list", epilog=examples("problem list", "problem list --json"))
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
            levels = ",".join(str(level) for level in sorted(family.levels))
            click.echo(f"{family.id:32} {family.kind.name:9} levels {levels:6} {family.title}")


@problem.command(
    "show",
    epilog=examples(
        "problem show batchnorm.vector", "problem show batchnorm.vector --level 2 --seed 7 --reveal"
    ),
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
    "solve", epilog=examples("problem solve batchnorm.vector --set x=0,2,4,6 --set eps=0 --json")
)
@_which
@global_flags
@plainly
def solve(family: str, *, level: int, seed: int | None, given: tuple[str, ...], as_json: bool) -> None:
    """Solve a problem, step by step and verified by torch; on your own numbers with --set."""
    _print(_variant(family, level, seed or 0, _values(given), verified=True), as_json=as_json, reveal=True)


@problem.command(
    "grade",
    # An answer such as -h or -sqrt(5) is no option.
    context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]},
    epilog=examples("problem grade batchnorm.entry '-3/sqrt(5)' --set x=0,2,4,6 --set index=1"),
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
        from studynorm.study.plaintext import verdict_text

        click.echo(f"Verdict: {verdict.outcome.value}\n{verdict_text(verdict)}")
        for slip in slips:
            click.echo(f"Misconception: {slip}")
    raise click.exceptions.Exit(_EXIT[verdict.outcome.value])


def _print(variant: Any, *, as_json: bool, reveal: bool) -> None:
    from studynorm.engine.transport import to_json

    data = to_json(variant) | {"prompt": variant.question}
    if as_json:
        wanted = ["family", "version", "topic", "level", "seed", "prompt", "params", "answer_kind"]
        if reveal:
            wanted += ["answer", "misconceptions", "hints", "solution", "verified"]
        print_json({name: data[name] for name in wanted})
        return
    from studynorm.study.plaintext import plain_text

    seed = "own numbers" if variant.seed is None else f"seed {variant.seed}"
    click.echo(f"{variant.family} · level {variant.level} · {seed}\n")
    click.echo(plain_text(variant.question))
    if not reveal:
        click.echo(f"\nAnswer with {variant.kind.how(variant.answer)}.")
        return
    from studynorm.study.worked import number_text, plain_solution

    click.echo()
    click.echo(plain_solution(variant))
    for slip in variant.misconceptions:
        unclear = "" if slip.distinguishable else " (cannot be told apart on these numbers)"
        click.echo(f"\nNot {number_text(slip.value)}: {slip.id}{unclear}")
        click.echo(plain_text(slip.why))
    if variant.verified is not None:
        click.echo(f"\nverified: {variant.verified.line()}")
