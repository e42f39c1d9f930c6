"""Decks, cards and the text on them: read, checked and named by place. Knows no torch and no terminal."""
