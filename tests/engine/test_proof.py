"""A family's proof of itself: every way to spoil a family is found, and an unspoilt one is clean."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from studynorm.engine.family import Family
from studynorm.engine.files import family_files
from studynorm.engine.numbers import scale_of
from studynorm.engine.oracle import Disagreement, verified_draw, verify
from studynorm.engine.pace import slowness
from studynorm.engine.proof import Proof, beliefs, prove, typed
from studynorm.engine.registry import (
    BrokenFamily,
    UnknownFamily,
    load_families,
    load_family,
    load_file,
)
from studynorm.engine.variant import draw

IDS = tuple(family_files())
torch.set_num_threads(1)  # small layers run several times faster on one thread
SOURCE = family_files()["batchnorm.vector"].read_text(encoding="utf-8")
Spoil = Callable[[str, str], Proof]


@pytest.fixture
def spoil(tmp_path: Path) -> Spoil:
    """Prove a copy of `batchnorm.vector` in which one piece of text is replaced by another."""

    def proof_of(old: str, new: str) -> Proof:
        assert SOURCE.count(old) == 1, old
        path = tmp_path / "batchnorm" / "x.py"
        path.parent.mkdir()
        path.write_text(SOURCE.replace(old, new), encoding="utf-8")
        return prove(load_file(path), torch, seeds=2)

    return proof_of


def messages(proof: Proof) -> str:
    """Return all findings as one text."""
    return "\n".join(map(str, proof.findings))


def test_an_unspoilt_copy_is_clean(spoil: Spoil) -> None:
    """A family file outside the installation is proved under the id of its folder and name."""
    proof = spoil("What is the output $y$?", "What is the output $y$ here?")
    assert messages(proof) == ""
    assert proof.family == "batchnorm.x"
    assert proof.variants == 6


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        pytest.param(
            "return en.affine(en.moments(p.x).hat(p.eps), p.gamma, p.beta)",
            "m = en.moments(p.x)\n"
            "        return en.affine(en.divided(m.deviations, sqrt(m.unbiased + p.eps)), p.gamma, p.beta)",
            "unbiased_variance too near the truth",
            id="wrong variance",
        ),
        pytest.param(
            "return en.affine(en.moments(p.x).hat(p.eps), p.gamma, p.beta)",
            "return en.affine(en.divided(p.x, sqrt(en.moments(p.x).var + p.eps)), p.gamma, p.beta)",
            "torch gives",
            id="mean not removed",
        ),
        pytest.param(
            "return en.affine(en.moments(p.x).hat(p.eps), p.gamma, p.beta)",
            "y = en.affine(en.moments(p.x).hat(p.eps), p.gamma, p.beta)\n"
            "        return tuple(value + 1e-6 * max(map(abs, y)) for value in y)",
            "torch gives",
            id="off by 1e-6",
        ),
        pytest.param(
            "return en.affine(en.moments(p.x).hat(p.eps), p.gamma, p.beta)",
            "return en.affine(en.moments(p.x).hat(p.eps), p.gamma, p.beta)[1:]",
            "|Δ| inf",
            id="an entry missing",
        ),
        pytest.param(
            "return en.affine(en.moments(p.x).hat(p.eps), p.gamma, p.beta)",
            "return (float('nan'),) * len(p.x)",
            "found no variant",
            id="nan",
        ),
        pytest.param(
            "tuple(gamma * (value + beta) for value in hat),",
            "hat,",
            "affine_dropped too near the truth or another slip",
            id="two slips collide",
        ),
        pytest.param(
            "tuple(gamma * (value + beta) for value in hat),",
            "self.solve(p),",
            "shift_before_scale too near the truth",
            id="a slip equals the truth",
        ),
        pytest.param(
            '"shift_before_scale",\n            tuple',
            '"shift_first",\n            tuple',
            "no finite shift_before_scale",
            id="a slip is missing",
        ),
        pytest.param(
            "levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS),",
            "levels = {1: en.Level(), 2: en.Level(),",
            "lists no misconception",
            id="a level without slips",
        ),
        pytest.param(
            'r"That is $\\gamma(\\hat x + \\beta)$; the shift $\\beta$ comes last, after the scale.",',
            '"",',
            "does not say why",
            id="a slip without a reason",
        ),
        pytest.param(
            'f"with $\\\\mu$ and $\\\\sigma^2$ over all {len(p.x)} values.",',
            'f"which begins with {self.solve(p)[0]:.4f}.",',
            "a hint contains the answer",
            id="a hint with the answer",
        ),
        pytest.param(
            'f"with $\\\\mu$ and $\\\\sigma^2$ over all {len(p.x)} values.",',
            'f"which begins with {self.solve(p)[0]:.2f}.",',
            "a hint contains the answer",
            id="a hint with the rounded answer",
        ),
        pytest.param(
            'r"Mean first, then the variance with divisor $n$. $\\gamma$ and $\\beta$ come last."',
            '""',
            "two hints",
            id="an empty hint",
        ),
        pytest.param('"mean(x)", m.mean', '"mean(x)", m.mean + 1', "solution step mu", id="a wrong step"),
        pytest.param(
            '"mean(x)", m.mean', '"mean(x)", m.mean + 1e-7', "solution step mu", id="a slightly wrong step"
        ),
        pytest.param('"mean(x)", m.mean', '"mean(z)", m.mean', "not a number", id="a step of unknown names"),
        pytest.param(
            'en.Step("Scale, then shift", "y", "gamma*xhat + beta", self.solve(p)),',
            "",
            "the worked solution ends in",
            id="no last step",
        ),
        pytest.param(
            "{en.tex(p.gamma)}$, $\\\\beta = {en.tex(p.beta)}$ and",
            "{en.tex(p.gamma)}$ and",
            "does not show beta",
            id="a hidden parameter",
        ),
        pytest.param(
            "layer = torch.nn.BatchNorm1d(1,",
            "raise RuntimeError('the oracle is out')\n        layer = torch.nn.BatchNorm1d(1,",
            "RuntimeError: the oracle is out",
            id="an oracle that raises",
        ),
        pytest.param(
            "rng.choice((-2.0, -1.0, 1.0, 2.0))",
            "__import__('random').choice((-2.0, -1.0, 1.0, 2.0))",
            "the same seed draws another variant",
            id="a draw that is not its seed's",
        ),
        pytest.param(
            "levels = {1: en.Level(*SLIPS),",
            "levels = {1: en.Level(*SLIPS, distinct=1),",
            "2 different statements in 2 seeds, and `distinct` says 1",
            id="a wrong count of statements",
        ),
    ],
)
def test_a_spoilt_family_is_found_out(spoil: Spoil, old: str, new: str, finding: str) -> None:
    """`check` reports what is wrong, for which family, level and seed."""
    proof = spoil(old, new)
    assert finding in messages(proof)
    assert "batchnorm.x level" in messages(proof)


@pytest.mark.parametrize(
    ("source", "finding"),
    [
        ("x = 1\ny = = 2\n", "line 2: SyntaxError"),
        ("import nothing_of_this_name\n", "line 1: ModuleNotFoundError"),
        ("\n\ndef f():\n    return 1 / 0\n\nFAMILY = f()\n", "line 4: ZeroDivisionError"),
        ("x = 1\n", "does not end in FAMILY"),
        ("FAMILY = 5\n", "does not end in FAMILY"),
        ("", "does not end in FAMILY"),
        ("x = '\x00'\n", "null bytes"),
    ],
)
def test_a_broken_file_is_named_and_costs_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, finding: str
) -> None:
    """A file that cannot be loaded gives one finding with its path and line, also by a relative path."""
    path = tmp_path / "batchnorm" / "x.py"
    path.parent.mkdir()
    path.write_text(source, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for given in (path, Path("batchnorm/x.py")):
        broken = load_file(given)
        assert isinstance(broken, BrokenFamily)
        assert broken.id == "batchnorm.x"
        proof = prove(broken, torch)
        assert finding in messages(proof)
        assert str(given) in messages(proof)
        assert len(proof.findings) == 1


def test_a_missing_file_is_a_broken_family(tmp_path: Path) -> None:
    """No traceback for a path that does not exist."""
    assert isinstance(load_file(tmp_path / "batchnorm" / "none.py"), BrokenFamily)


def test_a_family_file_may_postpone_its_annotations(spoil: Spoil) -> None:
    """`from __future__ import annotations` works in a file outside the installation."""
    proof = spoil(
        "from dataclasses import dataclass",
        "from __future__ import annotations\nfrom dataclasses import dataclass",
    )
    assert messages(proof) == ""


@pytest.mark.parametrize("name", IDS)
def test_a_derivation_off_by_one_part_in_a_million_is_refused(name: str) -> None:
    """Each family's own answer plus 1e-6·S, or another text, disagrees with torch, on every level."""
    family = load_family(name)
    assert isinstance(family, Family)

    def off(value: Any, by: float) -> Any:
        if isinstance(value, str):
            return f"{value}."
        return tuple(off(entry, by) for entry in value) if isinstance(value, tuple) else value + by

    for level in family.levels:
        params, variant = draw(family, level, 1)
        verify(family, params, variant, torch)
        spoilt = replace(variant, answer=off(variant.answer, 1e-6 * scale_of(variant.answer)))
        with pytest.raises(Disagreement, match="torch gives"):
            verify(family, params, spoilt, torch)


def test_answers_are_typed_as_a_learner_types_them() -> None:
    """Digits count from the largest entry; whole numbers stay whole; large ones use an exponent."""
    assert typed(1.3416407864998738, 3, whole=False) == "1.34"
    assert typed((-1.3416, 0.4472), 3, whole=False) == "-1.34 0.45"
    assert typed(((1.0, 0.1), (-0.1, 1.0)), 3, whole=False) == "1.00 0.10; -0.10 1.00"
    assert typed(16777216, 3, whole=True) == "16777216"
    assert typed((4, 2), 3, whole=True) == "4 2"
    assert typed(123456.0, 3, whole=False) == "1.23e+05"
    assert typed(0.001, 3, whole=False) == "0.00100"


def test_an_unknown_family_names_its_neighbours() -> None:
    """A slip of the keyboard gets a suggestion."""
    with pytest.raises(UnknownFamily, match=r"Did you mean batchnorm\.vector"):
        load_family("batchnorm.vectr")


def test_every_shipped_family_loads_and_lists_its_beliefs() -> None:
    """The twelve families of the spine load, and every belief knows its families."""
    families, broken = load_families()
    assert broken == ()
    assert {
        "batchnorm.entry",
        "batchnorm.vector",
        "running_stats.mean",
        "running_stats.variance",
        "running_stats.eval_output",
        "statistics.batchnorm_count",
        "statistics.layernorm_count",
        "other_norms.rmsnorm",
        "backward.input_gradient",
        "residual.jacobian",
        "residual.product",
        "stream_scale.doubling",
    } <= set(families)
    listed = beliefs(families)
    assert list(listed) == sorted(listed)
    assert {"batchnorm.entry", "batchnorm.vector"} <= set(listed["unbiased_variance"])


def test_a_drawn_variant_is_fast_to_draw_and_verify() -> None:
    """The median family takes less than 20 ms of CPU a variant."""
    import time

    spent = []
    for name in IDS:
        family = load_family(name)
        assert isinstance(family, Family)
        verified_draw(family, 1, 0, torch)
        start = time.process_time()
        for seed in range(5):
            verified_draw(family, 1, seed, torch)
        spent.append((time.process_time() - start) / 5)
    assert sorted(spent)[len(spent) // 2] < 0.020 * slowness()
