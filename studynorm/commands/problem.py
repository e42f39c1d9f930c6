"""`studynorm problem`: list, show, solve and grade problems, on drawn or on the learner's own numbers."""

import secrets
from typing import Any

import click

from studynorm.commands.authoring import new, preview
from studynorm.commands.scope import examples, global_flags, maths_of, note, plain_text, plainly, print_json
from studynorm.commands.variants import family_of, values_of, variant_of, which_variant

_EXIT = {"correct": 0, "wrong": 1, "imprecise": 3, "malformed": 3, "unjudged": 3}


@click.group("problem", epilog=examples("problem list", "problem show batchnorm.vector"))
@global_flags
def problem() -> None:
    """Draw problems, solve them on your own numbers, grade answers; try out and begin families."""


problem.add_command(preview)
problem.add_command(new)


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
@which_variant
@click.option("--reveal", is_flag=True, help="Show the verified answer and the worked solution too.")
@click.option(
    "--count",
    metavar="N",
    type=click.IntRange(1, 100_000),
    help="With --json: N verified variants, from consecutive seeds.",
)
@click.option("--help-params", is_flag=True, help="Say what each parameter means and may be.")
@global_flags
@plainly
def show(
    family: str,
    *,
    level: int,
    seed: int | None,
    given: tuple[str, ...],
    as_json: bool,
    reveal: bool,
    count: int | None,
    help_params: bool,
) -> None:
    """Show a problem; without --seed a fresh one, whose seed is printed."""
    values = values_of(given)
    if help_params:
        _print_parameters(family, as_json=as_json)
        return
    seed = secrets.randbelow(2**31) if seed is None else seed
    if count is not None:
        _print_many(family, level, seed, count, values, as_json=as_json, reveal=reveal)
        return
    _print(variant_of(family, level, seed, values, verified=reveal), as_json=as_json, reveal=reveal)


@problem.command(
    "solve", epilog=examples("problem solve batchnorm.vector --set x=0,2,4,6 --set eps=0 --json")
)
@which_variant
@global_flags
@plainly
def solve(family: str, *, level: int, seed: int | None, given: tuple[str, ...], as_json: bool) -> None:
    """Solve a problem, step by step and verified by torch; on your own numbers with --set."""
    _print(
        variant_of(family, level, seed or 0, values_of(given), verified=True), as_json=as_json, reveal=True
    )


@problem.command(
    "grade",
    # An answer such as -h or -sqrt(5) is no option.
    context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]},
    epilog=examples("problem grade batchnorm.entry '-3/sqrt(5)' --set x=0,2,4,6 --set index=1"),
)
@which_variant
@click.argument("answer", metavar="ANSWER")
@global_flags
@plainly
def grade(
    family: str, answer: str, *, level: int, seed: int | None, given: tuple[str, ...], as_json: bool
) -> None:
    """Judge an answer. Exit code 0: correct, 1: wrong, 3: not graded (malformed, imprecise, free words)."""
    from studynorm.engine import grading
    from studynorm.study.offers import offers

    variant = variant_of(family, level, seed or 0, values_of(given), verified=True)
    verdict = grading.grade(variant, answer)
    found = offers(variant) if verdict.outcome == "wrong" else ()
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
                "offers": [{"kind": one.kind, "id": one.id, "level": one.level} for one in found],
            }
        )
    else:
        from studynorm.study.plaintext import verdict_text

        maths = maths_of(click.get_current_context())
        click.echo(f"Verdict: {verdict.outcome.value}\n{verdict_text(verdict, maths)}")
        if verdict.outcome is grading.Outcome.UNJUDGED:
            from studynorm.study.worked import plain_solution

            click.echo(plain_solution(variant, maths))
        for slip in slips:
            click.echo(f"Misconception: {slip}")
        if found:
            click.echo(f"On offer: {'; '.join(one.text for one in found)}.")
    raise click.exceptions.Exit(_EXIT[verdict.outcome.value])


def _print_parameters(family: str, *, as_json: bool) -> None:
    from studynorm.engine.domains import parameters_of

    found = family_of(family)
    parameters = parameters_of(found)
    if as_json:
        rows = [
            {"name": one.name, "meaning": one.meaning, "domain": one.domain, "default": one.default}
            for one in parameters
        ]
        print_json({"family": found.id, "version": found.version, "parameters": rows})
        return
    click.echo(f"{found.id}: {found.title}\n")
    for one in parameters:
        default = "must be given" if one.default is None else f"default {one.default}"
        click.echo(f"  {one.name:16} {one.meaning}\n{'':18} {one.domain}; {default}")


def _print_many(
    family: str, level: int, seed: int, count: int, values: dict[str, str], *, as_json: bool, reveal: bool
) -> None:
    if not as_json:
        raise click.UsageError("--count prints many variants as one object; add --json")
    if values:
        raise click.UsageError("--count draws from seeds, and --set gives the numbers; choose one")
    if seed + count > 2**63:
        raise click.BadParameter("there are no seeds beyond 2^63 − 1", param_hint="--seed")
    variants = [
        variant_of(family, level, at, {}, verified=True, quiet=at > seed) for at in range(seed, seed + count)
    ]
    print_json({"variants": [_row(variant, reveal=reveal, verified=True) for variant in variants]})


def _row(variant: Any, *, reveal: bool, verified: bool) -> dict[str, Any]:
    """Return a variant as `--json` prints it; what gives the answer away only where it is revealed."""
    from studynorm.engine.transport import to_json

    data = to_json(variant) | {"prompt": variant.question}
    wanted = ["family", "version", "topic", "level", "seed", "prompt", "params", "answer_kind"]
    wanted += ["answer", "misconceptions", "hints", "solution"] if reveal else []
    wanted += ["verified"] if verified else []
    return {name: data[name] for name in wanted}


def _print(variant: Any, *, as_json: bool, reveal: bool) -> None:
    if as_json:
        print_json(_row(variant, reveal=reveal, verified=reveal))
        return
    seed = "own numbers" if variant.seed is None else f"seed {variant.seed}"
    click.echo(f"{variant.family} · level {variant.level} · {seed}\n")
    click.echo(plain_text(variant.question))
    if not reveal:
        click.echo(f"\nAnswer with {variant.kind.how(variant.answer)}.")
        return
    from studynorm.study.worked import number_text, plain_solution

    click.echo()
    click.echo(plain_solution(variant, maths_of(click.get_current_context())))
    for slip in variant.misconceptions:
        unclear = "" if slip.distinguishable else " (cannot be told apart on these numbers)"
        click.echo(f"\nNot {number_text(slip.value)}: {slip.id}{unclear}")
        click.echo(plain_text(slip.why))
    if variant.verification is not None:
        click.echo(f"\nverified: {variant.verification}")
