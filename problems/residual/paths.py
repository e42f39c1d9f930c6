"""How many paths lead from one block of a residual network to its end."""

from dataclasses import dataclass
from math import comb, factorial, perm
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    depth: int = en.whole("the number of blocks L", low=1, high=60)
    block: int = en.whole("the block l, counted from 0, at whose input the paths begin", 0, high=59)
    branches: int = en.whole("through how many branches the paths lead", high=60)


SLIPS = (
    "one_path_per_block",
    "orders_counted",
    "one_choice_too_many",
    "branches_in_order",
    "one_way_per_length",
)


class Paths(en.Family[Params]):
    title = "Paths through a residual network"
    catalogue = "G5"
    given = Params
    kind = en.Integers(labels=("paths", "of these through the given number of branches"))
    levels = {
        1: en.Level(*SLIPS, distinct=45),
        2: en.Level(*SLIPS, "start_forgotten", "start_forgotten_in_choice"),
    }
    covers = ("residual-path-count",)
    cards = ("card:residual/paths-cloze", "card:residual/stack-jacobian")

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            depth = rng.integer(4, 12)
            return Params(depth, 0, rng.integer(2, depth - 2))
        passed, block = rng.integer(4, 9), rng.integer(2, 9)
        return Params(passed + block, block, rng.integer(2, passed - 2))

    def validate(self, p: Params) -> None:
        if p.block >= p.depth:
            raise en.Refused("block", f"the blocks are counted from 0 to {p.depth - 1}")
        if p.branches > p.depth - p.block:
            raise en.Refused("branches", f"only {p.depth - p.block} blocks are passed; take at most as many")

    def prompt(self, p: Params) -> str:
        return (
            f"A residual network has $L = {p.depth}$ blocks, counted from $0$: $x_{{k+1}} = x_k + F_k(x_k)$ "
            f"for $k = 0, \\dots, {p.depth - 1}$. A path from the input $x_{{{p.block}}}$ of block "
            f"${p.block}$ to the output $x_{{{p.depth}}}$ takes the skip or the branch of every block that "
            "it passes. Give two whole numbers, in this order:\n\n"
            "1. how many such paths there are\n"
            f"2. how many of them lead through exactly ${p.branches}$ "
            f"{'branch' if p.branches == 1 else 'branches'}"
        )

    def solve(self, p: Params) -> tuple[int, ...]:
        passed = p.depth - p.block
        return 2**passed, comb(passed, p.branches)

    def oracle(self, p: Params, torch: Any) -> Any:
        # Walk the blocks; entry i counts the paths so far that lead through i branches.
        ways = torch.zeros(p.depth + 2, dtype=torch.int64)
        ways[0] = 1
        for _ in range(p.block, p.depth):
            ways[1:] = ways[1:] + ways[:-1]
        return ways.sum().item(), ways[p.branches].item()

    def misconceptions(self, p: Params) -> en.Slips:
        passed, k = p.depth - p.block, p.branches
        paths, chosen = self.solve(p)
        yield en.Misconception(
            "one_path_per_block",
            (passed + 1, chosen),
            "Paths: that counts one per block passed and the bare skip; every block doubles the number.",
        )
        yield en.Misconception(
            "orders_counted",
            (factorial(passed), chosen),
            "Paths: that counts orders of the blocks; their order is fixed, only skip or branch is chosen.",
        )
        yield en.Misconception(
            "one_choice_too_many",
            (2 * paths, chosen),
            f"Paths: that is one choice too many; {passed} blocks are passed, from {p.block} to "
            f"{p.depth - 1}.",
        )
        yield en.Misconception(
            "branches_in_order",
            (paths, perm(passed, k)),
            "Branches: that counts every order in which they could be picked; which ones are taken decides.",
        )
        yield en.Misconception(
            "one_way_per_length",
            (paths, k),
            "Branches: that is their number on each path; any choice of so many blocks makes a path.",
        )
        yield en.Misconception(
            "start_forgotten",
            (2**p.depth, chosen),
            f"Paths: that counts from the network's input; these paths begin at block {p.block}.",
        )
        yield en.Misconception(
            "start_forgotten_in_choice",
            (paths, comb(p.depth, k)),
            f"Branches: that chooses among all blocks; only those from block {p.block} on are passed.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "How many blocks does a path pass, and how many choices does it have at each?",
            r"From $x_l$ to $x_L$ a path passes $L - l$ blocks: multiply the choices. Through $k$ branches "
            r"lead $\binom{L - l}{k}$ of them.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        passed, (paths, chosen) = p.depth - p.block, self.solve(p)
        # Going up in steps keeps whole numbers whole: C(n, k) is the product of (n − k + i)/i.
        factors = "*".join(f"(passed - branches + {i})/{i}" for i in range(1, p.branches + 1)) or "1"
        return (
            en.Step("Blocks passed", "passed", "depth - block", passed),
            en.Step("Two choices at each", "paths", "2^passed", paths),
            en.Step("Choose which of them are taken as branches", "chosen", factors, chosen),
            en.Step("Both numbers", "counts", "(paths, chosen)", (paths, chosen)),
        )


FAMILY = Paths()
