from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.documents.theme import count_lines, measure_longest_word, measure_text


def test_widths_are_those_of_the_font() -> None:
    sentence = "Les plantes vertes fabriquent leur matière organique grâce à la lumière du Soleil."
    assert measure_text(sentence) == pytest.approx(32.58, rel=0.01)  # as Carlito has it
    assert measure_text("É") == measure_text("E")
    assert measure_text("W") > 3 * measure_text("i")
    assert measure_text("漢") > measure_text("h")
    assert measure_text("a", bold=True) > measure_text("a")


def test_a_word_is_what_no_line_ends_in() -> None:
    assert measure_longest_word("un mot anticonstitutionnel") == measure_text("anticonstitutionnel")
    assert measure_longest_word("150\u202f000 F") == measure_text("150\u202f000")
    assert measure_longest_word("Sud-Comoé") == measure_text("Comoé")
    assert measure_longest_word("") == 0


def test_lines_are_counted() -> None:
    assert count_lines("un deux trois", 100) == 1
    assert count_lines("un deux trois", measure_text("un deux")) == 2
    assert count_lines("x" * 100, measure_text("x" * 10)) in (10, 11)
    assert count_lines("", 10) == 1


@given(st.text(max_size=80), st.floats(1, 60))
def test_any_text_stands_in_lines_wide_enough(text: str, width: float) -> None:
    lines = count_lines(text, width)
    assert lines >= 1
    assert lines * max(width, 1.0) >= measure_text(text) - lines * measure_text(" ") - 1e-6
