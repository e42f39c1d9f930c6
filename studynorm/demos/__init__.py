"""Demos: phenomena measured with real PyTorch, one file each, found by `registry`.

Nothing here imports torch: the worker hands the module in, and front ends plot from the JSON that it sends.
"""
