"""The first schema: memories, reviews, attempts, weights and the profile's own values."""

from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make every table and index."""
    op.create_table(
        "memory",
        sa.Column("item", sa.Text, primary_key=True),
        *_memory_columns(""),
        sa.CheckConstraint(
            "(state = 'review' AND step IS NULL AND due_at IS NULL AND due_day IS NOT NULL"
            " AND due_day >= last_day)"
            " OR (state IN ('learning', 'relearning') AND step IS NOT NULL AND step >= 0 AND due_day IS NULL"
            " AND due_at IS NOT NULL AND due_at >= last_at)",
            name="memory_state",
        ),
        sa.CheckConstraint("stability > 0 AND difficulty BETWEEN 1 AND 10", name="memory_numbers"),
        sa.CheckConstraint("reps >= 1 AND lapses BETWEEN 0 AND reps", name="memory_counts"),
    )
    op.create_index("memory_due_day", "memory", ["due_day", "item"])
    op.create_index("memory_due_at", "memory", ["due_at", "item"])
    op.create_table(
        "weights",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("values", sa.Text, nullable=False),
        sa.Column("created", sa.Integer, nullable=False),
        sa.UniqueConstraint("model", "values", name="weights_once"),
    )
    op.create_table(
        "review",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("item", sa.Text, nullable=False),
        sa.Column("at", sa.Integer, nullable=False),
        sa.Column("utc_offset", sa.Integer, nullable=False),
        sa.Column("day", sa.Integer, nullable=False),
        sa.Column("rating", sa.Integer, nullable=False),
        sa.Column("suggested", sa.Integer),
        sa.Column("duration_ms", sa.Integer, nullable=False),
        sa.Column("weights_id", sa.Integer, sa.ForeignKey("weights.id", name="review_weights")),
        *_memory_columns("before_", optional=True),
        *_memory_columns("after_"),
        sa.CheckConstraint(
            "rating BETWEEN 1 AND 4 AND (suggested IS NULL OR suggested BETWEEN 1 AND 4)",
            name="review_rating",
        ),
        sa.CheckConstraint("duration_ms >= 0", name="review_duration"),
        sa.CheckConstraint("(before_state IS NULL) = (before_reps IS NULL)", name="review_before"),
        sa.UniqueConstraint("item", "at", "after_reps", name="review_once"),
        sqlite_autoincrement=True,
    )
    op.create_index("review_day", "review", ["day"])
    op.create_table(
        "attempt",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column(
            "review_id", sa.Integer, sa.ForeignKey("review.id", name="attempt_review", ondelete="CASCADE")
        ),
        sa.Column("kind", sa.Text, nullable=False, server_default="review"),
        sa.Column("item", sa.Text, nullable=False),
        sa.Column("family", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("level", sa.Integer, nullable=False),
        sa.Column("seed", sa.Text, nullable=False),
        sa.Column("prompt", sa.Text, nullable=False),
        sa.Column("params", sa.Text, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("misconceptions", sa.Text, nullable=False),
        sa.Column("typed", sa.Text, nullable=False),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("misconception", sa.Text),
        sa.Column("hints", sa.Integer, nullable=False),
        sa.Column("revealed", sa.Integer, nullable=False),
        sa.Column("at", sa.Integer, nullable=False),
        sa.CheckConstraint(
            "(kind = 'review' AND review_id IS NOT NULL) OR kind = 'drill'", name="attempt_kind"
        ),
        sa.CheckConstraint("revealed IN (0, 1) AND hints >= 0", name="attempt_help"),
        sqlite_autoincrement=True,
    )
    op.create_index("attempt_review_id", "attempt", ["review_id"])
    op.create_index("attempt_item", "attempt", ["item", "id"])
    op.create_table(
        "profile",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )


def _memory_columns(prefix: str, *, optional: bool = False) -> Iterator[sa.Column[object]]:
    yield sa.Column(f"{prefix}state", sa.Text, nullable=optional)
    yield sa.Column(f"{prefix}step", sa.Integer)
    yield sa.Column(f"{prefix}stability", sa.Float, nullable=optional)
    yield sa.Column(f"{prefix}difficulty", sa.Float, nullable=optional)
    yield sa.Column(f"{prefix}due_at", sa.Integer)
    yield sa.Column(f"{prefix}due_day", sa.Integer)
    yield sa.Column(f"{prefix}last_at", sa.Integer, nullable=optional)
    yield sa.Column(f"{prefix}last_day", sa.Integer, nullable=optional)
    yield sa.Column(f"{prefix}reps", sa.Integer, nullable=optional)
    yield sa.Column(f"{prefix}lapses", sa.Integer, nullable=optional)
