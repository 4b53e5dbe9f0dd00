"""What Word, PowerPoint and Excel show outside their running text is read, too."""

from __future__ import annotations

import datetime
import io
from typing import Any

import docx
import openpyxl
import pptx
import pytest
import xlsxwriter
from openpyxl.worksheet.formula import ArrayFormula
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from tests.files.sample_files import make_docx, make_pptx, make_xlsx, zipped
from tests.support.file_fakes import change_zip, read, text_of


def saved(document: Any) -> bytes:
    held = io.BytesIO()
    document.save(held)
    return held.getvalue()


# Word --------------------------------------------------------------------------------------------


def test_headers_and_footers_of_a_word_document_are_read_once() -> None:
    document = docx.Document()
    document.add_paragraph("Bonjour")
    for wording in ("Collège Félix-Houphouët", "Collège Félix-Houphouët", "Annexe"):
        section = document.add_section() if document.paragraphs[1:] else document.sections[0]
        section.header.is_linked_to_previous = section.footer.is_linked_to_previous = False
        section.header.paragraphs[0].text = wording
        section.footer.paragraphs[0].text = "Classe de 3e B\tMme Kouassi"
        document.add_paragraph("Suite")
    assert text_of(saved(document)) == (
        "Header:\nCollège Félix-Houphouët\n\nHeader:\nAnnexe\n\nBonjour\nSuite\n\nSuite\n\nSuite\n"
        "\nFooter:\nClasse de 3e B\tMme Kouassi"
    )


@pytest.mark.parametrize(
    "wording", ["", "3", "1 / 2", "– 4 –", "Page 1 sur 3", "page 2 of 3", "p. 5"]
)
def test_headers_with_nothing_but_a_page_are_left_out(wording: str) -> None:
    document = docx.Document()
    document.add_paragraph("Bonjour")
    document.sections[0].header.paragraphs[0].text = wording
    assert text_of(saved(document)) == "Bonjour"


@pytest.mark.parametrize("wording", ["2025-2026", "21/11/2026", "Page de garde", "1, 2, 3"])
def test_other_headers_with_numbers_are_read(wording: str) -> None:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = wording
    assert text_of(saved(document)) == f"Header:\n{wording}"


# Charts ------------------------------------------------------------------------------------------


def chart_show(data: Any, kind: XL_CHART_TYPE, title: str = "") -> tuple[Any, Any]:
    """A show of one slide with a chart, and the chart."""
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "Bilan"
    frame = slide.shapes.add_chart(kind, Inches(1), Inches(2), Inches(6), Inches(4), data)
    if title:
        frame.chart.has_title = True
        frame.chart.chart_title.text_frame.text = title
    return show, frame.chart


def test_charts_of_slides_are_read_with_titles_categories_and_values() -> None:
    data = CategoryChartData()
    data.categories = ["Janvier", "Février", "Mars"]
    data.add_series("Nord", (12, 7.5, None))
    data.add_series("Sud", (0.1 + 0.2, 4, 5))
    show, chart = chart_show(data, XL_CHART_TYPE.COLUMN_CLUSTERED, "Ventes")
    chart.category_axis.has_title = chart.value_axis.has_title = True
    chart.category_axis.axis_title.text_frame.text = "Mois"
    chart.value_axis.axis_title.text_frame.text = "Tonnes"
    assert text_of(saved(show)) == (
        "[slide 1]\nBilan\n\nChart: Ventes (Mois, Tonnes)\n\tNord\tSud\nJanvier\t12\t0.3\n"
        "Février\t7.5\t4\nMars\t\t5"
    )


def test_points_and_days_of_charts_are_read() -> None:
    points = XyChartData()
    for name, factor in (("f", 2), ("g", 3)):
        series = points.add_series(name)
        for x in (1, 2):
            series.add_data_point(x + factor, x * factor)
    show, _ = chart_show(points, XL_CHART_TYPE.XY_SCATTER)
    assert text_of(saved(show)).endswith("Chart:\n\tf\n3\t2\n4\t4\n\tg\n4\t3\n5\t6")

    days = CategoryChartData()
    days.categories = [datetime.date(2026, 11, 21), datetime.date(2026, 11, 28)]
    days.add_series("Mesures", (1, 2))
    show, _ = chart_show(days, XL_CHART_TYPE.LINE)
    assert text_of(saved(show)).endswith("\tMesures\n2026-11-21\t1\n2026-11-28\t2")


def test_categories_in_several_levels_are_read_together() -> None:
    data = CategoryChartData()
    for year in ("2025", "2026"):
        parent = data.add_category(year)
        for half in ("S1", "S2"):
            parent.add_sub_category(half)
    data.add_series("Notes", (10, 11, 12, 13))
    show, _ = chart_show(data, XL_CHART_TYPE.BAR_CLUSTERED)
    assert text_of(saved(show)).endswith("2025 S1\t10\nS2\t11\n2026 S1\t12\nS2\t13")


def test_charts_of_word_documents_are_read() -> None:
    data = CategoryChartData()
    data.categories = ["Lundi"]
    data.add_series("Pluie", (3,))
    _, chart = chart_show(data, XL_CHART_TYPE.PIE)
    relations = '<Relationship Id="r1" Type="http://x/chart" Target="charts/chart1.xml"/>'
    content = zipped(
        **{
            "word/document.xml": '<d xmlns:w="w"><w:p><w:t>Météo</w:t></w:p></d>',
            "word/_rels/document.xml.rels": f"<Relationships>{relations}</Relationships>",
            "word/charts/chart1.xml": chart.part.blob,
        }
    )
    assert text_of(content) == "Météo\n\nChart:\n\tPluie\nLundi\t3"


def test_a_damaged_chart_is_a_damaged_file() -> None:
    data = CategoryChartData()
    data.categories = ["a"]
    data.add_series("b", (1,))
    show, chart = chart_show(data, XL_CHART_TYPE.PIE)
    name = chart.part.partname.lstrip("/")
    result, _ = read(change_zip(saved(show), **{name: lambda part: part[:-100]}))
    assert (result.state, "damaged" in result.reason) == ("refused", True)


# Formulas of workbooks ---------------------------------------------------------------------------


def test_formulas_without_a_stored_result_are_read_as_formulas() -> None:
    rows: list[list[object]] = [["a", 2], ["b", 3], ["Somme", "=SUM(B1:B2)"]]
    assert text_of(make_xlsx(Notes=rows)) == "[sheet Notes]\na\t2\nb\t3\nSomme\t=SUM(B1:B2)"


def test_shares_are_read_as_they_are_shown_and_hidden_sheets_are_named_so() -> None:
    book = openpyxl.Workbook()
    book.active.title = "Taux"
    book.active.append([0.07, 1, 0.125, 12.5])
    for cell, shown in (("A1", "0%"), ("B1", "0.0 %"), ("C1", "0.00%")):
        book.active[cell].number_format = shown
    book.create_sheet("Notes").sheet_state = "hidden"
    book["Notes"]["A1"] = "x"
    text = text_of(saved(book))
    assert text == "[sheet Taux]\n7%\t100%\t12.5%\t12.5\n\n[sheet Notes (hidden)]\nx"


def test_formulas_of_several_cells_without_a_result_are_read() -> None:
    book = openpyxl.Workbook()
    book.active.title = "A"
    book.active["A1"] = ArrayFormula("A1:A2", "=B1:B2*2")
    book.active["B1"] = 4
    assert text_of(saved(book)) == "[sheet A]\n=B1:B2*2\t4"


def test_results_are_read_even_where_one_is_missing_or_empty() -> None:
    held = io.BytesIO()
    with xlsxwriter.Workbook(held) as book:
        sheet = book.add_worksheet("A")
        sheet.write_formula("A1", "=1+1", value=2)
        sheet.write_formula("B1", '=IF(A1>9,"x","")', value="")
        sheet.write_formula("C1", "=A1*3", value=6)
    missing = {
        "xl/worksheets/sheet1.xml": lambda part: part.replace(b"<v>6</v>", b"").replace(
            b'<c r="B1"><f>', b'<c r="B1" t="str"><f>'
        )
    }
    assert text_of(change_zip(held.getvalue(), **missing)) == "[sheet A]\n2\t\t=A1*3"


@pytest.mark.parametrize("name", ["xl/worksheets/sheet1.xml", "xl/styles.xml", "docProps/core.xml"])
def test_a_workbook_with_a_damaged_part_is_refused(name: str) -> None:
    content = make_xlsx(A=[["mot"] * 200] * 200)
    for damage in (lambda part: part[:-20], lambda part: part.replace(b"</", b"<", 3)):
        result, _ = read(change_zip(content, **{name: damage}))
        assert (result.state, "Ask the person" in result.reason) == ("refused", True)


def test_a_part_in_an_unknown_encoding_is_damaged() -> None:
    main = {"ppt/presentation.xml": lambda part: part.replace(b"UTF-8", b"UTFu8", 1)}
    result, _ = read(change_zip(make_pptx(("Un", "a")), **main))
    assert (result.state, "damaged" in result.reason) == ("refused", True)


# The strict dialect ------------------------------------------------------------------------------

_STRICT = (
    (b"http://schemas.openxmlformats.org/spreadsheetml/2006/main", b"spreadsheetml/main"),
    (b"http://schemas.openxmlformats.org/wordprocessingml/2006/main", b"wordprocessingml/main"),
    (b"http://schemas.openxmlformats.org/presentationml/2006/main", b"presentationml/main"),
    (b"http://schemas.openxmlformats.org/drawingml/2006/", b"drawingml/"),
    (b"http://schemas.openxmlformats.org/officeDocument/2006/", b"officeDocument/"),
)
"""Namespaces of the transitional dialect, and what those of the strict one end with."""


def make_strict(content: bytes) -> bytes:
    """The document in the dialect of Office's “Strict Open XML”: ISO/IEC 29500-1, annex A."""

    def translate(part: bytes) -> bytes:
        for transitional, strict in _STRICT:
            part = part.replace(transitional, b"http://purl.oclc.org/ooxml/" + strict)
        return part

    names = openpyxl.reader.excel.ZipFile(io.BytesIO(content)).namelist()
    return change_zip(content, **dict.fromkeys(names, translate))


def test_strict_documents_and_slides_are_read() -> None:
    document = make_docx("L’élève calcule.", table=(("Nom", "Note"), ("Awa", "12")))
    assert text_of(make_strict(document)) == text_of(document)
    show = make_pptx(("Un", "a\nb"), notes="À dire")
    assert text_of(make_strict(show)) == text_of(show)


def test_lists_of_strict_documents_are_read_with_their_numbers() -> None:
    document = docx.Document()
    for style in ("List Number", "List Number", "List Bullet"):
        document.add_paragraph("Clause", style=style)
    assert text_of(make_strict(saved(document))) == "1. Clause\n2. Clause\n- Clause"


@pytest.mark.parametrize("formula", ["=SUM(B2:B2)", 12])
def test_strict_workbooks_are_read(formula: object) -> None:
    rows: list[list[object]] = [["Nom", "Note"], ["Awa", 12], ["Né", datetime.date(2026, 11, 21)]]
    book = make_xlsx(Élèves=[*rows, ["Total", formula]])
    assert text_of(make_strict(book)) == (
        f"[sheet Élèves]\nNom\tNote\nAwa\t12\nNé\t2026-11-21\nTotal\t{formula}"
    )


def test_days_that_a_strict_workbook_writes_out_are_read() -> None:
    book = make_strict(make_xlsx(A=[["x"]]))
    day = {
        "xl/worksheets/sheet1.xml": lambda part: part.replace(
            b"</row>", b'<c r="B1" t="d"><v>2026-11-21T00:00:00</v></c></row>'
        )
    }
    assert text_of(change_zip(book, **day)) == "[sheet A]\nx\t2026-11-21"
