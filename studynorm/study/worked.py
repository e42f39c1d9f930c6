"""Worked solutions as lines to read: every step with its formula, its numbers and its value.

Separate from the screens so that the line mode shows the same steps.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studynorm.engine.numbers import rounded
from studynorm.engine.variant import Variant
from studynorm.study.plaintext import Maths, plain_line, plain_text

RUBRIC = "A full answer says"
"""Stands above the points by which a learner compares typed words with the model answer."""
LONGEST_NUMBERS = 70
"""How many characters the expression with the numbers put in may have; a longer one is left out."""

_SYMBOLS = {
    "mu": "μ",
    "var": "σ²",
    "s2": "s²",
    "sigma": "σ",
    "std": "σ",
    "xhat": "x̂",
    "eps": "ε",
    "gamma": "γ",
    "beta": "β",
    "momentum": "m",
    "running_mean": "μ̂",
    "running_var": "σ̂²",
    "new_mean": "μ̂′",
    "new_var": "σ̂²′",
    "upstream": "ȳ",
    "xbar": "x̄",
    "dgamma": "γ̄",
    "dbeta": "β̄",
    "wbar": "w̄",
    "vbar": "v̄",
    "gbar": "ḡ",
    "query": "q",
    "rms": "RMS",
    "lam": "λ",
    "theta": "θ",
    "alpha": "α",
    "delta": "δ",
}
_SUPERSCRIPTS = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<call>[A-Za-z_]\w*)(?=\()"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<power>\^-?\d+)"
    r"|(?P<sign>[-*])"
)
_COUNT = re.compile(r"len\((\w+)\)")
_ENTRY = re.compile(r"entry\((?:entry\((\w+), ?(\w+)\)|(\w+)), ?(\w+)\)")
_DOUBLED = re.compile(r"\(\(([^()]*)\)\)")
_IN_LIST = re.compile(r"(?:(?<=[(\[])|(?<=, ))\((−[\d.]+(?:e−?\d+)?)\)(?=[,)\]])")
_NUMBERED = re.compile(r"([A-Za-z]+)_?(\d+)")


@dataclass(frozen=True, slots=True)
class WorkedLine:
    """A step: what it does (Markdown), and `symbol` = `formula` = `numbers` = `value`.

    A step of words alone has nothing but its text.
    `numbers` is the formula with every name replaced by its rounded value, empty where that is longer
    than `LONGEST_NUMBERS` or says nothing new.
    """

    text: str
    symbol: str
    formula: str
    numbers: str
    value: str


def worked_lines(variant: Variant) -> tuple[WorkedLine, ...]:
    """Return the worked solution of a variant, one line for each step."""
    known: dict[str, Any] = dict(variant.params)
    lines = []
    for step in variant.solution:
        if not step.expression:
            lines.append(WorkedLine(step.text, "", "", "", ""))
            continue
        formula = _readable(step.expression)
        numbers = _readable(step.expression, known)
        value = number_text(step.value)
        if len(numbers) > LONGEST_NUMBERS or numbers in (formula, value, f"({value})"):
            numbers = ""
        lines.append(WorkedLine(step.text, symbol(step.name), formula, numbers, value))
        known[step.name] = step.value
    return tuple(lines)


def plain_solution(variant: Variant, maths: Maths = "unicode") -> str:
    """Return the worked solution as plain lines: each step in words, then its formula, numbers and value.

    Where words are wanted it is the model answer, and then the points that a full answer makes.
    """
    if not variant.kind.judged:
        points = plain_text("\n".join(f"- {step.text}" for step in variant.solution), maths=maths)
        answer = plain_text(variant.answer, maths=maths)
        return "\n".join(("Model answer:", answer, "", f"{RUBRIC}:", points))
    lines = ["Worked solution."]
    for number, step in enumerate(worked_lines(variant), 1):
        lines += plain_text(f"Step {number}: {step.text}", maths=maths).split("\n")
        parts = dict.fromkeys(part for part in (step.formula, step.numbers, step.value) if part)
        if parts:
            lines.append(plain_line(f"{step.symbol} = {' = '.join(parts)}", maths))
    return "\n".join([*lines, *plain_text(f"Answer: {answer_text(variant)}", maths=maths).split("\n")])


def answer_text(variant: Variant) -> str:
    """Return the right answer as it is read, in Markdown: numbers, or what letters and words stand for."""
    typed = variant.kind.typed(variant.answer)
    if typed is None:
        return number_text(variant.answer)
    return variant.kind.read(typed, variant.answer).text or typed


def symbol(name: str) -> str:
    """Return the sign by which a name of a solution is shown: `xhat` → `x̂`, `h2` → `h₂`."""
    known = _SYMBOLS.get(name)
    if known is not None:
        return known
    numbered = _NUMBERED.fullmatch(name)
    if numbered is None:
        return name
    return symbol(numbered[1]) + numbered[2].translate(_SUBSCRIPTS)


def number_text(value: object, digits: int = 6) -> str:
    """Return a number or list as it is read: at most so many significant digits, and a real minus."""
    return value if isinstance(value, str) else rounded(value, digits).replace("-", "−")


def value_text(value: Any) -> str:
    """Return a value that came back from JSON as it is read: texts as they are, lists and rows of numbers."""
    if isinstance(value, list):
        return number_text(tuple(tuple(row) if isinstance(row, list) else row for row in value))
    return number_text(value)


def _readable(expression: str, values: Mapping[str, Any] | None = None) -> str:
    """Return an expression in readable signs, with the values of names put in where they are given."""

    def count(match: re.Match[str]) -> str:
        value = None if values is None else values.get(match[1])
        return "n" if values is None else str(len(value)) if isinstance(value, tuple) else match[0]

    def entry(match: re.Match[str]) -> str:
        name = match[1] or match[3]
        places = [place for place in (match[2], match[4]) if place]
        if values is not None and name in values:
            value = values[name]
            for place in places:
                value = value[int(values.get(place, place)) - 1]
            return _put_in(value)
        if len(places) == 1 and places[0].isdigit():
            return f"{name}_{places[0]}"
        return f"{name}[{', '.join(places)}]"

    def shown(match: re.Match[str]) -> str:
        text = match[0]
        match match.lastgroup:
            case "call":
                return "√" if text == "sqrt" else text
            case "name":
                return symbol(text) if values is None or text not in values else _put_in(values[text])
            case "power":
                return text[1:].translate(_SUPERSCRIPTS)
            case "sign":
                return "·" if text == "*" else "−"
        return text

    text = _TOKEN.sub(shown, _ENTRY.sub(entry, _COUNT.sub(count, expression)))
    return _IN_LIST.sub(r"\1", _DOUBLED.sub(r"(\1)", text))


def _put_in(value: object) -> str:
    text = number_text(value, 5)
    return f"({text})" if text.startswith("−") else text
