"""Spaced repetition in the terminal for normalization layers and residual networks."""

__version__ = "0.1.0"
