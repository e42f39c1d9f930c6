"""What may be typed for a demo's settings, and what a refusal says."""

import pytest

from studynorm.demos.demo import Demo, SettingRefused, read_settings
from studynorm.demos.registry import demos

RESIDUAL, LAYERNORM = demos()["residual_product"], demos()["pre_post_ln"]


def test_every_setting_has_its_default() -> None:
    """With nothing given, every setting is there with its documented default."""
    assert read_settings(RESIDUAL, {}) == {"depth": 50, "size": 0.1, "signs": "alternating"}
    assert read_settings(LAYERNORM, {}) == {"depths": (6, 12, 24, 48), "width": 64, "seeds": 1}


def test_given_values_are_read_by_kind() -> None:
    """Whole numbers, decimals, choices and lists come back with their types; a list in growing order."""
    settings = read_settings(RESIDUAL, {"depth": " 7 ", "size": "2e-1", "signs": "all_plus"})
    assert (settings.whole("depth"), settings.real("size"), settings.word("signs")) == (7, 0.2, "all_plus")
    assert read_settings(LAYERNORM, {"depths": "12, 3"}).wholes("depths") == (3, 12)


def test_a_reader_refuses_another_kind() -> None:
    """Reading a setting as another kind is a mistake in the demo and says so."""
    settings = read_settings(RESIDUAL, {})
    for reader, name in (
        (settings.whole, "size"),
        (settings.real, "signs"),
        (settings.word, "depth"),
        (settings.wholes, "depth"),
    ):
        with pytest.raises(TypeError, match=name):
            reader(name)


@pytest.mark.parametrize(
    ("demo", "name", "typed"),
    [
        (RESIDUAL, "depth", "0"),
        (RESIDUAL, "depth", "1001"),
        (RESIDUAL, "depth", "50.0"),
        (RESIDUAL, "depth", "9" * 5000),
        (RESIDUAL, "depth", "1_0"),
        (RESIDUAL, "depth", "٣"),
        (RESIDUAL, "depth", ""),
        (RESIDUAL, "size", "-0.1"),
        (RESIDUAL, "size", "3.01"),
        (RESIDUAL, "size", "nan"),
        (RESIDUAL, "size", "inf"),
        (RESIDUAL, "size", "0,1"),
        (RESIDUAL, "size", "1e9999"),
        (RESIDUAL, "signs", "ALL"),
        (LAYERNORM, "depths", ""),
        (LAYERNORM, "depths", "6,,12"),
        (LAYERNORM, "depths", "6,6"),
        (LAYERNORM, "depths", "97"),
        (LAYERNORM, "depths", "1,2,3,4,5,6,7,8,9"),
        (LAYERNORM, "width", "66"),
        (LAYERNORM, "width", "260"),
        (LAYERNORM, "seeds", "11"),
        (LAYERNORM, "seeds", "\x1b[2J"),
    ],
)
def test_a_refusal_names_setting_range_and_default(demo: Demo, name: str, typed: str) -> None:
    """What cannot be read or is out of range is refused on one line that says what to give instead."""
    setting = next(setting for setting in demo.settings if setting.name == name)
    with pytest.raises(SettingRefused) as refused:
        read_settings(demo, {name: typed})
    message = str(refused.value)
    assert message.startswith(f"{name} cannot be ")
    assert setting.allowed in message
    assert f"(default {setting.default_text})" in message
    assert message.isprintable()
    assert len(message) < 250


def test_the_allowed_range_reads_well() -> None:
    """The words for what is allowed name the bounds, the unit and the step."""
    allowed = {setting.name: setting.allowed for demo in (RESIDUAL, LAYERNORM) for setting in demo.settings}
    assert allowed["depth"] == "a whole number from 1 to 1000 layers"
    assert allowed["size"] == "a number from 0 to 3"
    assert allowed["signs"] == "alternating or all_plus"
    assert allowed["width"] == "a whole number from 8 to 256, a multiple of 4"
    assert allowed["depths"] == "at most 8 different whole numbers from 1 to 96 blocks, with commas between"


def test_an_unknown_setting_is_refused_with_the_known_ones() -> None:
    """A misspelt name is answered with the names that exist."""
    with pytest.raises(SettingRefused, match=r"no setting 'dept'\. It has: depth, size, signs"):
        read_settings(RESIDUAL, {"dept": "3"})
