"""The learner's editor: which one it is, how it is told the line, and how it is run."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

OpenEditor = Callable[[Path, int], int]
"""Opens a file at a line, waits until the editor has ended, and returns its exit code."""

_DEFAULTS = ("nano", "vim", "vi", "notepad")
_PLUS_LINE = (
    *("vi", "vim", "nvim", "gvim", "view", "nano", "pico", "micro"),
    *("emacs", "emacsclient", "kak", "joe", "ne", "mg"),
)
_COLON_LINE = {
    "hx": (),
    "helix": (),
    "subl": ("--wait",),
    "sublime_text": ("--wait",),
    "zed": ("--wait",),
    "code": ("--wait", "-g"),
    "code-insiders": ("--wait", "-g"),
    "codium": ("--wait", "-g"),
    "cursor": ("--wait", "-g"),
    "windsurf": ("--wait", "-g"),
}
_SAME = {"--wait": ("--wait", "-w"), "-g": ("-g", "--goto")}
_TO_THE_FRONT = {"gvim": "-f"}


class NoEditor(Exception):
    """No editor could be run; the message is one line that says what to set."""


def editor_command(
    path: Path,
    line: int,
    environ: Mapping[str, str],
    *,
    terminal: bool,
    which: Callable[[str], str | None] = shutil.which,
) -> tuple[str, ...]:
    """Return the command that opens a file at a line, by `VISUAL`, else `EDITOR`, else a common editor.

    An empty variable counts as unset. Without a `terminal` only a named editor is taken. An editor that is
    not known is given the file alone. Raises NoEditor.
    """
    words = _named(environ, which) or _default(which, terminal=terminal)
    name = Path(words[0]).name.lower().removesuffix(".exe").removesuffix(".cmd")
    if name in _COLON_LINE:
        more = [flag for flag in _COLON_LINE[name] if not set(_SAME[flag]) & set(words)]
        return (*words, *more, f"{path}:{line}")
    if name in _PLUS_LINE:
        front = _TO_THE_FRONT.get(name)
        return (*words, *([front] if front and front not in words else []), f"+{line}", str(path))
    return (*words, str(path))


def open_editor(path: Path, line: int) -> int:
    """Open a file in the learner's editor and return the editor's exit code. Raises NoEditor."""
    streams = (sys.__stdin__, sys.__stdout__)
    terminal = all(stream is not None and stream.isatty() for stream in streams)
    command = editor_command(path, line, os.environ, terminal=terminal)
    try:
        with _deaf_to_interrupts(), subprocess.Popen(command) as editor:
            try:
                return editor.wait()
            except BaseException:
                editor.terminate()  # not killed: it may have text to save, and it has the terminal
                raise
    except OSError as error:
        raise NoEditor(
            f"the editor {command[0]} can't be run: {error.strerror or error}. "
            "Set VISUAL or EDITOR to one that can."
        ) from None


def _named(environ: Mapping[str, str], which: Callable[[str], str | None]) -> Sequence[str]:
    for variable in ("VISUAL", "EDITOR"):
        value = environ.get(variable, "").strip()
        if not value:
            continue
        if which(value):  # a path with blanks in it
            return (value,)
        try:
            words = shlex.split(value, posix=os.name != "nt")
        except ValueError as error:
            raise NoEditor(f"{variable} can't be read: {error}. It is {value!r}.") from None
        words = [word.strip('"') for word in words] if os.name == "nt" else words
        if words and words[0]:
            return words
    return ()


def _default(which: Callable[[str], str | None], *, terminal: bool) -> Sequence[str]:
    if not terminal:
        raise NoEditor(
            "no editor can be opened without a terminal. Set VISUAL or EDITOR to one that needs none."
        )
    found = next((name for name in _DEFAULTS if which(name)), None)
    if found is None:
        raise NoEditor("there is no editor. Set VISUAL or EDITOR to one, for instance `export EDITOR=nano`.")
    return (found,)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Leave Ctrl+C to the editor; a handler, unlike ignoring, is not inherited by it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
