"""A deck's text behind the header, taken apart: the note, and a section with its fields for each heading.

Only the layout is judged here; what the fields must hold is the business of `deck`.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from studynorm.content.fences import CodeFence, closes, fence_of
from studynorm.content.frontmatter import LineFault

KEYS = ("Q", "A", "C", "Why", "See", "Check", "Base")
KEY = re.compile(r"(Q|A|C|Why|See|Check|Base):")
NEAR_KEY = re.compile(r"(question|answer|q|a|c|why|see|check|base)[ \t]*:", re.IGNORECASE)
MEANT = {"question": "Q", "answer": "A"} | {key.lower(): key for key in KEYS}
_HEADING = re.compile(r"##(?!#)")
_CARD_KEY = re.compile(r"[QC]:")
_NOT_TEXT = re.compile(r"\\.|`+[^`]*`+")
_NEW_CARD = "Write a line `## some-id` above it, for instance `## {}`."
_OTHER_HEADING = re.compile(r"#+[ \t]*([a-z0-9]+(?:-[a-z0-9]+)*)[ \t]*")
_INDENT = "Write `{}:`, or put a blank before the line if it is part of the text."


@dataclass(frozen=True, slots=True)
class Field:
    """The value of one key, without blank lines around it, and the line where the value begins."""

    key: str
    value: str
    line: int


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one `## ` heading, up to the line `end`; `loose` is text before the first key."""

    heading: str
    line: int
    end: int
    loose: str
    fields: tuple[Field, ...]
    faults: tuple[LineFault, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """The note before the first heading, the sections, and the faults that belong to no section.

    `inside` tells for each line whether it is code or display math, where no key and no heading is one;
    `strays` are the lines of a `Q:` or `C:` above every heading.
    """

    note: str
    sections: tuple[Section, ...]
    faults: tuple[LineFault, ...]
    inside: bytes
    strays: tuple[int, ...]


def split(lines: Sequence[str], first_line: int) -> Layout:
    """Take the lines apart; `first_line` is the number of `lines[0]` in its file.

    A key or a heading inside a code fence or a `$$` block is text. When the fences of the file don't pair up,
    each section is read by itself, so that an open fence costs only the card it stands in.
    """
    inside, faults = _inside_blocks(lines, first_line)
    starts = [index for index, line in enumerate(lines) if not inside[index] and _HEADING.match(line)]
    bounds = [*starts, len(lines)]
    sections: list[Section] = []
    waiting = iter(sorted(faults.items()))
    fault = next(waiting, None)
    note_faults: list[LineFault] = []
    while fault is not None and fault[0] < bounds[0]:
        note_faults.append(fault[1])
        fault = next(waiting, None)
    for start, end in zip(starts, bounds[1:], strict=True):
        own: list[LineFault] = []
        while fault is not None and fault[0] < end:
            own.append(fault[1])
            fault = next(waiting, None)
        sections.append(_section(lines, inside, start, end, first_line, own))
    note, stray = _note(lines[: bounds[0]], inside, first_line)
    return Layout(
        note,
        tuple(sections),
        (*note_faults, *stray),
        bytes(inside),
        tuple(fault.line for fault in stray),
    )


def meant_heading(line: str) -> str:
    """Return a way out where a line is a card's heading but for its depth, and nothing for any other line."""
    found = _OTHER_HEADING.fullmatch(line)
    return f"Write `## {found[1]}` instead of `{line.rstrip()}`." if found else ""


def suggested_id(text: str) -> str:
    """Return a card id made of the first words of `text`."""
    words = re.findall(r"[a-z0-9]+", text[:200].lower())
    return "-".join(words[:5])[:40].strip("-") or "my-card"


def free_id(wanted: str, taken: Collection[str]) -> str:
    """Return `wanted`, or with the first number behind it that makes it unlike all that are taken."""
    found, number = wanted, 2
    while found in taken:
        found, number = f"{wanted}-{number}", number + 1
    return found


def _inside_blocks(lines: Sequence[str], first_line: int) -> tuple[bytearray, dict[int, LineFault]]:
    """Mark the lines inside code fences and `$$` blocks; the faults are keyed by the index of their line."""
    inside = bytearray(len(lines))
    faults: dict[int, LineFault] = {}
    if _scan(lines, 0, len(lines), inside, faults, first_line):
        return inside, faults
    inside = bytearray(len(lines))
    faults = {}
    starts = [index for index, line in enumerate(lines) if _HEADING.match(line)]
    for start, end in zip([0, *starts], [*starts, len(lines)], strict=True):
        _scan(lines, start, end, inside, faults, first_line)
    return inside, faults


def _scan(
    lines: Sequence[str],
    start: int,
    end: int,
    inside: bytearray,
    faults: dict[int, LineFault],
    first_line: int,
) -> bool:
    """Mark the lines of one stretch; False when a code fence in it is never closed."""
    fence: CodeFence | None = None
    math: int | None = None
    opened = start
    paired = True
    for index in range(start, end):
        line = lines[index]
        if fence is not None:
            inside[index] = 1
            if closes(fence, line):
                fence = None
            elif (inner := fence_of(line)) and _opens_again(fence, inner):
                paired = False
            continue
        if math is not None:
            if not line.strip():
                _leave_math(math, index, inside, faults, first_line)
                math = None
            else:
                inside[index] = 1
        elif "$$" not in line and "```" not in line and "~~~" not in line:
            continue
        key = KEY.match(line) if math is None else None
        text = line[key.end() :] if key else line
        if "$$" in text and _NOT_TEXT.sub("", text).count("$$") % 2:
            math = None if math is not None else index
        elif math is None and (fence := fence_of(text)):
            opened = index
            inside[index] = key is None
    if math is not None:
        _leave_math(math, end, inside, faults, first_line)
    if fence is not None:
        paired = False
        faults[opened] = LineFault(
            first_line + opened,
            "the code fence is never closed",
            f"Put a line `{fence.char * fence.length}` behind the code.",
        )
    return paired


def _opens_again(fence: CodeFence, inner: CodeFence) -> bool:
    """Tell whether a line inside a fence opens a new one, so that the first was left open."""
    return bool(inner.info) and inner.char == fence.char and inner.length >= fence.length


def _leave_math(
    opened: int, end: int, inside: bytearray, faults: dict[int, LineFault], first_line: int
) -> None:
    inside[opened + 1 : end] = bytes(end - opened - 1)
    faults[opened] = LineFault(
        first_line + opened,
        "the `$$` is never closed",
        r"Close it with `$$` before the next blank line, or write `\$\$` for two dollars.",
    )


def _note(lines: Sequence[str], inside: bytearray, first_line: int) -> tuple[str, list[LineFault]]:
    faults: list[LineFault] = []
    end = len(lines)
    for index, line in enumerate(lines):
        if not inside[index] and _CARD_KEY.match(line):
            end = min(end, index)
            above = next((before for before in reversed(lines[:index]) if before.strip()), "")
            way_out = meant_heading(above) or _NEW_CARD.format(suggested_id(line[2:]))
            faults.append(LineFault(first_line + index, f"`{line[:2]}` before any card", way_out))
    return "\n".join(lines[:end]).strip(" \t\n"), faults


def _section(
    lines: Sequence[str], inside: bytearray, start: int, end: int, first_line: int, faults: list[LineFault]
) -> Section:
    fields: list[Field] = []
    loose = ""
    key = ""
    since = start + 1
    head = ""

    def finish(stop: int) -> None:
        nonlocal loose
        value, skipped = _value(head, lines[since:stop])
        if key:
            fields.append(Field(key, value, first_line + since - 1 + skipped))
        else:
            loose = value

    for index in range(start + 1, end):
        line = lines[index]
        if inside[index] or ":" not in line[:12]:
            continue
        if match := KEY.match(line):
            finish(index)
            key, head, since = match[1], line[match.end() :], index + 1
        elif match := NEAR_KEY.match(line):
            meant = MEANT[match[1].lower()]
            faults.append(LineFault(first_line + index, f"unknown key `{match[0]}`", _INDENT.format(meant)))
    finish(end)
    return Section(
        lines[start][2:].strip(), first_line + start, first_line + end, loose, tuple(fields), tuple(faults)
    )


def _value(head: str, rest: Sequence[str]) -> tuple[str, int]:
    """Return a value without blank lines around it, and how many lines behind its key it begins."""
    head = head.lstrip(" \t")
    if head:
        return "\n".join((head, *rest)).rstrip(" \t\n"), 0
    for index, line in enumerate(rest):
        if line.strip(" \t"):
            return "\n".join(rest[index:]).rstrip(" \t\n"), index + 1
    return "", 0
