"""Where data lives and how it is kept: the home folder and one SQLite file per profile."""
