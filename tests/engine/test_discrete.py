"""Answers that are picked: how each kind is read, what it refuses, and the letters of shuffled options."""

import contextlib
import dataclasses
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studynorm.engine.answer import Kind
from studynorm.engine.discrete import DISCRETE, Axes, Choice, CodeLine, Match, Order, Shape, YesNo
from studynorm.engine.expression import ANSWER_LIMIT
from studynorm.engine.rng import Rng
from studynorm.engine.value import Unreadable

# Shown as “a) third, b) first, c) second”: the letter a stands for place 2.
CHOICE = Choice(options=("first", "second", "third"), order=(2, 0, 1))
ORDER = Order(steps=("mean", "variance", "divide", "decoy"), order=(3, 1, 0, 2))
MATCH = Match(left=("LN", "BN"), right=("channel", "token", "image"), order=(2, 0, 1))
GRID = YesNo(labels=("BN", "LN", "IN"))
LINE = CodeLine(code=("mu = x.mean()", "  d = x - mu", "return d"))
SAMPLES: tuple[tuple[Kind, object], ...] = (
    (Shape(), (8, 16, 32)),
    (Axes(rank=4), (0, 2, 3)),
    (GRID, (1, 0, 1)),
    (CHOICE, 1),
    (ORDER, (0, 1, 2)),
    (MATCH, (1, 0)),
    (LINE, 2),
)


def values(kind: Kind, text: str, truth: object = ()) -> tuple[float, ...]:
    """Return the numbers that a typed answer is read as."""
    return tuple(entry.value for entry in kind.read(text, truth).entries)


def refusal(kind: Kind, text: str, truth: object = ()) -> str:
    """Return why a typed answer cannot be read."""
    with pytest.raises(Unreadable) as caught:
        kind.read(text, truth)
    return caught.value.message


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("(8, 16, 32)", (8, 16, 32)),
        ("8 16 32", (8, 16, 32)),
        ("8x16x32", (8, 16, 32)),
        ("8 × 16 × 32", (8, 16, 32)),
        ("torch.Size([8, 16, 32])", (8, 16, 32)),
        ("[8, 2^4, 32]", (8, 16, 32)),
        ("(5,)", (5,)),
        ("5", (5,)),
        ("()", ()),
        ("torch.Size([])", ()),
    ],
)
def test_a_shape_may_be_written_in_many_ways(text: str, sizes: tuple[int, ...]) -> None:
    """Tuples, lists, crosses and PyTorch's own words all mean the same; a single number has no axes."""
    assert values(Shape(), text) == sizes


@pytest.mark.parametrize("text", ["(8, -1)", "8.5 2", "(8, sqrt(2))", "1 2; 3 4", "(8, 16", "N C"])
def test_what_is_no_shape_is_refused(text: str) -> None:
    """Sizes are whole and not negative, side by side in one list."""
    assert refusal(Shape(), text)


@pytest.mark.parametrize("text", ["0 2 3", "3, 0, 2", "(0, 2, -1)", "dim=(0, 2, 3)", "{3, 2, 0}", "-4 -2 -1"])
def test_axes_are_a_set(text: str) -> None:
    """Their order does not matter, and negative ones count from the end."""
    assert values(Axes(rank=4), text) == (0, 2, 3)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("4", "from -4 to 3"),
        ("-5", "from -4 to 3"),
        ("0.5", "from -4 to 3"),
        ("0 2; 1 3", "from -4 to 3"),
        ("3 -1", "named twice"),
        ("0 0", "named twice"),
        ("()", "empty"),
    ],
)
def test_wrong_axes_are_refused_with_the_reason(text: str, why: str) -> None:
    """The message gives the range of axes or says that one came twice."""
    assert why in refusal(Axes(rank=4), text)


def test_the_help_for_axes_is_no_answer() -> None:
    """What may be typed is said without an example, as every small set of axes answers some problem."""
    for rank in (2, 3, 4, 5):
        assert "0 2" not in Axes(rank=rank).how((0, 2))


@pytest.mark.parametrize(
    "text", ["y n y", "yny", "Yes, no, YES", "1 0 1", "true;false;true", "(y, n, y)", "+ − +", "+-+", "✓✗✓"]
)
def test_yes_and_no_may_be_written_in_many_ways(text: str) -> None:
    """Words, letters, digits and signs, with or without separators."""
    assert values(GRID, text) == (1, 0, 1)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("y n", "3 answers are wanted, and this has 2"),
        ("y n y n", "3 answers are wanted, and this has 4"),
        ("yes", "3 answers are wanted, and this has 1"),
        ("()", "3 answers are wanted, and this has 0"),
        ("y n maybe", "“maybe” is neither yes nor no"),
        ("ynx", "“x” is neither yes nor no"),
    ],
)
def test_a_grid_that_is_not_filled_rightly_is_refused(text: str, why: str) -> None:
    """The message counts the answers or names the word; one “yes” is not spelled out letter by letter."""
    assert why in refusal(GRID, text)


@pytest.mark.parametrize(
    ("text", "place"), [("a", 2), ("B", 0), (" c) ", 1), ("(a)", 2), ("b.", 0), ("1", 2), ("3", 1)]
)
def test_a_choice_is_a_letter_of_the_shown_order(text: str, place: int) -> None:
    """Letters, or numbers from 1, name the options as they stand on the screen."""
    assert values(CHOICE, text) == (place,)


@pytest.mark.parametrize("text", ["d", "0", "4", "ab", "first", "-1", "a b", "é"])
def test_what_names_no_option_is_refused(text: str) -> None:
    """The message says which letters there are."""
    assert refusal(CHOICE, text) == "one letter from a to c is wanted"


@pytest.mark.parametrize(
    "text", ["c b d", "cbd", "C, B, D", "c → b → d", "c > b > d", "c-b-d", "3 2 4", "[c,b,d]"]
)
def test_an_order_is_letters_in_a_row(text: str) -> None:
    """With any separators, arrows too; the decoy a stays out."""
    assert values(ORDER, text, (0, 1, 2)) == (0, 1, 2)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("c b", "3 steps are wanted, and this has 2"),
        ("c b d a", "3 steps are wanted, and this has 4"),
        ("c b b", "named twice"),
        ("c b e", "“e” is none of a to d"),
        ("3 2 5", "none of a to d"),
        ("->", "nothing was typed"),
    ],
)
def test_an_order_that_does_not_fit_is_refused(text: str, why: str) -> None:
    """The message counts the steps, or names the letter that is too much."""
    assert why in refusal(ORDER, text, (0, 1, 2))


@pytest.mark.parametrize(
    "text", ["c b", "cb", "1c 2b", "1-c, 2-b", "1: c; 2: b", "1 → c  2 → b", "2b 1c", "3 2"]
)
def test_a_match_is_a_letter_for_each_on_the_left(text: str) -> None:
    """In the order of the left side; where numbers are typed, they say which letter belongs where."""
    assert values(MATCH, text) == (1, 0)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("c", "2 letters are wanted, and this has 1"),
        ("c b a", "2 letters are wanted, and this has 3"),
        ("c d", "“d” is none of a to c"),
        ("1c 1b", "each from 1 to 2 is wanted once"),
        ("1c 3b", "each from 1 to 2 is wanted once"),
        ("1c 2b a", "2 letters are wanted, and this has 3"),
    ],
)
def test_a_match_that_does_not_fit_is_refused(text: str, why: str) -> None:
    """The message counts the letters, names the wrong one or asks for each number once."""
    assert why in refusal(MATCH, text)


@pytest.mark.parametrize("text", ["2", "line 2", "L2", "#2", " Line  2 "])
def test_a_line_is_named_by_its_number(text: str) -> None:
    """Lines count from 1, and the echo shows the line."""
    assert values(LINE, text) == (2,)
    assert LINE.read(text, 2).text == "line 2: d = x - mu"


@pytest.mark.parametrize("text", ["0", "4", "-1", "2.0", "mu", "1 2", "99999"])
def test_a_line_that_does_not_exist_is_refused(text: str) -> None:
    """The message gives the range."""
    assert refusal(LINE, text) == "the number of a line from 1 to 3 is wanted"


@pytest.mark.parametrize(("kind", "truth"), SAMPLES, ids=lambda sample: getattr(sample, "name", None))
def test_every_kind_reads_what_it_says_one_types(kind: Kind, truth: object) -> None:
    """`typed` gives a text that is read back as the same answer, and so does the echo of sets and orders."""
    text = kind.typed(truth)
    assert text is not None
    wanted = truth if isinstance(truth, tuple) else (truth,)
    assert values(kind, text, truth) == wanted
    echo = kind.read(text, truth).text
    if not isinstance(kind, Choice | CodeLine):
        assert values(kind, echo, truth) == wanted
    assert kind.how(truth)


@pytest.mark.parametrize(("kind", "truth"), SAMPLES, ids=lambda sample: getattr(sample, "name", None))
def test_nothing_and_too_much_are_refused_by_every_kind(kind: Kind, truth: object) -> None:
    """Blanks are nothing; beyond the limit the message says how long an answer may be."""
    for nothing in ("", "   "):
        assert refusal(kind, nothing, truth) == "nothing was typed"
    assert str(ANSWER_LIMIT) in refusal(kind, "1 " * ANSWER_LIMIT, truth)


def test_every_kind_is_sampled_here() -> None:
    """A new kind that is picked has to be added to the samples."""
    assert tuple(type(kind) for kind, _ in SAMPLES) == DISCRETE


@pytest.mark.parametrize("kind", [CHOICE, ORDER, MATCH], ids=lambda kind: kind.name)
def test_shuffling_changes_the_letters_and_not_the_answer(kind: Choice | Order | Match) -> None:
    """The same seed gives the same letters, all places appear on top, and a place is read back as itself."""
    assert kind.shuffled(Rng("x")) == kind.shuffled(Rng("x"))
    count = len(kind.displayed)
    shuffles = [kind.shuffled(Rng(seed)) for seed in range(200)]
    top = Counter(shuffled.displayed[0] for shuffled in shuffles)
    assert set(top) == set(range(count))
    assert max(top.values()) < 2 * 200 / count
    for shuffled in shuffles:
        assert sorted(shuffled.displayed) == list(range(count))
        assert dataclasses.replace(shuffled, order=kind.order) == kind
        truth: object = count - 1 if isinstance(kind, Choice) else (1, 0) if kind is MATCH else (2, 0, 1)
        text = shuffled.typed(truth)
        assert text is not None
        assert values(shuffled, text, truth) == (truth if isinstance(truth, tuple) else (truth,))


def test_without_a_shuffle_the_author_s_order_is_shown() -> None:
    """So it is for a learner's own numbers, where no seed is given."""
    plain = Choice(options=("first", "second"))
    assert plain.displayed == (0, 1)
    assert values(plain, "b") == (1,)


def test_what_is_shown_follows_the_shuffled_order() -> None:
    """Each option stands behind the letter that names it; the sides of a match are numbered and lettered."""
    assert CHOICE.shown().split("\n\n") == ["**a**  third", "**b**  first", "**c**  second"]
    assert ORDER.shown().startswith("**a**  decoy\n\n**b**  variance")
    assert MATCH.shown() == "1. LN\n2. BN\n\n**a**  image\n\n**b**  channel\n\n**c**  token"
    assert GRID.shown() == "1. BN\n2. LN\n3. IN"
    code = dataclasses.replace(ORDER, code=True)
    assert code.shown() == "```python\na  decoy\nb  variance\nc  mean\nd  divide\n```"
    assert LINE.shown() == "```python\n1  mu = x.mean()\n2    d = x - mu\n3  return d\n```"


@pytest.mark.parametrize(("kind", "truth"), SAMPLES, ids=lambda sample: getattr(sample, "name", None))
@given(text=st.text("abcdyn0123456789 ,;:()[]{}+-−*/^.x×→=>#√½²③✓\t\n", max_size=24) | st.text(max_size=210))
@settings(max_examples=300, deadline=None)
def test_no_text_does_harm(kind: Kind, truth: object, text: str) -> None:
    """Whatever is typed is read or refused with a message; nothing else is ever raised."""
    with contextlib.suppress(Unreadable):
        reading = kind.read(text, truth)
        assert reading.text
        assert all(entry.exact is not None for entry in reading.entries)
