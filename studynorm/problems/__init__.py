"""Makes the shipped `problems/` folder importable as `studynorm.problems`, wherever it lies."""

from studynorm.locate import content_root

__path__ = [str(content_root() / "problems")]
