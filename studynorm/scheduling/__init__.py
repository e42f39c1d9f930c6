"""When each item comes back: study days, memories, FSRS, fuzz and the queue; pure, no I/O and no clock."""
