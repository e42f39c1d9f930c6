"""How many numbers of groups GroupNorm accepts for a number of channels."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    width: int = en.whole("the number of channels C", low=1, high=4096)


SLIPS = ("ends_refused", "powers_of_two_only", "own_number_refused")


class GroupChoices(en.Family[Params]):
    title = "How many numbers of groups are allowed"
    catalogue = "C8"
    given = Params
    kind = en.Integer()
    levels = {1: en.Level(*SLIPS, distinct=18), 2: en.Level(*SLIPS, "any_smaller_number", distinct=30)}
    covers = ("groupnorm-divisibility",)
    cards = ("card:other_norms/groupnorm-divides",)
    requires = ("statistics.valid_groups",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        small = (6, 10, 12, 14, 15, 18, 20, 24, 28, 30, 36, 40, 42, 44, 45, 48, 50, 52)
        large = (54, 56, 60, 66, 70, 72, 78, 80, 84, 88, 90, 96, 100, 104, 108, 110, 112, 120, 126, 132, 140,
                 144, 150, 156, 160, 168, 180, 192, 320, 384)  # fmt: skip
        return Params(rng.choice(small if level == 1 else large))

    def prompt(self, p: Params) -> str:
        return f"For how many different numbers of groups $G$ can `GroupNorm(G, {en.tex(p.width)})` be built?"

    def solve(self, p: Params) -> int:
        return len(divisors(p.width))

    def oracle(self, p: Params, torch: Any) -> Any:
        def built(group: int) -> bool:
            try:
                torch.nn.GroupNorm(group, p.width, affine=False)
            except ValueError:
                return False
            return True

        return sum(map(built, range(1, p.width + 2)))

    def misconceptions(self, p: Params) -> en.Slips:
        yield en.Misconception(
            "ends_refused",
            max(0, self.solve(p) - 2),
            "That leaves out $G = 1$ and $G = C$; one group of all channels and one channel each are "
            "allowed.",
        )
        yield en.Misconception(
            "own_number_refused",
            self.solve(p) - 1,
            "That leaves out $G = C$ or $G = 1$; both divide $C$.",
        )
        yield en.Misconception(
            "powers_of_two_only",
            sum(group & (group - 1) == 0 for group in divisors(p.width)),
            "That counts the powers of two only; every divisor of $C$ will do.",
        )
        yield en.Misconception(
            "any_smaller_number",
            p.width,
            "That is every number up to $C$; $G$ must divide $C$.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Every group gets the same number of channels. Which $G$ make that possible?",
            "Count the divisors of $C$. They come in pairs whose product is $C$; both ends count.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        found = divisors(p.width)
        return (
            en.Step("$G$ must divide $C$, so the divisors are counted, 1 and $C$ among them."),
            en.Step(
                "Divisors",
                "divisors",
                f"({', '.join(map(str, found))}{',' * (len(found) == 1)})",
                tuple(map(float, found)),
            ),
            en.Step("How many", "count", "len(divisors)", self.solve(p)),
        )


def divisors(number: int) -> tuple[int, ...]:
    return tuple(group for group in range(1, number + 1) if number % group == 0)


FAMILY = GroupChoices()
