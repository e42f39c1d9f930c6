"""Code fences, line by line: one rule for deck files and card texts to tell where code begins and ends."""

import re
from dataclasses import dataclass

# A fence may stand in a quote or a list item, so their marks are passed over.
_LINE = re.compile(r"(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))*[ \t]*(`{3,}|~{3,})(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CodeFence:
    """The line that opens a code block: its character, how many of them, and the words after them."""

    char: str
    length: int
    info: str


def fence_of(line: str) -> CodeFence | None:
    """Return the fence that `line` is, or None; a backtick fence holds no other backtick in its line."""
    if "```" not in line and "~~~" not in line:
        return None
    match = _LINE.match(line)
    if match is None or (match[1][0] == "`" and "`" in match[2]):
        return None
    return CodeFence(match[1][0], len(match[1]), match[2].strip(" \t\r"))


def closes(opening: CodeFence, line: str) -> bool:
    """Tell whether `line` ends the block `opening` began: same character, no shorter, nothing after it."""
    fence = fence_of(line)
    return (
        fence is not None and fence.char == opening.char and fence.length >= opening.length and not fence.info
    )
