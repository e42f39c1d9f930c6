"""An interview question as lines on standard input and output; it works in any terminal and in a pipe.

`:hint` and `:quit` work at every prompt; the end of the input ends it without keeping anything.
"""

import re

import click

from studynorm.plain_problem import Quit, ask, counted, say
from studynorm.storage.errors import StoreError
from studynorm.study.interview import Interview
from studynorm.study.plaintext import plain_text

_COMMANDS = (":hint", ":quit")


def run_interview(interview: Interview) -> int:
    """Ask one question and grade it with the learner; return the exit code."""
    question = interview.question
    try:
        say("Question", question.ask)
        minutes = counted(question.minutes, "minute")
        click.echo(f"An interviewer would give you {minutes}. Answer aloud, or type notes line by line.")
        _answer(interview)
        click.echo(f"\nThat took {_minutes(interview.seconds)}.")
        if interview.timed and interview.left < 0:
            click.echo(f"It is {_minutes(-interview.left)} more than the time.")
        click.echo("\nModel answer:")
        click.echo(plain_text(question.answer))
        _grade(interview)
        kept = interview.finish()
    except (Quit, KeyboardInterrupt) as end:
        click.echo("\nNothing was kept.")
        return 130 if isinstance(end, KeyboardInterrupt) else 0
    except StoreError as refused:
        click.echo(f"Not saved: {refused}", err=True)
        return 1
    click.echo(f"Kept: {len(kept.made)} of {counted(len(question.points), 'point')}.")
    return 0


def _answer(interview: Interview) -> None:
    notes: list[str] = []
    while True:
        line = ask("Notes, or Enter for the model answer:", _COMMANDS)
        if line == ":hint":
            hint = interview.hint()
            say("Hint", hint) if hint else click.echo("There is no further hint.")
        elif line:
            notes.append(line)
        else:
            break
    interview.notes = "\n".join(notes)
    interview.show()


def _grade(interview: Interview) -> None:
    points = interview.question.points
    click.echo("\nPoints of a full answer:")
    for number, point in enumerate(points, 1):
        click.echo(plain_text(f"{number}) {point}"))
    while True:
        line = ask("Which did you make? Numbers, or Enter for none:", _COMMANDS)
        if line == ":hint":
            click.echo("There is nothing left to hint at.")
            continue
        chosen = [int(number) for number in re.findall(r"[0-9]{1,3}", line)]
        if re.fullmatch(r"[0-9,;. ]*", line) and all(1 <= number <= len(points) for number in chosen):
            for number in dict.fromkeys(chosen):
                interview.toggle(number - 1)
            return
        click.echo(f"Type numbers from 1 to {len(points)}, such as 1 3.")


def _minutes(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02d}"
