"""What every command promises: help with examples that work, and global flags anywhere."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from studynorm import __version__
from studynorm.cli import studynorm
from tests.cli.conftest import Run, payload, usage_error


def commands(
    command: click.Command = studynorm, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command with its words, the program itself first."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from commands(found, (*path, name))


COMMANDS = dict(commands())
LEAVES = {path: command for path, command in COMMANDS.items() if not isinstance(command, click.Group)}


def examples(command: click.Command) -> list[list[str]]:
    """Return the arguments of every example in a command's help."""
    lines = (line.strip() for line in (command.epilog or "").splitlines())
    return [shlex.split(line)[1:] for line in lines if line.startswith("studynorm ")]


def test_every_command_of_the_contract_exists() -> None:
    """The words are those of the contract."""
    assert set(LEAVES) == {
        ("review",),
        ("drill",),
        ("interview",),
        ("due",),
        ("catchup",),
        ("ready",),
        ("stats",),
        ("items",),
        ("problem", "list"),
        ("problem", "show"),
        ("problem", "solve"),
        ("problem", "grade"),
        ("problem", "preview"),
        ("problem", "new"),
        ("attempt", "list"),
        ("attempt", "show"),
        ("card", "list"),
        ("card", "show"),
        ("card", "edit"),
        ("card", "new"),
        ("demo",),
        ("reference",),
        ("config", "show"),
        ("config", "path"),
        ("config", "set"),
        ("profile", "list"),
        ("export",),
        ("check",),
        ("doctor",),
        ("backup",),
        ("restore",),
        ("optimize",),
        ("fmt",),
    }


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_says_what_a_command_does_and_shows_an_example(path: tuple[str, ...], run: Run) -> None:
    """`--help` ends with 0, and its example stands on one line, to be copied."""
    shown = run(*path, "--help")
    assert shown.exit_code == 0
    assert COMMANDS[path].help
    assert examples(COMMANDS[path])
    for example in examples(COMMANDS[path]):
        assert shlex.join(["studynorm", *example]) in shown.stdout.replace('"', "'")


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_example_parses(path: tuple[str, ...]) -> None:
    """An example is read without a complaint by the command that it names."""
    for example in examples(COMMANDS[path]):
        assert tuple(example[: len(path)]) == path
        leaf = max((known for known in LEAVES if tuple(example[: len(known)]) == known), key=len)
        LEAVES[leaf].make_context(leaf[-1], example[len(leaf) :])


@pytest.mark.parametrize("path", LEAVES, ids=" ".join)
def test_global_flags_stand_before_and_after_the_command(path: tuple[str, ...], run: Run) -> None:
    """`--version` works in both places, and an unknown flag in neither."""
    for args in (("--version", *path), (*path, "--version")):
        shown = run(*args)
        assert (shown.exit_code, shown.stdout) == (0, f"studynorm {__version__}\n")
    usage_error(run("--no-such-flag", *path))


def test_home_and_profile_before_and_after_the_command_mean_the_same(run: Run, tmp_path: Path) -> None:
    """The profile is made where the flags say, and the one nearer to the command wins."""
    review = ("review", "--plain")
    run("--home", str(tmp_path / "a"), "--profile", "ann", *review)
    run(*review, "--home", str(tmp_path / "b"), "--profile", "bob")
    run("--home", str(tmp_path / "c"), *review, "--home", str(tmp_path / "d"))
    made = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.glob("*/profiles/*.sqlite"))
    assert made == ["a/profiles/ann.sqlite", "b/profiles/bob.sqlite", "d/profiles/default.sqlite"]


def test_an_empty_flag_counts_as_unset(run: Run, home: Path) -> None:
    """`--home ''` falls back to the environment, `--profile ''` to the default."""
    assert run("review", "--plain", "--home", "", "--profile", "").exit_code == 0
    assert (home / "profiles" / "default.sqlite").exists()


def test_due_counts_what_a_new_learner_may_learn_today(run: Run) -> None:
    """Twenty new items a day, nothing learning and nothing to review."""
    told = payload(run("due", "--json"))
    assert (told["new"], told["learning"], told["review"]) == (20, 0, 0)
    assert sum(topic["new"] for topic in told["topics"]) == 20
    assert run("due").stdout.startswith("20 new + 0 learning + 0 review\n")


@pytest.mark.parametrize(
    ("typed", "near"), [("problm list", "problem"), ("crad list", "card"), ("problem lst", "list")]
)
def test_a_misspelled_command_is_told_the_nearest(run: Run, typed: str, near: str) -> None:
    """The nearest command is named once."""
    assert usage_error(run(*typed.split())).count(f"Did you mean '{near}'?") == 1


@pytest.mark.parametrize("path", [("due",), ("card", "list")], ids=" ".join)
def test_a_superfluous_argument_is_a_usage_error(run: Run, path: tuple[str, ...]) -> None:
    """What a command does not take is refused before anything happens."""
    assert "unexpected extra argument" in usage_error(run(*path, "more"))


def test_due_says_when_the_next_item_comes_where_nothing_is_left(run: Run) -> None:
    """Without new cards for today, the one that was rated Easy comes back on the day that is told."""
    assert run("config", "set", "new_per_day", "1").exit_code == 0
    assert run("review", "--plain", "--topic", "batchnorm", typed="\n4\n").exit_code == 0
    told = payload(run("due", "--json"))
    assert (told["new"], told["learning"], told["review"]) == (0, 0, 0)
    assert run("due").stdout == (
        f"0 new + 0 learning + 0 review\nThe next item is due on {told['next_due_day']}.\n"
    )
