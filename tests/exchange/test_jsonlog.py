"""Everything a profile holds as JSON: complete, true to the last value, and small in memory."""

import io
import json
import sqlite3
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.agreement import random_log, store_log
from studynorm.exchange.jsonlog import PARTS, write_json
from studynorm.exchange.target import ExportRefused, fresh
from studynorm.scheduling.scheduler import Scheduler
from studynorm.storage.snapshot import snapshot
from studynorm.storage.tables import metadata
from tests.study.lived import lived

DERIVED = {"day_total", "profile"}
"""Tables without a list of their own: totals follow from the log, and the profile's values stand in front."""


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile in which everything has happened."""
    path = tmp_path_factory.mktemp("lived") / "profile.sqlite"
    lived(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "INSERT INTO attempt (review_id, item, family, version, level, seed, prompt, params, answer,"
            " misconceptions, typed, verdict, hints, revealed, at) SELECT id, item, 'batchnorm.entry', 1, 2,"
            " '18446744073709551617', 'What is $x$? “é”', '{\"x\": [0.5, 2]}', '[1.5]', '[]', '3/2',"
            " 'correct', 1, 0, at FROM review WHERE item LIKE 'family:%' LIMIT 1"
        )
        connection.execute(
            "INSERT INTO interview (question, at, utc_offset, day, seconds, made, missed, notes)"
            " VALUES ('why', 5, 60, 739677, 90, '[\"a point\"]', '[]', 'a note')"
        )
        connection.execute("INSERT INTO rest_day VALUES (739690)")
        connection.commit()
    return path


def exported(path: Path) -> Any:
    """Return the object that an export writes."""
    out = io.StringIO()
    with snapshot(path) as shot:
        assert shot is not None
        write_json(shot, out)
    return json.loads(out.getvalue())


def rows(path: Path, table: str) -> Iterator[sqlite3.Row]:
    """Yield the rows of a table as SQLite has them."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        yield from connection.execute(f"SELECT * FROM {table}").fetchall()


def test_every_table_is_there_or_follows_from_others() -> None:
    """A table that is added to a profile is added here too."""
    tables = {table for table, _ in PARTS.values()}
    assert tables | DERIVED == {table.name for table in metadata.sorted_tables}


def test_every_row_and_every_column_is_there(profile: Path) -> None:
    """Nested memories and parsed JSON aside, an exported row is the stored one."""
    whole = exported(profile)
    assert whole["schema"] == 1
    assert whole["profile"] == {row["key"]: row["value"] for row in rows(profile, "profile")}
    for part, (table, _) in PARTS.items():
        stored = [dict(row) for row in rows(profile, table)]
        assert stored, f"nothing proves {part}"
        assert len(whole[part]) == len(stored)
        key = next(iter(stored[0]))
        by_key = {row[key]: row for row in stored}
        for row in whole[part]:
            assert flat(row) == by_key[row[key]], part


def flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return an exported row with the columns of its table."""
    columns: dict[str, Any] = {}
    for name, value in row.items():
        if name in ("before", "after"):
            fields = row["after"] or row["before"] if "after" in row else row["before"]
            names = fields or dict.fromkeys(MEMORY)
            columns |= {f"{name}_{field}": None if value is None else value[field] for field in names}
        elif isinstance(value, dict | list):
            columns[name] = json.dumps(value, sort_keys="fuzz" in value)
        else:
            columns[name] = value
    if "state" in columns:
        columns["topic"] = columns["item"].partition(":")[2].partition("/")[0].partition(".")[0]
    return columns


MEMORY = (
    "state",
    "step",
    "stability",
    "difficulty",
    "due_at",
    "due_day",
    "last_at",
    "last_day",
    "reps",
    "lapses",
)


def test_the_same_profile_gives_the_same_text(profile: Path) -> None:
    """Neither the time nor the order of a dictionary is in it."""
    texts = set()
    for _ in range(2):
        out = io.StringIO()
        with snapshot(profile) as shot:
            assert shot is not None
            write_json(shot, out)
        texts.add(out.getvalue())
    assert len(texts) == 1


def test_a_damaged_row_is_exported_as_it_lies_there(profile: Path, tmp_path: Path) -> None:
    """Bytes, infinities and texts that are no UTF-8 leave the rest readable, and JSON stays JSON."""
    spoilt = tmp_path / "spoilt.sqlite"
    spoilt.write_bytes(profile.read_bytes())
    with closing(sqlite3.connect(spoilt)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("UPDATE review SET after_stability = 9e999, day = x'ff00' WHERE id = 1")
        connection.execute("UPDATE review SET item = CAST(x'63ff' AS TEXT), rating = 'good' WHERE id = 2")
        connection.execute("UPDATE weights SET \"values\" = '[1, 2' WHERE id = 1")
        connection.commit()
    target = tmp_path / "all.json"
    with snapshot(spoilt) as shot, fresh(target) as out:
        assert shot is not None
        written = write_json(shot, out)
    whole = json.loads(target.read_text(encoding="utf-8"))
    first, second = whole["reviews"][:2]
    assert (first["after"]["stability"], first["day"]) == ("inf", "\\xff\x00")
    assert (second["item"], second["rating"]) == ("c\udcff", "good")
    assert whole["weights"][0]["values"] == "[1, 2"
    assert len(whole["reviews"]) == written["reviews"]


def test_an_empty_profile_is_an_object_with_empty_lists(tmp_path: Path) -> None:
    """Its salt is there already."""
    from studynorm.storage.store import Store

    Store.open(tmp_path / "new.sqlite").close()
    whole = exported(tmp_path / "new.sqlite")
    assert [part for part in PARTS if whole[part]] == []
    assert set(whole["profile"]) == {"salt"}


def test_a_long_log_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    """Twice the reviews take twice the file and no more memory."""
    peaks, sizes = [], []
    for histories in (150, 600):
        profile = tmp_path / f"{histories}.sqlite"
        scheduler = Scheduler()
        store_log(profile, list(random_log(histories, scheduler, Random(3))), scheduler)
        target = tmp_path / f"{histories}.json"
        tracemalloc.start()
        with snapshot(profile) as shot, fresh(target) as out:
            assert shot is not None
            write_json(shot, out)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        sizes.append(target.stat().st_size)
    assert sizes[1] > 3 * sizes[0] > 500_000
    assert peaks[1] < 1.5 * peaks[0] + 100_000


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    """What fails half-way leaves neither a file nor a rest of one; an old file stays."""
    target = tmp_path / "all.json"

    def half(force: bool) -> None:
        with fresh(target, force=force) as out:
            out.write("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half(force=False)
    assert list(tmp_path.iterdir()) == []
    target.write_text("before", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        half(force=True)
    assert [file.name for file in tmp_path.iterdir()] == ["all.json"]
    assert target.read_text(encoding="utf-8") == "before"


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_what_came_meanwhile_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    """Another program may take the name while this one writes, also on a file system without hard links."""
    target = tmp_path / "all.json"

    def refuse(source: Path, name: Path) -> None:
        raise OSError("no links here")

    if not links:
        monkeypatch.setattr("os.link", refuse)

    def write(meanwhile: str | None) -> None:
        with fresh(target) as out:
            out.write("ours")
            if meanwhile is not None:
                target.write_text(meanwhile, encoding="utf-8")

    with pytest.raises(ExportRefused, match="exists"):
        write("theirs")
    assert target.read_text(encoding="utf-8") == "theirs"
    assert len(list(tmp_path.iterdir())) == 1
    target.unlink()
    write(None)
    assert target.read_text(encoding="utf-8") == "ours"
