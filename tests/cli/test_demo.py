"""`studynorm demo`: published numbers, data for other programs, and refusals before anything is computed."""

import csv
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, payload, refusal, usage_error

SMALL = ("--set", "depth=10")


def test_pre_and_post_ln_give_the_published_gradients(run: Run) -> None:
    """Seed 0 gives the gradient norms of the lesson for 6, 12, 24 and 48 blocks, to three decimals."""
    data = payload(run("demo", "pre_post_ln", "--seed", "0", "--device", "cpu", "--json"))["data"]
    assert data["depths"] == [6, 12, 24, 48]
    assert [round(n, 3) for n in data["post_ln"]["gradient"]] == [0.363, 0.371, 0.373, 0.398]
    assert [round(n, 3) for n in data["pre_ln"]["gradient"]] == [0.213, 0.162, 0.096, 0.074]


def test_the_residual_product_is_its_closed_form(run: Run) -> None:
    """25 layers of either sign: 0.99^25 with the skip, 10^-50 without."""
    line = payload(run("demo", "residual_product", "--json"))["plots"][0]["series"]
    last = {series["name"]: series["y"][-1] for series in line}
    assert 10 ** last["residual"] == pytest.approx(0.99**25)
    assert last["plain"] == pytest.approx(-50)


def test_list_names_every_demo_with_its_settings(run: Run) -> None:
    """In words and as JSON; each default is one that the demo takes."""
    told = payload(run("demo", "list", "--json"))
    assert {demo["name"] for demo in told["demos"]} >= {"pre_post_ln", "residual_product"}
    depth = next(
        setting
        for demo in told["demos"]
        if demo["name"] == "residual_product"
        for setting in demo["settings"]
        if setting["name"] == "depth"
    )
    assert (depth["kind"], depth["default"]) == ("int", 50)
    assert "--set depth=50" in run("demo", "list").stdout


class TestCsv:
    """The data as a file."""

    def test_every_point_of_every_line_is_a_row(self, run: Run, tmp_path: Path) -> None:
        """0 to 10 layers passed, for both stacks, with what is plotted by name."""
        file = tmp_path / "points.csv"
        result = run("demo", "residual_product", *SMALL, "--csv", str(file))
        assert (result.exit_code, result.stdout) == (0, "")
        assert result.stderr == f"wrote {file}: 22 points\n"
        with file.open(newline="", encoding="utf-8") as text:
            rows = list(csv.DictReader(text))
        assert [(row["line"], float(row["x"])) for row in rows] == [
            (line, float(n)) for line in ("plain", "residual") for n in range(11)
        ]
        assert {row["y_name"] for row in rows} == {"log10 |product|"}
        assert float(rows[10]["y"]) == pytest.approx(-10)

    def test_the_range_of_several_runs_is_kept(self, run: Run, tmp_path: Path) -> None:
        """Lowest and highest value of two seeds bound the mean."""
        file = tmp_path / "points.csv"
        flags = ("--set", "depths=1,2", "--set", "seeds=2", "--set", "width=8", "--device", "cpu")
        assert run("demo", "pre_post_ln", *flags, "--csv", str(file)).exit_code == 0
        with file.open(newline="", encoding="utf-8") as text:
            bounded = [row for row in csv.DictReader(text) if row["y_low"]]
        assert bounded
        assert all(float(row["y_low"]) <= float(row["y"]) <= float(row["y_high"]) for row in bounded)

    def test_a_file_is_never_overwritten(self, run: Run, tmp_path: Path) -> None:
        """An existing file stays as it is."""
        file = tmp_path / "mine.csv"
        file.write_text("mine", encoding="utf-8")
        assert "exists already" in refusal(run("demo", "residual_product", "--csv", str(file)))
        assert file.read_text(encoding="utf-8") == "mine"

    @pytest.mark.parametrize(
        ("name", "said"),
        [("", "is a folder"), ("none/points.csv", "there is no folder")],
        ids=["folder", "none"],
    )
    def test_a_place_that_cannot_be_written_is_refused_before_computing(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str
    ) -> None:
        """One line; the demo does not run."""
        from studynorm.worker import lab

        monkeypatch.setattr(lab, "demo", lambda *args: pytest.fail("computed"))
        assert said in refusal(run("demo", "residual_product", "--csv", str(tmp_path / name)))

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
    def test_a_full_disk_leaves_no_half_file(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The write fails, the message names the file, and the file is gone."""
        file, real = tmp_path / "points.csv", Path.open

        def full(path: Path, *args: Any, **kwargs: Any) -> Any:
            if path != file:
                return real(path, *args, **kwargs)
            path.touch()
            return real(Path("/dev/full"), "w", encoding="utf-8")

        monkeypatch.setattr(Path, "open", full)
        said = refusal(run("demo", "residual_product", *SMALL, "--csv", str(file)))
        assert said == f"studynorm: cannot write {file}: {os.strerror(28)}"
        assert not file.exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--device", "banana"), "'banana'"),
        (("--set", "depth"), "“depth” is not K=V"),
        (("--set", "=1"), "“=1” is not K=V"),
        (("--set", "depth=1", "--set", "depth=2"), "depth is set twice"),
        (("--set", "width=1"), "has no setting 'width'"),
        (("--set", "depth=0"), "from 1 to 1000"),
        (("--set", "depth=nan"), "from 1 to 1000"),
        (("--seed", "-1"), "'--seed'"),
        (("--seed", str(2**53)), "seed cannot be"),
        (("--json", "--plain"), "choose one of --json, --csv and --plain"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_setting_that_is_not_taken_is_a_usage_error(run: Run, flags: tuple[str, ...], said: str) -> None:
    """The setting is named together with what is allowed."""
    assert said in usage_error(run("demo", "residual_product", *flags))


def test_an_unknown_demo_is_told_the_nearest(run: Run) -> None:
    """The nearest and all others are named."""
    assert "did you mean residual_product" in usage_error(run("demo", "residual_products"))


def test_a_device_that_is_missing_is_refused_in_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a GPU, `--device cuda` ends with 1 and says what to do; `auto` computes all the same."""
    from studynorm.worker import lab

    monkeypatch.setattr(lab.torch_module().cuda, "is_available", lambda: False)
    assert "--device cpu" in refusal(run("demo", "residual_product", "--device", "cuda"))
    assert payload(run("demo", "residual_product", *SMALL, "--json"))["device"] in {"cpu", "mps"}


def test_plain_has_words_and_a_table_and_no_drawing(run: Run) -> None:
    """No character of a box, a block or a braille plot; the last row holds both products."""
    shown = run("demo", "residual_product", *SMALL, "--plain").stdout
    assert not [c for c in shown if "\u2500" <= c <= "\u28ff"]
    assert "10  -1e-10   0.95099" in shown
