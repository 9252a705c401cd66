"""Sizes: what people write, and what they get to read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqe.core.sizes import format_size, parse_size

UNITS = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3, "TB": 1024**4}
LARGEST = 2**63 - 1


@pytest.mark.parametrize(
    ("written", "size"),
    [
        (0, 0),
        (1048576, 1048576),
        ("1048576", 1048576),
        ("0", 0),
        ("7B", 7),
        ("1GB", 1024**3),
        ("64 MB", 64 * 1024**2),
        (" 64mb ", 64 * 1024**2),
        ("1KiB", 1024),
        ("2gib", 2 * 1024**3),
        ("3T", 3 * 1024**4),
        ("1.5GB", 3 * 1024**3 // 2),
        ("0.3B", 0),
        (str(LARGEST), LARGEST),
    ],
)
def test_parses_what_people_write(written: str | int, size: int) -> None:
    assert parse_size(written) == size


@pytest.mark.parametrize(
    "written",
    ["", " ", "GB", "1 parsec", "1,5GB", "1e3", "0x10", "1GBB", "1 G B", "٣MB", "--1", "1.GB", "9" * 5000],
)
def test_refuses_garbage_with_a_helpful_text(written: str) -> None:
    with pytest.raises(ValueError, match="such as 64MB") as caught:
        parse_size(written)
    assert "parsec" not in str(caught.value)


@pytest.mark.parametrize("written", [True, 1.5, None, [1], b"1GB"])
def test_refuses_other_types(written: object) -> None:
    with pytest.raises(ValueError, match="not a size"):
        parse_size(written)


@pytest.mark.parametrize("written", [-1, "-1", "-1GB", " -0.5 KB", "-0.1B", "-0"])
def test_refuses_negative_sizes(written: str | int) -> None:
    with pytest.raises(ValueError, match="cannot be negative"):
        parse_size(written)


@pytest.mark.parametrize("written", [LARGEST + 1, str(LARGEST + 1), "9999999999TB"])
def test_refuses_what_the_jvm_cannot_hold(written: str | int) -> None:
    with pytest.raises(ValueError, match="too large"):
        parse_size(written)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0B"),
        (1, "1B"),
        (1000, "1000B"),
        (1024, "1KB"),
        (10 * 1024, "10KB"),
        (100 * 1024**2, "100MB"),
        (3 * 1024**3 // 2, "1.5GB"),
        (1234567890, "1.15GB"),
        (1023, "1023B"),
        (1024**2 - 1, "1MB"),
        (2000 * 1024**4, "2000TB"),
    ],
)
def test_formats_for_people(size: int, text: str) -> None:
    assert format_size(size) == text


@given(number=st.integers(0, 1023), unit=st.sampled_from(sorted(UNITS)), gap=st.sampled_from(["", " ", "\t"]))
def test_whole_units_survive_the_round_trip(number: int, unit: str, gap: str) -> None:
    size = parse_size(f"{number}{gap}{unit}")
    assert size == number * UNITS[unit]
    assert parse_size(format_size(size)) == size


@given(st.integers(0, LARGEST // 2))
def test_any_size_survives_the_round_trip_nearly(size: int) -> None:
    assert abs(parse_size(format_size(size)) - size) <= size * 0.006


@given(st.text(max_size=12))
def test_any_text_is_a_size_or_a_value_error(text: str) -> None:
    try:
        assert 0 <= parse_size(text) <= LARGEST
    except ValueError as error:
        assert "size" in str(error)  # noqa: PT017 - either outcome is fine
