from __future__ import annotations

import io
import re
from typing import Any

import msgspec
import pptx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from pptx.enum.chart import XL_TICK_LABEL_POSITION
from pptx.enum.text import MSO_AUTO_SIZE
from pptx.oxml.ns import qn

from bot.documents.document_request import (
    Document,
    DocumentImage,
    Slide,
    SlideChart,
    SlideSeries,
    SlidesRequest,
    decode_document,
)
from bot.documents.image_worker import shrink_image
from bot.documents.pptx_worker import make_slides, serve
from bot.errors import ToolFailed

M = "http://schemas.openxmlformats.org/officeDocument/2006/math"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"


def make(*slides: Slide, title: str = "Le sol", language: str = "fr") -> Document:
    return make_slides(SlidesRequest(title, slides, language))


def opened(document: Document) -> list[Any]:
    return list(pptx.Presentation(io.BytesIO(document.content)).slides)


def titles(document: Document) -> list[str]:
    return [slide.shapes.title.text for slide in opened(document)]


def texts(slide: Any) -> list[str]:
    body = slide.placeholders[1].text_frame
    return [paragraph.text for paragraph in body.paragraphs]


def table(slide: Any) -> list[list[str]]:
    (found,) = [shape.table for shape in slide.shapes if shape.has_table]
    return [[cell.text for cell in row.cells] for row in found.rows]


def test_the_title_has_a_slide_and_each_slide_its_points() -> None:
    document = make(Slide("L'eau", ("- Elle manque", "Elle coûte")))
    assert titles(document) == ["Le sol", "L’eau"]
    assert texts(opened(document)[1]) == ["Elle manque", "Elle coûte"]
    assert document.notes == ()


def test_scripts_of_markdown_are_characters() -> None:
    slide = opened(make(Slide("CO~2~", ("- 5 m^2^ à ~5 km",))))[1]
    assert (slide.shapes.title.text, texts(slide)) == ("CO₂", ["5\u00a0m² à ~5\u00a0km"])


def test_slides_are_wide() -> None:
    show = pptx.Presentation(io.BytesIO(make(Slide("A")).content))
    assert show.slide_width / show.slide_height == pytest.approx(16 / 9)
    assert show.core_properties.title == "Le sol"


def test_a_slide_of_nothing_is_left_out() -> None:
    assert titles(make(Slide("A"), Slide(""), Slide(" ", ("",), ((),)))) == ["Le sol", "A"]


def test_no_word_of_a_table_is_broken() -> None:
    wide = tuple(tuple(f"colonne {at}" for at in range(10)) for _ in range(3))
    document = make(Slide("Large", table=wide))
    (shown,) = [shape.table for shape in opened(document)[1].shapes if shape.has_table]
    assert shown.cell(0, 0).text_frame.paragraphs[0].runs[0].font.size.pt == 16


def test_points_below_others_are_smaller_and_further_in() -> None:
    slide = opened(make(Slide("A", ("Un", "  - dessous"))))[1]
    first, second = slide.placeholders[1].text_frame.paragraphs
    assert second.runs[0].font.size < first.runs[0].font.size
    assert int(second._p.pPr.get("marL")) > int(first._p.pPr.get("marL"))


def test_stars_are_bold_and_maths_is_readable() -> None:
    slide = opened(make(Slide("$x^2$", ("**Gras** et $x_1 \\leq 2$",))))[1]
    paragraph = slide.placeholders[1].text_frame.paragraphs[0]
    assert slide.shapes.title.text == "x²"
    assert paragraph.text == "Gras et x₁ ≤ 2"
    assert [run.font.bold for run in paragraph.runs] == [True, False]


def test_code_and_links_are_shown_without_their_marks() -> None:
    line = "Voir [le site](https://example.org/a_(b)) et `x_1`, ![a](https://b.ci)"
    paragraph = opened(make(Slide("Liens", (line,))))[1].placeholders[1].text_frame.paragraphs[0]
    assert paragraph.text == "Voir le site et x_1, ![a](https://b.ci)"
    assert [run.hyperlink.address for run in paragraph.runs][:3] == [
        None,
        "https://example.org/a_(b)",
        None,
    ]


def test_points_with_numbers_have_no_other_mark() -> None:
    points = ("1. Définition", "2) Organites", "b) le noyau", "3.14 est pi", "2027. Une année")
    slide = opened(make(Slide("Plan", points)))[1]
    paragraphs = slide.placeholders[1].text_frame.paragraphs
    assert [each.text for each in paragraphs] == [
        *("Définition", "Organites", "le noyau", "3.14 est pi", "2027. Une année"),
    ]
    indents = [int(each._p.pPr.get("marL")) for each in paragraphs]
    assert min(indents[:3]) > 1.3 * 12_700 * paragraphs[0].runs[0].font.size.pt > indents[3]
    marks = [re.search(r"<a:bu(?:AutoNum|Char) [^/]*/>", each._p.xml) for each in paragraphs]
    assert [mark[0] for mark in marks if mark] == [
        '<a:buAutoNum type="arabicPeriod" startAt="1"/>',
        '<a:buAutoNum type="arabicParenR" startAt="2"/>',
        '<a:buAutoNum type="alphaLcParenR" startAt="2"/>',
        *['<a:buChar char="•"/>'] * 2,
    ]


def test_the_points_of_all_columns_are_spaced_alike() -> None:
    few = ("Faiblesses :", "Camions vétustes", "Peu de stockage")
    some = ("Forces :", "Équipe formée", "Proximité des producteurs", "Trésorerie saine")
    more = (
        "Opportunités :",
        "Usine de Korhogo",
        "Label bio et commerce équitable",
        "Marché indien",
    )
    slide = opened(make(Slide("Bilan", columns=(some, few, more))))[1]
    gaps = {
        paragraph.space_after / max(run.font.size for run in paragraph.runs)
        for shape in slide.shapes
        if shape.has_text_frame
        for paragraph in shape.text_frame.paragraphs[:-1]
    }
    assert max(gaps) - min(gaps) < 0.1


def test_a_star_or_a_line_on_both_sides_is_italic() -> None:
    line = "*Le Petit Prince*, _oui_, ***fort***, 2*3*4, a_b_c et * seul"
    paragraph = opened(make(Slide("L", (line,))))[1].placeholders[1].text_frame.paragraphs[0]
    assert paragraph.text == "Le Petit Prince, oui, fort, 2*3*4, a_b_c et * seul"
    assert [run.text for run in paragraph.runs if run.font.italic] == [
        "Le Petit Prince",
        "oui",
        "fort",
    ]
    assert [run.text for run in paragraph.runs if run.font.bold] == ["fort"]


@pytest.mark.parametrize(
    "points",
    [
        (
            "On écrit :",
            "```python",
            "def aire(r):",
            "    return 3 * r ** 2",
            "```",
            "puis `aire(2)`",
        ),
        ("On écrit :", "```python\ndef aire(r):\n    return 3 * r ** 2\n```", "puis `aire(2)`"),
    ],
)
def test_code_keeps_its_lines_and_its_signs(points: tuple[str, ...]) -> None:
    shapes = opened(make(Slide("Code", points)))[1].placeholders[1]
    first, *code, last = shapes.text_frame.paragraphs
    assert [line.text for line in code] == [
        "def aire(r):",
        "\u00a0\u00a0\u00a0\u00a0return 3 * r ** 2",
    ]
    assert {run.font.name for line in code for run in line.runs} == {"Consolas"}
    assert all("buNone" in line._p.xml for line in code)
    assert "buChar" in first._p.xml
    assert "buChar" in last._p.xml
    assert [run.font.name for run in last.runs] == ["Calibri", "Consolas"]


def test_long_code_goes_on_on_a_further_slide() -> None:
    lines = [f"total = total + {number}" for number in range(40)]
    slides = opened(make(Slide("Code", ("```", *lines, "```"))))[1:]
    shown = [line.text for slide in slides for line in slide.placeholders[1].text_frame.paragraphs]
    assert shown == lines


def test_too_many_points_go_on_on_a_further_slide() -> None:
    points = tuple(f"Point {i}, " + "des mots en plus " * 6 for i in range(20))
    document = make(Slide("Long", points))
    more = len(titles(document)) - 2
    assert titles(document) == ["Le sol", "Long", *["Long (suite)"] * more]
    assert len(titles(document)) > 2
    assert [text for slide in opened(document)[1:] for text in texts(slide)] == [
        point.strip() for point in points
    ]
    assert "1 slide held too much" in document.notes[0]


def test_a_table_has_its_header_on_every_slide() -> None:
    rows = (("Ville", "Total"), *((f"Ville {i}", i * 1_000) for i in range(40)))
    slides = opened(make(Slide("Villes", table=rows)))[1:]
    assert len(slides) > 1
    assert {tuple(table(slide)[0]) for slide in slides} == {("Ville", "Total")}
    found = [row for slide in slides for row in table(slide)[1:]]
    assert len(found) == 40
    assert found[20] == ["Ville 20", "20\u202f000"]


def test_what_stands_on_a_slide_stays_on_it() -> None:
    rows = (("Ville", "Remarque"), *((f"Ville {i}", "mots " * (i % 9)) for i in range(60)))
    document = make(Slide("T", ("Un point",), rows), Slide("U", ("mot " * 400,)))
    show = pptx.Presentation(io.BytesIO(document.content))
    for slide in show.slides:
        for shape in slide.shapes:
            tall = sum(row.height for row in shape.table.rows) if shape.has_table else shape.height
            assert shape.top + tall <= show.slide_height
            assert shape.left + shape.width <= show.slide_width


def test_points_and_a_small_table_share_a_slide() -> None:
    document = make(Slide("Les deux", ("Un point",), (("A",), ("x",))))
    slides = opened(document)
    assert len(slides) == 2
    assert texts(slides[1]) == ["Un point"]
    assert table(slides[1]) == [["A"], ["x"]]


def test_points_and_a_large_table_do_not() -> None:
    rows = (("A",), *((f"ligne {i}",) for i in range(12)))
    assert titles(make(Slide("X", ("Un point",), rows))) == ["Le sol", "X", "X (suite)"]


def test_notes_are_kept_on_the_first_of_its_slides() -> None:
    points = tuple("des mots en plus " * 8 for _ in range(20))
    slides = opened(make(Slide("A", points, notes="À dire\nlentement\x00"), Slide("B", ("x",))))
    assert slides[1].notes_slide.notes_text_frame.text == "À dire\nlentement"
    assert [slide.has_notes_slide for slide in slides].count(True) == 1


def test_notes_are_read_without_marks() -> None:
    said = r"**Dire** $x^2$ et $\frac{1}{2}$ : « oui » ?"
    slides = opened(make(Slide("A", ("x",), notes=said)))
    shown = slides[1].notes_slide.notes_text_frame.text
    assert " ".join(shown.split()) == "Dire x² et 1/2 : « oui » ?"


def test_a_title_alone_opens_a_part() -> None:
    assert titles(make(Slide("Partie 1"), Slide("A", ("x",)))) == ["Le sol", "Partie 1", "A"]


def test_the_title_slide_is_not_made_twice() -> None:
    document = make(Slide("LE SOL", notes="Bonjour"), Slide("A", ("x",)))
    assert titles(document) == ["Le sol", "A"]
    assert opened(document)[0].notes_slide.notes_text_frame.text == "Bonjour"


def test_every_slide_but_the_title_is_numbered() -> None:
    slides = opened(make(Slide("A", ("x",)), Slide("B", ("y",))))
    fields = ['type="slidenum"' in slide.part.blob.decode() for slide in slides]
    assert fields == [False, True, True]


def test_text_from_right_to_left_and_pictures_in_text_do_no_harm() -> None:
    slide = opened(make(Slide("مرحبا", ("مرحبا بالعالم", "😀", "a\x00b\x0bc"))))[1]
    assert texts(slide) == ["مرحبا بالعالم", "😀", "abc"]
    assert slide.placeholders[1].text_frame.paragraphs[0]._p.pPr.get("rtl") == "1"


def test_more_than_anybody_would_show_is_refused() -> None:
    with pytest.raises(ToolFailed, match="more than 150 slides"):
        make(Slide("A", ("mot " * 55_000,)))


def picture(width: int = 400, height: int = 300) -> DocumentImage:
    out = io.BytesIO()
    Image.new("RGB", (width, height), "green").save(out, "PNG")
    return shrink_image(out.getvalue())


def box(shape: Any) -> tuple[int, int, int, int]:
    return shape.left, shape.top, shape.left + shape.width, shape.top + shape.height


def overlap(one: Any, other: Any) -> bool:
    left, right = box(one), box(other)
    return left[0] < right[2] and right[0] < left[2] and left[1] < right[3] and right[1] < left[3]


def test_columns_stand_side_by_side_under_their_headings() -> None:
    columns = (("**Le jour**", "Elle rejette de l'eau"), ("La nuit :", "Elle respire", "Elle dort"))
    (_, slide) = opened(make(Slide("Jour et nuit", columns=columns)))
    first, second = slide.placeholders[1], slide.placeholders[2]
    assert [each.text for each in first.text_frame.paragraphs] == [
        "Le jour",
        "Elle rejette de l’eau",
    ]
    assert second.text_frame.paragraphs[0].text == "La nuit"
    assert first.top == second.top
    assert not overlap(first, second)
    assert first.text_frame.paragraphs[0].runs[0].font.bold
    sizes = {each.text_frame.paragraphs[1].runs[0].font.size for each in (first, second)}
    assert len(sizes) == 1


@pytest.mark.parametrize(
    ("kind", "names", "drawing"),
    [
        ("bar", ("Maïs", "Riz"), "barChart"),
        ("bar", ("Une très longue étiquette",) * 8, "barChart"),
        ("line", ("2024", "2025"), "lineChart"),
        ("pie", ("Maïs", "Riz"), "pieChart"),
    ],
)
def test_a_chart_is_powerpoints_own(kind: str, names: tuple[str, ...], drawing: str) -> None:
    values = tuple(float(each) for each in range(len(names)))
    chart = SlideChart(kind, names, (SlideSeries("Tonnes", values),))
    (_, slide) = opened(make(Slide("Récoltes", chart=chart)))
    (shown,) = [shape for shape in slide.shapes if shape.has_chart]
    assert drawing in shown.chart.plots[0]._element.tag
    assert list(shown.chart.plots[0].categories) == list(names)
    assert list(shown.chart.series[0].values) == list(values)


def test_points_stand_beside_a_chart_or_a_picture() -> None:
    chart = SlideChart(
        "bar", ("a", "b"), (SlideSeries("x", (1.0, None)), SlideSeries("y", (2.0, 3.0)))
    )
    slides = opened(
        make(
            Slide("Un", ("Un point",), chart=chart),
            Slide("Deux", ("Un point",), picture=picture(), alt="Une carte"),
        )
    )
    assert len(slides) == 3
    for slide in slides[1:]:
        (visual,) = [shape for shape in slide.shapes if shape.has_chart or shape.shape_type == 13]
        assert not overlap(slide.placeholders[1], visual)
        assert texts(slide) == ["Un point"]


@pytest.mark.parametrize("size", [(1200, 300), (300, 1200)])
def test_a_picture_keeps_its_proportions_and_has_words(size: tuple[int, int]) -> None:
    (_, slide) = opened(make(Slide("Carte", picture=picture(*size), alt="Le Mali")))
    (shown,) = [shape for shape in slide.shapes if shape.shape_type == 13]
    assert shown.width / shown.height == pytest.approx(size[0] / size[1], rel=0.01)
    assert shown._element.nvPicPr.cNvPr.get("descr") == "Le Mali"
    assert shown.top + shown.height <= 540 * 12_700


def test_what_does_not_fit_beside_points_has_a_slide_of_its_own() -> None:
    points = tuple("des mots en plus " * 8 for _ in range(9))
    document = make(Slide("Carte", points, picture=picture(), alt="x"))
    assert titles(document)[-1] == "Carte (suite)"
    last = opened(document)[-1]
    assert [shape.shape_type for shape in last.shapes].count(13) == 1


def test_a_formula_is_powerpoints_own_and_a_picture_elsewhere() -> None:
    formula = r"$\eta = \frac{E_{\text{stockée}}}{E_{\text{reçue}}}$"
    (_, slide) = opened(make(Slide("Bilan", ("Le rendement :", f"vaut {formula}, souvent"))))
    xml = slide.part.blob.decode()
    assert xml.count("<a14:m>") == xml.count("<mc:Fallback>") == 1
    (equation,) = slide.shapes._spTree.iter(f"{{{M}}}oMath")
    assert "stockée" in "".join(equation.itertext())
    (fallback,) = slide.shapes._spTree.iter(f"{{{MC}}}Fallback")
    (blip,) = fallback.iter(qn("a:blip"))
    assert slide.part.related_part(blip.get(qn("r:embed"))).blob.startswith(b"\x89PNG")
    said = [shape.text_frame.text for shape in slide.shapes if shape.has_text_frame]
    assert "souvent" in said
    assert "_" not in "".join(said)


def test_a_formula_that_cannot_be_set_stays_text() -> None:
    (_, slide) = opened(make(Slide("A", (r"$\frac{1}{$ et $x^2$",))))
    assert "x²" in texts(slide)[0]


def test_the_program_takes_and_gives_bytes() -> None:
    answer = serve(msgspec.json.encode(SlidesRequest("T", (Slide("A", ("x",)),))))
    assert titles(decode_document(answer)) == ["T", "A"]


@given(
    st.text(max_size=30),
    st.lists(st.text(max_size=80), max_size=4),
    st.lists(st.lists(st.text(max_size=10) | st.floats() | st.none(), max_size=3), max_size=4),
)
@settings(max_examples=15)
def test_whatever_is_on_it_it_opens(
    title: str, bullets: list[str], rows: list[list[object]]
) -> None:
    slide = Slide(title, tuple(bullets), tuple(tuple(row) for row in rows), notes=title)
    assert opened(make(slide, title=title))


def test_points_on_several_slides_are_as_large_as_these_allow() -> None:
    slides = opened(make(Slide("Structure", ("- un point court",) * 14)))[1:]
    runs = [slide.placeholders[1].text_frame.paragraphs[0].runs[0] for slide in slides]
    assert len(runs) == 2
    assert all(run.font.size.pt > 24 for run in runs)


def test_points_are_made_smaller_by_programs_that_lack_the_font() -> None:
    (slide,) = opened(make(Slide("Un", ("- un point",))))[1:]
    assert slide.placeholders[1].text_frame.auto_size == MSO_AUTO_SIZE.TEXT_TO_FIT_SHAPE


def label_size(*values: float) -> float | None:
    """The size of the figures over the bars, in points; None if there are none."""
    series = (SlideSeries("2025", values), SlideSeries("2026", values))
    shown = Slide("V", ("- un",), chart=SlideChart("bar", ("T1", "T2", "T3", "T4"), series))
    (frame,) = [shape for shape in opened(make(shown))[1].shapes if shape.has_chart]
    plot = frame.chart.plots[0]
    return plot.data_labels.font.size.pt if plot.has_data_labels else None


def test_figures_over_bars_do_not_touch_each_other() -> None:
    assert label_size(3, 4, 5, 6) == 17
    assert 11 <= (label_size(38.5, 41, 43.25, 47) or 0) < 17
    assert label_size(15_250_000, 12_400_000, 8_100_000, 7_500_000) is None


def chart_on(slide: Slide) -> Any:
    (frame,) = [shape for shape in opened(make(slide))[1].shapes if shape.has_chart]
    return frame.chart


@pytest.mark.parametrize(
    ("kind", "values", "least"),
    [("bar", (98, 101), 0), ("bar", (-9, 10), None), ("bar", (1, 9), None), ("line", (9, 9), None)],
)
def test_bars_begin_at_zero(kind: str, values: tuple[float, ...], least: float | None) -> None:
    chart = chart_on(Slide("V", chart=SlideChart(kind, ("A", "B"), (SlideSeries("I", values),))))
    assert chart.value_axis.minimum_scale == least


def test_names_do_not_stand_on_bars_below_zero() -> None:
    chart = chart_on(Slide("V", chart=SlideChart("bar", ("A", "B"), (SlideSeries("I", (-1, 9)),))))
    assert chart.category_axis.tick_label_position == XL_TICK_LABEL_POSITION.LOW


@pytest.mark.parametrize("kind", ["bar", "line", "pie"])
def test_the_only_series_is_named_over_its_chart(kind: str) -> None:
    series = SlideSeries("Millions de F CFA", (1, 3))
    chart = chart_on(Slide("Ventes", chart=SlideChart(kind, ("A", "B"), (series,))))
    assert chart.chart_title.text_frame.text == "Millions de F CFA"


def test_several_series_and_one_without_a_name_have_no_title() -> None:
    pair = (SlideSeries("2025", (1, 3)), SlideSeries("2026", (2, 3)))
    chart = chart_on(Slide("Ventes", chart=SlideChart("bar", ("A", "B"), pair)))
    assert not chart.has_title
    assert chart.has_legend
    alone = (SlideSeries(" ", (1, 3)),)
    assert not chart_on(Slide("V", chart=SlideChart("bar", ("A", "B"), alone))).has_title


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ((1, 1), "0%"),
        ((1, 1, 4), "0.0%"),
        ((45.5, 54.5), "0.0%"),
        ((20, 30, 50), "0%"),
        ((0,), "0%"),
    ],
)
def test_the_shares_of_a_pie_add_up(values: tuple[float, ...], written: str) -> None:
    chart = SlideChart("pie", tuple(map(str, values)), (SlideSeries("Parts", values),))
    assert chart_on(Slide("P", chart=chart)).plots[0].data_labels.number_format == written
