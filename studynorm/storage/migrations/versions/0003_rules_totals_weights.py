"""What a review was computed with, what a study day came to, and due days that were set by hand."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

# Which deck or folder an item's id names: `card:<topic>/…`, `family:<topic>.…`.
_TOPIC = (
    "substr({item}, instr({item}, ':') + 1,"
    " instr(substr({item}, instr({item}, ':') + 1),"
    " CASE substr({item}, 1, 7) WHEN 'family:' THEN '.' ELSE '/' END) - 1)"
)
_TOTALS = (
    "answers",
    "passed",
    "fresh",
    "asked",
    "recalled",
    "asked_mature",
    "recalled_mature",
    "duration_ms",
)
_ADDED = (
    "1",
    "{row}.rating > 1",
    "{row}.before_state IS NULL",
    "coalesce({asked}, 0)",
    "coalesce({asked} AND {row}.rating > 1, 0)",
    "coalesce({asked} AND {row}.before_stability >= 21, 0)",
    "coalesce({asked} AND {row}.before_stability >= 21 AND {row}.rating > 1, 0)",
    "{row}.duration_ms",
)

_FIRST_AT, _LAST_AT, _LAST_DAY = -62_135_596_800_000, 253_402_300_799_999, 3_652_059
_WHOLE = (
    "typeof(item) = 'text' AND item <> ''"
    " AND typeof(stability) = 'real' AND stability > 0 AND stability < 9e999"
    " AND typeof(difficulty) = 'real' AND difficulty BETWEEN 1 AND 10"
    f" AND typeof(last_at) = 'integer' AND last_at BETWEEN {_FIRST_AT} AND {_LAST_AT}"
    f" AND typeof(last_day) = 'integer' AND last_day BETWEEN 1 AND {_LAST_DAY}"
    " AND typeof(reps) = 'integer' AND reps >= 1"
    " AND typeof(lapses) = 'integer' AND lapses BETWEEN 0 AND reps"
    " AND (state = 'review' AND step IS NULL AND due_at IS NULL"
    f" AND typeof(due_day) = 'integer' AND due_day BETWEEN last_day AND {_LAST_DAY}"
    " OR state IN ('learning', 'relearning') AND typeof(step) = 'integer' AND step >= 0 AND due_day IS NULL"
    f" AND typeof(due_at) = 'integer' AND due_at BETWEEN last_at AND {_LAST_AT})"
)


def upgrade() -> None:
    """Add columns, tables, indexes and triggers; every row that was there keeps its values."""
    op.create_table(
        "rules",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("values", sa.Text, nullable=False, unique=True),
    )
    for column in (
        "rules_id INTEGER REFERENCES rules (id)",
        "confidence INTEGER CHECK (confidence BETWEEN 0 AND 100)",
        "wording TEXT",
        "before_wording TEXT",
        "before_wording_at INTEGER",
    ):
        op.execute(f"ALTER TABLE review ADD COLUMN {column}")
    op.execute("ALTER TABLE weights ADD COLUMN origin TEXT")
    topic = _TOPIC.format(item="item")
    op.execute(f"ALTER TABLE memory ADD COLUMN topic TEXT GENERATED ALWAYS AS ({topic}) VIRTUAL")
    op.execute("CREATE INDEX memory_topic ON memory (topic, state, stability >= 21, stability, last_day)")
    op.execute(f"CREATE INDEX memory_damaged ON memory (item) WHERE ({_WHOLE}) IS NOT TRUE")
    op.create_index("attempt_at", "attempt", ["at"])
    _events()
    op.create_table(
        "day_total",
        sa.Column("day", sa.Integer, primary_key=True),
        sa.Column("topic", sa.Text, primary_key=True),
        *(sa.Column(name, sa.Integer, nullable=False) for name in _TOTALS),
    )
    op.create_table("rest_day", sa.Column("day", sa.Integer, primary_key=True))
    _totals()


def _events() -> None:
    """Make the table of events anew: SQLite cannot change what a column may hold."""
    op.execute("ALTER TABLE event RENAME TO event_before")
    op.execute("DROP INDEX event_item")
    op.create_table(
        "event",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("item", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("at", sa.Integer, nullable=False),
        sa.Column("utc_offset", sa.Integer, nullable=False),
        sa.Column("day", sa.Integer, nullable=False),
        sa.Column("before_state", sa.Text),
        sa.Column("before_step", sa.Integer),
        sa.Column("before_stability", sa.Float),
        sa.Column("before_difficulty", sa.Float),
        *(
            sa.Column(f"before_{name}", sa.Integer)
            for name in ("due_at", "due_day", "last_at", "last_day", "reps", "lapses")
        ),
        sa.Column("due_day", sa.Integer),
        sa.CheckConstraint(
            "kind IN ('suspend', 'resume', 'bury', 'unbury', 'forget', 'remember', 'reword', 'set_due',"
            " 'unset_due')",
            name="event_kind",
        ),
        sqlite_autoincrement=True,
    )
    op.execute("INSERT INTO event SELECT *, NULL FROM event_before ORDER BY id")
    op.execute("DROP TABLE event_before")
    op.create_index("event_item", "event", ["item", "id"])
    # An undo lets ids go on from the largest that is left; so that it finds them as it leaves them:
    for table in ("review", "attempt", "event"):
        largest = f"(SELECT max(id) FROM {table})"
        op.execute(f"UPDATE sqlite_sequence SET seq = {largest} WHERE name = '{table}' AND seq > {largest}")
        op.execute(f"DELETE FROM sqlite_sequence WHERE name = '{table}' AND {largest} IS NULL")


def _totals() -> None:
    """Let SQLite itself keep the totals, so that no way of writing a review can leave them behind."""
    names = ", ".join(_TOTALS)
    op.execute(
        f"INSERT INTO day_total (day, topic, {names})"
        f" SELECT day, {_TOPIC.format(item='item')}, "
        + ", ".join(f"sum({added})" for added in _added("review"))
        + " FROM review GROUP BY 1, 2"
    )
    for name, change, row, sign in (
        ("review_added", "INSERT", "new", "+"),
        ("review_removed", "DELETE", "old", "-"),
    ):
        topic = _TOPIC.format(item=f"{row}.item")
        sums = ", ".join(
            f"{total} = {total} {sign} ({added})" for total, added in zip(_TOTALS, _added(row), strict=True)
        )
        first = (
            ""
            if sign == "-"
            else (f"INSERT OR IGNORE INTO day_total VALUES ({row}.day, {topic}{', 0' * len(_TOTALS)});")
        )
        last = (
            ""
            if sign == "+"
            else (f"DELETE FROM day_total WHERE day = {row}.day AND topic = {topic} AND answers = 0;")
        )
        op.execute(
            f"CREATE TRIGGER {name} AFTER {change} ON review BEGIN {first}"
            f" UPDATE day_total SET {sums} WHERE day = {row}.day AND topic = {topic}; {last} END"
        )


def _added(row: str) -> list[str]:
    """Return what one review adds to each total; `asked` tells whether a memory in Review was tested."""
    asked = f"({row}.before_state = 'review' AND {row}.day > {row}.before_last_day)"
    return [added.format(row=row, asked=asked) for added in _ADDED]
