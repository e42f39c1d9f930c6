"""Measures the budgets of the design as ratios in one run or as CPU time; `python -m benchmarks` prints them."""
