"""Installed in any of the three ways, the program finds its decks and families."""

import json
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SHIPPED = ("studynorm", "cards", "problems", "README.md", "LICENSE", "pyproject.toml")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the build reads, so that building leaves no trace in the working tree."""
    copy = tmp_path_factory.mktemp("checkout") / "studynorm"
    copy.mkdir()
    for name in SHIPPED:
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "_content")
            )
        else:
            shutil.copy(ROOT / name, copy / name)
    return copy


def install_plain(checkout: Path, work: Path) -> str:
    return str(checkout)


def install_wheel_through_sdist(checkout: Path, work: Path) -> str:
    for target, source in (("sdist", checkout), ("wheel", None)):
        if source is None:
            (archive,) = work.glob("*.tar.gz")
            shutil.unpack_archive(archive, work / "unpacked")
            (source,) = (work / "unpacked").iterdir()
        run([sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(work)], cwd=source)
    (wheel,) = work.glob("*.whl")
    return str(wheel)


def install_editable(checkout: Path, work: Path) -> str:
    return f"-e{checkout}"


def run(command: list[str], cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("source", [install_plain, install_wheel_through_sdist, install_editable])
def test_every_installation_finds_all_decks_and_families(
    source: Callable[[Path, Path], str], checkout: Path, tmp_path: Path
) -> None:
    """In a fresh environment over the shared dependencies, run from another folder with decoys in it."""
    env = tmp_path / "env"
    run([sys.executable, "-m", "venv", "--without-pip", str(env)], cwd=tmp_path)
    python = env / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    site = Path(
        run([str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], tmp_path).strip()
    )
    (site / "shared.pth").write_text(sysconfig.get_path("purelib") + "\n")
    work = tmp_path / "dist"
    work.mkdir()
    run(
        [
            *(sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps"),
            *("--no-build-isolation", "--disable-pip-version-check", source(checkout, work)),
        ],
        cwd=tmp_path,
    )
    # A folder of the learner's own that happens to be called `problems` must not be taken for ours.
    (tmp_path / "problems" / "batchnorm").mkdir(parents=True)
    (tmp_path / "problems" / "batchnorm" / "decoy.py").write_text("raise RuntimeError('decoy')\n")
    script = str(python.parent / "studynorm")
    families = json.loads(run([script, "problem", "list", "--json"], tmp_path))["families"]
    decks = json.loads(run([script, "card", "list", "--json", "--home", str(tmp_path / "home")], tmp_path))[
        "decks"
    ]
    assert [family["id"] for family in families] == [
        f"{path.parent.name}.{path.stem}" for path in sorted_like(families)
    ]
    assert {deck["id"] for deck in decks} == {path.stem for path in (ROOT / "cards").glob("*.md")}
    terms = json.loads(run([script, "reference", "--json"], tmp_path))["terms"]
    glossary = (ROOT / "cards" / "reference" / "glossary.toml").read_text(encoding="utf-8")
    assert {term["id"] for term in terms} == set(tomllib.loads(glossary))
    where = run([str(python), "-c", "import studynorm; print(studynorm.__file__)"], tmp_path).strip()
    assert str(checkout if source is install_editable else env) in where


def sorted_like(families: list[dict[str, str]]) -> list[Path]:
    """Return the family files of the checkout in the order listed, and fail where one is missing or extra."""
    files = {f"{path.parent.name}.{path.stem}": path for path in (ROOT / "problems").glob("*/[!_]*.py")}
    assert set(files) >= {family["id"] for family in families}
    assert len(files) == len(families)
    return [files[family["id"]] for family in families]
