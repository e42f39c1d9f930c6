"""Which numbers of groups GroupNorm accepts."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    width: int = en.whole("the number of channels C", low=1, high=2**20)
    groups: tuple[int, ...] = en.shape("five numbers of groups G to try", 5)


SLIPS = ("powers_of_two_only", "larger_groups_allowed", "any_smaller_number")


class ValidGroups(en.Family[Params]):
    title = "Which numbers of groups are allowed"
    catalogue = "C8"
    given = Params
    kind = en.YesNo()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS, "ends_refused")}
    covers = ("groupnorm-divisibility",)
    cards = ("card:other_norms/groupnorm-divides", "card:statistics/groupnorm-group")
    requires = ("statistics.groupnorm_count",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        pool = (12, 18, 20, 24, 30, 36, 40, 48) if level == 1 else (42, 56, 60, 72, 84, 90, 96, 108, 120, 160)
        width = rng.choice(pool)
        inner = [g for g in range(2, width) if width % g == 0]
        odd = rng.choice([g for g in inner if g & (g - 1)])
        power = rng.choice([g for g in (4, 8, 16, 32, 64) if g < width and width % g])
        near = rng.choice([g for g in range(5, width) if width % g and g & (g - 1)])
        last = rng.choice((1, width)) if level == 2 else rng.choice([g for g in inner if g != odd])
        return Params(width, tuple(rng.shuffled((odd, power, near, last, width * rng.choice((2, 3))))))

    def validate(self, p: Params) -> None:
        if len(set(p.groups)) < 5:
            raise en.Refused("groups", "five different numbers are wanted")

    def prompt(self, p: Params) -> str:
        return (
            f"A layer has $C = {en.tex(p.width)}$ channels. For which numbers of groups $G$ out of "
            f"${en.tex(p.groups)}$ can `GroupNorm(G, {en.tex(p.width)})` be built?"
        )

    def kind_of(self, p: Params) -> en.YesNo:
        return en.YesNo(labels=tuple(f"$G = {en.tex(group)}$" for group in p.groups))

    def solve(self, p: Params) -> tuple[int, ...]:
        return tuple(int(p.width % group == 0) for group in p.groups)

    def oracle(self, p: Params, torch: Any) -> Any:
        def built(group: int) -> int:
            try:
                torch.nn.GroupNorm(group, p.width, device="meta")
            except ValueError:
                return 0
            return 1

        return tuple(map(built, p.groups))

    def misconceptions(self, p: Params) -> en.Slips:
        right, width = self.solve(p), p.width
        yield en.Misconception(
            "powers_of_two_only",
            tuple(int(group & (group - 1) == 0 and group <= width) for group in p.groups),
            "Powers of two are customary, but what counts is that $G$ divides $C$.",
        )
        yield en.Misconception(
            "any_smaller_number",
            tuple(int(group <= width) for group in p.groups),
            "Not every $G$ up to $C$: all groups have the same number of channels, so $G$ must divide $C$.",
        )
        yield en.Misconception(
            "larger_groups_allowed",
            tuple(int(mark or group % width == 0) for group, mark in zip(p.groups, right, strict=True)),
            "There cannot be more groups than channels: $C$ is divided by $G$, not the other way round.",
        )
        yield en.Misconception(
            "ends_refused",
            tuple(int(mark and 1 < group < width) for group, mark in zip(p.groups, right, strict=True)),
            "$G = 1$ (one group of all channels) and $G = C$ (one channel each) are allowed too.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Every group gets the same number of channels. How many?",
            "$C/G$ must be a whole number, 1 or more.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        right = self.solve(p)
        words = tuple(
            f"{group} {('does not divide', 'divides')[mark]} {p.width}"
            for group, mark in zip(p.groups, right, strict=True)
        )
        return (en.Step("$G$ must divide $C$: " + "; ".join(words) + "."),)


FAMILY = ValidGroups()
