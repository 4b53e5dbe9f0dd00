from __future__ import annotations

import io
from typing import Any

import msgspec
import pptx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import ToolFailed
from bot.library.office.document import Document, decode
from bot.library.office.slides.deck import make_deck, serve
from bot.library.office.slides.request import Deck, Slide


def make(*slides: Slide, title: str = "Le sol", language: str = "fr") -> Document:
    return make_deck(Deck(title, slides, language))


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
    assert titles(document) == ["Le sol", "L'eau"]
    assert texts(opened(document)[1]) == ["Elle manque", "Elle coûte"]
    assert document.notes == ()


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


def test_too_many_points_go_on_on_a_further_slide() -> None:
    points = tuple(f"Point {i} : " + "des mots en plus " * 6 for i in range(20))
    document = make(Slide("Long", points))
    assert (
        titles(document)
        == ["Le sol", "Long", "Long (suite)", "Long (suite)"][: len(titles(document))]
    )
    assert len(titles(document)) > 2
    assert [text for slide in opened(document)[1:] for text in texts(slide)] == [
        point.strip() for point in points
    ]
    assert "1 slides held too much" in document.notes[0]


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


def test_the_program_takes_and_gives_bytes() -> None:
    answer = serve(msgspec.json.encode(Deck("T", (Slide("A", ("x",)),))))
    assert titles(decode(answer)) == ["T", "A"]


@given(
    st.text(max_size=30),
    st.lists(st.text(max_size=80), max_size=4),
    st.lists(st.lists(st.text(max_size=10) | st.floats() | st.none(), max_size=3), max_size=4),
)
@settings(max_examples=15, deadline=None)
def test_whatever_is_on_it_it_opens(
    title: str, bullets: list[str], rows: list[list[object]]
) -> None:
    slide = Slide(title, tuple(bullets), tuple(tuple(row) for row in rows), notes=title)
    assert opened(make(slide, title=title))
