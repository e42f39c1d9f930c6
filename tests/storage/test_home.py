"""Where the home folder is, for every way of naming it or not naming it."""

import os
import pwd
from pathlib import Path

import pytest

from studynorm.storage.errors import StoreError
from studynorm.storage.home import Home, find_home

USER = Path(pwd.getpwuid(os.getuid()).pw_dir)
DEFAULT = Path(".local/share/studynorm")

TABLE = [
    # flag, variables, root
    ("/a", {"STUDYNORM_HOME": "/b", "XDG_DATA_HOME": "/c", "HOME": "/d"}, "/a"),
    (None, {"STUDYNORM_HOME": "/b", "XDG_DATA_HOME": "/c", "HOME": "/d"}, "/b"),
    (None, {"XDG_DATA_HOME": "/c", "HOME": "/d"}, "/c/studynorm"),
    (None, {"HOME": "/d"}, "/d/.local/share/studynorm"),
    ("", {"STUDYNORM_HOME": "", "XDG_DATA_HOME": "", "HOME": "/d"}, "/d/.local/share/studynorm"),
    (None, {"XDG_DATA_HOME": "rel/path", "HOME": "/d"}, "/d/.local/share/studynorm"),
    (None, {"XDG_DATA_HOME": "/tmp/my cards ü/[x]", "HOME": "/d"}, "/tmp/my cards ü/[x]/studynorm"),
    ("~/x y", {"HOME": "/d"}, "/d/x y"),
    ("~", {"HOME": "/d"}, "/d"),
    (None, {"STUDYNORM_HOME": "~/it's", "HOME": "/d"}, "/d/it's"),
    ("/a/~/b", {"HOME": "/d"}, "/a/~/b"),
]


@pytest.mark.parametrize(("flag", "variables", "root"), TABLE)
def test_the_first_name_given_wins(flag: str | None, variables: dict[str, str], root: str) -> None:
    """Flag, then variable, then platform folder; empty counts as unset, relative XDG values are ignored."""
    assert find_home(flag, variables) == Home(Path(root))


@pytest.mark.parametrize("variables", [{}, {"HOME": ""}, {"HOME": "rel"}, {"HOME": "/"}], ids=str)
def test_without_a_usable_home_the_user_database_decides(variables: dict[str, str]) -> None:
    """An unset, empty, relative or root HOME never leads to `/` or the current folder."""
    assert find_home(None, variables).root == USER / DEFAULT
    assert find_home("~/x", variables).root == USER / "x"


def test_a_user_without_a_home_is_told_how_to_name_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any home folder the error names --home and the variable; naming one then works."""

    def unknown(uid: int) -> pwd.struct_passwd:
        raise KeyError(uid)

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(StoreError, match="--home DIR or the variable STUDYNORM_HOME"):
        find_home(None, {})
    assert find_home("/a", {}).root == Path("/a")


def test_a_relative_flag_lies_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative folder asked for by name lies in the current folder of that moment."""
    monkeypatch.chdir(tmp_path)
    assert find_home("data", {}).root == tmp_path / "data"


@pytest.mark.parametrize("flag", ["~no-such-user-here/x", "a\0b"])
def test_a_name_that_is_no_folder_is_refused(flag: str) -> None:
    """An unknown user or a NUL makes no folder called so."""
    with pytest.raises(StoreError, match="--home"):
        find_home(flag, {"HOME": "/d"})


def test_finding_a_home_makes_nothing(tmp_path: Path) -> None:
    """Looking for the home and naming its files touches no disk."""
    home = find_home(str(tmp_path / "new"), {})
    assert home.profile_file("default") == tmp_path / "new" / "profiles" / "default.sqlite"
    names = [home.config_file, home.backups, home.decks, home.logs, home.cache]
    assert [path.relative_to(home.root).as_posix() for path in names] == [
        "config.toml", "backups", "decks", "logs", "cache",
    ]  # fmt: skip
    assert not home.root.exists()


@pytest.mark.parametrize("name", ["default", "A-b_9", "x" * 40])
def test_profile_names(name: str) -> None:
    """Letters, digits, hyphens and underscores, 1 to 40 of them, name a profile."""
    assert Home(Path("/h")).profile_file(name) == Path(f"/h/profiles/{name}.sqlite")


@pytest.mark.parametrize("name", ["", "x" * 41, "a/b", "..", "a b", "é", "a.sqlite", "a\n", "a\0"])
def test_other_profile_names_are_refused(name: str) -> None:
    """Any other name is refused with the rule, so no profile lies outside its folder."""
    with pytest.raises(StoreError, match=r"1 to 40 letters .* digits"):
        Home(Path("/h")).profile_file(name)
