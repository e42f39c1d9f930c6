"""`studynorm card`: list, show, edit and add cards."""

from typing import Any

import click

from studynorm.commands.card_edit import edit, new
from studynorm.commands.scope import (
    examples,
    global_flags,
    home_of,
    maths_of,
    note_broken,
    plain_text,
    plainly,
    print_json,
    unknown,
)


@click.group("card", epilog=examples("card list", "card show batchnorm/forward-pass"))
@global_flags
def card() -> None:
    """List, show and edit recall cards, and add your own."""


card.add_command(edit)
card.add_command(new)


def _library(context: click.Context) -> Any:
    from studynorm.content.library import load_library
    from studynorm.locate import content_root

    library = load_library(content_root() / "cards", home_of(context).decks)
    note_broken(library)
    return library


@card.command("list", epilog=examples("card list --topic batchnorm", "card list --json"))
@click.option("--topic", metavar="T", help="Only the deck with this id.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@global_flags
@click.pass_context
@plainly
def list_(context: click.Context, *, topic: str | None, as_json: bool) -> None:
    """List every card by its id."""
    library = _library(context)
    decks = [deck for deck in library.decks if topic in {None, deck.id}]
    if not decks:
        ids = [deck.id for deck in library.decks]
        raise unknown("deck", str(topic), ids, f"there are {', '.join(ids)}")
    if as_json:
        print_json({"decks": [_deck_json(deck) for deck in decks]})
        return
    for deck in decks:
        click.echo(plain_text(f"{deck.title} ({deck.id})"))
        for one in deck.cards:
            front = plain_text(one.question(one.marks[0].id if one.marks else None), 200).replace("\n", " ")
            click.echo(f"  {deck.id}/{one.id}: {front if len(front) <= 90 else front[:89] + '…'}")


def _deck_json(deck: Any) -> dict[str, Any]:
    return {
        "id": deck.id,
        "title": deck.title,
        "tags": list(deck.tags),
        "cards": [{"id": one.id, "kind": one.kind, "items": list(one.item_ids)} for one in deck.cards],
    }


@card.command(
    "show",
    epilog=examples("card show batchnorm/forward-pass", "card show 'batchnorm/normalize-cloze#numerator'"),
)
@click.argument("card_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@global_flags
@click.pass_context
@plainly
def show(context: click.Context, card_id: str, *, as_json: bool) -> None:
    """Show both sides of a card."""
    from studynorm.study.plaintext import labelled

    library = _library(context)
    wanted = card_id.removeprefix("card:")
    found = library.card(f"card:{wanted}")
    if found is None:
        known = [
            item.removeprefix("card:") for deck in library.decks for one in deck.cards for item in _ids(one)
        ]
        raise unknown("card", wanted, known, "`studynorm card list` shows all")
    mark = card_id.partition("#")[2] or (found.marks[0].id if found.marks else None)
    if as_json:
        print_json(
            {
                "id": f"card:{found.deck_id}/{found.id}",
                "kind": found.kind,
                "items": list(found.item_ids),
                "question": found.question(mark),
                "answer": found.answer(mark),
                "why": found.why,
                "see": list(found.see),
                "claims": list(found.claims),
                "tags": list(found.tags),
            }
        )
        return
    if len(found.item_ids) > 1:
        marks = ", ".join(item.partition("#")[2] for item in found.item_ids)
        click.echo(plain_text(f"Mark {mark} of {marks}") + "\n")
    click.echo(plain_text(found.question(mark)))
    click.echo("-" * 20)
    click.echo(plain_text(found.answer(mark)))
    if found.why:
        click.echo("\n" + labelled("Why", found.why, maths_of(context)))
    if found.see:
        click.echo("\nSee: " + " ".join(found.see))


def _ids(card: Any) -> tuple[str, ...]:
    """Return every id under which a card can be shown."""
    return (f"card:{card.deck_id}/{card.id}", *card.item_ids)
