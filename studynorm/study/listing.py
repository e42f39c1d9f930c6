"""The list that Browse shows: all rows, the filter as it is typed, the order, and what comes of them."""

from collections.abc import Sequence

from studynorm.study.conditions import Filter, Known
from studynorm.study.filter import could_become, parse
from studynorm.study.items import ItemRow
from studynorm.study.ordering import Sort, ordered

_MOST_KNOWN = 100


class Listing:
    """`shown` are the rows that the filter lets through, in order.

    A term that only begins to be one filters nothing yet, and `hint` says how to go on. Where a text goes
    wrong otherwise, `amiss` is set, and `shown` stays what the last filter lets through.
    """

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.rows: Sequence[ItemRow] = ()
        self.shown: Sequence[ItemRow] = ()
        self.sort, self.reverse = Sort.ORDER, False
        self.hint, self.amiss = "", False
        self._filter = Filter()
        self._sorted: Sequence[ItemRow] = ()
        self._known: Known = {}

    @property
    def rising(self) -> bool:
        """Whether the smallest value comes first."""
        return self.sort.falls is self.reverse

    def take(self, rows: Sequence[ItemRow]) -> None:
        """Show these rows from here on, filtered and sorted as before."""
        self.rows = rows
        self._sorted = ordered(rows, self.sort, reverse=self.reverse)
        self._known.clear()
        self._select()

    def type(self, text: str) -> None:
        """Filter by a text."""
        self.text = text
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        self._select()

    def sort_by(self, sort: Sort) -> None:
        """Sort by something; by what it was sorted by already, the other way round."""
        self.reverse = not self.reverse if sort is self.sort else False
        self.sort = sort
        self.take(self.rows)

    def _select(self) -> None:
        found, self.hint, self.amiss = self._read(self.text)
        shown = found.select(self._sorted, self._known)
        if not shown and not self.hint and (may_be := could_become(self.text)):
            words = self.text.split()
            found, _, _ = self._read(" ".join(words[:-1]))
            self.hint, shown = f"… {may_be}", found.select(self._sorted, self._known)
        self._filter, self.shown = found, shown

    def _read(self, text: str) -> tuple[Filter, str, bool]:
        """Return the filter of a text without an unfinished end, what to say about it, and if it is amiss."""
        found = parse(text)
        if isinstance(found, Filter):
            return found, "", False
        if not found.unfinished:
            return self._filter, found.message, True
        begun, _, _ = self._read(text[: found.position].rstrip())
        return begun, found.message, False
