"""A family's proof of itself: on many seeds, everything the engine promises a learner holds."""

import math
import re
import statistics
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from studynorm.engine.answer import Integers, Vector
from studynorm.engine.discrete import DISCRETE
from studynorm.engine.expression import evaluate
from studynorm.engine.family import Family, givens
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.numbers import distance, flatten, plain, scale_of, tex
from studynorm.engine.oracle import Disagreement, verify
from studynorm.engine.pace import slowness
from studynorm.engine.registry import BrokenFamily
from studynorm.engine.value import Unreadable, Value, lift, lower
from studynorm.engine.variant import NoVariant, Variant, draw, search

NONSENSE = ("", "   ", "1..2", "?!", "9^9^9^9", "1 = 2")
GARBAGE = ("", "   ", "abc", "1..2", "nan", "inf", "(1", "9^9^9^9", "2/0", "1 = 2", "import os")
MANY = 50
"""A level that declares no count of its own has at least this many different statements in 200 seeds."""
_DRAW_SECONDS = 0.020  # of CPU, on a machine of usual speed
SAMPLED = 300
"""So many variants show every slip of a level whose questions have slips of their own."""
_ENOUGH = 20  # findings, after which a family is not tried further
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that does not hold: for which family, level and seed, and what."""

    family: str
    level: int | None
    seed: int | None
    message: str

    def __str__(self) -> str:
        place = "".join(
            f" {name} {value}"
            for name, value in (("level", self.level), ("seed", self.seed))
            if value is not None
        )
        return f"{self.family}{place}: {self.message}"


@dataclass(slots=True)
class Proof:
    """What was tried for one family and what was found wrong, the first findings of each kind.

    `rejected` draws came before the `variants`; of `slips` typed misconceptions `recognised` were named as
    themselves; `seconds` of CPU were spent on drawing and verifying.
    """

    family: str
    variants: int = 0
    rejected: int = 0
    statements: int = 0
    slips: int = 0
    recognised: int = 0
    seconds: float = 0.0
    findings: list[Finding] = field(default_factory=list)

    @property
    def rejection_rate(self) -> float:
        """The share of draws that were rejected, 0 to 1."""
        return self.rejected / max(1, self.variants + self.rejected)

    @property
    def ms(self) -> float:
        """Milliseconds of CPU to draw and verify a variant, on average; 0 where there was none."""
        return 1000 * self.seconds / max(1, self.variants)


def prove(family: Family[Any] | BrokenFamily, torch: Any, *, seeds: int = 200) -> Proof:
    """Try every level of a family on seeds 0 … `seeds` − 1."""
    proof = Proof(family.id)
    if isinstance(family, BrokenFamily):
        proof.findings.append(Finding(family.id, None, None, str(family)))
        return proof
    for level in sorted(family.levels):
        statements: set[str] = set()
        spent: list[float] = []
        for seed in range(seeds):
            try:
                begun = time.process_time()
                found = search(family, level, seed)
                variant = verify(family, found.params, found.variant, torch)
                spent.append(time.process_time() - begun)
                unnamed = tuple(_unnamed(variant))
                messages = (*examine(family, variant), *unnamed)
            except (Disagreement, NoVariant) as broken:
                messages = (str(broken),)
            except Exception as error:  # noqa: BLE001  a family may fail in any way, and each is a finding
                messages = (f"{type(error).__name__}: {error}",)
            else:
                statements.add(variant.prompt)
                proof.variants += 1
                proof.rejected += found.rejected
                proof.slips += len(variant.misconceptions)
                proof.recognised += len(variant.misconceptions) - len(unnamed)
            proof.findings.extend(Finding(family.id, level, seed, message) for message in messages)
            if len(proof.findings) > _ENOUGH:
                break
        proof.statements += len(statements)
        proof.seconds += sum(spent)
        if len(proof.findings) > _ENOUGH:
            break
        proof.findings.extend(
            Finding(family.id, level, None, message)
            for message in _level(family, level, seeds, statements, spent)
        )
    return proof


def _level(
    family: Family[Any], level: int, seeds: int, statements: set[str], spent: list[float]
) -> Iterator[str]:
    declared = family.levels[level].distinct
    by_question = any(given.shape == "option" for given in givens(family).values())
    if not family.levels[level].misconceptions and not by_question:
        yield "the level lists no misconception"
    if declared is None and len(statements) < min(MANY, seeds // 4):
        yield f"only {len(statements)} different statements in {seeds} seeds; declare `distinct`"
    if declared is not None and not min(declared, seeds // 20) <= len(statements) <= declared:
        yield f"{len(statements)} different statements in {seeds} seeds, and `distinct` says {declared}"
    typical = statistics.median(spent) if spent else 0.0
    if typical > _DRAW_SECONDS and typical > _DRAW_SECONDS * slowness():
        yield f"a variant takes {1e3 * typical:.0f} ms of CPU to draw and verify; 20 ms are allowed"


def examine(family: Family[Any], variant: Variant) -> Iterator[str]:
    """Yield what is wrong with one verified variant, apart from slips that are not named as themselves."""
    for name, value in variant.params.items():
        if givens(family)[name].shape != "option" and tex(value) not in variant.prompt:
            yield f"the prompt does not show {name} = {plain(value)}"
    params, again = draw(family, variant.level, variant.seed or 0)
    if again.prompt != variant.prompt:
        yield "the same seed draws another variant"
    if variant.kind.judged:
        yield from _right_answers(variant, family.exact(params))
        yield from _wrong_answers(variant)
    else:
        yield from _words(variant)
    yield from _texts(variant)
    yield from _solution(variant)


def typed(value: Any, digits: int, *, whole: bool) -> str:
    """Return an answer as a learner would type it, to `digits` significant digits of S."""
    if isinstance(value, tuple):
        if value and isinstance(value[0], tuple):
            return "; ".join(" ".join(_decimal(cell, value, digits) for cell in row) for row in value)
        return " ".join(str(int(cell)) if whole else _decimal(cell, value, digits) for cell in value)
    return str(int(value)) if whole else _decimal(value, value, digits)


def _decimal(number: float, value: Any, digits: int) -> str:
    decimals = digits - 1 - math.floor(math.log10(scale_of(value)))
    return f"{number:.{decimals}f}" if 0 <= decimals <= 20 else f"{number:.{digits - 1}e}"


def typed_as(variant: Variant, value: Any, digits: int) -> str:
    """Return a value as a learner would type it into this variant: in digits, letters or words."""
    own = variant.kind.typed(value)
    return typed(value, digits, whole=variant.kind.whole) if own is None else own


def _right_answers(variant: Variant, exact: str | None) -> Iterator[str]:
    texts = [typed_as(variant, variant.answer, digits) for digits in (3, 8)]
    if exact is not None:
        texts.append(exact)
    for text in texts:
        verdict = grade(variant, text)
        if verdict.outcome is not Outcome.CORRECT:
            yield f"the right answer “{text}” is judged {verdict.outcome}: {verdict.message}"


def _wrong_answers(variant: Variant) -> Iterator[str]:
    if not variant.misconceptions:
        yield "the variant carries no misconception"
    for slip in variant.misconceptions:
        if slip.id != slip.id.lower() or not slip.id.isidentifier():
            yield f"misconception id “{slip.id}” is not snake_case"
        if not slip.why.strip():
            yield f"misconception {slip.id} does not say why it is wrong"
    garbage = list(NONSENSE if isinstance(variant.kind, DISCRETE) else GARBAGE)
    if isinstance(variant.kind, Vector | Integers):
        garbage += ["1 " * (len(variant.answer) + 1), "1"] if len(variant.answer) > 1 else ["1 2"]
    for text in garbage:
        outcome = grade(variant, text).outcome
        if outcome is not Outcome.MALFORMED:
            yield f"“{text}” is judged {outcome}, not malformed"


def _words(variant: Variant) -> Iterator[str]:
    """Yield what is wrong where nothing typed is judged: the model answer and the points of its rubric."""
    for text in (variant.answer, "", "  "):
        wanted = Outcome.UNJUDGED if text is variant.answer else Outcome.MALFORMED
        verdict = grade(variant, text)
        if verdict.outcome is not wanted:
            yield f"“{text}” is judged {verdict.outcome}, not {wanted}: {verdict.message}"
    if variant.misconceptions:
        yield "the variant carries misconceptions, and words are not judged"
    if any(step.expression for step in variant.solution):
        yield "a step of the solution computes something, and the answer is words"
    if not all(step.text.strip() for step in variant.solution):
        yield "a point of the rubric says nothing"


def _unnamed(variant: Variant) -> Iterator[str]:
    """Yield each misconception that, typed, is not named as itself."""
    for slip in variant.misconceptions:
        text = typed_as(variant, slip.value, 4)
        verdict = grade(variant, text)
        named = [found.id for found in verdict.misconceptions]
        if verdict.outcome is not Outcome.WRONG or named != [slip.id]:
            yield f"misconception {slip.id} typed as “{text}” is judged {verdict.outcome} {named}"


def _texts(variant: Variant) -> Iterator[str]:
    if len(variant.hints) < 2 or not all(hint.strip() for hint in variant.hints):
        yield "at least two hints are wanted"
    given = {
        plain(number)
        for value in variant.params.values()
        if not isinstance(value, str)
        for number in flatten(value)
    }
    for hint in variant.hints:
        for found in _NUMBER.finditer(hint):
            digits, decimals = found.group().strip("-").replace(".", ""), found.group().partition(".")[2]
            near = 0.51 * 10.0 ** -len(decimals)
            if len(digits.lstrip("0")) >= 3 and found.group() not in given:
                for number in flatten(variant.answer):
                    if abs(float(found.group()) - number) <= near:
                        yield f"a hint contains the answer {found.group()}"


def _solution(variant: Variant) -> Iterator[str]:
    if not variant.solution:
        yield "there is no worked solution"
        return
    names: dict[str, Value] = {
        name: lift(value) for name, value in variant.params.items() if not isinstance(value, str)
    }
    largest = max((scale_of(lower(value)) for value in names.values()), default=1.0)
    for step in variant.solution:
        if not step.expression:
            continue
        try:
            value = evaluate(step.expression, names)
        except Unreadable as unread:
            yield f"solution step “{step.expression}”: {unread.message}"
            return
        # A step that is 0 but for rounding noise is as far off as the rounding of what it came from.
        if not distance(lower(value), step.value) <= 1e-9 * scale_of(step.value) + 1e-14 * largest:
            yield f"solution step {step.name} = {step.expression} is {lower(value)}, not {step.value}"
        names[step.name] = value
        largest = max(largest, scale_of(step.value))
    if not variant.solution[-1].expression:
        if variant.kind.typed(variant.answer) is None:
            yield "the worked solution ends in words, and the answer is a number"
        return
    if not distance(variant.solution[-1].value, variant.answer) <= 1e-9 * scale_of(variant.answer):
        yield f"the worked solution ends in {variant.solution[-1].value}, and the answer is {variant.answer}"


def beliefs(families: Mapping[str, Family[Any]]) -> dict[str, tuple[str, ...]]:
    """Return, for every misconception id, the families that name it."""
    found: dict[str, list[str]] = {}
    for family in families.values():
        for name in dict.fromkeys(name for level in family.levels for name in _named(family, level)):
            found.setdefault(name, []).append(family.id)
    return {name: tuple(found[name]) for name in sorted(found)}


def _named(family: Family[Any], level: int) -> tuple[str, ...]:
    """Return what a level lists; where each question has slips of its own, those of many variants."""
    listed = family.levels[level].misconceptions
    if listed:
        return listed
    drawn = (draw(family, level, seed)[1] for seed in range(SAMPLED))
    return tuple(dict.fromkeys(slip.id for variant in drawn for slip in variant.misconceptions))
