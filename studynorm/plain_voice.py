"""How a session by lines speaks and listens: every word on its way out, and every line on its way in.

The end of the input and `:quit` raise `Quit`.
"""

import sys
from collections.abc import Sequence

import click

from studynorm.engine.grading import Verdict
from studynorm.engine.variant import Variant
from studynorm.study.plaintext import Maths, labelled, plain_line, plain_text, verdict_text
from studynorm.study.worked import plain_solution


class Quit(Exception):
    """The learner has had enough, or the input has ended."""


class Voice:
    """Writes formulas as `maths` says; with "ascii" everything else is 7-bit as well."""

    def __init__(self, maths: Maths = "unicode") -> None:
        self._maths: Maths = maths

    def tell(self, words: str = "", *, err: bool = False) -> None:
        """Write a line of the program's own words."""
        click.echo(plain_line(words, self._maths) if self._maths == "ascii" else words, err=err)

    def read_out(self, text: str) -> None:
        """Write Markdown with LaTeX as lines."""
        click.echo(plain_text(text, maths=self._maths))

    def say(self, name: str, text: str) -> None:
        """Say what kind of text follows, and the text; what is no paragraph begins on its own line."""
        click.echo(labelled(name, text, self._maths))

    def solution(self, variant: Variant) -> None:
        """Write the worked solution of a problem."""
        click.echo(plain_solution(variant, self._maths))

    def verdict(self, verdict: Verdict) -> None:
        """Write what is said to an answer."""
        click.echo(verdict_text(verdict, self._maths))

    def ask(self, question: str, commands: Sequence[str]) -> str:
        """Ask and return one line; a command that does not exist is named and asked again.

        One of `commands` that ends in ` N` takes a word behind it.
        """
        asked = plain_line(question, self._maths) if self._maths == "ascii" else question
        while True:
            # Where the input is no terminal, nobody's Enter ends the line.
            echoed = sys.stdin is not None and sys.stdin.isatty()
            click.echo(f"{asked} " if echoed else asked, nl=not echoed)
            sys.stdout.flush()
            line = sys.stdin.readline() if sys.stdin is not None else ""
            if not line or line.strip() in {":quit", ":q"}:
                raise Quit
            line = line.strip()
            if not line.startswith(":") or line in commands or f"{line.partition(' ')[0]} N" in commands:
                return line
            self.tell(f"There is no command {plain_text(line)}; there are {', '.join(commands)}.")


def counted(count: int, noun: str) -> str:
    """Return `1 answer`, `2 answers`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
