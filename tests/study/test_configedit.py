"""Writing one option: nothing else in the file changes, and nothing is ever half-written."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studynorm.study.config import read_config
from studynorm.study.configedit import edited, unset_option, write_option
from studynorm.study.configfile import ConfigError
from studynorm.study.options import OPTIONS

NOT_ROOT = not hasattr(os, "geteuid") or os.geteuid() != 0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The place of a file of options that is not there yet."""
    return tmp_path / "home" / "config.toml"


def put(path: Path, text: str | bytes) -> Path:
    """Write a file of options by hand."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def short(value: object) -> str:
    """Return an id of a case that fits a line."""
    return repr(value)[:30]


WRITTEN = """\
# My options.
new_per_day = 20   # not more

  # how well
desired_retention=0.9

# for the exam
[profile.exam] # soon
new_per_day = 50

# and this
[profile.other]
"""


@pytest.mark.parametrize(
    ("old", "key", "value", "profile", "new"),
    [
        ("", "leech_at", 4, None, "leech_at = 4\n"),
        ("# mine", "leech_at", 4, None, "# mine\nleech_at = 4\n"),
        (WRITTEN, "new_per_day", 30, None, WRITTEN.replace("= 20   #", "= 30   #")),
        (WRITTEN, "desired_retention", 0.85, None, WRITTEN.replace("=0.9", "=0.85")),
        (
            WRITTEN,
            "theme",
            "nord",
            None,
            WRITTEN.replace("=0.9\n", '=0.9\ntheme = "nord"\n'),
        ),
        (WRITTEN, "new_per_day", 60, "exam", WRITTEN.replace("= 50", "= 60")),
        (
            WRITTEN,
            "confidence",
            True,
            "exam",
            WRITTEN.replace("= 50\n", "= 50\nconfidence = true\n"),
        ),
        (
            WRITTEN,
            "interview_date",
            date(2027, 3, 1),
            "other",
            f"{WRITTEN}interview_date = 2027-03-01\n",
        ),
        (WRITTEN, "leech_at", 4, "new", f"{WRITTEN}\n[profile.new]\nleech_at = 4\n"),
        (WRITTEN, "new_per_day", None, None, WRITTEN.replace("new_per_day = 20   # not more\n", "")),
        (WRITTEN, "new_per_day", None, "exam", WRITTEN.replace("new_per_day = 50\n", "")),
        (WRITTEN, "leech_at", None, None, WRITTEN),
        (WRITTEN, "leech_at", None, "nobody", WRITTEN),
        ("[profile.exam]\n", "leech_at", 4, None, "leech_at = 4\n\n[profile.exam]\n"),
        (
            "# top\n\n# exam\n[profile.exam]\n",
            "leech_at",
            4,
            None,
            "# top\nleech_at = 4\n\n# exam\n[profile.exam]\n",
        ),
        ("a = 1\r\n# c\r\n", "leech_at", 4, None, "a = 1\r\n# c\r\nleech_at = 4\r\n"),
        ("leech_at = 3\r\n# c\r\n", "leech_at", 4, None, "leech_at = 4\r\n# c\r\n"),
        ("\ufeffleech_at = 3\n", "leech_at", 4, None, "\ufeffleech_at = 4\n"),
        ("\ufeffleech_at = 3\n", "new_per_day", 4, None, "\ufeffleech_at = 3\nnew_per_day = 4\n"),
        ("profile.exam.leech_at = 3\n", "leech_at", 4, "exam", "profile.exam.leech_at = 4\n"),
        (
            "profile.exam.leech_at = 3\nx = 1\n",
            "theme",
            "nord",
            "exam",
            'profile.exam.leech_at = 3\nprofile.exam.theme = "nord"\nx = 1\n',
        ),
        ("profile = {exam = {leech_at = 3}}\n", "leech_at", 4, "exam", "profile = {exam = {leech_at = 4}}\n"),
        (
            '[profile."exam"]\nleech_at = 3\n',
            "theme",
            "x",
            "exam",
            '[profile."exam"]\nleech_at = 3\ntheme = "x"\n',
        ),
        (
            "profile.exam.leech_at = 3\r\nx = 1\r\n",
            "confidence",
            False,
            "exam",
            "profile.exam.leech_at = 3\r\nprofile.exam.confidence = false\r\nx = 1\r\n",
        ),
        ('"leech_at" = 3\n', "leech_at", 4, None, '"leech_at" = 4\n'),
        ("a = nan\nleech_at = 3\n", "leech_at", 4, None, "a = nan\nleech_at = 4\n"),
        (
            's = """\n[profile.exam]\n"""\n',
            "leech_at",
            4,
            None,
            's = """\n[profile.exam]\n"""\nleech_at = 4\n',
        ),
        ("# \u2028 \x85 \x0c\n".replace("\x0c", ""), "leech_at", 4, None, "# \u2028 \x85 \nleech_at = 4\n"),
    ],
    ids=short,
)
def test_one_option_is_written_and_all_else_stays(
    path: Path, old: str, key: str, value: object, profile: str | None, new: str
) -> None:
    """Comments, order, blanks, line ends, the byte-order mark, and the form in which a profile is written."""
    assert edited(path, old, key, value, profile) == new  # type: ignore[arg-type]


PIECES = st.sampled_from(
    [
        "# a comment with [brackets] and = signs",
        "",
        "  # indented",
        'zebra = "[profile.exam]"',
        "list = [\n  1, # one\n  [2],\n]",
        'lines = """\n[profile.x]\nleech_at = 1\n"""',
        "leech_at = 3 # three",
        'theme="nord"',
        "inline = {leech_at = 1}",
    ]
)
TABLES = st.sampled_from(
    ["[profile.exam]", "[profile.'it']", "[other]", "[[many]]", "[ profile . y ] # spaced"]
)


@given(
    st.lists(PIECES, max_size=5, unique=True),
    st.dictionaries(TABLES, st.lists(PIECES, max_size=4, unique=True), max_size=3),
    st.sampled_from([None, "exam", "it", "y", "fresh"]),
    st.sampled_from([4, None]),
)
def test_whatever_the_file_is_built_of_one_key_is_changed(
    top: list[str], tables: dict[str, list[str]], profile: str | None, value: int | None
) -> None:
    """TOML read by the standard library differs by this one key, and every comment is there, in order."""
    old = "\n".join([*top, *(line for head, body in tables.items() for line in (head, *body))])
    wanted = tomllib.loads(old)
    new = edited(Path("config.toml"), old, "leech_at", value, profile)
    own = wanted
    for name in () if profile is None else ("profile", profile):
        own = own.setdefault(name, {})
    if value is None:
        own.pop("leech_at", None)
    else:
        own["leech_at"] = value
    found = tomllib.loads(new)
    if value is None and profile is not None and not own:
        for tree in (wanted, found):  # an empty table more or less says the same
            tree.get("profile", {}).pop(profile, None)
            if not tree.get("profile", {1: 1}):
                del tree["profile"]
    assert found == wanted
    kept = [line for line in old.split("\n") if line.strip().startswith("#")]
    assert [line for line in new.split("\n") if line.strip().startswith("#")] == kept


@pytest.mark.parametrize(
    "text", ["theme = nord\n", "a = 1\na = 2\n", b"\xff", "[", "x = " + "[" * 20_000], ids=short
)
def test_a_broken_file_is_never_written(path: Path, text: str | bytes) -> None:
    """The error says why and that nothing was changed; the bytes are as they were."""
    put(path, text)
    before = path.read_bytes()
    for change in (
        lambda: write_option(path, OPTIONS["leech_at"], 4),
        lambda: unset_option(path, OPTIONS["leech_at"]),
    ):
        with pytest.raises(ConfigError) as caught:
            change()
        assert str(caught.value).startswith(f"{path}: ")
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_what_only_a_person_can_change_is_left_to_one(path: Path) -> None:
    """A profile cannot be added to an inline table, and a number is no table; the file stays."""
    for text in ("profile = {exam = {leech_at = 3}}\n", "profile = 3\n", "profile.exam = 3\n"):
        put(path, text)
        with pytest.raises(ConfigError, match="only you can change; nothing was changed"):
            write_option(path, OPTIONS["leech_at"], 4, "exam" if text.endswith("= 3\n") else "new")
        assert path.read_text() == text


def test_permissions_and_links_are_kept(path: Path, tmp_path: Path) -> None:
    """A file that is a link into a folder of dotfiles stays one, and nobody else may read it afterwards."""
    real = put(tmp_path / "dotfiles" / "studynorm.toml", "leech_at = 3\n")
    real.chmod(0o600)
    path.parent.mkdir()
    path.symlink_to(real)
    write_option(path, OPTIONS["leech_at"], 4)
    assert path.is_symlink()
    assert real.read_text() == "leech_at = 4\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    assert list(real.parent.iterdir()) == [real]


def test_a_new_file_has_the_permissions_of_any_new_file(path: Path) -> None:
    """As the umask has it; the folder is made, but not for taking something out."""
    assert not unset_option(path, OPTIONS["leech_at"])
    assert not path.parent.exists()
    old = os.umask(0o027)
    try:
        write_option(path, OPTIONS["leech_at"], 4)
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert unset_option(path, OPTIONS["leech_at"])
    assert path.read_text() == ""


def test_a_folder_in_place_of_the_file_or_a_file_in_place_of_the_folder_is_told(path: Path) -> None:
    """Both messages name the path."""
    path.parent.write_text("mine")
    with pytest.raises(ConfigError, match="a file is in the place of its folder"):
        write_option(path, OPTIONS["leech_at"], 4)
    path.parent.unlink()
    path.mkdir(parents=True)
    with pytest.raises(ConfigError, match="this is a folder; move it away"):
        write_option(path, OPTIONS["leech_at"], 4)


WRITER = """
import sys
from pathlib import Path
from studynorm.study.configedit import write_option
from studynorm.study.options import OPTIONS
path, key = Path(sys.argv[1]), sys.argv[2]
for number in range(1, 26):
    write_option(path, OPTIONS[key], number)
    write_option(path, OPTIONS[key], number, f"p{number}")
"""


def test_programs_that_write_at_once_lose_nothing_of_each_other(path: Path) -> None:
    """Two write 50 times each while a third reads: every reading is whole, and both last values are there."""
    put(path, "# mine\n" * 60 + "reviews_per_day = 7\n")
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), key])
        for key in ("leech_at", "new_per_day")
    ]
    while any(writer.poll() is None for writer in writers):
        config = read_config(path, "p1")
        assert (config.troubles, config.settings.reviews_per_day) == ((), 7)
    assert [writer.returncode for writer in writers] == [0, 0]
    table = tomllib.loads(path.read_text())
    assert (table["leech_at"], table["new_per_day"]) == (25, 25)
    assert table["profile"] == {
        f"p{number}": {"leech_at": number, "new_per_day": number} for number in range(1, 26)
    }
    assert list(path.parent.iterdir()) == [path]


FULL = """
import resource, sys
from pathlib import Path
from studynorm.study.configedit import write_option
from studynorm.study.configfile import ConfigError
from studynorm.study.options import OPTIONS
import tomlkit
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
try:
    write_option(Path(sys.argv[1]), OPTIONS["theme"], "nord")
except ConfigError as error:
    print(error)
"""


def test_a_disk_that_takes_no_more_leaves_the_old_file(path: Path) -> None:
    """With a limit of ten bytes on files the old one stays whole, and nothing lies beside it."""
    put(path, "leech_at = 3\n")
    done = subprocess.run([sys.executable, "-c", FULL, str(path)], capture_output=True, text=True, check=True)
    assert "this cannot be written (File too large); nothing was changed" in done.stdout
    assert path.read_text() == "leech_at = 3\n"
    assert list(path.parent.iterdir()) == [path]


AS_NOBODY = """
import os, sys
from pathlib import Path
from studynorm.study.config import read_config
from studynorm.study.configedit import write_option
from studynorm.study.configfile import ConfigError
from studynorm.study.options import OPTIONS
import fcntl, tomlkit, tomllib
os.setgid(65534)
os.setuid(65534)
path = Path(sys.argv[1])
print(*read_config(path, "default").troubles)
try:
    write_option(path, OPTIONS["leech_at"], 4)
except ConfigError as error:
    print(error)
"""


@pytest.mark.skipif(NOT_ROOT, reason="only root can start a process as another user")
class TestOtherUser:
    """Permissions, seen as a user who is not root."""

    @pytest.fixture
    def home(self) -> Iterator[Path]:
        """A folder that another user can reach, with a file of options."""
        folder = Path(tempfile.mkdtemp(prefix="studynorm-test-"))
        folder.chmod(0o755)
        put(folder / "config.toml", "leech_at = 3\n")
        yield folder
        shutil.rmtree(folder)

    def start(self, home: Path) -> list[str]:
        """Read and write as the user 65534."""
        done = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, str(home / "config.toml")],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.splitlines()

    def test_a_folder_that_is_read_only_is_told(self, home: Path) -> None:
        """In one line with the path and the way out."""
        (home / "config.toml").chmod(0o666)
        read, written = self.start(home)
        assert read == ""
        assert written == (
            f"{home / 'config.toml'}: this cannot be written (Permission denied); nothing was changed; "
            "choose another folder with --home"
        )

    def test_a_file_that_is_read_only_stays(self, home: Path) -> None:
        """Though the folder would let it be replaced."""
        home.chmod(0o777)
        _, written = self.start(home)
        assert "this is read-only; make it writable to change options here" in written
        assert (home / "config.toml").read_text() == "leech_at = 3\n"

    def test_a_file_that_may_not_be_read_is_told(self, home: Path) -> None:
        """The defaults hold."""
        (home / "config.toml").chmod(0o600)
        read, written = self.start(home)
        assert read.startswith("this cannot be read (Permission denied)")
        assert "(Permission denied)" in written
