"""From which memory the next answer to an item goes on: the stored one, unless the weights changed since."""

from studynorm.scheduling.memory import Memory
from studynorm.scheduling.scheduler import PUBLISHED, Scheduler
from studynorm.storage.store import Store


def basis_of(store: Store, scheduler: Scheduler, memory: Memory | None) -> Memory | None:
    """Return the memory that the scheduler goes on from.

    Where the newest answer was computed with other weights, stability and difficulty are worked out from all
    answers since the item was new, as FSRS would have had them with the weights of now.
    """
    if memory is None:
        return None
    answers, weights = store.ledger.answers(memory.item)
    if not answers or (weights or PUBLISHED) == scheduler.weights:
        return memory
    return scheduler.retraced(memory, answers)
