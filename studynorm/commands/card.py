"""`studynorm card`: list and show the cards of every deck."""

from typing import Any

import click

from studynorm.commands.scope import Failed, global_flags, home_of, note, plainly, print_json


@click.group("card")
@global_flags
def card() -> None:
    """List and show recall cards."""


def _library(context: click.Context) -> Any:
    from studynorm.content.library import load_library
    from studynorm.locate import content_root

    library = load_library(content_root() / "cards", home_of(context).decks)
    for error in library.errors:
        note(f"studynorm: {error}")
    for notice in library.notices:
        note(f"studynorm: {notice}")
    return library


@card.command("list", epilog="Example: studynorm card list --topic batchnorm")
@click.option("--topic", metavar="T", help="Only the deck with this id.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@global_flags
@click.pass_context
@plainly
def list_(context: click.Context, *, topic: str | None, as_json: bool) -> None:
    """List every card by its id."""
    from studynorm.study.plaintext import plain_text

    library = _library(context)
    decks = [deck for deck in library.decks if topic in {None, deck.id}]
    if not decks:
        raise Failed(f"there is no deck “{topic}”; there are {', '.join(deck.id for deck in library.decks)}")
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


@card.command("show", epilog="Example: studynorm card show batchnorm/forward-pass")
@click.argument("card_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@global_flags
@click.pass_context
@plainly
def show(context: click.Context, card_id: str, *, as_json: bool) -> None:
    """Show both sides of a card."""
    from studynorm.study.plaintext import plain_text

    found = _library(context).card(card_id if card_id.startswith("card:") else f"card:{card_id}")
    if found is None:
        raise click.UsageError(f"there is no card “{card_id}”; `studynorm card list` shows all")
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
    click.echo(plain_text(found.question(mark)))
    click.echo("-" * 20)
    click.echo(plain_text(found.answer(mark)))
    if found.why:
        click.echo("\n" + plain_text(f"Why: {found.why}"))
    if found.see:
        click.echo("\nsee " + " ".join(found.see))
