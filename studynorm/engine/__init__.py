"""What an author of a problem family imports; nothing else of the engine is meant for families."""

from collections.abc import Iterator

from studynorm.engine.answer import Integer, Integers, Matrix, Number, Vector
from studynorm.engine.discrete import Axes, Choice, CodeLine, Match, Order, Shape, YesNo
from studynorm.engine.family import (
    Family,
    Level,
    Misconception,
    Refused,
    Step,
    batch,
    eps,
    matrix,
    nonzero,
    option,
    scalar,
    shape,
    vector,
    whole,
)
from studynorm.engine.moments import (
    Moments,
    affine,
    divided,
    exact_hat,
    flat,
    mean,
    moments,
    tidy_batch,
    untidy_batch,
)
from studynorm.engine.numbers import plain, rounded, tex
from studynorm.engine.projection import gradient, gradient_text, projected, surd, to_float, without_dust
from studynorm.engine.recall import Recall
from studynorm.engine.rng import Rng

Vec = tuple[float, ...]
"""A list of numbers, as parameters and answers hold it."""

Slips = Iterator[Misconception]
"""What `misconceptions` yields."""

__all__ = [
    "Axes",
    "Choice",
    "CodeLine",
    "Family",
    "Integer",
    "Integers",
    "Level",
    "Match",
    "Matrix",
    "Misconception",
    "Moments",
    "Number",
    "Order",
    "Recall",
    "Refused",
    "Rng",
    "Shape",
    "Slips",
    "Step",
    "Vec",
    "Vector",
    "YesNo",
    "affine",
    "batch",
    "divided",
    "eps",
    "exact_hat",
    "flat",
    "gradient",
    "gradient_text",
    "matrix",
    "mean",
    "moments",
    "nonzero",
    "option",
    "plain",
    "projected",
    "rounded",
    "scalar",
    "shape",
    "surd",
    "tex",
    "tidy_batch",
    "to_float",
    "untidy_batch",
    "vector",
    "whole",
    "without_dust",
]
