"""Decks on their way out of studynorm; each format is one module."""
