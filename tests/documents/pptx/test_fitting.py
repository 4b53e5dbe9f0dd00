from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.documents.pptx.fitting import (
    Bullet,
    Space,
    choose_column_widths,
    choose_text_size,
    count_lines,
    measure_height,
    read_bullet,
    split_formulas,
    split_items,
    split_rows,
)
from bot.documents.theme import measure_longest_word

ROOM = Space(800, 300)


def test_marks_are_taken_off_and_indents_are_levels() -> None:
    assert read_bullet("- un  point") == Bullet("un point")
    assert read_bullet("  • dessous") == Bullet("dessous", 1)
    assert read_bullet("\tdessous") == Bullet("dessous", 2)
    assert read_bullet("        très bas") == Bullet("très bas", 2)
    assert read_bullet("-5 degrés") == Bullet("-5 degrés")
    assert read_bullet("") == Bullet("")


def read_parts(text: str) -> list[str]:
    """The text and the sources of the formulas of a point."""
    return [part if isinstance(part, str) else f"${part.latex}$" for part in split_formulas(text)]


@pytest.mark.parametrize(
    ("text", "last"),
    [
        (r"$AN = \frac{a}{b} = 4$ cm", r"$AN = \frac{a}{b} = 4\ \text{cm}$"),
        (r"Aire : $\frac{b h}{2} = 6$ cm².", r"$\frac{b h}{2} = 6\ \text{cm²}$"),
        (r"$\frac{a}{b}$ %", r"$\frac{a}{b}\ \%$"),
        (r"$\frac{a}{b}$ cm de long", "cm de long"),
    ],
)
def test_a_unit_stays_with_its_formula(text: str, last: str) -> None:
    assert read_parts(text)[-1] == last


@pytest.mark.parametrize("text", [r"Or $\sqrt{16} = 4$ donc", r"$5\sqrt 2$", r"$\sqrt{x} > 0$"])
def test_a_small_root_stays_in_its_line(text: str) -> None:
    assert read_parts(text) == [text]


def test_longer_text_and_larger_letters_need_more_lines() -> None:
    assert count_lines("mot", 400, 20) == 1
    assert count_lines("mot " * 50, 400, 20) > 3
    assert count_lines("mot " * 50, 400, 30) > count_lines("mot " * 50, 400, 20)
    assert count_lines("x" * 1000, 400, 20) > 20
    assert count_lines("漢" * 30, 400, 20) > count_lines("h" * 30, 400, 20)


def test_few_points_are_large_and_many_are_small() -> None:
    assert choose_text_size([Bullet("court")], ROOM, (26, 18)) == 26
    assert choose_text_size([Bullet("un point assez court")] * 10, ROOM, (26, 18)) == 18


@given(
    st.lists(
        st.builds(
            Bullet,
            st.text("abc de.", min_size=1, max_size=900).map(
                lambda text: " ".join(text.split()) or "x"
            ),
            st.integers(0, 2),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_no_slide_overflows_and_nothing_is_lost(bullets: list[Bullet]) -> None:
    parts = split_items(bullets, ROOM, 18)
    assert all(measure_height(part, ROOM.width, 18) <= ROOM.height for part in parts)
    kept = "".join(piece.text for part in parts for piece in part)
    assert kept.replace(" ", "") == "".join(bullet.text for bullet in bullets).replace(" ", "")


def test_points_are_spread_evenly() -> None:
    parts = split_items([Bullet("Un point d'une seule ligne")] * 12, ROOM, 18)
    counts = [len(part) for part in parts]
    assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize(
    ("points", "counts"), [(4, [4]), (5, [3, 2]), (9, [3, 3, 3]), (10, [4, 3, 3])]
)
def test_no_slide_is_left_with_a_single_point(points: int, counts: list[int]) -> None:
    three_lines = Bullet("un point de trois lignes " * 9)
    parts = split_items([three_lines] * points, Space(800, 310), 18)
    assert [len(part) for part in parts] == counts


@pytest.mark.parametrize("before", range(2, 10))
def test_a_point_and_what_is_below_it_stay_on_one_slide(before: int) -> None:
    point, below = Bullet("un point"), Bullet("dessous", 1)
    parts = split_items([point] * before + [below] * 3 + [point] * 4, ROOM, 18)
    assert all(part[0] != below for part in parts)


def test_a_long_table_is_parted_and_each_part_has_its_header() -> None:
    rows = [["Ville", "Total"], *([f"Ville {i}", str(i)] for i in range(40))]
    widths = choose_column_widths(rows, 800)
    parts = split_rows(rows, widths, 300, 14)
    assert len(parts) > 2
    assert all(part[0] == rows[0] for part in parts)
    assert [row for part in parts for row in part[1:]] == rows[1:]
    assert sum(widths) == 800


def test_a_column_has_space_for_its_words_in_any_font() -> None:
    header = ["N°", "Risque", "Probabilité", "Impact", "Responsable", "Mesure"]
    rows = [header, ["1", "x " * 60, "Moyenne", "Élevé", "Kouassi Aya", "y " * 60]]
    widths = choose_column_widths(rows, 800)
    for cells, factor in zip(rows, (1.34, 1.21), strict=True):  # of DejaVu Sans
        for cell, width in zip(cells, widths, strict=True):
            assert measure_longest_word(cell) * factor * 14 + 20 <= width
