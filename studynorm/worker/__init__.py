"""The engine process: the only place that imports torch. It draws variants and runs demos."""
