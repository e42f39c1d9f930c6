"""An interview question as lines on standard input and output; it works in any terminal and in a pipe.

`:hint` and `:quit` work at every prompt; the end of the input ends it without keeping anything.
"""

import re

from studynorm.plain_voice import Quit, Voice, counted
from studynorm.storage.errors import StoreError
from studynorm.study.interview import Interview

_COMMANDS = (":hint", ":quit")


def run_interview(interview: Interview, voice: Voice) -> int:
    """Ask one question and grade it with the learner; return the exit code."""
    question = interview.question
    try:
        voice.say("Question", question.ask)
        minutes = counted(question.minutes, "minute")
        voice.tell(f"An interviewer would give you {minutes}. Answer aloud, or type notes line by line.")
        _answer(voice, interview)
        voice.tell(f"\nThat took {_minutes(interview.seconds)}.")
        if interview.timed and interview.left < 0:
            voice.tell(f"It is {_minutes(-interview.left)} more than the time.")
        voice.tell("\nModel answer:")
        voice.read_out(question.answer)
        _grade(voice, interview)
        kept = interview.finish()
    except (Quit, KeyboardInterrupt) as end:
        voice.tell("\nNothing was kept.")
        return 130 if isinstance(end, KeyboardInterrupt) else 0
    except StoreError as refused:
        voice.tell(f"Not saved: {refused}", err=True)
        return 1
    voice.tell(f"Kept: {len(kept.made)} of {counted(len(question.points), 'point')}.")
    return 0


def _answer(voice: Voice, interview: Interview) -> None:
    notes: list[str] = []
    while True:
        line = voice.ask("Notes, or Enter for the model answer:", _COMMANDS)
        if line == ":hint":
            hint = interview.hint()
            voice.say("Hint", hint) if hint else voice.tell("There is no further hint.")
        elif line:
            notes.append(line)
        else:
            break
    interview.notes = "\n".join(notes)
    interview.show()


def _grade(voice: Voice, interview: Interview) -> None:
    points = interview.question.points
    voice.tell("\nPoints of a full answer:")
    for number, point in enumerate(points, 1):
        voice.read_out(f"{number}) {point}")
    while True:
        line = voice.ask("Which did you make? Numbers, or Enter for none:", _COMMANDS)
        if line == ":hint":
            voice.tell("There is nothing left to hint at.")
            continue
        chosen = [int(number) for number in re.findall(r"[0-9]{1,3}", line)]
        if re.fullmatch(r"[0-9,;. ]*", line) and all(1 <= number <= len(points) for number in chosen):
            for number in dict.fromkeys(chosen):
                interview.toggle(number - 1)
            return
        voice.tell(f"Type numbers from 1 to {len(points)}, such as 1 3.")


def _minutes(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02d}"
