"""A look at a profile for predictions: opened without the Store, and with the forgetting curve in use."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from studynorm.scheduling.forgetting import forgetting_curve
from studynorm.storage.backlog import BacklogGlance, backlog_glance

if TYPE_CHECKING:
    from studynorm.study.desk import Desk


@contextmanager
def looked_at(desk: "Desk") -> Iterator[BacklogGlance]:
    """Give a look at the profile of a desk; one of an older schema is brought up to date first.

    Raises StoreError where it cannot be read.
    """
    with backlog_glance(desk.path) as seen:
        if seen is not None:
            yield seen
            return
    desk.store  # noqa: B018  opening it upgrades it
    with backlog_glance(desk.path) as seen:
        assert seen is not None
        yield seen


def recall_of(seen: BacklogGlance) -> Callable[[float, int], float]:
    """Return what predicts recall from a stability and the days since the review, by the weights in use."""
    from studynorm.scheduling.scheduler import PUBLISHED

    return forgetting_curve(seen.weights() or PUBLISHED)
