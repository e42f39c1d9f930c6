"""`docs/json.md` lists exactly the fields that the commands print, with their types, and true examples."""

import json
import re
import shlex
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from studynorm.cli import studynorm
from studynorm.commands import optimize
from studynorm.engine.attempt import Attempt
from studynorm.scheduling.fit import Fit
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import PUBLISHED, Scheduler
from studynorm.scheduling.studyday import Moment
from studynorm.storage.backup import back_up
from studynorm.storage.backups import backup_name
from studynorm.storage.home import Home
from studynorm.storage.store import Store
from studynorm.study.catchup import begin
from studynorm.study.desk import Desk, open_desk
from studynorm.study.interview import Interview, questions
from studynorm.study.weights import adopt, weights_in_use
from tests.conftest import FrozenClock
from tests.learner import TRUE, keep
from tests.learner import reviews as simulated
from tests.study.backlogs import memory, put

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "json.md"
TYPES: Mapping[str, tuple[type, ...]] = {
    "text": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "list": (list,),
    "object": (dict,),
    "value": (int, float, str, list),
    "any": (int, float, str, list, dict, bool),
    "null": (type(None),),
}
CHANGES = re.compile(
    r"(variants\[\]\.)?(verified\.)?(torch|max_abs_diff)|day|summary|topics\[\]\.(items|new)"
    r"|table\[\]\.(ms|rejection_rate)|items\[\]\.due|path|profiles\[\]\.(file|newest|size)"
    r"|weights\[\]\.(since|fitted)"
    r"|backups\[\]\.(path|made|size|newest|reviews|trouble)|folder"
    r"|calendar\.(first|answers|rest)|memory\.new"
    r"|(plan|choices\[\])\.(through|since)|interview_date|predicted_for|overall\.items|pace\.\w+"
    r"|version|checks\[\]\.message|profile\.salt|wordings\[\]\.fingerprint|reviews\[\]\.wording|findings\[\]\.replayed|(weights|wordings)\[\]\.(created|at)"
    r"|(memories|reviews)\[\]\.(after\.)?(at|last_at|due_at|day|last_day|due_day)"
)
"""Paths whose values hang on the day, the machine or the number of cards."""
LONG = 60
"""Texts longer than this are wording, which an example need not repeat exactly."""

# More runs of a command, where one does not show every field and every kind of value.
FURTHER = {
    "due": ["due --json --profile learner"],
    "catchup": ["catchup --json --profile learner", "catchup off --json --profile zoe"],
    "ready": ["ready --json --profile learner"],
    "stats": ["stats --json", "stats --json --topic backward"],
    "items": ["items is:new --limit 1 --json"],
    "problem show": ["problem show running_stats.mean --seed 1 --reveal --json"],
    "problem show --count": ["problem show running_stats.mean --seed 1 --count 1 --reveal --json"],
    "problem solve": ["problem solve stream_scale.doubling --json"],
    "problem grade": [
        "problem grade batchnorm.entry 0,5 --seed 1 --json",
        "problem grade batchnorm.entry 123 --seed 1 --json",
    ],
    "card show": ["card show batchnorm/forward-pass --json"],
    "demo": ["demo pre_post_ln --set depths=1,2 --set seeds=2 --set width=8 --device cpu --json"],
    "check": ["check broken.md --json"],
    "export json": ["export json - --profile mia"],
    "doctor": ["doctor --json --profile learner"],
    "optimize": ["optimize --dry-run --json --profile kim"],
}


ATTEMPT = Attempt(
    item="family:batchnorm.entry",
    family="batchnorm.entry",
    version=1,
    level=1,
    seed=7,
    prompt="What is $\\hat x_1$?",
    params='{"x": [0.0, 2.0, 4.0, 6.0], "index": 1, "eps": 0.0}',
    answer="-1.3416407864998738",
    misconceptions='[{"id": "no_scaling", "value": -3.0, "why": "It still has to be divided.", '
    '"distinguishable": true}]',
    typed="-3",
    verdict="wrong",
    misconception="no_scaling",
    hints=1,
    revealed=False,
    at=1_772_442_000_000,
)
"""The only attempt in the profile: 2 March 2026, 09:00 UTC."""


@dataclass(frozen=True)
class Section:
    """One payload as the page describes it."""

    name: str
    command: str
    fields: Mapping[str, tuple[str, ...]]
    example: Any


def sections() -> Iterator[Section]:
    """Yield every section of the page that shows a command."""
    for part in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        command = re.search(r"^```sh\nstudynorm (.*)\n```$", part, re.MULTILINE)
        example = re.search(r"^```json\n(.*?)^```$", part, re.DOTALL | re.MULTILINE)
        if command is None or example is None:
            continue
        rows = re.findall(r"^\| `([^`]+)` \| ([^|]+) \|", part, re.MULTILINE)
        fields = {path: tuple(kind.strip().split(" or ")) for path, kind in rows}
        yield Section(part.partition("\n")[0].strip("` "), command[1], fields, json.loads(example[1]))


SECTIONS = {section.name: section for section in sections()}


def paths(value: Any, fields: Mapping[str, object], path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every field of a payload with its value: `a.b` in an object, `a[].b` in a list of objects.

    An object of which the page lists `a.<name>` may have any keys.
    """
    if isinstance(value, dict):
        free = f"{path}.<name>" if path else "<name>"
        for key, inner in value.items():
            inner_path = free if free in fields else f"{path}.{key}" if path else key
            yield inner_path, inner
            if inner_path != free:
                yield from paths(inner, fields, inner_path)
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, dict):
                yield from paths(inner, fields, f"{path}[]")


def payload(command: str) -> Any:
    """Return what a command prints with `--json`, and that it prints nothing else on standard output."""
    done = CliRunner().invoke(studynorm, shlex.split(command))
    assert done.exit_code in {0, 1, 3}, done.output
    return json.loads(done.stdout)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in a folder with the content and a broken deck, and with a home where one card was rated Easy."""
    monkeypatch.setenv("STUDYNORM_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    for folder in ("cards", "problems"):
        (tmp_path / folder).symlink_to(ROOT / folder, target_is_directory=True)
    (tmp_path / "broken.md").write_text("## no-header\nQ: What?\nA: That.\n", encoding="utf-8")
    with open_desk(Home(tmp_path / "home"), "learner") as desk:
        session = desk.session()
        session.reveal()
        assert session.answer(Rating.EASY)
        desk.store.record_drill(ATTEMPT)
        clock = FrozenClock()
        interview = Interview(questions()[0], desk.store, clock, clock.tick, timed=False)
        clock.ticks += 190
        interview.show()
        interview.toggle(0)
        interview.finish()
    with open_desk(Home(tmp_path / "home"), "zoe") as desk:
        fall_behind(desk)
    with open_desk(Home(tmp_path / "home"), "ann") as desk:
        answer_lately(desk)
        desk.home.backups.mkdir(parents=True, exist_ok=True)
        backup_name(desk.path, desk.home.backups).write_text("no database", encoding="utf-8")
        back_up(desk.path, backup_name(desk.path, desk.home.backups))
    alter_copy(Home(tmp_path / "home"))


@pytest.fixture(autouse=True)
def fitted(
    place: None, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where it is about fits, keep a thousand reviews and weights of a fit, and let no other one run."""
    if "optimize" not in request.node.name:
        return
    losses = {"n_train": 544, "n_held_out": 136, "before": 0.4071, "after": 0.3985}
    fit = Fit(weights=TRUE, **losses)  # type: ignore[arg-type]

    class Lab:
        """Finds the same weights whatever it is asked."""

        @staticmethod
        def optimise(*_: object) -> dict[str, object]:
            return asdict(fit)

    monkeypatch.setattr(optimize, "torch_lab", lambda: Lab)
    with open_desk(Home(tmp_path / "home"), "kim") as desk:
        keep(desk, simulated(1000))
        adopt(desk, fit, weights_in_use(desk))


def fall_behind(desk: Desk) -> None:
    """Put 21 cards of a topic into Review, one of them less stable, due yesterday; begin with 20 a day."""
    today = desk.clock().day
    cards = [item for item in desk.catalogue.candidates if item.startswith("card:batchnorm/")][:21]
    put(desk.store, (memory(item, 40.0, today - 40, today - 1) for item in cards))
    put(desk.store, [memory("card:batchnorm/forward-pass", 20.0, today - 40, today - 1)])
    begin(desk, 20)


def alter_copy(home: Home) -> None:
    """Make a copy of the learner with a second answer and a due day set by hand, and alter a stability."""
    path = home.profile_file("mia")
    back_up(home.profile_file("learner"), path)
    with Store.open(path) as store:
        (item,) = store.known_items()
        memory, scheduler = store.memory(item), Scheduler()
        assert memory is not None
        assert memory.due_day is not None
        days = memory.due_day - memory.last_day
        now = Moment(memory.last_at + days * 86_400_000, 0, memory.due_day)
        store.remember_weights(scheduler.model, scheduler.weights, scheduler.rules)
        store.record(scheduler.review(item, memory, Rating.GOOD, now))
        store.upkeep.set_due([item], now.day + 5, now)
        store.upkeep.suspend(["family:batchnorm.entry"], now)
        store.ledger.adopt("FSRS-6", PUBLISHED, {"reviews": 512})
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE memory SET stability = 9.5")
        connection.commit()


def answer_lately(desk: Desk) -> None:
    """Keep two cards, one of them forgotten today, and an attempt of today and three of older days."""
    now = desk.clock()
    for item, rating in (("forward-pass", Rating.GOOD), ("epsilon-place", Rating.AGAIN)):
        for ago, rated in ((20, Rating.EASY), (0, rating)):
            name = f"card:batchnorm/{item}"
            moment = Moment(now.at - ago * 86_400_000, now.offset, now.day - ago)
            review = desk.scheduler.review(name, desk.store.memory(name), rated, moment, duration_ms=4000)
            desk.store.record(replace(review, confidence=75))
    for ago in (40, 40, 40, 0):
        desk.store.record_drill(replace(ATTEMPT, seed=ago, at=now.at - ago * 86_400_000))


def with_json(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield every command that takes `--json`."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from with_json(found, (*path, name))
    elif any("--json" in parameter.opts for parameter in command.params):
        yield " ".join(path)


def test_every_command_with_json_has_a_section() -> None:
    """The page describes each payload; some commands have an argument or option that prints another one."""
    others = {"demo list", "problem show --count", "problem show --help-params", "export json"}
    assert set(SECTIONS) == {*with_json(studynorm), *others}


@pytest.mark.parametrize("name", SECTIONS)
def test_fields_and_types_are_those_of_the_real_payload(name: str) -> None:
    """No field is missing from the page, none is invented, and every value has a type that it names."""
    section = SECTIONS[name]
    found: set[str] = set()
    for command in (section.command, *FURTHER.get(name, [])):
        real = payload(command)
        assert real["schema"] == 1
        for path, value in paths(real, section.fields):
            found.add(path)
            assert path in section.fields, f"{command}: `{path}` is not described"
            allowed = tuple(kind for word in section.fields[path] for kind in TYPES[word])
            assert type(value) in allowed, f"{command}: `{path}` is {value!r}"
    assert found == set(section.fields)


@pytest.mark.parametrize("name", SECTIONS)
def test_the_example_is_what_the_command_prints(name: str) -> None:
    """An example holds every key; its lists may be cut short, its long texts may be worded otherwise."""
    section = SECTIONS[name]
    agree(section.example, payload(section.command), "", section.fields)


def agree(shown: Any, real: Any, path: str, fields: Mapping[str, object]) -> None:
    """Fail where an example differs from the real payload."""
    where = f"`{path}` is {real!r}, and the example shows {shown!r}"
    if CHANGES.fullmatch(path):
        assert type(shown) is type(real), where
    elif isinstance(real, dict):
        free = (f"{path}.<name>" if path else "<name>") in fields
        assert set(shown) <= set(real) if free else list(shown) == list(real), where
        for key in shown:
            agree(shown[key], real[key], f"{path}.{key}" if path else key, fields)
    elif isinstance(real, list):
        assert bool(shown) == bool(real), where
        assert len(shown) <= len(real), where
        for one, other in zip(shown, real, strict=False):
            agree(one, other, f"{path}[]" if isinstance(other, dict) else path, fields)
    elif isinstance(real, float):
        assert shown == pytest.approx(real, rel=1e-9, abs=1e-12), where
    elif isinstance(real, str) and len(real) > LONG:
        assert isinstance(shown, str), where
        assert shown, where
    else:
        assert shown == real, where
