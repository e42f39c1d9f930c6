"""Fitting weights: what a log gives to fit to, what is measured, and that nothing in a log can break it."""

import importlib
import math
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import fsrs
import pytest
from fsrs.scheduler import LOWER_BOUNDS_PARAMETERS, UPPER_BOUNDS_PARAMETERS

from studynorm.scheduling.evidence import (
    Answer,
    Evidence,
    History,
    Logged,
    countable_places,
    evidence_of,
    held_out_from,
)
from studynorm.scheduling.fit import FitFailed, TooFew, fit, log_loss
from studynorm.scheduling.scheduler import PUBLISHED
from studynorm.scheduling.settings import SettingError
from studynorm.scheduling.weights import filled_up, weights_in
from tests.learner import TRUE, logged, reviews

A, H, G, E = 1, 2, 3, 4
FIRST = 739_000


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let py-fsrs go through its log once instead of five times; return its module."""
    theirs: Any = importlib.import_module("fsrs.optimizer")
    monkeypatch.setattr(theirs, "num_epochs", 1)
    return theirs


def log(*answers: tuple[str, int, int]) -> Iterator[Logged]:
    """Yield rows of items, ratings and days; the first of an item is new."""
    known: set[str] = set()
    for item, rating, day in answers:
        yield Logged(item, rating, FIRST + day, item not in known)
        known.add(item)


def days(found: Evidence) -> list[list[int]]:
    """Return the study days of each history, counted from the first."""
    return [[answer.day - FIRST for answer in history] for history in found.histories]


def uniform(rating: int, countable: int) -> Evidence:
    """Return the evidence of items that all got one rating, every other day, eight times after the first."""
    rows = (
        Logged(f"card:a/{number}", rating, FIRST + 2 * turn, turn == 0)
        for turn in range(9)
        for number in range(countable // 8)
    )
    return evidence_of(rows)


# -- what a log gives ------------------------------------------------------------------------------------
def test_an_answer_counts_if_its_item_was_answered_on_an_earlier_study_day() -> None:
    """Of a first answer, one minutes later and two on the next day, only the third counts."""
    found = evidence_of(log(("a", G, 0), ("a", A, 0), ("b", G, 0), ("a", G, 1), ("a", G, 1)))
    assert (found.answers, found.countable, found.missing) == (5, 1, 639)
    assert countable_places(found.histories) == [3]
    assert days(found) == [[0, 0, 1, 1]], "b never came again and says nothing"


def test_a_forgotten_item_begins_a_new_history() -> None:
    """What was answered before it became new again has no part in what comes after."""
    rows = [*log(("a", G, 0), ("a", G, 3)), Logged("a", G, FIRST + 9, True), *log(("b", G, 9))]
    rows.append(Logged("a", G, FIRST + 12, False))
    assert days(evidence_of(rows)) == [[0, 3], [9, 12]]


def test_rows_that_hold_no_whole_review_are_left_out_and_counted() -> None:
    """A rating of five, a text for a day, a day after all calendars, and an item that is none."""
    broken = [Logged("a", 5, FIRST, False), Logged("a", G, "then", False), Logged("a", None, FIRST, False)]
    broken += [Logged("a", G, 3_652_059, False), Logged(7, G, FIRST, False), Logged("a", G, 2.5, False)]
    found = evidence_of([*log(("a", G, 0)), *broken, Logged("a", G, FIRST + 4, False)])
    assert (found.answers, found.skipped, found.countable) == (2, 6, 1)


def test_a_clock_set_back_makes_no_day_come_again() -> None:
    """As in the schedule, the day of the newest answer holds."""
    found = evidence_of(log(("a", G, 5), ("a", G, 2), ("a", G, 5), ("a", G, 6)))
    assert days(found) == [[5, 5, 5, 6]]
    assert found.countable == 1


def test_of_a_history_the_first_64_answers_are_used() -> None:
    """Py-fsrs looks at no more, so more would neither be fitted to nor may they count."""
    found = evidence_of(log(*(("a", G, day) for day in range(100))))
    assert (found.answers, found.countable, found.used) == (100, 63, 64)


def test_of_a_long_log_whole_histories_are_left_out() -> None:
    """With room for 4000 of 9000 answers, every third item is used; a small log is used as it is."""
    rows = [Logged(f"i{number}", G, FIRST + day, day == 0) for day in range(9) for number in range(1000)]
    found = evidence_of(rows, most=4000)
    assert (found.answers, found.countable, found.every, found.used) == (9000, 8000, 3, 3006)
    assert all(len(history) == 9 for history in found.histories)
    assert evidence_of(rows, most=9000).every == 1
    assert evidence_of(rows, most=1).every == 12, "640 countable answers are kept: every 12th of 8000"


def test_the_newest_fifth_of_the_countable_answers_is_held_out() -> None:
    """Of ten countable answers at places 10 to 19, the last two; the rest of their histories may be older."""
    assert held_out_from(range(10, 20)) == 18
    assert sum(place >= held_out_from(range(641)) for place in range(641)) == 129


# -- the loss --------------------------------------------------------------------------------------------
def test_the_loss_of_two_answers_by_hand() -> None:
    """Recall after 5 days at a stability of w2 is (1 + F·5/w2)^−w20 with F = 0.9^(−1/w20) − 1."""
    factor = 0.9 ** (-1 / 0.1542) - 1
    recall = (1 + factor * 5 / 2.3065) ** -0.1542
    passed = evidence_of(log(("a", G, 0), ("a", E, 5))).histories
    failed = evidence_of(log(("a", G, 0), ("a", A, 5))).histories
    assert log_loss(passed, PUBLISHED) == pytest.approx(-math.log(recall), rel=1e-12)
    assert log_loss(failed, PUBLISHED) == pytest.approx(-math.log(1 - recall), rel=1e-12)
    both = evidence_of(log(("a", G, 0), ("b", G, 0), ("a", E, 5), ("b", A, 5))).histories
    mean = -(math.log(recall) + math.log(1 - recall)) / 2
    assert log_loss(both, PUBLISHED) == pytest.approx(mean, rel=1e-12)
    assert log_loss(both, PUBLISHED, from_=3) == pytest.approx(-math.log(1 - recall), rel=1e-12)


@pytest.mark.parametrize("weights", [PUBLISHED, TRUE])
def test_the_loss_agrees_with_py_fsrs_from_a_place_on(weights: Sequence[float]) -> None:
    """Py-fsrs alone, fed with midnights, predicts the same for 200 reviews and for the newer half of them."""
    histories = evidence_of(logged(reviews(200, items=2))).histories
    places = countable_places(histories)
    for start in (0, places[len(places) // 2]):
        assert log_loss(histories, weights, start) == pytest.approx(by_py_fsrs(histories, weights, start))


def by_py_fsrs(histories: Sequence[History], weights: Sequence[float], start: int) -> float:
    """Return the mean log loss that py-fsrs' own scheduler gives."""
    scheduler, losses = fsrs.Scheduler(parameters=weights, enable_fuzzing=False), []
    for history in histories:
        card, seen = fsrs.Card(card_id=1), None
        for place, rating, day in history:
            now = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=day - FIRST)
            recall = scheduler.get_card_retrievability(card, now)
            if seen not in (None, day) and place >= start:
                losses.append(math.log(recall if rating > 1 else 1 - recall))
            card, _ = scheduler.review_card(card, fsrs.Rating(rating), now)
            seen = day
    return -sum(losses) / len(losses)


def test_the_loss_agrees_with_that_which_the_optimizer_minimizes(quick: Any) -> None:
    """With same-day answers and lapses, the batch loss of py-fsrs' optimizer is ours over the whole log."""
    rows = [("a", G, 0), ("a", A, 0), ("a", G, 3), ("b", A, 1), ("b", A, 1), ("b", H, 2), ("a", A, 9)]
    found = evidence_of(log(*rows, ("a", G, 9), ("b", E, 9), ("a", G, 11)))
    midnight = datetime(2024, 1, 1, tzinfo=UTC)
    theirs = [
        fsrs.ReviewLog(number, fsrs.Rating(rating), midnight + timedelta(days=day - FIRST), None)
        for number, history in enumerate(found.histories)
        for _, rating, day in history
    ]
    for weights in (PUBLISHED, TRUE):
        expected = quick.Optimizer(theirs)._compute_batch_loss(parameters=list(weights))
        assert log_loss(found.histories, weights) == pytest.approx(expected, rel=1e-9)


def test_no_prediction_is_surer_than_one_in_a_million() -> None:
    """One slip the day after a stability of many thousands of days costs at most −ln 1e-6."""
    rows = [("a", E, 0), *(("a", E, 10**power) for power in range(1, 7)), ("a", A, 10**6 + 1)]
    histories = evidence_of(log(*rows)).histories
    assert log_loss(histories, (*PUBLISHED[:20], 0.1), from_=7) == pytest.approx(-math.log(1e-6), rel=1e-6)


def test_the_loss_of_nothing_and_of_no_weights_is_refused() -> None:
    """There is no mean over nothing, and 21 NaN are no weights."""
    with pytest.raises(ValueError, match="no answer counts"):
        log_loss([], PUBLISHED)
    with pytest.raises(SettingError, match=r"weights\[0\] = nan"):
        log_loss([], [math.nan] * 21)


# -- the fit ---------------------------------------------------------------------------------------------
def test_fitted_weights_are_measured_on_answers_they_did_not_see(quick: Any) -> None:
    """Turning the held-out answers round changes the loss and leaves every weight as it was."""
    histories = evidence_of(logged(reviews(1000))).histories
    places = countable_places(histories)
    cut = held_out_from(places)
    found = fit(histories, PUBLISHED)
    assert (found.n_train, found.n_held_out) == (len(places) * 4 // 5, len(places) - len(places) * 4 // 5)
    assert found.before == log_loss(histories, PUBLISHED, cut)
    assert found.after == log_loss(histories, found.weights, cut), "what is measured is what is returned"
    turned = fit([tuple(_turned(answer, cut) for answer in history) for history in histories], PUBLISHED)
    assert turned.weights == found.weights != PUBLISHED
    assert turned.after > 2 * found.after


def _turned(answer: Answer, cut: int) -> Answer:
    return answer if answer.place < cut else answer._replace(rating=A if answer.rating > A else G)


def test_weights_are_better_only_if_the_held_out_loss_falls(quick: Any) -> None:
    """The same fit is better than the published weights, and worse than those that made the answers."""
    histories = evidence_of(logged(reviews(1000, seed=2))).histories
    found = fit(histories, PUBLISHED)
    assert found.gain == pytest.approx(found.before - found.after)
    assert found.is_better
    again = fit(histories, found.weights)
    assert again.weights == found.weights, "py-fsrs always begins from the published weights"
    assert (again.gain, again.is_better) == (0.0, False)
    worse = fit(evidence_of(logged(reviews(1000))).histories, PUBLISHED)
    assert worse.gain < 0
    assert not worse.is_better


@pytest.mark.parametrize("count", [0, 1, 5, 632])
def test_too_few_reviews_are_refused_with_the_number_that_is_missing(count: int) -> None:
    """A fit needs 640: py-fsrs fits to 512, which is four fifths of them."""
    found = uniform(G, count) if count > 8 else evidence_of(log(*(("a", G, day) for day in range(count + 1))))
    with pytest.raises(TooFew) as refused:
        fit(found.histories, PUBLISHED)
    assert refused.value.missing == found.missing == 640 - count


@pytest.mark.parametrize("rating", [A, H, G, E])
def test_one_rating_alone_breaks_nothing(quick: Any, rating: int) -> None:
    """With 640 reviews py-fsrs really fits, and its weights are within the bounds."""
    found = fit(uniform(rating, 640).histories, PUBLISHED)
    assert (found.n_train, found.n_held_out) == (512, 128)
    assert found.weights != PUBLISHED
    bounds = zip(LOWER_BOUNDS_PARAMETERS, found.weights, UPPER_BOUNDS_PARAMETERS, strict=True)
    assert all(low <= weight <= high for low, weight, high in bounds)
    assert 0 < found.after < found.before


def test_a_fit_tells_how_far_it_is_and_leaves_py_fsrs_as_it_was(quick: Any) -> None:
    """From 0 to 1 in many small steps, whatever py-fsrs tells itself."""
    plain, told = quick.Scheduler, list[float]()
    fit(uniform(G, 640).histories, PUBLISHED, told.append)
    assert told == sorted(told)
    assert told[0] == 0.0
    assert told[-1] == pytest.approx(1.0, abs=0.05)
    steps = [after - before for before, after in pairwise(told)]
    assert max(steps) < 0.05
    assert quick.Scheduler is plain


def test_a_py_fsrs_that_cannot_be_followed_fits_all_the_same(
    quick: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the number of its epochs nothing is told."""
    monkeypatch.setattr(quick, "Optimizer", lambda logs: Finds(TRUE))
    monkeypatch.delattr(quick, "num_epochs")
    told = list[float]()
    assert fit(uniform(G, 640).histories, PUBLISHED, told.append).weights == TRUE
    assert told == []


class Finds:
    """An optimizer that finds what it is told to, or raises it."""

    def __init__(self, found: Any) -> None:
        self._found = found

    def compute_optimal_parameters(self) -> Any:
        if isinstance(self._found, Exception):
            raise self._found
        return self._found


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (None, "no weights that were tried gave a number"),
        ([math.nan] * 21, r"the fit failed \(SettingError: weights\[0\] = nan is not possible"),
        ([0.5] * 17, "the fit failed"),
        (RuntimeError("stack expects a non-empty TensorList\nand more"), r"RuntimeError: stack[^\n]*List\)$"),
        (OverflowError(), r"\(OverflowError\)"),
    ],
)
def test_whatever_py_fsrs_does_there_is_one_line(
    quick: Any, monkeypatch: pytest.MonkeyPatch, found: Any, said: str
) -> None:
    """No number, too few of them, NaN or an error: the fit fails and says why, and py-fsrs is put back."""
    plain = quick.Scheduler
    monkeypatch.setattr(quick, "Optimizer", lambda logs: Finds(found))
    with pytest.raises(FitFailed, match=said):
        fit(uniform(G, 640).histories, PUBLISHED)
    assert quick.Scheduler is plain


def test_without_pandas_the_fit_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As after an installation without py-fsrs' extra."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.delitem(sys.modules, "fsrs.optimizer", raising=False)
    with pytest.raises(FitFailed, match="pandas, tqdm or torch cannot be loaded"):
        fit(uniform(G, 640).histories, PUBLISHED)
    monkeypatch.delitem(sys.modules, "fsrs.optimizer")


# -- weights as people have them -------------------------------------------------------------------------
FSRS_4_5 = [
    0.4, 0.6, 2.4, 5.8, 4.93, 0.94, 0.86, 0.01, 1.49, 0.14, 0.94, 2.18, 0.05, 0.34, 1.26, 0.29, 2.61,
]  # fmt: skip


def test_17_weights_are_filled_up_as_fsrs_itself_does() -> None:
    """The example of the FSRS project: three weights change, four are added."""
    expected = [*FSRS_4_5, 0.0, 0.0, 0.0, 0.5]
    expected[4:7] = [6.81, 0.44675013, 1.36]
    assert filled_up(FSRS_4_5) == pytest.approx(expected, abs=1e-7)
    assert weights_in(str(FSRS_4_5)) == filled_up(FSRS_4_5)


def test_19_weights_keep_their_forgetting_curve() -> None:
    """Recall by FSRS-5 is (1 + 19/81·t/S)^−½, and a first Good has the stability w2."""
    text = " ".join(map(str, PUBLISHED[:19]))
    weights = weights_in(text)
    assert weights == (*PUBLISHED[:19], 0.0, 0.5)
    histories = evidence_of(log(("a", G, 0), ("a", G, 8))).histories
    recall = (1 + 19 / 81 * 8 / PUBLISHED[2]) ** -0.5
    assert log_loss(histories, weights) == pytest.approx(-math.log(recall), rel=1e-12)


@pytest.mark.parametrize("text", ["{}", "[{}]", "  ({})\n", "w = {}"])
def test_weights_are_read_as_they_are_pasted(text: str) -> None:
    """With commas or blanks, in brackets or not; a name before them is no number, and is named."""
    pasted = text.format(", ".join(map(str, PUBLISHED)))
    if "w" in text:
        with pytest.raises(SettingError, match=r"weights\[0\] = 'w'"):
            weights_in(pasted)
    else:
        assert weights_in(pasted) == PUBLISHED


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nan " * 21, r"weights\[0\] = 'nan' is not possible; allowed: a number$"),
        ("1e999 " * 17, r"weights\[0\] = '1e999'"),
        ("", "weights = '0 numbers' is not possible; allowed: the 21 weights of FSRS-6"),
        ("1 2 3", "weights = '3 numbers'"),
        ("0.2 " * 21, r"weights\[4\] = 0.2 is not possible; allowed: a number from 1.0 to 10.0"),
        ("9" * 5000, r"weights\[0\] = '9{39}…'"),
        (
            " ".join(["1"] * 5 + ["-2"] + ["1"] * 11),
            r"weights\[5\] = -2.0 .*: a number above -1/3, once the 17",
        ),
        (
            " ".join(map(str, (*FSRS_4_5[:16], 9.0))),
            r"weights\[16\] = 9.0 .* from 1.0 to 6.0, once the 17 weights",
        ),
    ],
)
def test_what_are_no_weights_is_refused_by_its_place(text: str, said: str) -> None:
    """The message names the number that is none, or its bounds, or how many there should be."""
    with pytest.raises(SettingError, match=said):
        weights_in(text)
