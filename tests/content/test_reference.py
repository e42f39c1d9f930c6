"""Glossary, references, reading plan and diagrams: complete, well drawn, found by words, safe to break."""

import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from studynorm.content.reference import Diagram, ReferenceBook, Term, fold, matching
from studynorm.content.referencefile import FILES, HIGHEST, WIDEST, load_reference, shipped_reference
from studynorm.locate import content_root

# Every named method of the subject's outline, as it is called there.
METHODS = (
    *("BatchNorm", "LayerNorm", "RMSNorm", "GroupNorm", "InstanceNorm", "WeightNorm", "SyncBatchNorm"),
    *("BN folding", "frozen BN", "QK-norm", "adaLN-Zero", "DyT", "NF-ResNet", "residual block"),
    *("pre-activation ResNet", "highway network", "DenseNet", "projection skip", "zero gamma"),
    *("zero-init last layer", "Fixup", "SkipInit", "ReZero", "1/√L branch scale", "GPT-2 init", "pre-LN"),
    *("post-LN", "final norm", "DeepNorm", "DeepNet", "warmup", "weight decay equilibrium", "dropout"),
    *("Xavier initialization", "He initialization"),
)
# The lines of the outline that name works to read.
ROWS = {
    *(f"S2-REF-{number:02}" for number in range(1, 9)),
    *(f"S3-REF-{number:02}" for number in range(1, 25)),
    "S0-VID-01",
}
DRAWN = [
    *("pre-norm-block", "post-norm-block", "residual-block", "projection-block"),
    *("pre-activation-block", "adaln-zero-block"),
]
# In which directions each line goes on.
ENDS = dict(
    pair.split(maxsplit=1)
    for pair in (
        "─ <>",
        "━ <>",
        "│ ^v",
        "┌ >v",
        "┐ <v",
        "└ >^",
        "┘ <^",
        "┬ <>v",
        "┴ <>^",
        "┯ <>v",
        "▶ <",
        "▲ v",
    )
)
STEPS = {"<": (-1, 0), ">": (1, 0), "^": (0, -1), "v": (0, 1)}


@pytest.fixture(scope="module")
def book() -> ReferenceBook:
    return shipped_reference()


def drawings() -> Iterator[Diagram]:
    yield from shipped_reference().diagrams


class TestShipped:
    """What is shipped."""

    def test_nothing_of_it_is_broken(self, book: ReferenceBook) -> None:
        """All four files are read, and every entry of them is used."""
        assert book.errors == ()
        folder = content_root() / "cards" / "reference"
        entries = [tomllib.loads((folder / name).read_text(encoding="utf-8")) for name in FILES]
        counted = (len(book.terms), len(book.references), len(book.steps), len(book.diagrams))
        assert counted == (len(entries[0]), len(entries[1]), len(entries[2]["step"]), len(entries[3]))

    @pytest.mark.parametrize("method", METHODS)
    def test_every_named_method_is_found_by_its_name(self, book: ReferenceBook, method: str) -> None:
        """It has a meaning in whole sentences; case does not matter."""
        term = book.term(method.upper())
        assert term is not None
        assert term.meaning.endswith(".")

    def test_every_method_that_computes_something_has_its_formula(self, book: ReferenceBook) -> None:
        """All but the one that is a way of using another."""
        terms = [term for method in METHODS if (term := book.term(method)) is not None]
        assert {term.id for term in terms if not term.formula} == {"frozen-batchnorm"}

    def test_every_reference_of_the_outline_is_there_and_none_is_invented(self, book: ReferenceBook) -> None:
        """Two papers of the same four authors in one year are told apart by their titles."""
        assert {row for reference in book.references for row in reference.rows} == ROWS
        assert all(reference.rows for reference in book.references)
        he = [one.title for one in book.references if "Kaiming He" in one.authors and one.year == 2016]
        assert he == [
            "Deep Residual Learning for Image Recognition",
            "Identity Mappings in Deep Residual Networks",
        ]

    def test_the_reading_plan_is_in_the_outline_s_order(self, book: ReferenceBook) -> None:
        """The book, the two courses, the video; every step leads to something that exists."""
        leads = [reference for step in book.steps for reference in step.references]
        assert leads[:4] == ["prince-2023", "umich-lecture", "unige-course", "video-batchnorm"]
        assert set(leads) <= {reference.id for reference in book.references}

    def test_one_sign_means_one_thing(self, book: ReferenceBook) -> None:
        """No two terms share a sign; the loss is never a bare L, the width never E or d."""
        signs = [term.sign for term in book.terms if term.sign]
        assert len(set(signs)) == len(signs)
        wanted = {"depth": "L", "width": "D", "batch-size": "N", "group-size": "n", "sequence-length": "T"}
        assert {term.id: term.sign for term in book.terms if term.id in wanted} == wanted
        for term in book.terms:
            assert not re.search(r"\\nabla\s*L|\\partial\s*L", term.formula), term.id

    def test_terms_are_listed_by_name(self, book: ReferenceBook) -> None:
        """Capitals do not come first."""
        names = [term.term.casefold() for term in book.terms]
        assert names == sorted(names, key=fold)
        assert names.index("branch") < names.index("groupnorm") < names.index("token")


class TestDrawings:
    """The wiring diagrams."""

    def test_the_blocks_of_the_subject_are_drawn(self, book: ReferenceBook) -> None:
        """Six of them."""
        assert [diagram.id for diagram in book.diagrams] == DRAWN

    @pytest.mark.parametrize("diagram", drawings(), ids=lambda diagram: diagram.id)
    def test_a_drawing_fits_and_no_line_ends_in_nothing(self, diagram: Diagram) -> None:
        """Wherever a line goes on something stands there, or a word one blank away."""
        lines = diagram.drawing.split("\n")
        assert len(lines) <= 22
        assert max(map(len, lines)) <= 60
        cells = {(x, y): char for y, line in enumerate(lines) for x, char in enumerate(line)}
        for (x, y), char in cells.items():
            for dx, dy in (STEPS[end] for end in ENDS.get(char, "")):
                near, far = cells.get((x + dx, y + dy), " "), cells.get((x + 2 * dx, y), " ")
                assert near != " " or (dy == 0 and far.isalpha()), (x, y, char)

    @pytest.mark.parametrize("diagram", drawings(), ids=lambda diagram: diagram.id)
    def test_the_7_bit_form_has_the_same_shape(self, diagram: Diagram) -> None:
        """Each character stands where the one it stands for stood; words are unchanged."""
        assert diagram.ascii.isascii()
        assert [len(line) for line in diagram.ascii.split("\n")] == [
            len(line) for line in diagram.drawing.split("\n")
        ]
        assert re.findall(r"[a-zA-Z]{2,}", diagram.ascii) == re.findall(r"[a-zA-Z]{2,}", diagram.drawing)

    def test_a_norm_lies_on_the_skip_after_the_sum_in_post_norm_only(self, book: ReferenceBook) -> None:
        """Along the heavy lines: nothing in pre-norm and pre-activation, LN twice in post-norm."""
        met = {
            diagram.id: re.findall(
                r"LN|BN|ReLU|conv", " ".join(line for line in diagram.drawing.split("\n") if "━" in line)
            )
            for diagram in book.diagrams
        }
        assert met == {
            "pre-norm-block": [],
            "post-norm-block": ["LN", "LN"],
            "residual-block": ["ReLU"],
            "projection-block": ["conv", "BN", "ReLU"],
            "pre-activation-block": [],
            "adaln-zero-block": [],
        }

    def test_a_branch_has_its_layers_in_the_right_order(self, book: ReferenceBook) -> None:
        """From the split to the sum, as the papers have it."""
        layers = {
            diagram.id: [
                re.findall(r"[A-Za-z-]{2,}|·a|F(?= )|\(1\+s\)", line)
                for line in diagram.drawing.split("\n")
                if line.lstrip().startswith("└") and "▶" in line
            ]
            for diagram in book.diagrams
        }
        assert layers == {
            "pre-norm-block": [["LN", "attention", "dropout"], ["LN", "feed-forward", "dropout"]],
            "post-norm-block": [["attention", "dropout"], ["feed-forward", "dropout"]],
            "residual-block": [["conv", "BN", "ReLU", "conv", "BN"]],
            "projection-block": [["conv", "BN", "ReLU", "conv", "BN"]],
            "pre-activation-block": [["BN", "ReLU", "conv", "BN", "ReLU", "conv"]],
            "adaln-zero-block": [["LN", "(1+s)", "F", "·a"]],
        }


TERMS = (
    Term("batchnorm", "BatchNorm", "batchnorm", "Gives a channel mean 0.", also=("batch normalization",)),
    Term("scale", "scale", "batchnorm", "The factor on the value.", sign=r"\gamma"),
    Term("resume", "Résumé norm", "batchnorm", "Mentions a scale and a channel."),
    Term("zero", "zero-γ", "batchnorm", "Starts at 0."),
)


class TestFinding:
    """Words find entries."""

    @pytest.mark.parametrize(
        ("typed", "found"),
        [
            ("", ["batchnorm", "scale", "resume", "zero"]),
            ("   ", ["batchnorm", "scale", "resume", "zero"]),
            ("NORM", ["batchnorm", "resume"]),
            ("normalization batch", ["batchnorm"]),
            ("resumé", ["resume"]),
            ("scale", ["scale", "resume"]),
            ("channel norm", ["batchnorm", "resume"]),
            ("hannel", []),
            ("γ", ["scale", "zero"]),
            ("zero-gamma", ["zero"]),
            ("nothing", []),
            ("(", []),
        ],
    )
    def test_words_match_names_anywhere_and_other_words_at_their_beginning(
        self, typed: str, found: list[str]
    ) -> None:
        """Every word must occur; case, accents and Greek letters do not matter; names come first."""
        ranked = [term.id for term in matching(TERMS, typed)]
        assert sorted(ranked) == sorted(found)
        if typed == "scale":
            assert ranked == found

    def test_the_exact_name_comes_first(self, book: ReferenceBook) -> None:
        """Also where many names contain it."""
        assert matching(book.terms, "layernorm")[0].id == "layernorm"
        assert matching(book.terms, "LN")[0].id == "layernorm"
        assert matching(book.terms, "momentum")[0].id == "momentum"
        assert matching(book.references, "identity mappings")[0].id == "he-2016-identity"

    def test_a_term_is_looked_up_by_id_or_any_name(self, book: ReferenceBook) -> None:
        """A name that is none gives nothing."""
        for name in ("bn-folding", "BN folding", "Folding"):
            term = book.term(name)
            assert term is not None
            assert term.id == "bn-folding"
        assert book.term("no such term") is None

    def test_a_reference_leads_back_to_the_terms_that_name_it(self, book: ReferenceBook) -> None:
        """Of the paper on pre-LN and post-LN: both, and the warmup that it explains."""
        (xiong,) = [one for one in book.references if one.id == "xiong-2020"]
        assert {"term:pre-ln", "term:post-ln", "term:warmup"} <= set(book.see(xiong))


TERM = '[one]\nterm = "One"\ntopic = "batchnorm"\nmeaning = "A thing."\n'
TWO = '\n[two]\nterm = "Two"\ntopic = "batchnorm"\nmeaning = "Another."\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the shipped folder with a glossary of two terms."""
    copy = tmp_path / "reference"
    shutil.copytree(content_root() / "cards" / "reference", copy)
    (copy / "glossary.toml").write_text(TERM + TWO, encoding="utf-8")
    return copy


class TestBroken:
    """Files and entries that cannot be used."""

    @pytest.mark.parametrize("name", FILES)
    def test_a_missing_file_costs_only_itself(self, folder: Path, name: str) -> None:
        """It is named with the way out; the three others are there."""
        (folder / name).unlink()
        book = load_reference(folder)
        (error,) = book.errors
        assert str(error).startswith(f"{folder / name}:1: the file can't be read: ")
        assert "install studynorm again" in str(error)
        kinds = (book.terms, book.references, book.steps, book.diagrams)
        assert [bool(kind) for kind in kinds] == [name != file for file in FILES]

    @pytest.mark.parametrize(
        ("content", "line", "said"),
        [
            (b"[one]\nterm = \n", 2, "is no TOML"),
            ((TERM + TWO + TERM).encode(), 10, "is no TOML"),
            (b"[one]\nterm = \xff\n", 1, "is no TOML"),
            (b"", 1, "there is no entry"),
            (b"x = " + b"[" * 100_000, 1, "is no TOML"),
        ],
    )
    def test_a_file_that_cannot_be_read_is_named_by_line(
        self, folder: Path, content: bytes, line: int, said: str
    ) -> None:
        """An unfinished value, an id twice, another encoding, nothing at all, brackets without end."""
        (folder / "glossary.toml").write_bytes(content)
        book = load_reference(folder)
        (error,) = book.errors
        assert str(error).startswith(f"{folder / 'glossary.toml'}:{line}: ")
        assert said in str(error)
        assert book.terms == ()
        assert book.references

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            ('term = "Two"\n', "", "term is missing"),
            ('"Two"', "2", "term must be one line of text"),
            ('"Two"', '" "', "term must be one line of text"),
            ('"Another."', r'"One.\nTwo."', "meaning must be one line of text"),
            ('"batchnorm"', '"cooking"', "cooking is not a topic. The topics are batchnorm, "),
            (
                'meaning = "Another."',
                'meaning = "Another."\ncolour = "red"',
                "colour is not a key. The keys are ",
            ),
            ('meaning = "Another."', 'meaning = "A."\nalso = "x"', "also must be a list of texts, each once"),
            ('meaning = "Another."', 'meaning = "A."\nalso = ["x", "x"]', "also must be a list of texts"),
            (
                'meaning = "Another."',
                'meaning = "A."\nsee = ["batchnorm/x"]',
                "see names batchnorm/x. Write card:",
            ),
            ('"Two"', '"ONE"', "the name “ONE” is taken by [one]"),
            ('meaning = "Another."', 'meaning = "A."\nalso = ["one"]', "the name “one” is taken by [one]"),
            ("[two]", "[Two_Three]", "the id is not in kebab-case"),
        ],
    )
    def test_a_broken_entry_is_named_and_costs_only_itself(
        self, folder: Path, old: str, new: str, said: str
    ) -> None:
        """File, line, entry, what is wrong and what to write."""
        file = folder / "glossary.toml"
        file.write_text(TERM + TWO.replace(old, new), encoding="utf-8")
        book = load_reference(folder)
        (error,) = book.errors
        assert str(error).startswith(f"{file}:6: [{'Two_Three' if 'Three' in new else 'two'}]: ")
        assert said in str(error)
        assert [term.id for term in book.terms] == ["one"]

    def test_a_value_where_a_table_belongs_is_named(self, folder: Path) -> None:
        """The other entries are used."""
        (folder / "glossary.toml").write_text('two = "Two"\n' + TERM, encoding="utf-8")
        book = load_reference(folder)
        assert "[two]: is no table" in str(book.errors[0])
        assert [term.id for term in book.terms] == ["one"]

    @pytest.mark.parametrize(
        ("drawing", "said"),
        [
            ("─" * (WIDEST + 1), "has 61 columns and 1 rows. At most 60 and 22 fit"),
            ("\n".join("│" * (HIGHEST + 1)), "has 1 columns and 23 rows"),
            ("a → b", "has '→', which has no 7-bit form"),
        ],
    )
    def test_a_drawing_that_does_not_fit_is_named(self, folder: Path, drawing: str, said: str) -> None:
        """Too wide, too high, or with a character that has no stand-in."""
        file = folder / "diagrams.toml"
        file.write_text(
            f"[d]\ntitle = \"D\"\ntopic = \"residual\"\nabout = \"See.\"\ndrawing = '''\n{drawing}\n'''\n",
            "utf-8",
        )
        book = load_reference(folder)
        assert said in str(book.errors[0])
        assert book.diagrams == ()

    def test_a_year_must_be_a_number_and_a_step_is_named_by_its_place(self, folder: Path) -> None:
        """Both are named with their line."""
        (folder / "references.toml").write_text(
            '[a]\ntitle = "A"\nyear = "2015"\ntopics = ["residual"]\nused = "X."\nwhy = "Y."\n', "utf-8"
        )
        (folder / "plan.toml").write_text(
            '[[step]]\ntitle = "A"\ntext = "B."\n\n[[step]]\ntitle = "C"\n', "utf-8"
        )
        year, step = load_reference(folder).errors
        assert "[a]: year must be a whole number" in str(year)
        assert str(step).startswith(f"{folder / 'plan.toml'}:5: [step 2]: text is missing")

    def test_a_byte_order_mark_and_windows_line_ends_are_read(self, folder: Path) -> None:
        """As if they were not there."""
        text = (TERM + TWO).replace("\n", "\r\n")
        (folder / "glossary.toml").write_bytes(b"\xef\xbb\xbf" + text.encode())
        book = load_reference(folder)
        assert book.errors == ()
        assert [term.id for term in book.terms] == ["one", "two"]
