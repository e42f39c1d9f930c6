"""The budgets of the design, measured as ratios in one run or as CPU time by `python -m benchmarks`."""
