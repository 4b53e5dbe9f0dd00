from __future__ import annotations

import re

import pytest

from bot.documents.footnotes import read_footnotes
from bot.documents.markdown_blocks import choose_alignment, read_rows
from bot.documents.typst_markup import MarkupWriter, write_table
from bot.errors import ToolFailed
from tests.support.documents import blocks_of

HEAD = "| a | b |\n|---|---|\n"


def write(markdown: str) -> str:
    return write_table(blocks_of(markdown)[0], MarkupWriter())


@pytest.mark.parametrize(
    ("cells", "side"),
    [
        (["12", "1 234,5", "-3 %", "5 000 F CFA", "–", ""], "right"),
        (["12", "douze"], "left"),
        (["+225 07 07 01 02 03", "27 20 21 22"], "left"),
    ],
)
def test_numbers_are_flush_right(cells: list[str], side: str) -> None:
    rows = list(read_rows(blocks_of(HEAD + "".join(f"| 1 | {cell} |\n" for cell in cells))[0]))
    assert choose_alignment(1, [row[1] for row in rows]) == side
    assert choose_alignment(0, [row[0] for row in rows]) == "left"


def test_the_side_that_a_table_asks_for_is_kept() -> None:
    rows = list(read_rows(blocks_of("| a | b |\n|:-:|:-:|\n| 1 | 2 |")[0]))
    assert choose_alignment(1, [row[1] for row in rows]) == "center"


def test_ragged_rows_are_filled_and_lose_no_cell() -> None:
    assert write(HEAD + "| 1 |\n| 1 | 2 | 3 |").endswith(
        '[#"a"],[#"b"],[#"1"],[],[#"1"],[#"2 | 3"],)'
    )


def test_short_cells_take_what_they_need_and_long_ones_share_the_rest() -> None:
    assert write(HEAD + "| 1 | 2 |").startswith("#sheet((auto,auto,)")
    long = write(f"| a | b | c |\n|---|---|---|\n| Gbêkê | {'mot ' * 60} | {'mot ' * 20} |")
    assert re.match(r"#sheet\(\([\d.]+em,\d+fr,\d+fr,\)", long)


def test_capitals_take_more_of_a_line() -> None:
    rest = f"| b | c |\n|---|---|---|\n| 2 | {'mot ' * 60} | {'mot ' * 20} |"
    small, large = (
        float(re.findall(r"[\d.]+(?=em,)", write(f"| {word} {rest}"))[0])
        for word in ("commune", "COMMUNE")
    )
    assert large > small


def test_a_telephone_number_counts_as_one_word() -> None:
    long = "mot " * 60
    phone, words = (
        int(
            re.findall(r"(\d+)fr", write(f"| a | b | c |\n|-|-|-|\n| {text} | {long} | {long} |"))[
                0
            ]
        )
        for text in ("+225 07 07 01 02 03", "mots de un ou trois")
    )
    assert phone > words


def test_a_long_table_is_set_in_another_way() -> None:
    assert write(HEAD + "| 1 | 2 |\n" * 4_000).startswith("#long-sheet((50.00%,50.00%,)")


def test_many_columns_have_small_letters() -> None:
    sizes = [
        float(write("| mot " * n + "|\n" + "|-" * n + "|").split("pt,")[0].rsplit(" ", 1)[1])
        for n in (3, 20, 60)
    ]
    assert sizes[0] == 9.5 > sizes[1] > sizes[2] > 1


def test_a_table_that_no_page_would_hold_is_refused_with_a_way_out() -> None:
    with pytest.raises(ToolFailed, match="generate_xlsx"):
        write(HEAD + "| 1 | 2 |\n" * 23_000)


def test_columns_without_anything_to_break_are_as_wide_as_their_words() -> None:
    cells = f"| 10/10/2025 | {'mot ' * 12} | 6055123 | 1234567 | 1234567 | 12345678 |"
    shape = write(f"| a | b | c | d | e | f |\n|---|---|---|---|---|---|\n{cells}")
    assert re.match(r"#sheet\(\(auto,\d+fr,auto,auto,auto,auto,\)", shape)


def test_too_many_columns_are_parted_into_tables_that_begin_alike() -> None:
    head = "| a " * 31 + "|\n" + "|-" * 31 + "|\n"
    blocks = blocks_of(head + "| Nord[^1] " + "| 1234567 " * 30 + "|\n\n[^1]: Note")
    tables = write_table(read_footnotes(blocks)[0][0], MarkupWriter()).split("\n\n")
    assert [table.count("Nord") for table in tables] == [1, 1, 1]
    assert [table.count("#note(") for table in tables] == [1, 0, 0]
    assert sum(table.count("1234567") for table in tables) == 30
    assert all(re.search(r" [6-9]\.\d\dpt,", table) for table in tables)
