from __future__ import annotations

import pytest

from bot.render.text_cutting import boundary_after, boundary_before, is_boundary


@pytest.mark.parametrize(
    ("text", "boundaries"),
    [
        ("ab", [0, 1, 2]),
        ("e\u0301a", [0, 2, 3]),
        ("👍🏽!", [0, 2, 3]),
        ("👩‍👧x", [0, 3, 4]),
        ("☎️a", [0, 2, 3]),
        ("🇨🇮🇸🇳", [0, 2, 4]),
        ("\u1112\u1161\u11ab\uac00\u11a8", [0, 3, 5]),
        ("\r\n", [0, 2]),
    ],
)
def test_a_text_may_be_cut_between_graphemes_only(text: str, boundaries: list[int]) -> None:
    assert [place for place in range(len(text) + 1) if is_boundary(text, place)] == boundaries


def test_the_nearest_boundary_is_found_on_either_side() -> None:
    assert boundary_before("ae\u0301", 2) == 1
    assert boundary_after("ae\u0301b", 2) == 3
    assert boundary_before("e\u0301\u0301", 2, 1) == 1
