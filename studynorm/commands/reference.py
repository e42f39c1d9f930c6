"""`studynorm reference`: the glossary of the subject, what to read, and wiring diagrams."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import click

from studynorm.commands.scope import (
    Failed,
    command,
    examples,
    maths_of,
    note,
    plain_text,
    plainly,
    print_json,
    unknown,
)

if TYPE_CHECKING:
    from studynorm.content.reference import Diagram, Reference, ReferenceBook, Step, Term

_LINE = 90


@dataclass(frozen=True, slots=True)
class _Shown:
    """What was asked for."""

    terms: "tuple[Term, ...]" = ()
    references: "tuple[Reference, ...]" = ()
    steps: "tuple[Step, ...]" = ()
    diagrams: "tuple[Diagram, ...]" = ()

    def __bool__(self) -> bool:
        return bool(self.terms or self.references or self.steps or self.diagrams)


@command(
    "reference",
    epilog=examples(
        "reference", "reference rmsnorm", "reference --plan", "reference --diagram pre-norm-block --ascii"
    ),
)
@click.argument("words", metavar="[WORDS]…", nargs=-1)
@click.option(
    "--references", "section", flag_value="references", help="Only what to read and where it is used."
)
@click.option("--plan", "section", flag_value="steps", help="Only the reading plan, in order.")
@click.option("--diagram", metavar="NAME", help="Only the wiring diagram of this name.")
@click.option("--ascii", "seven_bit", is_flag=True, help="Draw diagrams in 7-bit characters.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.pass_context
@plainly
def reference(
    context: click.Context,
    *,
    words: tuple[str, ...],
    section: str | None,
    diagram: str | None,
    seven_bit: bool,
    as_json: bool,
) -> None:
    """List the terms and named methods of the subject, or explain those that match WORDS.

    A word may stand anywhere in a name, or at the beginning of a word of the explanation.
    """
    from studynorm.content.referencefile import shipped_reference

    if diagram is not None and (section or words):
        raise click.UsageError("--diagram shows one diagram; give it alone")
    book = shipped_reference()
    for error in book.errors:
        note(f"studynorm: {error}")
    typed = " ".join(words)
    shown = _one(book, diagram) if diagram is not None else _chosen(book, section, typed)
    if as_json:
        print_json(_payload(shown))
        return
    if not shown:
        raise _nothing(book, typed)
    if section is None and diagram is None and not words:
        _list(book)
        return
    seven_bit = seven_bit or maths_of(context) == "ascii"
    click.echo("\n\n".join(_texts(shown, seven_bit=seven_bit, drawn=diagram is not None)))


def _chosen(book: "ReferenceBook", section: str | None, typed: str) -> _Shown:
    from studynorm.content.reference import matching

    found = _Shown(
        matching(book.terms, typed),
        matching(book.references, typed),
        matching(book.steps, typed),
        matching(book.diagrams, typed),
    )
    match section:
        case "references":
            return _Shown(references=found.references)
        case "steps":
            return _Shown(steps=found.steps)
    return found


def _one(book: "ReferenceBook", name: str) -> _Shown:
    for diagram in book.diagrams:
        if diagram.id == name:
            return _Shown(diagrams=(diagram,))
    names = [diagram.id for diagram in book.diagrams]
    raise unknown("diagram", name, names, f"there are {', '.join(names) or 'none'}")


def _nothing(book: "ReferenceBook", typed: str) -> Failed:
    import difflib

    from studynorm.content.reference import fold

    if not typed:
        return Failed("there is nothing to show; install studynorm again")
    names = {fold(name): name for term in book.terms for name in term.names}
    near = difflib.get_close_matches(fold(typed), list(names), 1, 0.6)
    hint = f"did you mean {names[near[0]]}? " if near else ""
    return Failed(f"nothing matches “{typed}”; {hint}`studynorm reference` lists all terms")


def _list(book: "ReferenceBook") -> None:
    for term in book.terms:
        line = plain_text(f"{term.term}: {term.meaning}", 10_000)
        click.echo(line if len(line) <= _LINE else line[: _LINE - 1] + "…")
    names = ", ".join(diagram.id for diagram in book.diagrams)
    click.echo(f"\nWith WORDS: those in full. Also --references, --plan, and --diagram of {names or 'none'}.")


def _texts(shown: _Shown, *, seven_bit: bool, drawn: bool) -> Iterator[str]:
    yield from map(_term_text, shown.terms)
    yield from map(_reference_text, shown.references)
    yield from (_step_text(step) for step in shown.steps)
    for diagram in shown.diagrams:
        yield _diagram_text(diagram, seven_bit=seven_bit) if drawn else _diagram_line(diagram)


def _term_text(term: "Term") -> str:
    also = f" (also: {', '.join(term.also)})" if term.also else ""
    sign = f", ${term.sign}$" if term.sign else ""
    parts = [plain_text(f"{term.term}{sign}{also}"), plain_text(term.meaning)]
    if term.formula:
        parts.append(plain_text(f"$$\n{term.formula}\n$$"))
    if term.see:
        parts.append(plain_text(f"See: {' '.join(term.see)}"))
    return "\n".join(parts)


def _reference_text(reference: "Reference") -> str:
    head = [reference.title, *filter(None, (reference.byline, reference.venue))]
    used = f"Used in {', '.join(reference.topics)}: {reference.used}"
    return "\n".join(plain_text(part) for part in (*head, used, f"Why read it: {reference.why}"))


def _step_text(step: "Step") -> str:
    parts = [f"{step.id.removeprefix('step ')}\\. {step.title}", step.text]
    if step.topics:
        parts.append(f"Goes with: {', '.join(step.topics)}")
    return "\n".join(plain_text(part) for part in parts)


def _diagram_text(diagram: "Diagram", *, seven_bit: bool) -> str:
    drawing = diagram.ascii if seven_bit else diagram.drawing
    return f"{plain_text(diagram.title)}\n\n{drawing}\n\n{plain_text(diagram.about)}"


def _diagram_line(diagram: "Diagram") -> str:
    return plain_text(f"{diagram.title}: `studynorm reference --diagram {diagram.id}`")


def _payload(shown: _Shown) -> dict[str, Any]:
    return {
        "terms": [asdict(term) for term in shown.terms],
        "references": [_without(asdict(one), "rows") for one in shown.references],
        "plan": [
            {"number": int(step.id.removeprefix("step ")), **_without(asdict(step), "id")}
            for step in shown.steps
        ],
        "diagrams": [{**asdict(one), "ascii": one.ascii} for one in shown.diagrams],
    }


def _without(table: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name != key}
