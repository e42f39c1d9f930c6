"""The use cases: what a learner does, with neither screen nor database in sight."""
