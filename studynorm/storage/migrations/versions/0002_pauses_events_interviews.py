"""What is not asked and why, the wording a card had when it was last answered, events, and interviews."""

from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the four tables; nothing that was there is touched."""
    op.create_table(
        "pause",
        sa.Column("item", sa.Text, primary_key=True),
        sa.Column("suspended", sa.Integer, nullable=False),
        sa.Column("buried_day", sa.Integer),
        sa.CheckConstraint("suspended IN (0, 1)", name="pause_suspended"),
    )
    op.create_table(
        "wording",
        sa.Column("item", sa.Text, primary_key=True),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("at", sa.Integer, nullable=False),
    )
    op.create_table(
        "event",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("item", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("at", sa.Integer, nullable=False),
        sa.Column("utc_offset", sa.Integer, nullable=False),
        sa.Column("day", sa.Integer, nullable=False),
        *_memory_columns("before_"),
        sa.CheckConstraint(
            "kind IN ('suspend', 'resume', 'bury', 'unbury', 'forget', 'remember', 'reword')",
            name="event_kind",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("event_item", "event", ["item", "id"])
    op.create_index("review_item", "review", ["item", "id"])
    op.create_table(
        "interview",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("at", sa.Integer, nullable=False),
        sa.Column("utc_offset", sa.Integer, nullable=False),
        sa.Column("day", sa.Integer, nullable=False),
        sa.Column("seconds", sa.Integer, nullable=False),
        sa.Column("made", sa.Text, nullable=False),
        sa.Column("missed", sa.Text, nullable=False),
        sa.Column("notes", sa.Text, nullable=False),
        sa.CheckConstraint("seconds >= 0", name="interview_seconds"),
        sqlite_autoincrement=True,
    )
    op.create_index("interview_question", "interview", ["question", "id"])


def _memory_columns(prefix: str) -> Iterator[sa.Column[object]]:
    yield sa.Column(f"{prefix}state", sa.Text)
    yield sa.Column(f"{prefix}step", sa.Integer)
    yield sa.Column(f"{prefix}stability", sa.Float)
    yield sa.Column(f"{prefix}difficulty", sa.Float)
    for name in ("due_at", "due_day", "last_at", "last_day", "reps", "lapses"):
        yield sa.Column(prefix + name, sa.Integer)
