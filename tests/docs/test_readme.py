"""README and docs name what exists: every command, every link, every path, and examples that run."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from textual.binding import Binding

from studynorm.cli import studynorm
from studynorm.commands import optimize
from studynorm.scheduling.fit import Fit
from studynorm.storage.home import Home
from studynorm.study.desk import open_desk
from studynorm.tui.answer_field import AnswerInput
from studynorm.tui.app import StudyNorm
from studynorm.tui.browse_screen import BrowseScreen
from studynorm.tui.browse_table import BrowseTable
from studynorm.tui.demo_list_screen import DemoList, DemoListScreen
from studynorm.tui.demo_screen import DemoScreen
from studynorm.tui.done_screen import DoneScreen
from studynorm.tui.home_screen import HomeScreen, TopicList
from studynorm.tui.interview_screen import InterviewScreen
from studynorm.tui.practice_screen import PracticeList, PracticeScreen
from studynorm.tui.progress_list import ProgressList
from studynorm.tui.progress_screen import ProgressScreen
from studynorm.tui.readiness_screen import OutlookList, ReadinessScreen
from studynorm.tui.reference_screen import ReferenceScreen
from studynorm.tui.rehearsal_done_screen import RehearsalDoneScreen
from studynorm.tui.rehearsal_screen import RehearsalScreen
from studynorm.tui.review_screen import ReviewScreen
from studynorm.tui.settings_screen import SettingList, SettingsScreen
from studynorm.tui.topic_screen import TopicScreen
from tests.learner import TRUE, keep, reviews

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
PAGES = (README, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")))
INSTALL = (
    "python3 -m venv .venv && .venv/bin/pip install -c constraints.txt -e . && .venv/bin/studynorm",
    "python3 -m venv .venv && .venv/bin/pip install -c constraints.txt -e '.[test]' && "
    ".venv/bin/python -m pytest",
)
FOLDERS = "studynorm|cards|problems|docs|tests|benchmarks"
PATH = re.compile(rf"(?:(?:{FOLDERS})/|\.ci/)[\w./-]*|[\w-]+\.(?:toml|txt|md|py)|LICENSE")
NEEDS_A_TERMINAL: tuple[list[str], ...] = (["review"], [])

SCREENS: Mapping[str, tuple[type, ...]] = {
    "home": (HomeScreen, TopicList),
    "review": (ReviewScreen,),
    "end": (DoneScreen,),
    "practice": (PracticeScreen, PracticeList),
    "topic": (TopicScreen,),
    "browse": (BrowseScreen, BrowseTable),
    "interview": (InterviewScreen,),
    "glossary": (ReferenceScreen,),
    "progress": (ProgressScreen, ProgressList),
    "readiness": (ReadinessScreen, OutlookList),
    "final pass": (RehearsalScreen,),
    "end of a pass": (RehearsalDoneScreen,),
    "options": (SettingsScreen, SettingList),
    "demo list": (DemoListScreen, DemoList),
    "demo": (DemoScreen,),
    "answer field": (AnswerInput,),
    "program": (StudyNorm,),
}
KEYS = {
    "Enter": "enter",
    "Space": "space",
    "Esc": "escape",
    "?": "question_mark",
    "↑": "up",
    "↓": "down",
    "←": "left",
    "→": "right",
    "@": "at",
    "-": "minus",
    "[": "left_square_bracket",
    "]": "right_square_bracket",
}


def shell_lines(page: Path) -> Iterator[str]:
    """Yield the lines of a page's ```sh blocks."""
    for block in re.findall(
        r"^```sh\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    ):
        yield from block.splitlines()


def examples(page: Path) -> list[list[str]]:
    """Return the arguments of every `studynorm …` line in a page's ```sh blocks."""
    lines = (
        shlex.split(line, comments=True) for line in shell_lines(page) if re.match("studynorm( |$)", line)
    )
    return [words[1:] for words in lines]


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the path of every command that has no subcommands."""
    if not isinstance(command, click.Group):
        yield path
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from leaves(found, (*path, name))


def parse(arguments: list[str]) -> tuple[str, ...]:
    """Return the path of the command that these arguments call, with its options read but nothing run."""
    command: click.Command = studynorm
    context: click.Context | None = None
    path: tuple[str, ...] = ()
    while isinstance(command, click.Group):
        context = click.Context(command, parent=context, info_name=command.name)
        _, rest, _ = command.make_parser(context).parse_args(list(arguments))
        if not rest:
            return path
        found = command.get_command(context, rest[0])
        assert found is not None, f"there is no command {rest[0]}"
        path, command, arguments = (*path, rest[0]), found, rest[1:]
    command.make_context(path[-1], list(arguments), parent=context)
    return path


def backticked(text: str) -> list[str]:
    """Return what stands in backticks outside fenced blocks."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE))


@pytest.mark.parametrize("command", INSTALL)
def test_both_install_commands_are_there_word_for_word(command: str) -> None:
    """Each stands on a line of its own in a shell block, where the gate looks for it."""
    assert command in list(shell_lines(README))


@pytest.mark.parametrize("path", leaves(studynorm), ids=" ".join)
def test_every_command_has_an_example(path: tuple[str, ...]) -> None:
    """Whatever `--help` lists is called by a line of the README."""
    assert path in {parse(arguments) for arguments in examples(README)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_example_parses(page: Path) -> None:
    """Each `studynorm …` line names a command that exists, with options that it takes."""
    for arguments in examples(page):
        try:
            parse(arguments)
        except click.UsageError as error:
            pytest.fail(f"studynorm {shlex.join(arguments)}: {error.format_message()}")


@pytest.mark.parametrize(
    "arguments",
    [
        arguments
        for arguments in examples(README)
        if arguments[:1] not in NEEDS_A_TERMINAL and arguments != ["check"]
    ],
    ids=shlex.join,
)
def test_every_example_of_the_readme_runs(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a fresh home and the repository's decks and families below the current folder, all end in 0."""
    monkeypatch.setenv("STUDYNORM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("VISUAL", "true")  # an editor that leaves every file as it is
    monkeypatch.chdir(tmp_path)
    for folder in ("cards", "problems"):
        (tmp_path / folder).symlink_to(ROOT / folder, target_is_directory=True)
    if arguments[:2] == ["attempt", "show"]:
        succeeds(["drill", "batchnorm.entry", "--count", "1"], "0\n")
    if arguments[:2] in (["export", "json"], ["export", "csv"]) or arguments[:1] in (["backup"], ["restore"]):
        succeeds(["review", "--plain", "--limit", "1"], "\n3\n")
    if arguments[:1] == ["restore"]:
        succeeds(["backup", arguments[1]])
    if arguments[0] == "optimize" and arguments[1:2] != ["--list"]:
        monkeypatch.setattr(optimize, "torch_lab", lambda: Fits)
        with open_desk(Home(tmp_path / "home")) as desk:
            keep(desk, reviews(1000))
    assert succeeds(arguments)


class Fits:
    """Finds weights that predict better, whatever it is asked: a true fit takes half a minute."""

    @staticmethod
    def optimise(*_: object) -> dict[str, object]:
        """Return what the engine process does."""
        return asdict(Fit(TRUE, n_train=544, n_held_out=136, before=0.4071, after=0.3985))


def succeeds(arguments: list[str], typed: str | None = None) -> str:
    """Run a command, with lines typed into it, and return what it prints; it must end in 0."""
    done = CliRunner().invoke(studynorm, arguments, input=typed)
    assert done.exit_code == 0, f"{shlex.join(arguments)}: {done.output}"
    return done.output


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_to_a_file(page: Path) -> None:
    """Links and images within the repository exist; so does the heading behind a `#`."""
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if re.match("[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        assert file.exists(), f"{page.name} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {slug(heading) for heading in headings}, f"{page.name} links to {target}"


def slug(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_that_is_named_exists(page: Path) -> None:
    """What looks like a path of the repository in backticks is one; `<name>` and `…` stand for any."""
    for code in backticked(page.read_text(encoding="utf-8")):
        if PATH.fullmatch(code) and code not in PLACES_OF_OTHERS:
            at_root = "/" in code or (ROOT / code).exists()
            exists = (ROOT / code).exists() if at_root else any((ROOT / "studynorm").rglob(code))
            assert exists, f"{page.name} names `{code}`"


PLACES_OF_OTHERS = frozenset({"torch.py", "config.toml"})
"""Names that look like files of the repository and lie elsewhere."""


def bound(classes: Iterable[type]) -> set[str]:
    """Return the keys that screens and widgets bind themselves."""
    bindings = [binding for one in classes for binding in vars(one)["BINDINGS"]]
    assert all(isinstance(binding, Binding) for binding in bindings)
    return {key for binding in bindings for key in binding.key.split(",")}


def key_rows() -> list[tuple[str, list[str]]]:
    """Return the rows of the README's table of keys: where, and the keys."""
    table = README.read_text(encoding="utf-8").partition("| where | key |")[2].partition("\n\n")[0]
    rows = [line.split(" | ") for line in table.splitlines()[2:]]
    return [(row[0].strip("| "), re.findall(r"`([^`]+)`", row[1])) for row in rows]


@pytest.mark.parametrize(("where", "keys"), key_rows())
def test_every_key_of_the_table_is_bound_where_it_says(where: str, keys: list[str]) -> None:
    """A key that the README names is a binding of each screen that the row names."""
    rooms = [name for name in SCREENS if name not in {"answer field", "program"}]
    for room in rooms if where == "every screen" else where.split(", "):
        live = bound(SCREENS[room]) | bound(SCREENS["program"])
        for key in keys:
            name = KEYS.get(key, key.lower() if len(key) > 1 else key)
            assert {name, key} & live, f"`{key}` does nothing in {room}"
