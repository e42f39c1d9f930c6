"""Where the shipped `cards/` and `problems/` are: one rule that holds in a wheel and in a checkout."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def content_root() -> Path:
    """Return the folder that holds `cards/` and `problems/`.

    A wheel carries both under `studynorm/_content`; a checkout has them beside the package.
    """
    shipped = _PACKAGE / "_content"
    return shipped if shipped.is_dir() else _PACKAGE.parent
