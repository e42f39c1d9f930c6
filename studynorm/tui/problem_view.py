"""What a problem looks like: the prompt, then verdict, hints and worked solution below it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from studynorm.content.visible import visible
from studynorm.engine.answer import Integers, Matrix
from studynorm.engine.grading import Outcome, Verdict, read_answer
from studynorm.engine.value import Unreadable
from studynorm.engine.variant import Variant
from studynorm.study.offers import Offer
from studynorm.study.situation import ProblemPrompt
from studynorm.study.worked import RUBRIC, WorkedLine, answer_text, number_text, worked_lines
from studynorm.tui.card_view import labelled
from studynorm.tui.flow import Flow
from studynorm.tui.markup_view import markup, markup_line
from studynorm.tui.sheet import sheet_of
from studynorm.tui.theme import Palette


def problem_question(prompt: ProblemPrompt, palette: Palette) -> RenderableType:
    """Return the question of a variant."""
    variant = prompt.variant
    return markup(variant.question if sheet_of(variant) is None else variant.prompt, palette)


def problem_parts(prompt: ProblemPrompt, typed: str, palette: Palette) -> dict[str, RenderableType]:
    """Return what stands under the question: `verdict`, `hints` and `solution`, those that there are."""
    variant, parts = prompt.variant, dict[str, RenderableType]()
    verified = [] if variant.verification is None else [_verified(variant.verification, palette)]
    if prompt.verdicts:
        parts["verdict"] = Group(verdict_view(variant, prompt.verdicts[-1], typed, palette), *verified)
    if prompt.hints:
        parts["hints"] = Group(
            *(
                labelled(f"Hint {number} of {len(variant.ladder)}", hint, palette)
                for number, hint in enumerate(prompt.hints, 1)
            )
        )
    if prompt.solution_shown:
        seen = [] if prompt.verdicts else verified
        parts["solution"] = Group(solution_view(variant, palette), *seen)
    return parts


def more_view(found: Sequence[Offer], copies: bool, palette: Palette) -> RenderableType | None:
    """Return the quiet lines on what else there is, each with its key; None where there is nothing."""
    lines, key = list[Text](), f"bold {palette.accent}"
    if found:
        lines.append(Text().append("o", key).append(f" turns to {_offered(found)}", palette.quiet))
    if copies:
        line = Text().append("c", key).append(" copies the PyTorch program, ", palette.quiet)
        lines.append(line.append("p", key).append(" shows it", palette.quiet))
    return Group(*lines) if lines else None


def _offered(found: Sequence[Offer]) -> str:
    """Return what is on offer in a few words: `the card statistics/axes, the same at level 1`."""
    cards = [offer.id.removeprefix("card:") for offer in found if offer.kind == "card"]
    words = [f"the card {cards[0]}" if len(cards) == 1 else f"{len(cards)} cards"] if cards else []
    words += [offer.text for offer in found if offer.kind == "twin"]
    if any(offer.kind == "basis" for offer in found):
        words.append("what this builds on")
    return ", ".join(words)


def verdict_view(variant: Variant, verdict: Verdict, typed: str, palette: Palette) -> RenderableType:
    """Return the verdict: a sign and words, what was typed entry by entry, and the named slips.

    Words that are not judged are shown as they were typed.
    """
    if verdict.outcome is Outcome.UNJUDGED:
        words = Text(visible(typed, keep_newlines=False), palette.ink)
        return Group(
            Text("Your words", f"bold {palette.accent}"), words, Text(verdict.message, palette.quiet)
        )
    right = verdict.outcome is Outcome.CORRECT
    head = Flow("✓ Right." if right else "✗ Not this.", f"bold {_colour(right, palette)}")
    marks = entry_marks(variant, verdict, typed)
    if not marks:
        head.append("   ").append_text(
            markup_line(_real_minus(variant, verdict.read_as), palette, palette.ink)
        )
    if right and not variant.kind.whole and variant.kind.typed(variant.answer) is None:
        exact = number_text(variant.answer, 8)
        if not isinstance(variant.kind, Matrix) and exact != _real_minus(variant, verdict.read_as):
            head.append(f"   exactly {exact}", f"not bold {palette.quiet}")
    lines: list[RenderableType] = [head]
    if marks:
        columns = len(variant.answer[0]) if isinstance(variant.kind, Matrix) else 0
        lines.append(Padding(_marks(marks, columns, palette), (0, 0, 0, 2)))
    lines += [_slip(slip.id, slip.why, palette) for slip in verdict.misconceptions]
    if verdict.remark:
        lines.append(Padding(markup(verdict.remark, palette), (0, 0, 0, 2)))
    return Group(*lines)


def entry_marks(variant: Variant, verdict: Verdict, typed: str) -> tuple[tuple[str, str, bool], ...]:
    """Return label, text and rightness of each entry of an answer; empty for a single number."""
    if len(verdict.marks) < 2:
        return ()
    try:
        entries = read_answer(variant, typed).entries
    except Unreadable:
        return ()
    texts = [number_text(entry.value) for entry in entries]
    if variant.kind.typed(variant.answer) is not None:
        texts = re.split(r" → |, | ", verdict.read_as)
    if not len(texts) == len(entries) == len(verdict.marks):
        return ()
    labels = variant.kind.labels if isinstance(variant.kind, Integers) else [""] * len(texts)
    return tuple(zip(labels, texts, verdict.marks, strict=True))


def solution_view(variant: Variant, palette: Palette) -> RenderableType:
    """Return the worked solution: each step with its formula, the numbers put in, and the value.

    Where words are wanted it is the model answer, and then the points that a full answer makes.
    """
    if not variant.kind.judged:
        points = "\n".join(f"- {step.text}" for step in variant.solution)
        return Group(
            Text("Model answer", f"bold {palette.accent}"),
            markup(variant.answer, palette),
            Text(),
            Text(RUBRIC, f"bold {palette.accent}"),
            markup(points, palette),
        )
    parts: list[RenderableType] = [Text("Worked solution", f"bold {palette.accent}")]
    for number, line in enumerate(worked_lines(variant), 1):
        step = Table.grid(padding=(0, 1, 0, 0))
        step.add_column(justify="right", no_wrap=True)
        step.add_column()
        step.add_row(Text(f"{number}", palette.quiet), markup(line.text, palette, palette.quiet))
        if line.value:
            step.add_row("", _Chain(line, palette))
        parts.append(step)
    answer = Flow("Answer  ", palette.quiet)
    right = markup_line(answer_text(variant), palette, f"bold {palette.good}")
    return Group(*parts, answer.append_text(right))


@dataclass(frozen=True, slots=True)
class _Chain:
    """`symbol = formula = numbers = value` in one line where it fits, else with a line for each sign."""

    line: WorkedLine
    palette: Palette

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        line, palette = self.line, self.palette
        parts = [Text(part, palette.ink) for part in dict.fromkeys((line.formula, line.numbers)) if part]
        if line.formula == line.value:
            parts = []
        parts.append(Text(line.value, f"bold {palette.math}"))
        whole = Text(f"{line.symbol} = ", palette.ink) + Text(" = ", palette.ink).join(parts)
        if whole.cell_len <= options.max_width:
            yield whole
            return
        for number, part in enumerate(parts):
            before = f"{line.symbol} = " if not number else f"{' ' * cell_len(line.symbol)} = "
            yield Text(before, palette.ink) + part


def _real_minus(variant: Variant, text: str) -> str:
    return text.replace("-", "−") if variant.kind.typed(variant.answer) is None else text


def _marks(marks: Sequence[tuple[str, str, bool]], columns: int, palette: Palette) -> RenderableType:
    if columns:
        table = Table.grid(padding=(0, 3, 0, 0))
        for start in range(0, len(marks), columns):
            entries = marks[start : start + columns]
            table.add_row(*(_mark(text, right, palette) for _, text, right in entries))
        return table
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


def _verified(line: str, palette: Palette) -> RenderableType:
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_row(Text("  verified", palette.quiet, no_wrap=True), Text(line, palette.quiet))
    return grid


def _slip(name: str, why: str, palette: Palette) -> RenderableType:
    head = Text(f"  {name.replace('_', ' ')}", f"bold {palette.hard}")
    return Group(head, Padding(markup(why, palette), (0, 0, 0, 2)))


def _colour(right: bool, palette: Palette) -> str:
    return palette.good if right else palette.again
