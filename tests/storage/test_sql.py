from __future__ import annotations

from bot.storage.sql import for_postgres, for_sqlite


def test_parameters_are_numbered_in_order_of_first_use() -> None:
    text, names = for_postgres("SELECT :b, :a, :b")
    assert (text, names) == ("SELECT $1, $2, $1", ("b", "a"))


def test_a_cast_is_no_parameter() -> None:
    assert for_postgres("SELECT x::text, :x") == ("SELECT x::text, $1", ("x",))


def test_words_in_braces_are_each_databases_own() -> None:
    sql = "SELECT {now} FROM lane {skip_locked}"
    assert for_sqlite(sql) == "SELECT epoch() FROM lane "
    assert "statement_timestamp" in for_postgres(sql)[0]
    assert for_postgres(sql)[0].endswith("FOR UPDATE SKIP LOCKED")
