"""The corpus: every dialect as models write it, what is nearly one, and what is none."""

from __future__ import annotations

from collections import Counter

import pytest

from bot.agent.tool_calls.families import FAMILIES
from tests.agent.tool_calls.cuts import (
    FORBIDDEN,
    SIZES,
    Case,
    arguments_of,
    assert_never_leaks,
    corpus,
    cut,
    filter_pieces,
    recover_tool_calls,
)
from tests.support.samples import draw_some

CASES = corpus()
DIALECTS = sorted({case.dialect for case in CASES})
every_dialect = pytest.mark.parametrize("dialect", DIALECTS)


def cases_of(dialect: str) -> list[Case]:
    return [case for case in CASES if case.dialect == dialect]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_text_is_shown_without_its_calls(case: Case) -> None:
    rescued = recover_tool_calls(case.text, case.known, native=case.native)
    calls = [(call.name, arguments_of(call.arguments)) for call in rescued.calls]
    assert (rescued.text.strip(), calls) == (case.shown.strip(), case.calls)


@every_dialect
def test_the_cuts_between_pieces_do_not_matter(dialect: str) -> None:
    for case in cases_of(dialect):
        whole = recover_tool_calls(case.text, case.known, native=case.native).text
        for size in SIZES:
            shown, calls = filter_pieces(cut(case.text, size), case.known, native=case.native)
            assert ("".join(shown), calls) == (whole, case.calls), (case, size)
            assert_never_leaks(shown)


@every_dialect
def test_a_cut_anywhere_in_the_text_does_not_matter(dialect: str) -> None:
    for case in cases_of(dialect):
        whole = recover_tool_calls(case.text, case.known, native=case.native).text
        for place in draw_some(range(1, len(case.text)), share=0.3):
            pieces = [case.text[:place], case.text[place:]]
            shown, calls = filter_pieces(pieces, case.known, native=case.native)
            assert ("".join(shown), calls) == (whole, case.calls), (case, pieces)
            assert_never_leaks(shown)


@every_dialect
def test_no_markup_is_shown_however_early_the_text_ends(dialect: str) -> None:
    for case in cases_of(dialect):
        if not case.calls or dialect == "near":
            continue
        for end in draw_some(range(len(case.text)), share=0.3):
            shown, _ = filter_pieces([case.text[:end]], case.known, native=case.native)
            leaked = [one for one in FORBIDDEN if one in "".join(shown) and one not in case.shown]
            assert not leaked, (case, case.text[:end])


def test_ordinary_text_is_never_changed() -> None:
    for case in cases_of("negatives"):
        assert recover_tool_calls(case.text, case.known, native=case.native).text == case.text


def test_every_dialect_has_cases_and_every_name_is_used_once() -> None:
    names = Counter(map(str, CASES))
    assert [name for name, count in names.items() if count > 1] == []
    elsewhere = {"wrong_fence", "result", ""}
    assert {family.dialect for family in FAMILIES} - elsewhere <= {case.dialect for case in CASES}
    assert len(CASES) >= 150


def test_ids_are_made_up_and_differ() -> None:
    text = '<tool_call>{"name": "web_search", "arguments": {}}{"name": "web_search"}</tool_call>'
    calls = recover_tool_calls(text, ["web_search"], native=True).calls
    assert len({call.id for call in calls}) == 2
    assert all(call.id.startswith("call_") for call in calls)
