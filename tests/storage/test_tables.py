"""Each table says by which key it can be divided among databases, or why it stays in one."""

from __future__ import annotations

import pytest
from sqlmodel import SQLModel

from bot.storage.tables import ACCOUNT_COLUMNS, LANE_COLUMNS, UNDIVIDED


def test_every_table_is_divided_by_one_key_or_not_at_all() -> None:
    named = [*LANE_COLUMNS, *ACCOUNT_COLUMNS, *UNDIVIDED]
    assert sorted(named) == sorted(SQLModel.metadata.tables)


@pytest.mark.parametrize(("table", "column"), [*LANE_COLUMNS.items(), *ACCOUNT_COLUMNS.items()])
def test_every_row_of_a_divided_table_has_its_key(table: str, column: str) -> None:
    assert not SQLModel.metadata.tables[table].columns[column].nullable
