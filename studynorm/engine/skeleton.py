"""The file that a new family starts from: it loads, and it proves nothing until it is filled in."""

_TEXT = '''\
"""What this family asks, in one sentence."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.batch("the batch of one channel")


class {class_name}(en.Family[Params]):
    title = "Say in a few words what is asked"
    catalogue = "new"
    given = Params
    kind = en.Number()
    levels = {{1: en.Level("name_of_the_belief")}}

    def draw(self, level: int, rng: en.Rng) -> Params:
        raise NotImplementedError("draw: which numbers are asked at each level?")

    def prompt(self, p: Params) -> str:
        raise NotImplementedError("prompt: the question, with every parameter in it")

    def solve(self, p: Params) -> float:
        raise NotImplementedError("solve: the answer in plain Python, with two-pass sums")

    def oracle(self, p: Params, torch: Any) -> Any:
        raise NotImplementedError("oracle: the answer by PyTorch's own layers, in float64")

    def misconceptions(self, p: Params) -> en.Slips:
        raise NotImplementedError("misconceptions: the wrong answers and why they are wrong")

    def hints(self, p: Params) -> tuple[str, ...]:
        raise NotImplementedError("hints: at least two, from vague to concrete")

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        raise NotImplementedError("solution: the steps from the givens to the answer")


FAMILY = {class_name}()
'''


def skeleton(name: str) -> str:
    """Return the text of a family file for a family of that name, such as `eval_output`."""
    return _TEXT.format(class_name="".join(word.capitalize() for word in name.split("_")))
