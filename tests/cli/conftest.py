"""The command line as a user meets it: in this process, and as a process where that matters."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from studynorm.cli import studynorm

Run = Callable[..., Result]
Program = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Name a fresh home by the environment; it is not made yet."""
    place = tmp_path / "home"
    monkeypatch.setenv("STUDYNORM_HOME", str(place))
    return place


@pytest.fixture
def run(home: Path) -> Run:
    """Run a command in this process; its standard input is `typed`."""

    def invoke(*args: str, typed: str = "") -> Result:
        return CliRunner().invoke(studynorm, args, input=typed, prog_name="studynorm")

    return invoke


@pytest.fixture
def program(home: Path) -> Program:
    """Run the program as a process; its standard input is `typed`, and `env` adds to the environment."""

    def start(
        *args: str, typed: str | None = "", env: Mapping[str, str] | None = None, **more: Any
    ) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "studynorm", *args],
            input=typed,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, **(env or {})},
            timeout=60,
            check=False,
            **more,
        )

    return start


def payload(result: Result, code: int = 0) -> Any:
    """Return the one JSON object that a command printed on standard output."""
    assert result.exit_code == code, result.output
    read = json.loads(result.stdout)
    assert read["schema"] == 1
    assert len(result.stdout.splitlines()) == 1
    return read


def refusal(result: Result) -> str:
    """Return the one line on standard error of a command that was refused with exit code 1."""
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("studynorm: ")
    return line


def usage_error(result: Result) -> str:
    """Return the message of a usage error: exit code 2, nothing on standard output."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    return result.stderr.partition("Error: ")[2]
