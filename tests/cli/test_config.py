"""`studynorm config`, and what commands make of the options."""

import tomllib
from pathlib import Path

import pytest

from studynorm.study.options import OPTIONS
from tests.cli.conftest import Program, Run, payload, refusal, usage_error


def put(home: Path, text: str) -> Path:
    """Write a file of options by hand."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text(text, encoding="utf-8")
    return home / "config.toml"


def options(run: Run, *args: str) -> dict[str, dict[str, object]]:
    """Return what `config show` says of each option."""
    return {one["key"]: one for one in payload(run("config", "show", "--json", *args))["options"]}


def test_the_path_follows_the_home(run: Run, home: Path, tmp_path: Path) -> None:
    """That of the environment, or of the flag before or after the command; nothing is made."""
    assert run("config", "path").stdout == f"{home / 'config.toml'}\n"
    other = tmp_path / "my data ü" / "[x]"
    assert run("config", "path", "--home", str(other)).stdout == f"{other / 'config.toml'}\n"
    assert run("--home", str(other), "config", "path").stdout == f"{other / 'config.toml'}\n"
    assert not home.exists()
    assert not other.exists()


def test_show_lists_every_option_with_value_default_and_range(run: Run, home: Path) -> None:
    """In words each has its key, its value, what is allowed and what it does; without a file none is made."""
    shown = run("config", "show")
    assert shown.exit_code == 0
    words = " ".join(shown.stdout.split())
    for option in OPTIONS.values():
        assert f"{option.key} {option.default_text}" in words
        assert f"{option.help} Allowed: {option.kind.allowed}." in words
    assert max(map(len, shown.stdout.splitlines()[1:])) <= 100
    assert not home.exists()


def test_show_says_where_a_value_comes_from(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Default, file, profile, environment; in JSON the values are numbers, booleans, texts or null."""
    for_exam = "[profile.exam]\ninterview_date = 2027-03-01\nconfidence = true\n"
    put(home, f'learn_ahead = "1h"\nformulas = "ascii"\n{for_exam}')
    monkeypatch.setenv("STUDYNORM_FORMULAS", "words")
    found = options(run, "--profile", "exam")
    assert {
        key: (one["value"], one["source"]) for key, one in found.items() if one["source"] != "default"
    } == {
        "learn_ahead": ("1h", "file"),
        "formulas": ("words", "environment"),
        "interview_date": ("2027-03-01", "profile"),
        "confidence": (True, "profile"),
    }
    plain = options(run)
    assert (plain["interview_date"]["value"], plain["confidence"]["value"]) == (None, False)
    assert (plain["desired_retention"]["value"], plain["learning_steps"]["default"]) == (0.9, "1m 10m")
    words = " ".join(run("config", "show", "--profile", "exam").stdout.split())
    assert "interview_date 2027-03-01 profile exam; default none" in words
    assert "learn_ahead 1h all profiles; default 20m" in words
    assert "formulas words STUDYNORM_FORMULAS; default unicode" in words


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["new_per_day", "30"], "new_per_day = 30"),
        (["learning_steps", "1m", "10m"], 'learning_steps = "1m 10m"'),
        (["learning_steps", "none"], 'learning_steps = "none"'),
        (["learn_ahead", "90s"], 'learn_ahead = "1m30s"'),
        (["desired_retention", "85%"], "desired_retention = 0.85"),
        (["interview_date", "2027-03-01"], "interview_date = 2027-03-01"),
        (["interview_date", "none"], 'interview_date = "none"'),
        (["confidence", "yes"], "confidence = true"),
        (["day_starts_at", "04:00"], "day_starts_at = 4"),
        (["theme", "nord"], 'theme = "nord"'),
        (["theme", "studynorm-light"], 'theme = "studynorm-light"'),
    ],
)
def test_set_writes_one_line(run: Run, home: Path, words: list[str], line: str) -> None:
    """With or without quotes around several words; what holds then is printed."""
    done = run("config", "set", *words)
    assert (done.exit_code, done.stderr) == (0, "")
    assert (home / "config.toml").read_text() == f"{line}\n"
    text = OPTIONS[words[0]].text(OPTIONS[words[0]].read(" ".join(words[1:])))
    assert done.stdout == f"{words[0]} = {text} (all profiles)\n"


def test_set_for_a_profile_and_back_to_the_default(run: Run, home: Path) -> None:
    """With --profile the value goes to that profile alone; “default” takes out just that line."""
    run("config", "set", "new_per_day", "30")
    assert run("config", "set", "new_per_day", "50", "--profile", "exam").stdout == (
        "new_per_day = 50 (profile exam)\n"
    )
    assert tomllib.loads((home / "config.toml").read_text()) == {
        "new_per_day": 30,
        "profile": {"exam": {"new_per_day": 50}},
    }
    assert run("config", "set", "new_per_day", "default", "--profile", "exam").stdout == (
        "new_per_day = 30 (all profiles)\n"
    )
    assert run("config", "set", "new_per_day", "default").stdout == "new_per_day = 20 (default)\n"
    assert run("config", "set", "new_per_day", "default").stdout == "new_per_day = 20 (default)\n"


def test_set_says_when_something_else_wins(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A profile named by the environment with a value of its own, or a variable."""
    put(home, "[profile.exam]\nnew_per_day = 50\n")
    monkeypatch.setenv("STUDYNORM_PROFILE", "exam")
    done = run("config", "set", "new_per_day", "30")
    assert done.stdout == "new_per_day = 50 (profile exam)\n"
    assert "the profile exam has its own value; change that with --profile exam" in done.stderr
    assert tomllib.loads((home / "config.toml").read_text())["new_per_day"] == 30
    monkeypatch.setenv("STUDYNORM_FORMULAS", "words")
    done = run("config", "set", "formulas", "ascii")
    assert done.stdout == "formulas = words (STUDYNORM_FORMULAS)\n"
    assert "wins over the file" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["new_per_dya", "3"], "there is no option “new_per_dya”; did you mean new_per_day?"),
        (["zebra", "3"], "there is no option “zebra”; `studynorm config show` lists all"),
        (["new_per_day"], "Missing argument 'VALUE"),
        ([], "Missing argument 'KEY'"),
        (["maximum_interval", "0"], "maximum_interval cannot be “0”; allowed: 1 to 36500 days"),
        (["maximum_interval", "-1"], "maximum_interval cannot be “-1”; allowed: 1 to 36500 days"),
        (["maximum_interval", "10000000"], "cannot be “10000000”; allowed: 1 to 36500 days"),
        (["desired_retention", "nan"], "desired_retention cannot be “nan”; allowed: 0.70 to 0.99"),
        (["day_starts_at", "24"], "allowed: a full hour from 00:00 to 23:00"),
        (
            ["theme", "nrod"],
            "there is no theme “nrod”; did you mean nord? there are studynorm, studynorm-light,",
        ),
        (["weights", *["0.1"] * 19], "weights is no option: FSRS' weights are kept in the profile"),
        (["new_per_day", "3", "--prfile", "x"], "No such option: --prfile"),
    ],
)
def test_what_is_not_possible_is_a_usage_error_and_writes_nothing(
    run: Run, home: Path, words: list[str], told: str
) -> None:
    """The message names the key, or the nearest one, and the range."""
    assert told in usage_error(run("config", "set", *words))
    assert not home.exists()


@pytest.mark.parametrize("name", ["../x", "a b", "", "con", "NUL", "lpt1"])
def test_a_value_for_an_impossible_profile_is_refused(run: Run, home: Path, name: str) -> None:
    """Before anything is written; an empty name is none, and the value is for everyone."""
    done = run("config", "set", "new_per_day", "3", "--profile", name)
    if name:
        assert "profile name" in refusal(done)
        assert not home.exists()
    else:
        assert done.stdout == "new_per_day = 3 (all profiles)\n"


def test_a_broken_file_is_refused_with_its_line(run: Run, home: Path) -> None:
    """`set` leaves it alone; `show` tells it and shows the defaults; both name the file."""
    file = put(home, "# mine\ntheme = nord\n")
    said = refusal(run("config", "set", "leech_at", "4"))
    assert said.startswith(f"studynorm: {file}: line 2, column 9: this is no value")
    assert said.endswith("Mend that first; nothing was changed.")
    assert file.read_text() == "# mine\ntheme = nord\n"
    shown = run("config", "show", "--json")
    assert [one["source"] for one in payload(shown)["options"]] == ["default"] * len(OPTIONS)
    assert shown.stderr.startswith(f"studynorm: {file}: line 2, column 9")


def test_a_theme_that_does_not_exist_is_told(run: Run, home: Path) -> None:
    """`show` knows which there are, and shows the one that is used."""
    put(home, 'theme = "nrod"\n')
    shown = run("config", "show", "--json")
    assert 'there is no theme "nrod"; studynorm is used' in shown.stderr
    assert options(run)["theme"]["value"] == "studynorm"


@pytest.mark.parametrize(
    "args", [("due",), ("review", "--plain"), ("items", "is:due"), ("interview", "--list")]
)
def test_commands_go_on_with_a_bad_file_and_say_so(run: Run, home: Path, args: tuple[str, ...]) -> None:
    """One line for each problem on standard error; the rest of the file counts."""
    file = put(home, "new_per_day = 3\nmaximum_interval = 0\n")
    done = run(*args)
    assert done.exit_code == 0
    assert done.stderr == (
        f"studynorm: {file}: maximum_interval = 0 is not possible; allowed: 1 to 36500 days; 36500 is used\n"
    )
    if args == ("due",):
        assert done.stdout.startswith("3 new + 0 learning + 0 review")


def test_json_stays_alone_on_standard_output(run: Run, home: Path) -> None:
    """Whatever is told of the options."""
    put(home, "x = [")
    assert payload(run("due", "--json"))["new"] == 20


def test_an_unknown_zone_is_told_once(program: Program) -> None:
    """The program goes by UTC, and says so; a zone that exists is not mentioned."""
    done = program("due", env={"TZ": "Nowhere/None"})
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert line.startswith("studynorm: TZ=Nowhere/None names no time zone here, so UTC is used")
    assert program("due", env={"TZ": "Asia/Tokyo"}).stderr == ""


def test_formulas_go_by_flag_then_variable_then_option(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a review, and in commands that print a card, a problem or a term."""
    put(home, 'formulas = "ascii"\n')
    asked = ("review", "--plain", "--limit", "1")
    shown: tuple[tuple[str, ...], ...] = (
        ("card", "show", "batchnorm/forward-pass"),
        ("reference", "rmsnorm"),
        ("reference", "--diagram", "pre-norm-block"),
        ("problem", "show", "batchnorm.vector", "--seed", "1"),
    )
    assert run(*asked, typed="\n3\n").stdout.isascii()
    for command in shown:
        assert run(*command).stdout.replace(" · ", "").isascii(), command
    assert not run(*asked, "--formulas", "unicode", typed="\n3\n").stdout.isascii()
    monkeypatch.setenv("STUDYNORM_FORMULAS", "words")
    assert "square root of" in " ".join(run(*shown[0]).stdout.split())
    assert not set("√²₁^") & set(run(*asked, typed="\n3\n").stdout)
    monkeypatch.setenv("STUDYNORM_FORMULAS", "braille")
    for command in (asked, shown[0]):
        assert run(*command).exit_code == 2


def test_where_there_is_no_home_a_card_is_still_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The glossary needs nothing that is kept."""
    import pwd

    def nobody(uid: int) -> None:
        raise KeyError(uid)

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    for name in ("STUDYNORM_HOME", "HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, "")
    assert run("reference", "rmsnorm").exit_code == 0
    assert "--home DIR" in refusal(run("config", "path"))


def test_every_subcommand_has_help_with_an_example(run: Run) -> None:
    """As every command has."""
    for command in ("config", "config show", "config path", "config set", "profile", "profile list"):
        assert f"studynorm {command}" in run(*command.split(), "--help").stdout.partition("Example")[2]
