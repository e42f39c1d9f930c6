"""A past attempt as it was: from its stored row alone, so that it reads the same when its family is gone."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from studynorm.storage.attempts import StoredAttempt
from studynorm.storage.errors import StoreError
from studynorm.study.situation import Key

if TYPE_CHECKING:
    from studynorm.storage.store import Store


@dataclass(frozen=True, slots=True)
class ReplayedSlip:
    """A misconception as it stood then: the answer it led to, why it is wrong, and whether it was made."""

    id: str
    value: Any
    why: str
    distinguishable: bool
    made: bool


@dataclass(frozen=True, slots=True)
class Replay:
    """What was asked, what was right, what was typed and what was said to it.

    `truth` and the values of the slips are numbers, lists or, where an answer is picked, what would have
    been typed. `at` is in UTC; `confidence` is how sure the learner was before it, in per cent, None where
    that was not asked.
    """

    id: int
    kind: str
    family: str
    version: int
    level: int
    seed: int
    at: datetime
    prompt: str
    params: Mapping[str, Any]
    truth: Any
    typed: str
    verdict: str
    misconceptions: tuple[ReplayedSlip, ...]
    hints: int
    confidence: int | None = None

    @property
    def unjudged(self) -> bool:
        """Whether words were typed that were not judged; `truth` is then the model answer in Markdown."""
        return self.verdict == "unjudged"

    @property
    def key(self) -> Key:
        """The name of the variant, to draw it again."""
        return Key(self.family, self.level, self.seed)

    def change(self, version_now: int | None) -> str | None:
        """Say how the family differs now, given its version or None where it is gone; None if it does not."""
        if version_now is None:
            return f"The family {self.family} is no longer there; this is how it was."
        if version_now != self.version:
            return (
                f"The family {self.family} has changed since: it was version {self.version} and is "
                f"{version_now} now. This is how it was."
            )
        return None


def replays_of(store: "Store", limit: int, family: str | None = None) -> tuple[list[Replay], str | None]:
    """Return at most `limit` replays, of one family or of all, newest first, and what was left out of them.

    Raises StoreError where the profile cannot be read; a damaged row costs only itself.
    """
    found = list[Replay]()
    for stored in store.attempts(limit, family):
        try:
            found.append(replay_of(stored))
        except StoreError as damaged:
            store.skips.note("attempt", stored.id, stored.attempt.item, repr(damaged.__cause__))
    return found, store.skips.take()


def replay_of(stored: StoredAttempt) -> Replay:
    """Return the replay of a stored attempt. Raises StoreError where its row is no whole one."""
    attempt = stored.attempt
    made = set((attempt.misconception or "").split("+"))
    try:
        slips = tuple(
            ReplayedSlip(
                slip["id"], slip["value"], slip["why"], bool(slip["distinguishable"]), slip["id"] in made
            )
            for slip in json.loads(attempt.misconceptions)
        )
        params, truth = json.loads(attempt.params), json.loads(attempt.answer)
    except (KeyError, TypeError, ValueError) as missing:
        raise StoreError(f"attempt {stored.id} is damaged and cannot be shown ({missing!r})") from missing
    return Replay(
        id=stored.id,
        kind=stored.kind,
        family=attempt.family,
        version=attempt.version,
        level=attempt.level,
        seed=attempt.seed,
        at=datetime.fromtimestamp(attempt.at / 1000, UTC),
        prompt=attempt.prompt,
        params=params,
        truth=truth,
        typed=attempt.typed,
        verdict=attempt.verdict,
        misconceptions=slips,
        hints=attempt.hints,
        confidence=stored.confidence,
    )
