"""The inventory stands for the whole subject, and every fact or skill that wants a problem has a family."""

from pathlib import Path
from typing import Any

import pytest

from studynorm import mathtext
from studynorm.content.blocks import Math, Paragraph
from studynorm.content.library import Library, load_library
from studynorm.content.markup import parse_markup
from studynorm.content.referencefile import shipped_reference
from studynorm.demos.registry import demos
from studynorm.engine.family import Family
from studynorm.engine.proof import Proof
from studynorm.engine.registry import load_families
from studynorm.locate import content_root
from studynorm.study.check import Progress, check_all
from studynorm.study.coverage import (
    Coverage,
    Entry,
    InventoryError,
    coverage,
    inventory_path,
    load_inventory,
    shipped_exercises,
)


def numbered(prefix: str, count: int) -> set[str]:
    return {f"{prefix}-{number:02}" for number in range(1, count + 1)}


def listed(prefix: str, ends: str) -> set[str]:
    return {f"{prefix}-{end}" for end in ends.split()}


METHODS = listed(
    "METHOD",
    "batchnorm layernorm rmsnorm groupnorm instancenorm weightnorm syncbatchnorm bn-folding "
    "frozen-bn qk-norm adaln-zero dyt nf-resnet residual-block pre-activation highway densenet "
    "projection-skip zero-gamma zero-init fixup skipinit rezero root-depth gpt2 pre-ln post-ln "
    "final-norm deepnorm warmup weight-decay dropout init",
)
# Every line of the subject's outline but its references: lesson, concept page, chapter, named methods.
LESSON = {
    *numbered("S0-MOT", 4),
    *numbered("S0-PRE", 2),
    *numbered("S0-DEF", 27),
    *numbered("S0-FIG", 5),
    *numbered("S0-QC", 5),
    *numbered("S0-THM", 7),
    *(f"S0-WEX-{part}" for part in "abcd"),
    *numbered("S0-CODE", 2),
    *numbered("S0-USE", 5),
    *numbered("S0-PIT", 6),
    *numbered("S0-CHK", 6),
    *numbered("S0-CARD", 10),
    *numbered("S0-INT", 5),
    *numbered("S0-EX", 5),
}
PAGE = {
    *numbered("S2-DEF", 15),
    *numbered("S2-FIG", 2),
    *numbered("S2-WEX", 1),
    *numbered("S2-CODE", 2),
    *numbered("S2-TRD", 4),
    *numbered("S2-PIT", 5),
}
CHAPTER = {*numbered("S3-DEF", 17), *numbered("S3-FIG", 5), *numbered("S3-CODE", 2)}
OUTLINE = LESSON | PAGE | CHAPTER | METHODS


# The lines that ask for a problem, a quick check or a pitfall drill.
ASKED = {
    *listed("S0-DEF", "02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 20 21 22 23 24 25 26 27"),
    *listed("S0-QC", "01 02 03 04 05"),
    *listed("S0-PRE", "01 02"),
    *listed("S0-THM", "01 02 03 04 05 06"),
    *listed("S0-WEX", "a b"),
    *listed("S0-USE", "01 03 04 05"),
    *listed("S0-PIT", "01 02 03 04 05 06"),
    *listed("S0-CHK", "01 04 05 06"),
    *listed("S2-DEF", "03 04 05 07 08 09 10 11 12 13 14 15"),
    *listed("S2-TRD", "02 04"),
    *listed("S2-PIT", "01 02 03 04"),
    *listed("S3-DEF", "02 03 06 08 09 11 14 15 16"),
}
# Those that ask for a card.
CARDS = {
    *listed("S0-MOT", "02"),
    *listed("S0-DEF", "01 06 10 12 17 23"),
    *listed("S0-THM", "01 05 06 07"),
    *numbered("S0-CARD", 10),
    *listed("S2-DEF", "02"),
    *listed("S3-DEF", "05 08 10"),
}
DEMOS = {
    *numbered("S0-FIG", 5),
    *listed("S0-DEF", "15 21"),
    *listed("S0-CODE", "02"),
    *listed("S0-PIT", "05"),
    *listed("S2-DEF", "07"),
    *numbered("S2-FIG", 2),
    *numbered("S2-WEX", 1),
    *numbered("S3-FIG", 5),
    *listed("S3-CODE", "02"),
    *listed("S3-DEF", "12"),
}
EXERCISES = {*numbered("S0-EX", 5), "S0-THM-01", "S2-CODE-02", "S3-CODE-01"}


@pytest.fixture(scope="module")
def inventory() -> tuple[Entry, ...]:
    return load_inventory(inventory_path())


@pytest.fixture(scope="module")
def covered(inventory: tuple[Entry, ...]) -> Coverage:
    families, broken = load_families()
    assert broken == ()
    library = load_library(content_root() / "cards", None)
    terms = shipped_reference().terms
    return coverage(inventory, families, library, demos(), shipped_exercises(), terms)


class TestShipped:
    """The inventory that is shipped."""

    def test_every_line_of_the_outline_is_represented(self, inventory: tuple[Entry, ...]) -> None:
        """And no entry stands for a line that does not exist."""
        stood_for = {row for entry in inventory for row in entry.rows}
        assert sorted(OUTLINE - stood_for) == []
        assert sorted(stood_for - OUTLINE) == []

    @pytest.mark.parametrize(
        ("kind", "rows"),
        [
            ("problem", ASKED),
            ("card", CARDS),
            ("demo", DEMOS),
            ("exercise", EXERCISES),
            ("glossary", METHODS),
        ],
    )
    def test_a_form_that_the_outline_asks_for_is_wanted(
        self, inventory: tuple[Entry, ...], kind: str, rows: set[str]
    ) -> None:
        """At least one entry of each such line wants it."""
        wanted = {row for entry in inventory if kind in entry.kinds for row in entry.rows}
        assert sorted(rows - wanted) == []

    @pytest.mark.parametrize("kind", ["problem", "card", "note", "glossary"])
    def test_every_fact_has_the_forms_it_wants(self, covered: Coverage, kind: str) -> None:
        """The entries that no family covers, or no card, note or term, are named."""
        assert [entry.slug for entry in covered.without(kind)] == []

    def test_every_name_exists(self, covered: Coverage) -> None:
        """Slugs in families, cards, notes, demos and exercises in the inventory."""
        assert covered.unknown == ()

    def test_every_family_covers_something(self) -> None:
        """A family that practises nothing of the inventory would show a hole in it."""
        families, _ = load_families()
        assert [family.id for family in families.values() if not family.covers] == []

    def test_every_fact_is_one_sentence_whose_formulas_can_be_read(
        self, inventory: tuple[Entry, ...]
    ) -> None:
        """One paragraph, closed by a full stop, no formula with an error, none said twice."""
        for entry in inventory:
            (block,) = parse_markup(entry.fact)
            assert isinstance(block, Paragraph), entry.slug
            for span in block.spans:
                if isinstance(span, Math):
                    mathtext.parse(span.source)
            assert entry.fact.endswith("."), entry.slug
            assert "|" not in entry.fact, entry.slug
        assert len({entry.fact for entry in inventory}) == len(inventory)


def practice(family_id: str, *covers: str) -> dict[str, Family[Any]]:
    """Return a family by its id that says what it covers and does nothing else."""
    family = type("Practice", (Family,), {"covers": covers})()
    family.id = family_id
    return {family_id: family}


ENTRY = Entry("one-fact", "batchnorm", "A fact.", ("card", "problem", "demo"), ("row",))


class TestCoverage:
    """What is missing and what does not exist, on small inventories."""

    EMPTY = Library(())

    def test_a_family_covers_the_entries_that_it_names(self) -> None:
        """A family is named with the entry; the forms that nothing offers are missing, in their order."""
        found = coverage([ENTRY], practice("t.f", "one-fact"), self.EMPTY, ())
        (only,) = found.entries
        assert (only.families, only.missing) == (("t.f",), ("card", "demo"))
        assert found.without("problem") == ()

    def test_an_entry_without_a_family_is_named_only_where_it_wants_a_problem(self) -> None:
        """A fact for a card alone needs no family."""
        card = Entry("for-a-card", "batchnorm", "A fact.", ("card",), ("row",))
        found = coverage([ENTRY, card], {}, self.EMPTY, ())
        assert found.without("problem") == (ENTRY,)

    def test_names_that_do_not_exist_are_told_with_their_place(self) -> None:
        """In a family, and in each list of an entry."""
        entry = Entry(
            "one-fact", "batchnorm", "A fact.", ("note",), ("row",), ("d/c",), ("d",), ("m",), ("e",)
        )
        found = coverage([entry], practice("t.f", "no-fact"), self.EMPTY, ("n",))
        assert found.unknown == (
            ("t.f", "covers no-fact, which is not in the inventory"),
            ("inventory entry one-fact", "cards names d/c, which does not exist"),
            ("inventory entry one-fact", "notes names d, which does not exist"),
            ("inventory entry one-fact", "demos names m, which does not exist"),
            ("inventory entry one-fact", "exercises names e, which does not exist"),
        )

    def test_a_demo_that_exists_is_known(self) -> None:
        """And the entry no longer lacks it."""
        entry = Entry("one-fact", "batchnorm", "A fact.", ("demo",), ("row",), demos=("m",))
        found = coverage([entry], {}, self.EMPTY, ("m",))
        assert found.unknown == ()
        assert found.entries[0].missing == ()


GOOD = '[one-fact]\ntopic = "batchnorm"\nfact = "A fact."\nkinds = ["card"]\nrows = ["r"]\n'


class TestReading:
    """A file that cannot be read as an inventory."""

    def test_a_good_file_gives_its_entries(self, tmp_path: Path) -> None:
        """Slug, topic, fact, kinds and rows as written; lists that are not given are empty."""
        file = tmp_path / "inventory.toml"
        file.write_text(GOOD, encoding="utf-8")
        assert load_inventory(file) == (Entry("one-fact", "batchnorm", "A fact.", ("card",), ("r",)),)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (GOOD.replace('"batchnorm"', '"cooking"'), "entry one-fact: cooking is not a topic"),
            (GOOD.replace('["card"]', '["song"]'), "entry one-fact: song is not a kind"),
            (GOOD.replace('["card"]', "[]"), "entry one-fact: kinds must not be empty"),
            (GOOD.replace('rows = ["r"]\n', ""), "entry one-fact: rows must not be empty"),
            (GOOD.replace('["r"]', '["r", "r"]'), "entry one-fact: rows must be a list of texts, each once"),
            (GOOD.replace('["r"]', "3"), "entry one-fact: rows must be a list of texts"),
            (GOOD.replace('"A fact."', '" "'), "entry one-fact: fact must be a text"),
            (GOOD.replace('"A fact."', r'"Two\nlines."'), "entry one-fact: fact must be one line"),
            (GOOD + 'colour = "red"\n', "entry one-fact: colour is not a key"),
            (GOOD.replace("one-fact", "One_Fact"), "entry One_Fact: the slug is not in kebab-case"),
            ('one-fact = "A fact."\n', "entry one-fact: is no table"),
            (GOOD + GOOD, "one-fact"),
            ("", "there is no entry"),
        ],
    )
    def test_a_fault_is_told_with_file_and_entry(self, tmp_path: Path, text: str, said: str) -> None:
        """What is wrong, and where."""
        file = tmp_path / "inventory.toml"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(InventoryError) as told:
            load_inventory(file)
        assert str(told.value).startswith(f"{file}: ")
        assert said in str(told.value)

    def test_a_file_that_is_not_there_is_named(self, tmp_path: Path) -> None:
        """No traceback about a missing file."""
        with pytest.raises(InventoryError, match=r"inventory\.toml"):
            load_inventory(tmp_path / "inventory.toml")


class TestCheck:
    """What `studynorm check` makes of it."""

    def troubles(self, path: Path, families: dict[str, Family[Any]]) -> list[str]:
        unseen = Progress(lambda number, total, family: None, lambda proof: None)
        report = check_all(
            Library(()),
            families,
            (),
            {},
            (),
            path,
            None,
            prover=lambda ids: [Proof(name) for name in ids],
            progress=unseen,
        )
        return [str(trouble) for trouble in report.troubles]

    def test_forms_that_are_complete_may_not_become_incomplete(self, tmp_path: Path) -> None:
        """Demos and exercises still open stop nothing; a card, problem, note or term too few does."""
        file = tmp_path / "inventory.toml"
        file.write_text(GOOD.replace('["card"]', '["demo", "exercise"]'), "utf-8")
        assert self.troubles(file, {}) == []
        for kind, said in (("card", "card"), ("problem", "problem"), ("note", "note"), ("glossary", "term")):
            file.write_text(GOOD.replace('["card"]', f'["{kind}"]'), "utf-8")
            (told,) = self.troubles(file, {})
            assert told.startswith(f"inventory entry one-fact: wants a {said}")

    def test_names_formulas_and_a_file_that_cannot_be_read_are_troubles(self, tmp_path: Path) -> None:
        """Each with its place."""
        file = tmp_path / "inventory.toml"
        wish = GOOD.replace('["card"]', '["demo"]').replace("A fact.", r"A $\\nosuchmacro$.")
        file.write_text(wish + 'demos = ["none"]\n', "utf-8")
        name, formula = self.troubles(file, {})
        assert name == "inventory entry one-fact: demos names none, which does not exist"
        assert formula.startswith("inventory entry one-fact: formula $")
        file.write_text(GOOD.replace('"batchnorm"', '"cooking"'), "utf-8")
        (told,) = self.troubles(file, {})
        assert told.startswith(f"{file}: entry one-fact: cooking is not a topic")
