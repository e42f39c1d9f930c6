"""`studynorm problem preview` and `new`: what an author of families sees, and where one begins."""

import re
from pathlib import Path
from typing import Any

import click

from studynorm.commands.scope import Failed, examples, global_flags, plainly, unknown
from studynorm.commands.variants import family_of, variant_of

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


@click.command(
    "preview",
    epilog=examples("problem preview batchnorm.vector --level 3 --seed 7 --show-misconceptions"),
)
@click.argument("family", metavar="FAMILY")
@click.option("--level", metavar="L", type=click.IntRange(1, 3), default=1, show_default=True, help="1 to 3.")
@click.option(
    "--seed", metavar="N", type=click.IntRange(0, 2**62), default=0, show_default=True, help="Which variant."
)
@click.option(
    "--seeds",
    metavar="N",
    type=click.IntRange(1, 100_000),
    default=50,
    show_default=True,
    help="How many seeds, from --seed on, the rejection rate is taken over.",
)
@click.option("--show-misconceptions", is_flag=True, help="Type every misconception and show the verdict.")
@global_flags
@plainly
def preview(family: str, *, level: int, seed: int, seeds: int, show_misconceptions: bool) -> None:
    """Show a variant as its author wants to see it: question, hints, solution, program and draws."""
    from studynorm.study.plaintext import plain_text
    from studynorm.study.preview import seed_range, slips_of
    from studynorm.study.worked import plain_solution

    variant = variant_of(family, level, seed, {}, verified=True)
    found = family_of(family)
    _head(found, variant)
    click.echo(f"\n{plain_text(variant.question)}\n\nAnswer with {variant.kind.how(variant.answer)}.\n")
    for number, hint in enumerate(variant.ladder, 1):
        click.echo(plain_text(f"Hint {number}: {hint}"))
    click.echo(f"\n{plain_solution(variant)}\n")
    if variant.verification is not None:
        click.echo(f"verified: {variant.verification}")
    if show_misconceptions:
        for slip in slips_of(variant):
            judged = f"“{slip.typed}”, {'named' if slip.named else 'NOT named'}"
            click.echo(f"\n{slip.id}: {judged}\n{plain_text(slip.message)}")
    click.echo(f"\n{variant.snippet}")
    drawn = seed_range(found, variant.level, seed, seeds)
    click.echo(
        f"seeds {drawn.first} to {drawn.last}: {drawn.rejection_rate:.0%} of the draws rejected, "
        f"{drawn.statements} different statements, {drawn.ms:.2f} ms per draw without torch"
    )
    if drawn.failure:
        raise Failed(drawn.failure)


def _head(family: Any, variant: Any) -> None:
    levels = ", ".join(str(level) for level in sorted(family.levels))
    click.echo(f"{family.id} version {family.version} · {family.catalogue} · {family.title}")
    click.echo(f"level {variant.level} of {levels} · seed {variant.seed} · answer: {variant.kind.name}")
    for name, listed in (
        ("requires", family.requires),
        ("see", variant.see),
        ("covers", family.covers),
        ("misconceptions of this level", family.levels[variant.level].misconceptions),
    ):
        if listed:
            click.echo(f"{name}: {', '.join(listed)}")


@click.command("new", epilog=examples("problem new batchnorm my_family --root my_families"))
@click.argument("topic", metavar="TOPIC")
@click.argument("name", metavar="NAME")
@click.option(
    "--root",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The folder that holds `problems`; in a checkout, the checkout itself.",
)
@global_flags
@plainly
def new(topic: str, name: str, *, root: Path | None) -> None:
    """Begin a family: write a file that loads, and that `check` refuses until it is filled in."""
    from studynorm.engine.skeleton import skeleton
    from studynorm.locate import content_root
    from studynorm.topics import TOPICS

    if topic not in TOPICS:
        raise unknown("topic", topic, TOPICS, f"there are {', '.join(TOPICS)}")
    if not _NAME.fullmatch(name):
        raise click.BadParameter("small letters, digits and single _, as in eval_output", param_hint="NAME")
    if root is None:
        root = content_root()
        if not (root / "pyproject.toml").is_file():
            raise click.UsageError(
                "this program is not run from a checkout; say with --root DIR where the family is to be"
            )
    path = root / "problems" / topic / f"{name}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(skeleton(name))
    except FileExistsError:
        raise Failed(f"{path} exists already and stays as it is; choose another name") from None
    click.echo(f"wrote {path}")
    click.echo(
        f"Next: fill in what raises NotImplementedError, then `studynorm check {path}`; "
        "docs/adding-a-family.md says what each part promises."
    )
