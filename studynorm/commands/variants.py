"""What the commands about one variant share: the options that choose it, and drawing it or saying why not."""

from typing import Any

import click

from studynorm.commands.scope import Failed, note, torch_lab


def which_variant(function: Any) -> Any:
    """Add the options that choose a variant, and --json."""
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


def values_of(given: tuple[str, ...]) -> dict[str, str]:
    """Return the texts of `--set` by name. Raises BadParameter."""
    values: dict[str, str] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise click.BadParameter(f"“{text}” is not NAME=VALUE, as in x=0,2,4,6", param_hint="--set")
        if name.strip() in values:
            raise click.BadParameter(f"{name.strip()} is set twice", param_hint="--set")
        values[name.strip()] = value
    return values


def family_of(family: str) -> Any:
    """Return the family of an id; an unknown one is a usage error, a broken file a failure."""
    from studynorm.engine.registry import BrokenFamily, UnknownFamily, load_family

    try:
        found = load_family(family)
    except UnknownFamily as missing:
        near = f"did you mean {' or '.join(missing.near)}? " if missing.near else ""
        raise click.UsageError(
            f"there is no family “{family}”; {near}`studynorm problem list` shows all"
        ) from None
    if isinstance(found, BrokenFamily):
        raise Failed(str(found))
    return found


def variant_of(
    family: str, level: int, seed: int, given: dict[str, str], *, verified: bool, quiet: bool = False
) -> Any:
    """Return the variant asked for, every refusal turned into a usage error or a failure."""
    from studynorm.engine.family import Refused
    from studynorm.engine.oracle import Disagreement
    from studynorm.engine.variant import NoVariant, draw, from_values

    found = family_of(family)
    try:
        # The parameters are read before torch is loaded, so that a slip of the keyboard is answered at once.
        variant = from_values(found, level, given)[1] if given else None
        if verified:
            lab = torch_lab()
            variant = lab.values(family, level, given) if given else lab.variant(family, level, seed)
        elif variant is None:
            variant = draw(found, level, seed)[1]
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
    if variant.level != level and not quiet:
        note(f"studynorm: {family} has no level {level}; this is level {variant.level}")
    return variant
