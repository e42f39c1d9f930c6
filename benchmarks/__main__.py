"""`python -m benchmarks`: every budget of the design with what was measured, as CPU time or as a ratio."""

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.browse import browsing
from benchmarks.figures import MS, Figure
from benchmarks.frames import first_frame_cpu
from benchmarks.large import large_desk
from benchmarks.ticks import tick_gaps


def cpu_of(work: Callable[[], object], repeat: int) -> float:
    """Return the median CPU seconds of one call."""
    spent = []
    for _ in range(repeat):
        begun = time.process_time()
        work()
        spent.append(time.process_time() - begun)
    return statistics.median(spent)


def cpu_of_command(*arguments: str) -> float:
    """Return the median CPU seconds of the program as a whole process."""
    spent = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "studynorm", *arguments], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(spent)


def starting() -> Iterator[Figure]:
    """Measure what every start costs."""
    yield Figure("studynorm --version", MS * cpu_of_command("--version"), 120, "ms")
    with tempfile.TemporaryDirectory() as home:
        cpu_of_command("due", "--home", home)
        yield Figure("studynorm due", MS * cpu_of_command("due", "--home", home), 450, "ms")
    home_frame, hello_frame = first_frame_cpu()
    yield Figure("first useful frame / hello world", home_frame / hello_frame, 2, "x")
    loading, idle = tick_gaps()
    yield Figure("longest tick gap, engine loading / idle", loading / idle, 1.5, "x")


def reviewing() -> Iterator[Figure]:
    """Measure a profile of 100 000 items and 1 000 000 reviews."""
    from studynorm.scheduling.rating import Rating
    from studynorm.study.overview import overview
    from studynorm.study.progress import progress_of

    with tempfile.TemporaryDirectory() as folder:
        with large_desk(Path(folder), items=100_000, reviews=1_000_000) as desk:
            overview(desk)
            yield Figure("home counts", MS * cpu_of(lambda: overview(desk), 20), 50, "ms")
            progress = cpu_of(lambda: progress_of(desk, overview(desk)), 5)
            yield Figure("progress screen", MS * progress, 300, "ms")
            day = desk.clock().day
            yield Figure("next due", MS * cpu_of(lambda: desk.store.due_reviews(day, 1), 50), 1, "ms")
            session = desk.session()

            def answer() -> None:
                session.reveal()
                assert session.answer(Rating.GOOD)

            yield Figure("rating key to next prompt", MS * cpu_of(answer, 100), 5, "ms")
        with tempfile.TemporaryDirectory() as empty:
            cpu_of_command("due", "--home", empty)
            large = cpu_of_command("due", "--home", folder)
            small = cpu_of_command("due", "--home", empty)
            yield Figure("start, large profile / empty one", large / small, 1.2, "x")


def working() -> Iterator[Figure]:
    """Measure drawing, verifying, formulas, plots and the export."""
    from studynorm.content.library import load_library
    from studynorm.demos.demo import Plot, Series
    from studynorm.engine.files import family_files
    from studynorm.exchange.anki import export_anki
    from studynorm.locate import content_root
    from studynorm.mathtext import box
    from studynorm.plotting import draw

    slowest = max(_variant_cpu(family) for family in family_files())
    yield Figure("draw and verify a variant, slowest family", MS * slowest, 20, "ms")
    mean = statistics.mean(_batch_cpu(family) for family in family_files())
    yield Figure("verified variant, mean over families", MS * mean, 5, "ms")  # 5 ms are 200 a second
    formula = (
        r"\bar x = \frac{1}{\sigma}(g - \operatorname{mean}(g) - \hat x \operatorname{mean}(g \odot \hat x))"
    )
    yield Figure("formula", MS * cpu_of(lambda: box.__wrapped__(formula, 40), 50), 5, "ms")
    series = tuple(
        Series(name, tuple(map(float, range(50))), tuple(10.0 ** -(i / 9) for i in range(50)))
        for name in "ab"
    )
    plot = Plot("two lines", "depth", "size", series, log_y=True)
    draw(plot, 80, 20, colour=True)
    yield Figure("plot", MS * cpu_of(lambda: draw(plot, 80, 20, colour=True), 20), 10, "ms")
    with tempfile.TemporaryDirectory() as folder:
        decks = load_library(content_root() / "cards", None).decks
        copies = _copies(decks, 10_000)
        path = Path(folder) / "large.apkg"
        spent = cpu_of(lambda: export_anki(copies, path, force=True, clock_ms=1), 1)
        yield Figure("export of 10 000 card notes", spent, 2, "s")


def _variant_cpu(family: str) -> float:
    from studynorm.worker import lab

    seeds = iter(range(100))
    return cpu_of(lambda: lab.variant(family, 3, next(seeds)), 9)


def _batch_cpu(family: str) -> float:
    """Return the mean CPU seconds of a variant in a batch of consecutive seeds, as `--count` draws them."""
    from studynorm.worker import lab

    count = 30
    begun = time.process_time()
    for seed in range(count):
        lab.variant(family, 1 + seed % 3, seed)
    return (time.process_time() - begun) / count


def _copies(decks: tuple, count: int) -> tuple:  # type: ignore[type-arg]
    """Return decks with as many cards, by repeating the shipped ones under new ids."""
    from dataclasses import replace

    cards = [card for deck in decks for card in deck.cards]
    many = tuple(replace(cards[at % len(cards)], deck_id="large", id=f"card-{at}") for at in range(count))
    return (replace(decks[0], id="large", title="Large", cards=many),)


def main() -> int:
    """Print every figure; the exit code says whether all hold."""
    over = 0
    for measure in (starting, reviewing, browsing, working):
        for figure in measure():
            print(figure, flush=True)  # noqa: T201  printing is what this program is for
            over += figure.measured > figure.budget
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main())
