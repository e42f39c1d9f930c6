"""Writes a profile anew as its log has it; the one it comes from stays as it is."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studynorm.storage.errors import StoreError
from studynorm.storage.salvage import salvage
from studynorm.storage.snapshot import BLANK, snapshot
from studynorm.study.doctor import Tell, proofs

if TYPE_CHECKING:
    from studynorm.study.desk import Desk


@dataclass(slots=True)
class Repair:
    """What a repair did: which reviews it left out, and how many rows and memories it put right."""

    path: Path
    dropped: list[tuple[str, int]]
    reviews: int = 0
    memories: int = 0
    without: int = 0
    notes: tuple[str, ...] = ()


def repair(desk: "Desk", target: Path, tell: Tell = lambda done, total: None) -> Repair:
    """Write a new profile in which everything follows from the log, and prove it.

    Rows that hold no whole review are left out; memories, results and totals are those of the replay. Raises
    StoreError; there is then no file.
    """
    done = Repair(target, [])
    with salvage(desk.path, target) as copy:
        with snapshot(copy.path) as shot:
            if shot is None:
                raise StoreError(f"{desk.path} holds no profile: there is nothing to repair.")
            for _, proof in proofs(shot, tell):
                mending = proof.mending
                copy.drop_reviews(mending.dropped)
                copy.put_right("review", mending.reviews)
                copy.put_right("event", mending.events)
                if mending.memory is not None:
                    copy.put_memory(proof.item, mending.memory)
                    done.memories += mending.memory != BLANK
                    done.without += mending.memory == BLANK
                done.dropped += [(str(proof.item), number) for number in mending.dropped]
                done.reviews += sum(bool(columns) for columns in mending.reviews.values())
        done.notes = copy.settle()
        with snapshot(copy.path) as shot:
            assert shot is not None
            left = [
                *shot.faults(),
                *(finding.message for _, proof in proofs(shot, tell) for finding in proof.findings),
            ]
        if left:
            raise StoreError(f"{desk.path} could not be made whole ({left[0]}); nothing was written.")
    return done
