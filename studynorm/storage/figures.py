"""The figures of a profile that is not open: read without a trace, as a glance does."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from sqlalchemy import Connection, StaticPool, create_engine

from studynorm.storage.connect import transaction, translated
from studynorm.storage.peek import opened
from studynorm.storage.schema import REVISIONS
from studynorm.storage.statistics import Statistics


@contextmanager
def figures(path: Path) -> Iterator[Statistics | None]:
    """Give the figures of a profile; None where it is of an older schema and must be opened first.

    Of one that does not exist all are empty. Raises what opening it would raise; changes nothing, not even
    beside the file.
    """
    with translated(path), opened(path, REVISIONS) as (driver, revision):
        if driver is None:
            yield Statistics(None)
            return
        if revision != REVISIONS[-1]:
            yield None
            return
        engine = create_engine("sqlite://", creator=lambda: driver, poolclass=StaticPool)
        with engine.connect() as connection:

            def begin(how: str) -> AbstractContextManager[Connection]:
                return transaction(connection, how)

            yield Statistics(begin)
