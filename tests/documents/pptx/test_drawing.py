from __future__ import annotations

from bot.documents.pptx.drawing import find_numeric_columns, read_table


def test_cells_are_text_and_rows_are_filled_up() -> None:
    table = [["Ville", "Total"], ["Dakar", 1500000, True], [None, None], ["Thiès"]]
    assert read_table(table, comma=True) == [
        ["Ville", "Total", ""],
        ["Dakar", "1\u202f500\u202f000", "True"],
        ["Thiès", "", ""],
    ]


def test_numbers_are_written_in_the_persons_way() -> None:
    assert read_table([[12345.5, 2026, -12345, 1e20]], comma=True) == [
        ["12\u202f345,5", "2026", "-12\u202f345", "1e+20"]
    ]
    assert read_table([[12345.5]], comma=False) == [["12,345.5"]]


def test_columns_of_numbers_alone_are_known() -> None:
    rows = [["A", "B", "C", "D"], ["1 500", "12 %", "x", ""], ["(3,5)", "5 F CFA", "2", ""]]
    assert find_numeric_columns(rows) == {0, 1}


def test_telephone_numbers_are_no_figures() -> None:
    assert find_numeric_columns([["Tél."], ["07\u00a007\u00a001\u00a002\u00a003"]]) == set()


def test_a_table_of_nothing_is_no_table() -> None:
    assert read_table([], comma=True) == []
    assert read_table([[], [None, ""]], comma=True) == []
