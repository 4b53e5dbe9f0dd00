"""Every table and column that holds a person is exported, or left out for a reason."""

from __future__ import annotations

import json
import re

from bot.accounts.personal_ids import find_personal_ids_of_account
from bot.gateway.people.erasure import find_lanes
from bot.gateway.people.export import read_records
from bot.gateway.people.personal_data import PERSONAL, Change, Delete, Keep
from tests.support.app import MakeApp
from tests.support.queries import TABLES
from tests.support.sample_people import AWA, MOUSSA, SamplePerson, add_sample_person

SAYS_NOTHING = {"ledger", "allowance", "code", "purchase", "reading", "spending"}
"""Tables of which numbers and plain words are exported, that bear nobody's mark."""

HOW = "docs/adding-other-things.md#a-column-a-table"


def test_the_registry_names_all_tables_and_no_other() -> None:
    assert {*PERSONAL} == {table.name for table in TABLES}, HOW


def test_every_column_is_exported_or_left_out_for_a_reason() -> None:
    for table in TABLES:
        known = PERSONAL[table.name]
        left_out = [name for names in known.left_out for name in names.split()]
        named = [*known.exported, *left_out]
        columns = {column.name for column in table.columns}
        assert len(named) == len({*named}), table.name
        assert {*named} <= columns, f"{table.name} has no such columns: {HOW}"
        assert not columns - {*named}, f"{table.name}: add them to `columns` or `left_out`: {HOW}"
        assert all(known.left_out.values())
        assert bool(known.exported) == (known.owner != "nobody")


def test_every_table_of_people_is_erased_and_what_stays_has_a_reason() -> None:
    for table in TABLES:
        known, columns = PERSONAL[table.name], {column.name for column in table.columns}
        rules = [rule for rule in known.erased if rule.by == known.owner]
        changed = [
            name
            for rule in known.erased
            if isinstance(rule, Change)
            for name in re.findall(r"(?:^|, )(\w+) =", rule.values)
        ]
        kept = [name for names in known.kept for name in names.split()]
        assert columns >= {*changed, *kept}, table.name
        assert not {*changed} & {*kept}, table.name
        assert all(known.kept.values())
        assert not known.keyed or "key" in columns, table.name
        if known.kept:
            named = {*changed, *kept, *(["key"] if known.keyed else [])}
            assert not columns - named, f"{table.name}: change them or add them to `kept`: {HOW}"
        elif known.owner != "nobody":
            assert any(isinstance(rule, Delete) for rule in rules), table.name


def test_every_table_of_accounts_is_merged_or_stays_for_a_reason() -> None:
    for table in TABLES:
        merged = PERSONAL[table.name].merged
        is_of_account = "account" in table.columns or table.name in {"account", "lane"}
        assert (merged is not None) == is_of_account, table.name
        assert not isinstance(merged, Keep) or merged.reason, table.name


async def test_all_rows_of_one_are_read_and_none_of_another(app: MakeApp) -> None:
    one = await app()
    awa, moussa = SamplePerson("zena", 3, AWA), SamplePerson("moussa", 4, MOUSSA)
    await add_sample_person(one, awa)
    await add_sample_person(one, moussa)
    traces = await one.database.write(lambda tx: find_personal_ids_of_account(tx, awa.account))
    lanes = await one.database.write(lambda tx: find_lanes(tx, traces.lanes))
    found = {name: rows async for name, rows in read_records(one.database, traces, lanes)}
    assert {name: len(rows) for name, rows in found.items()} == {
        name: 1 for name, table in PERSONAL.items() if table.exported
    }
    text = json.dumps(found)
    assert not any(trace in text for trace in moussa.traces)
    unmarked = {
        name
        for name, rows in found.items()
        if not any(trace in json.dumps(rows) for trace in awa.traces)
    }
    assert unmarked <= SAYS_NOTHING
