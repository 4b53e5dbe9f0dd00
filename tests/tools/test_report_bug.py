from __future__ import annotations

import pytest
from pydantic import ValidationError

from bot.contracts.services import ToolContext
from tests.tools.fakes import FakeReports
from tools.report_bug import ReportBug, report_bug


async def test_it_is_kept_for_the_operators(context: ToolContext, reports: FakeReports) -> None:
    told = await report_bug(ReportBug(description="The PDF is empty.", severity="high"), context)
    assert reports.filed == [("The PDF is empty.", "high", context.key)]
    assert "kept" in told


async def test_it_is_normal_unless_said_otherwise(
    context: ToolContext, reports: FakeReports
) -> None:
    await report_bug(ReportBug(description="Slow."), context)
    assert reports.filed[0][1] == "normal"


@pytest.mark.parametrize("wrong", [{"description": " "}, {"severity": "catastrophic"}])
def test_what_says_nothing_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ReportBug.model_validate({"description": "x"} | wrong)
