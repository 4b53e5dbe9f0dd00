from __future__ import annotations

import pytest

from bot.documents.xlsx.functions import Value, meets_condition


@pytest.mark.parametrize(
    ("wanted", "met"),
    [
        ("", [None, ""]),
        ("=", [None]),
        ("<>", ["", "a", 0.0]),
        ("a", ["a"]),
        ("<>a", [None, "", 0.0]),
        ("0", [0.0]),
    ],
)
def test_empty_cells_are_found_by_nothing_and_by_what_is_not_something(
    wanted: str, met: list[Value]
) -> None:
    values: list[Value] = [None, "", "a", 0.0]
    assert [value for value in values if meets_condition(value, wanted)] == met
