"""What a problem looks like: the prompt, then verdict, hints and worked solution below it."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from studynorm.content.visible import visible
from studynorm.engine.expression import Unreadable
from studynorm.engine.grading import Outcome, Verdict, read_answer
from studynorm.engine.variant import Variant
from studynorm.study.situation import ProblemPrompt
from studynorm.study.worked import number_text, worked_lines
from studynorm.tui.card_view import labelled
from studynorm.tui.markup_view import markup
from studynorm.tui.theme import Palette


def problem_question(prompt: ProblemPrompt, palette: Palette) -> RenderableType:
    """Return the question of a variant."""
    return markup(prompt.variant.prompt, palette)


def problem_below(prompt: ProblemPrompt, typed: str, palette: Palette) -> RenderableType | None:
    """Return everything under the question; None while there is nothing."""
    parts: list[RenderableType] = []
    if prompt.verdicts:
        parts.append(verdict_view(prompt.variant, prompt.verdicts[-1], typed, palette))
    for number, hint in enumerate(prompt.hints, 1):
        parts.append(labelled(f"Hint {number} of {len(prompt.variant.hints)}", hint, palette))
    if prompt.solution_shown:
        parts.append(solution_view(prompt.variant, palette))
    if (prompt.verdicts or prompt.solution_shown) and prompt.variant.verified is not None:
        parts.append(Text(f"verified  {prompt.variant.verified.line()}", palette.quiet))
    if not parts:
        return None
    spaced = [part for number, each in enumerate(parts) for part in ((Text(), each) if number else (each,))]
    return Group(*spaced)


def verdict_view(variant: Variant, verdict: Verdict, typed: str, palette: Palette) -> RenderableType:
    """Return the verdict: a sign and words, what was typed entry by entry, and the named slips."""
    right = verdict.outcome is Outcome.CORRECT
    lines: list[RenderableType] = [
        Text("✓ Right." if right else "✗ Not this.", f"bold {_colour(right, palette)}")
    ]
    marks = entry_marks(variant, verdict, typed)
    if marks:
        lines.append(Padding(_marks(marks, palette), (0, 0, 0, 2)))
    else:
        lines.append(Text(f"  {verdict.read_as.replace('-', '−')}", palette.ink))
    if right and variant.kind.name in ("number", "vector", "matrix"):
        lines.append(Text(f"  exactly {number_text(variant.answer, 8)}", palette.quiet))
    for slip in verdict.misconceptions:
        lines += [Text(), _slip(slip.id, slip.why, palette)]
    return Group(*lines)


def entry_marks(variant: Variant, verdict: Verdict, typed: str) -> tuple[tuple[str, str, bool], ...]:
    """Return label, text and rightness of each entry of an answer; empty for a single number."""
    if len(verdict.marks) < 2:
        return ()
    try:
        entries = read_answer(variant, typed).entries
    except Unreadable:
        return ()
    labels: Sequence[str] = getattr(variant.kind, "labels", ()) or [""] * len(entries)
    return tuple(
        (label, number_text(entry.value), right)
        for label, entry, right in zip(labels, entries, verdict.marks, strict=True)
    )


def solution_view(variant: Variant, palette: Palette) -> RenderableType:
    """Return the worked solution: each step with its formula, the numbers put in, and the value."""
    parts: list[RenderableType] = [Text("Worked solution", f"bold {palette.accent}")]
    for number, line in enumerate(worked_lines(variant), 1):
        step = Table.grid(padding=(0, 1, 0, 0))
        step.add_column(justify="right", no_wrap=True)
        step.add_column()
        words = Text(visible(line.text, keep_newlines=False), palette.quiet)
        step.add_row(Text(f"{number}", palette.quiet), words)
        head = f"{line.symbol} = "
        same = line.formula == line.value
        step.add_row("", Text(head + (line.value if same else line.formula), palette.ink))
        indent = " " * (len(head) - 2)
        if line.numbers:
            step.add_row("", Text(f"{indent}= {line.numbers}", palette.ink))
        if not same:
            step.add_row("", Text(f"{indent}= {line.value}", f"bold {palette.math}"))
        parts.append(step)
    answer = Text("Answer  ", palette.quiet)
    answer.append(number_text(variant.answer), f"bold {palette.good}")
    return Group(*parts, answer)


def _marks(marks: Sequence[tuple[str, str, bool]], palette: Palette) -> RenderableType:
    if any(label for label, _, _ in marks):
        grid = Table.grid(padding=(0, 2, 0, 0))
        for label, text, right in marks:
            grid.add_row(_mark(text, right, palette), Text(label, palette.quiet))
        return grid
    row = Text()
    for number, (_, text, right) in enumerate(marks):
        row.append("   " if number else "")
        row.append_text(_mark(text, right, palette))
    return row


def _mark(text: str, right: bool, palette: Palette) -> Text:
    mark = Text("✓ " if right else "✗ ", _colour(right, palette))
    return mark.append(text.replace(" ", "\u00a0"), palette.ink)


def _slip(name: str, why: str, palette: Palette) -> RenderableType:
    head = Text(name.replace("_", " "), f"bold {palette.hard}")
    return Group(head, Padding(markup(why, palette), (0, 0, 0, 2)))


def _colour(right: bool, palette: Palette) -> str:
    return palette.good if right else palette.again
