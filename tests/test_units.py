import pytest

from fieldmouse.units import DAY, HOUR, duration


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "0.0 s"),
        (12.34, "12.3 s"),
        (200, "3 min 20 s"),
        (300, "5 min"),
        (HOUR + 7 * 60 + 10, "1 h 7 min"),
        (2 * HOUR, "2 h"),
        (3 * DAY + 4 * HOUR, "3 d 4 h"),
        (120.4 * DAY, "120 d"),
    ],
)
def test_a_duration_has_its_two_largest_units(seconds: float, text: str) -> None:
    assert duration(seconds) == text
