"""`studynorm card edit` and `new`: a card in the learner's own editor, and what came of it."""

from typing import Any

import click

from studynorm.commands.scope import (
    Failed,
    examples,
    global_flags,
    home_of,
    note,
    plainly,
    unknown,
)


def _folders(context: click.Context) -> Any:
    from studynorm.locate import content_root
    from studynorm.study.edit import DeckFolders

    return DeckFolders(content_root() / "cards", home_of(context).decks)


@click.command("edit", epilog=examples("card edit batchnorm/forward-pass"))
@click.argument("card_id", metavar="ID")
@global_flags
@click.pass_context
@plainly
def edit(context: click.Context, card_id: str) -> None:
    """Open a card in your editor (VISUAL or EDITOR), at its place.

    A shipped card is opened as a copy in your own decks folder, which stays only if you change it.
    """
    from studynorm.study.edit import CannotEdit, NoSuchCard, edit_card
    from studynorm.study.editor import open_editor

    folders = _folders(context)
    wanted = card_id.removeprefix("card:")
    try:
        edited = edit_card(f"card:{wanted}", folders, open_editor)
    except NoSuchCard:
        known = [f"{deck.id}/{card.id}" for deck in folders.library().decks for card in deck.cards]
        raise unknown("card", wanted, known, "`studynorm card list` shows all") from None
    except CannotEdit as refused:
        raise Failed(str(refused)) from None
    _tell(context, edited, f"{wanted}: unchanged")


@click.command("new", epilog=examples("card new my-deck", "card new my-deck --id eps --no-edit"))
@click.argument("deck", metavar="DECK")
@click.option("--id", "card_id", metavar="ID", help="The card's id [made of its question].")
@click.option("--no-edit", is_flag=True, help="Write the empty card and open no editor.")
@global_flags
@click.pass_context
@plainly
def new(context: click.Context, deck: str, *, card_id: str | None, no_edit: bool) -> None:
    """Add a card to a deck of your own, which is made if it is not there, and open your editor on it."""
    from studynorm.study.edit import CannotEdit, new_card
    from studynorm.study.editor import open_editor

    try:
        edited = new_card(deck, _folders(context), None if no_edit else open_editor, card_id)
    except CannotEdit as refused:
        raise Failed(str(refused)) from None
    if no_edit:
        click.echo(f"wrote {edited.place}")
        click.echo("Next: fill in `Q:` and `A:`; until then the card is not asked.")
        return
    _tell(context, edited, "nothing was written: the card was left empty")


def _tell(context: click.Context, edited: Any, unchanged: str) -> None:
    """Say what came of an edit; a card that is broken now, or an editor that failed, is exit code 1."""
    for line in (*edited.problems, *edited.notices):
        note(f"studynorm: {line}")
    if edited.changed:
        name = f" (card:{edited.card.deck_id}/{edited.card.id})" if edited.card else ""
        click.echo(f"edited {edited.place}{name}")
    elif not edited.problems:
        click.echo(unchanged)
    if edited.problems:
        context.exit(1)
