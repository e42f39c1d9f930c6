"""The topics, which are deck files and problem folders alike."""

TOPICS = (
    "batchnorm",
    "running_stats",
    "statistics",
    "other_norms",
    "backward",
    "scale_invariance",
    "residual",
    "stream_scale",
    "transformer",
    "deployment",
    "code_reading",
    "concepts",
)
"""In learning order. A shipped deck that is not named here follows behind, by title."""
