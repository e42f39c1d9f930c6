"""The profile's own values: kept as JSON, apart from what belongs to others."""

import sqlite3
from pathlib import Path

import pytest

from studynorm.storage.store import Store


def test_a_value_is_kept_replaced_and_removed(store: Store) -> None:
    """Whatever JSON can hold comes back; without a value there is None."""
    assert store.values.get("plan") is None
    store.values.set("plan", {"per_day": 30, "over": None})
    store.values.set("other", [1, 2])
    assert store.values.get("plan") == {"per_day": 30, "over": None}
    store.values.set("plan", 7)
    assert (store.values.get("plan"), store.values.get("other")) == (7, [1, 2])
    assert store.values.remove("plan")
    assert not store.values.remove("plan")
    assert store.values.get("plan") is None


def test_replace_changes_only_what_is_still_there(store: Store) -> None:
    """As after a change by another program: the newer value stays."""
    assert not store.values.replace("plan", None, 1)
    store.values.set("plan", {"a": 1})
    assert not store.values.replace("plan", {"a": 2}, {"a": 3})
    assert store.values.get("plan") == {"a": 1}
    assert store.values.replace("plan", {"a": 1}, {"a": 3})
    assert store.values.get("plan") == {"a": 3}


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object()])
def test_what_is_no_json_is_refused_and_nothing_changes(store: Store, value: object) -> None:
    """NaN is none either."""
    store.values.set("plan", 1)
    with pytest.raises((TypeError, ValueError)):
        store.values.set("plan", value)
    assert store.values.get("plan") == 1


@pytest.mark.parametrize("key", ["salt", "weights"])
def test_keys_of_other_modules_cannot_be_touched(store: Store, key: str) -> None:
    """The salt of a profile is no JSON; losing it would change every variant."""
    for call in (
        lambda: store.values.get(key),
        lambda: store.values.set(key, 1),
        lambda: store.values.remove(key),
        lambda: store.values.replace(key, None, 1),
    ):
        with pytest.raises(ValueError, match=key):
            call()


@pytest.mark.parametrize("text", ["", "{", "nonsense", "[" * 5000])
def test_what_is_kept_as_something_else_is_none(store: Store, profile: Path, text: str) -> None:
    """A damaged value costs only itself, and can be overwritten."""
    with sqlite3.connect(profile) as connection:
        connection.execute("INSERT INTO profile (key, value) VALUES ('plan', ?)", (text,))
    connection.close()
    assert store.values.get("plan") is None
    store.values.set("plan", 2)
    assert store.values.get("plan") == 2
