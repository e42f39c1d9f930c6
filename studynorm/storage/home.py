"""Where everything of one learner is: a single root folder and the fixed names inside it."""

import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from studynorm.storage.errors import StoreError

_APP = "studynorm"
_PROFILE = re.compile(r"[A-Za-z0-9_-]{1,40}")
_DEVICE = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Home:
    """The folder of one learner. Nothing here touches the disk; whoever writes makes the folder."""

    root: Path

    @property
    def config_file(self) -> Path:
        """The settings, as TOML."""
        return self.root / "config.toml"

    @property
    def profiles(self) -> Path:
        """The folder of the profile databases."""
        return self.root / "profiles"

    @property
    def backups(self) -> Path:
        """The folder of database copies."""
        return self.root / "backups"

    @property
    def decks(self) -> Path:
        """The learner's own decks and overrides."""
        return self.root / "decks"

    @property
    def logs(self) -> Path:
        """The folder of log files."""
        return self.root / "logs"

    @property
    def cache(self) -> Path:
        """What can be deleted at any time."""
        return self.root / "cache"

    def profile_file(self, name: str) -> Path:
        """Return the database of a profile.

        Raises StoreError unless the name is 1 to 40 letters (a-z, A-Z), digits, hyphens and underscores, and
        no name of a device of Windows, where it could not be a file.
        """
        if not _PROFILE.fullmatch(name):
            raise StoreError(
                f"{name!r} is not a profile name. Use 1 to 40 letters (a-z), digits, hyphens and underscores."
            )
        if _DEVICE.fullmatch(name):
            raise StoreError(
                f"{name!r} is the name of a device on Windows and no profile name. Choose another --profile."
            )
        return self.profiles / f"{name}.sqlite"


def find_profile(home: Home, name: str) -> Path:
    """Return the database of a profile, which need not exist.

    Raises StoreError for a name that is none, and for one that differs from that of an existing profile by
    upper and lower case alone: on some systems both would be one file.
    """
    path = home.profile_file(name)
    try:
        names = {file.stem for file in home.profiles.iterdir() if file.suffix == ".sqlite"}
    except OSError:  # whoever opens the profile says why
        return path
    like = sorted(other for other in names if other.casefold() == name.casefold())
    if like and name not in like:
        raise StoreError(
            f"There is no profile {name!r}, but {like[0]!r}. Names that differ in upper and lower case alone "
            "would be one file on some systems: use that one, or choose another --profile."
        )
    return path


def find_home(flag: str | None, environ: Mapping[str, str]) -> Home:
    """Return the home: the flag, else `STUDYNORM_HOME`, else the platform's data folder.

    An empty flag or variable counts as unset, a relative `XDG_DATA_HOME` or `HOME` too; `~` is expanded even
    where no shell did. Raises StoreError when the user has no home folder and none is named.
    """
    named = flag or environ.get("STUDYNORM_HOME")
    if not named:
        return Home(_platform_folder(environ))
    if "\0" in named:
        raise StoreError(f"{named!r} cannot be a folder. Name another with --home.")
    return Home(_expanded(named, environ).absolute())


def _platform_folder(environ: Mapping[str, str]) -> Path:
    if sys.platform in ("win32", "darwin"):
        from platformdirs import user_data_path

        return user_data_path(_APP, appauthor=False)
    xdg = environ.get("XDG_DATA_HOME", "")
    if Path(xdg).is_absolute():
        return Path(xdg) / _APP
    return _user_folder(environ) / ".local" / "share" / _APP


def _expanded(named: str, environ: Mapping[str, str]) -> Path:
    first, *rest = Path(named).parts or (".",)
    if first == "~":
        return _user_folder(environ).joinpath(*rest)
    if first.startswith("~"):
        try:
            return Path(named).expanduser()
        except RuntimeError:
            raise StoreError(f"{first} is not a user here. Name another folder with --home.") from None
    return Path(named)


def _user_folder(environ: Mapping[str, str]) -> Path:
    """Return `HOME` if it names a folder other than `/`, else the one in the user database."""
    candidates = [environ.get("HOME", "")]
    if sys.platform == "win32":
        candidates.append(environ.get("USERPROFILE", ""))
    else:
        import os
        import pwd

        with suppress(KeyError):  # a user id without an entry, as in some containers
            candidates.append(pwd.getpwuid(os.getuid()).pw_dir)
    for candidate in map(Path, filter(None, candidates)):
        if candidate.is_absolute() and candidate != Path(candidate.anchor):
            return candidate
    raise StoreError("This user has no home folder. Name one with --home DIR or the variable STUDYNORM_HOME.")
