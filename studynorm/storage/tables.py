"""The tables of a profile for SQLAlchemy Core. The migrations make them; a test holds the two together."""

from collections.abc import Iterator

from sqlalchemy import (
    CheckConstraint,
    Column,
    Computed,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    text,
)
from sqlalchemy import UniqueConstraint as Unique

from studynorm.storage.schema import MEMORY_FIELDS
from studynorm.storage.setaside import DAMAGED

metadata = MetaData()

_KINDS = {"state": Text, "stability": Float, "difficulty": Float}
_OPTIONAL = ("step", "due_at", "due_day")
TOPIC = (  # of `card:<topic>/…` and `family:<topic>.…`
    "substr(item, instr(item, ':') + 1, instr(substr(item, instr(item, ':') + 1),"
    " CASE substr(item, 1, 7) WHEN 'family:' THEN '.' ELSE '/' END) - 1)"
)
TOTALS = ("answers", "passed", "fresh", "asked", "recalled", "asked_mature", "recalled_mature", "duration_ms")
"""What `day_total` adds up; `asked` counts memories in Review that were tested, on a later study day."""


def _memory_columns(prefix: str, *, optional: bool = False) -> Iterator[Column[object]]:
    for name in MEMORY_FIELDS:
        kind = _KINDS.get(name, Integer)
        yield Column(f"{prefix}{name}", kind, nullable=optional or name in _OPTIONAL)


memory = Table(
    "memory",
    metadata,
    Column("item", Text, primary_key=True),
    *_memory_columns(""),
    Column("topic", Text, Computed(TOPIC, persisted=False)),
    CheckConstraint(
        "(state = 'review' AND step IS NULL AND due_at IS NULL AND due_day IS NOT NULL"
        " AND due_day >= last_day)"
        " OR (state IN ('learning', 'relearning') AND step IS NOT NULL AND step >= 0 AND due_day IS NULL"
        " AND due_at IS NOT NULL AND due_at >= last_at)",
        name="memory_state",
    ),
    CheckConstraint("stability > 0 AND difficulty BETWEEN 1 AND 10", name="memory_numbers"),
    CheckConstraint("reps >= 1 AND lapses BETWEEN 0 AND reps", name="memory_counts"),
    Index("memory_due_day", "due_day", "item"),
    Index("memory_due_at", "due_at", "item"),
    Index("memory_topic", "topic", "state", text("stability >= 21"), "stability", "last_day"),
    Index("memory_damaged", "item", sqlite_where=text(DAMAGED)),
)

weights = Table(
    "weights",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("model", Text, nullable=False),
    Column("values", Text, nullable=False),  # JSON list of numbers
    Column("created", Integer, nullable=False),  # UTC milliseconds
    Column("origin", Text),  # JSON: how they were found; NULL for the published ones
    Unique("model", "values", name="weights_once"),
)

rules = Table(
    "rules",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("values", Text, nullable=False, unique=True),  # JSON object: see `Settings.rules`
)

review = Table(
    "review",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("item", Text, nullable=False),
    Column("at", Integer, nullable=False),
    Column("utc_offset", Integer, nullable=False),
    Column("day", Integer, nullable=False),
    Column("rating", Integer, nullable=False),
    Column("suggested", Integer),
    Column("duration_ms", Integer, nullable=False),
    Column("weights_id", Integer, ForeignKey("weights.id", name="review_weights")),
    *_memory_columns("before_", optional=True),
    *_memory_columns("after_"),
    Column("rules_id", Integer, ForeignKey("rules.id")),
    Column("confidence", Integer, CheckConstraint("confidence BETWEEN 0 AND 100")),
    Column("wording", Text),  # the fingerprint of the card's words that were asked
    Column("before_wording", Text),
    Column("before_wording_at", Integer),
    CheckConstraint(
        "rating BETWEEN 1 AND 4 AND (suggested IS NULL OR suggested BETWEEN 1 AND 4)", name="review_rating"
    ),
    CheckConstraint("duration_ms >= 0", name="review_duration"),
    CheckConstraint("(before_state IS NULL) = (before_reps IS NULL)", name="review_before"),
    Unique("item", "at", "after_reps", name="review_once"),
    Index("review_day", "day"),
    Index("review_item", "item", "id"),
    sqlite_autoincrement=True,
)

attempt = Table(
    "attempt",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("review_id", Integer, ForeignKey("review.id", name="attempt_review", ondelete="CASCADE")),
    Column("kind", Text, nullable=False, server_default="review"),
    Column("item", Text, nullable=False),
    Column("family", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("level", Integer, nullable=False),
    Column("seed", Text, nullable=False),  # decimal: a seed may be longer than 64 bits
    Column("prompt", Text, nullable=False),
    Column("params", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("misconceptions", Text, nullable=False),
    Column("typed", Text, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("misconception", Text),
    Column("hints", Integer, nullable=False),
    Column("revealed", Integer, nullable=False),
    Column("at", Integer, nullable=False),
    CheckConstraint("(kind = 'review' AND review_id IS NOT NULL) OR kind = 'drill'", name="attempt_kind"),
    CheckConstraint("revealed IN (0, 1) AND hints >= 0", name="attempt_help"),
    Index("attempt_review_id", "review_id"),
    Index("attempt_item", "item", "id"),
    Index("attempt_at", "at"),
    sqlite_autoincrement=True,
)

profile = Table(
    "profile",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

pause = Table(
    "pause",
    metadata,
    Column("item", Text, primary_key=True),
    Column("suspended", Integer, nullable=False),
    Column("buried_day", Integer),
    CheckConstraint("suspended IN (0, 1)", name="pause_suspended"),
)

wording = Table(
    "wording",
    metadata,
    Column("item", Text, primary_key=True),
    Column("fingerprint", Text, nullable=False),
    Column("at", Integer, nullable=False),
)

event = Table(
    "event",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("item", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("at", Integer, nullable=False),
    Column("utc_offset", Integer, nullable=False),
    Column("day", Integer, nullable=False),
    *_memory_columns("before_", optional=True),
    Column("due_day", Integer),  # that was set by hand
    CheckConstraint(
        "kind IN ('suspend', 'resume', 'bury', 'unbury', 'forget', 'remember', 'reword', 'set_due',"
        " 'unset_due')",
        name="event_kind",
    ),
    Index("event_item", "item", "id"),
    sqlite_autoincrement=True,
)

interview = Table(
    "interview",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("question", Text, nullable=False),
    Column("at", Integer, nullable=False),
    Column("utc_offset", Integer, nullable=False),
    Column("day", Integer, nullable=False),
    Column("seconds", Integer, nullable=False),
    Column("made", Text, nullable=False),  # JSON list of the points that were made
    Column("missed", Text, nullable=False),  # JSON list of those that were not
    Column("notes", Text, nullable=False),
    CheckConstraint("seconds >= 0", name="interview_seconds"),
    Index("interview_question", "question", "id"),
    sqlite_autoincrement=True,
)

# Kept by triggers on `review`, which the migrations make.
day_total = Table(
    "day_total",
    metadata,
    Column("day", Integer, primary_key=True),
    Column("topic", Text, primary_key=True),
    *(Column(name, Integer, nullable=False) for name in TOTALS),
)

# Study days without a review on which nothing was due.
rest_day = Table("rest_day", metadata, Column("day", Integer, primary_key=True))
