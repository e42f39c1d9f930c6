"""The profile's own values: small things that belong to the learner's progress and to no item, as JSON."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select

from studynorm.storage import tables as t
from studynorm.storage.connect import READ, WRITE

_OTHERS = frozenset({"salt", "weights"})
"""Keys of the same table that are no JSON and belong to other modules."""


class Values:
    """The values by their keys. Every method may raise a StoreError; nothing has then changed."""

    def __init__(self, transaction: Callable[[str], AbstractContextManager[Connection]]) -> None:
        self._transaction = transaction

    def get(self, key: str) -> Any:
        """Return a value; None where there is none, or what is kept there is no JSON."""
        _check(key)
        with self._transaction(READ) as connection:
            return _decoded(_text(connection, key))

    def set(self, key: str, value: Any) -> None:
        """Keep a JSON value in place of the one before. Raises TypeError or ValueError for what is none."""
        text = _encoded(key, value)
        with self._transaction(WRITE) as connection:
            connection.execute(_GONE, {"named": key})
            connection.execute(t.profile.insert().values(key=key, value=text))

    def replace(self, key: str, before: Any, value: Any) -> bool:
        """Keep a JSON value if the present one equals `before`; tell whether it did."""
        text = _encoded(key, value)
        with self._transaction(WRITE) as connection:
            present = _text(connection, key)
            if present is None or _decoded(present) != before:
                return False
            connection.execute(t.profile.update().where(t.profile.c.key == key).values(value=text))
            return True

    def remove(self, key: str) -> bool:
        """Take a value away; tell whether there was one."""
        _check(key)
        with self._transaction(WRITE) as connection:
            return connection.execute(_GONE, {"named": key}).rowcount > 0


_VALUE = select(t.profile.c.value).where(t.profile.c.key == bindparam("named"))
_GONE = delete(t.profile).where(t.profile.c.key == bindparam("named"))


def _text(connection: Connection, key: str) -> str | None:
    found: str | None = connection.scalar(_VALUE, {"named": key})
    return found


def _decoded(text: str | None) -> Any:
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return None


def _encoded(key: str, value: Any) -> str:
    _check(key)
    return json.dumps(value, sort_keys=True, allow_nan=False)


def _check(key: str) -> None:
    if key in _OTHERS:
        raise ValueError(f"{key!r} is not kept as JSON and belongs to another module")
