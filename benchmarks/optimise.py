"""`python -m benchmarks.optimise --learners 5`: fits to 2 000 simulated reviews drawn from known weights.

For each learner it prints the log loss on the reviews held out: with the published weights, with those
fitted, and with those that the reviews were drawn from, which no fit can be expected to beat by much.
"""

import argparse
import sys

from studynorm.scheduling.evidence import countable_places, evidence_of, held_out_from
from studynorm.scheduling.fit import fit, log_loss
from studynorm.scheduling.scheduler import PUBLISHED
from tests.learner import TRUE, logged, reviews


def main() -> int:
    """Fit, print, and return 1 where weights would be adopted that predict worse than the published ones."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.optimise", description=__doc__)
    parser.add_argument("--learners", type=int, default=5, metavar="N", help="learners, each a seed")
    parser.add_argument("--reviews", type=int, default=2000, metavar="N", help="reviews of each learner")
    chosen = parser.parse_args()
    worse = 0
    for seed in range(1, chosen.learners + 1):
        histories = evidence_of(logged(reviews(chosen.reviews, seed=seed))).histories
        found = fit(histories, PUBLISHED)
        truth = log_loss(histories, TRUE, held_out_from(countable_places(histories)))
        kept = "adopted" if found.is_better else "published ones kept"
        print(  # noqa: T201  that is what it is for
            f"learner {seed}: published {found.before:.4f}, fitted {found.after:.4f}, drawn from {truth:.4f}"
            f" (n = {found.n_held_out}): {kept}",
            flush=True,
        )
        worse += found.is_better and found.after >= found.before
    return int(worse > 0)


if __name__ == "__main__":
    sys.exit(main())
