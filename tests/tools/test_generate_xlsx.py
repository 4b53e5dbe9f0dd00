from __future__ import annotations

import io
import json
from typing import Any

import openpyxl
import pytest
from pydantic import ValidationError

from bot.contracts.services import ToolContext
from bot.errors import ToolFailed
from bot.messages.incoming import Person
from bot.messages.outgoing import Outgoing, ShareFile
from tests.support.fakes import tool_context
from tests.tools.fakes import FakeFiles
from tools.generate_xlsx import TOOL, GenerateXlsx, generate_xlsx

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def arguments(**sheet: Any) -> dict[str, Any]:
    usual: dict[str, Any] = {
        "name": "Budget",
        "columns": [
            {"header": "Poste"},
            {"header": "Montant", "type": "money", "format": "FCFA"},
        ],
        "rows": [["Loyer", "75 000"], ["Riz", 18500]],
    }
    return {"filename": "../budget mars", "sheets": [usual | sheet]}


async def make(context: ToolContext, **sheet: Any) -> dict[str, Any]:
    args = GenerateXlsx.model_validate(arguments(**sheet))
    return json.loads(await generate_xlsx(args, context))


def opened(files: FakeFiles) -> Any:
    (content,) = files.contents.values()
    return openpyxl.load_workbook(io.BytesIO(content), data_only=True)


async def test_the_spreadsheet_is_kept_delivered_and_named_to_the_model(
    context: ToolContext, files: FakeFiles, delivered: list[Outgoing]
) -> None:
    result = await make(
        context, totals=["Montant"], chart={"type": "pie", "x": "Poste", "y": "Montant"}
    )
    file_id = f"file-of-{context.key}"
    (content,) = files.contents.values()
    assert result == {"file_id": file_id, "filename": "budget mars.xlsx", "size": len(content)}
    assert files.types == {file_id: XLSX}
    assert files.accounts == {file_id: 7}
    assert delivered == [ShareFile(file_id, "budget mars.xlsx", XLSX, len(content))]
    sheet = opened(files)["Budget"]
    assert [cell.value for cell in sheet["B"]] == ["Montant", 75000, 18500, 93500]
    assert sheet["A4"].value == "Total"
    assert len(sheet._charts) == 1


async def test_the_notes_tell_what_could_not_be_taken_as_meant(context: ToolContext) -> None:
    result = await make(context, rows=[["Loyer", "beaucoup"]])
    assert result["notes"][0].startswith("1 cell could not be read as money and stayed text (sheet")


async def test_what_does_not_fit_together_teaches_and_delivers_nothing(
    context: ToolContext, files: FakeFiles, delivered: list[Outgoing]
) -> None:
    with pytest.raises(ToolFailed, match=r"'Absent'\. Its headers are 'Poste', 'Montant'"):
        await make(context, totals=["Absent"])
    assert not files.contents
    assert not delivered


async def test_half_of_a_character_in_a_cell_is_refused(context: ToolContext) -> None:
    with pytest.raises(ToolFailed, match="half of a character"):
        await make(context, rows=[[json.loads(r'"\ud83d"'), 1]])


def test_several_headers_or_one_may_be_drawn() -> None:
    chart = {"type": "line", "x": "Poste", "y": ["Montant", "Montant"]}
    assert GenerateXlsx.model_validate(arguments(chart=chart))
    assert GenerateXlsx.model_validate(arguments(chart=chart | {"y": "Montant"}))


@pytest.mark.parametrize(
    "sheet",
    [
        {"columns": []},
        {"columns": [{"header": "A", "type": "currency"}]},
        {"columns": [{"header": "A"}] * 101},
        {"rows": [["a"]] * 20_001},
        {"rows": ["a"]},
        {"chart": {"type": "donut", "x": "A", "y": "B"}},
        {"chart": {"type": "line", "x": "A"}},
        {"totals": "Montant"},
    ],
)
def test_what_is_no_sheet_is_refused(sheet: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        GenerateXlsx.model_validate(arguments(**sheet))


def test_more_cells_than_a_file_should_hold_are_refused_with_advice() -> None:
    wide = arguments(columns=[{"header": "A"}] * 20, rows=[["x"]] * 16_000)
    with pytest.raises(ValidationError, match=r"320000 cells are too many.*split it"):
        GenerateXlsx.model_validate(wide)
    with pytest.raises(ValidationError, match="at most 20"):
        GenerateXlsx.model_validate({"filename": "a", "sheets": arguments()["sheets"] * 21})


async def test_the_language_is_the_persons(
    context: ToolContext, files: FakeFiles, delivered: list[Outgoing]
) -> None:
    english = tool_context(
        person=Person("telegram", "42", account=7, language="en"), services=context.services
    )
    await make(
        english, columns=[{"header": "A"}, {"header": "B", "type": "number"}], rows=[["x", "1,500"]]
    )
    assert opened(files).active["B2"].value == 1500


def test_the_schema_stands_alone() -> None:
    schema = json.dumps(TOOL.spec.parameters)
    assert "$ref" not in schema
    assert "$defs" not in schema
    assert '"title"' not in schema


def test_the_person_sees_the_name_of_the_file_in_the_making() -> None:
    assert TOOL.detail(GenerateXlsx.model_validate(arguments())) == "budget mars.xlsx"
