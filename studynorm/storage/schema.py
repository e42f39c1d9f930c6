"""What is fixed about a profile's file, known without SQLAlchemy."""

APPLICATION_ID = 0x736E726D
"""“snrm”, in the header of every profile."""

REVISIONS = ("0001", "0002", "0003")
"""The schema revisions, oldest first; the last one is what this program writes."""

TABLES = ("memory", "weights", "review", "attempt", "profile")
"""The tables that a profile of every revision has."""

_ADDED = {
    "0002": ("pause", "wording", "event", "interview"),
    "0003": ("rules", "day_total", "rest_day"),
}


def tables_of(revision: str) -> frozenset[str]:
    """Return the tables that a profile of a revision has."""
    until = REVISIONS.index(revision) + 1
    return frozenset(TABLES).union(*(_ADDED.get(one, ()) for one in REVISIONS[:until]))


MEMORY_FIELDS = (
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
"""The columns of a memory besides its item, in every table that holds one."""
