"""Data that cannot be used is refused in one line, and stays byte for byte as it is."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Run, refusal

READERS = [("due",), ("due", "--json"), ("review", "--plain")]


def profile(home: Path) -> Path:
    """Return the profile's place, its folder made."""
    path = home / "profiles" / "default.sqlite"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@pytest.mark.parametrize("args", READERS, ids=" ".join)
def test_a_file_that_is_no_database_is_left_alone(run: Run, home: Path, args: tuple[str, ...]) -> None:
    """The message names the file; the bytes and the folder stay."""
    path = profile(home)
    path.write_bytes(b"my notes, not a database\n")
    assert f"{path} is not a database" in refusal(run(*args))
    assert path.read_bytes() == b"my notes, not a database\n"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("revision", ["0999", "x"])
def test_a_newer_database_is_left_alone(run: Run, home: Path, revision: str) -> None:
    """A revision that this program does not know is refused before any write."""
    assert run("review", "--plain").exit_code == 0
    path = profile(home)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = path.read_bytes()
    for args in READERS:
        assert "newer studynorm" in refusal(run(*args))
    assert path.read_bytes() == before


def test_a_folder_in_the_place_of_the_profile_is_refused(run: Run, home: Path) -> None:
    """The message says that it is a folder."""
    profile(home).mkdir()
    assert "is a folder" in refusal(run("due"))


def test_a_home_that_is_a_file_is_refused(run: Run, tmp_path: Path) -> None:
    """The message names the path, and the file stays."""
    file = tmp_path / "file"
    file.write_text("mine", encoding="utf-8")
    assert str(file) in refusal(run("due", "--home", str(file)))
    assert file.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["../x", "a/b", ".", "a b", "ä", "x" * 41, "a\n", "\x1b[2J"])
def test_a_bad_profile_name_is_refused_and_makes_nothing(run: Run, home: Path, name: str) -> None:
    """No path can be smuggled in, and no control character comes out."""
    said = refusal(run("due", "--profile", name))
    assert "is not a profile name" in said
    assert "\x1b" not in said
    assert not home.exists()


class TestPlaces:
    """Where data goes by default."""

    @pytest.fixture
    def elsewhere(self, tmp_path: Path) -> Path:
        """A current folder that must stay empty."""
        folder = tmp_path / "here"
        folder.mkdir()
        return folder

    def test_a_relative_xdg_folder_is_ignored(
        self, program: Program, tmp_path: Path, elsewhere: Path
    ) -> None:
        """Data goes below HOME, and nothing to the current folder."""
        user = tmp_path / "user"
        user.mkdir()
        env = {"HOME": str(user), "XDG_DATA_HOME": "rel/path", "STUDYNORM_HOME": ""}
        assert program("review", "--plain", env=env, cwd=elsewhere).returncode == 0
        assert list(user.rglob("default.sqlite"))
        assert not list(elsewhere.iterdir())

    def test_a_tilde_in_quotes_is_the_home_folder(
        self, run: Run, tmp_path: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """No folder called `~` appears."""
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.chdir(elsewhere)
        assert run("review", "--plain", "--home", "~/my data ü").exit_code == 0
        assert (tmp_path / "my data ü" / "profiles" / "default.sqlite").exists()
        assert not list(elsewhere.iterdir())

    def test_an_empty_or_missing_home_variable_never_writes_to_the_root(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The user database is asked instead; where that knows nothing, it is one line."""
        import pwd

        monkeypatch.setenv("STUDYNORM_HOME", "")
        monkeypatch.delenv("XDG_DATA_HOME", raising=False)

        def nobody(uid: int) -> None:
            raise KeyError(uid)

        monkeypatch.setattr(pwd, "getpwuid", nobody)
        for value in ("", "/"):
            monkeypatch.setenv("HOME", value)
            assert "--home DIR" in refusal(run("due"))
        monkeypatch.delenv("HOME")
        assert "--home DIR" in refusal(run("due"))


# Imports everything first: as another user the interpreter's own files may be out of reach.
AS_NOBODY = """
import os, sys
from click.testing import CliRunner
from studynorm import cli
warm = CliRunner()
assert warm.invoke(cli.studynorm, ["review", "--plain", "--home", sys.argv[1]], input="").exit_code == 0
assert warm.invoke(cli.studynorm, ["demo", "list"]).exit_code == 0
import studynorm.commands.review, studynorm.plain
assert warm.invoke(cli.studynorm, ["due", "--profile", "../x"]).exit_code == 1
os.setgid(65534)
os.setuid(65534)
sys.argv = ["studynorm", *sys.argv[2:]]
cli.main()
"""


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can start a process as another user"
)
def contents(folder: Path) -> dict[Path, bytes | None]:
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


class TestOtherUser:
    """Permissions, seen as a user who is not root."""

    @pytest.fixture
    def place(self) -> Iterator[Path]:
        """A folder that another user can reach."""
        folder = Path(tempfile.mkdtemp(prefix="studynorm-test-"))
        folder.chmod(0o755)
        yield folder
        shutil.rmtree(folder)

    def start(self, place: Path, *args: str) -> "subprocess.CompletedProcess[str]":
        """Run a command as the user 65534."""
        return subprocess.run(
            [sys.executable, "-c", AS_NOBODY, str(place / "warm"), *args],
            input="\n3\n",
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    @pytest.fixture(params=["empty", "used"])
    def read_only(self, place: Path, request: pytest.FixtureRequest) -> Path:
        """A home that this user may read and not write: without a profile, or with one."""
        home = place / str(request.param)
        home.mkdir()
        if request.param == "used":
            assert self.start(place, "--version").returncode == 0
            shutil.copytree(place / "warm", home, dirs_exist_ok=True)
        return home

    def test_a_read_only_home_takes_no_review(self, place: Path, read_only: Path) -> None:
        """One line says so, and nothing is touched."""
        before = contents(read_only)
        done = self.start(place, "review", "--plain", "--home", str(read_only))
        assert done.returncode == 1, done.stderr
        assert "Traceback" not in done.stderr
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"studynorm: {read_only}")
        assert "--home" in line
        assert contents(read_only) == before

    def test_a_read_only_home_can_be_looked_at(self, place: Path, read_only: Path) -> None:
        """`due` needs no permission to write, and writes nothing."""
        before = contents(read_only)
        done = self.start(place, "due", "--home", str(read_only))
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("20 new + 0 learning + 0 review")
        assert contents(read_only) == before

    def test_a_folder_that_cannot_be_written_takes_no_csv(self, place: Path) -> None:
        """The demo is not computed, which without torch's files would fail in another way."""
        (place / "ro").mkdir()
        done = self.start(place, "demo", "residual_product", "--csv", str(place / "ro" / "x.csv"))
        assert done.returncode == 1
        assert done.stderr == f"studynorm: {place / 'ro'} cannot be written; name a file in another folder\n"
