"""Files of strangers come out as clean text, or as a clear word why not."""

from __future__ import annotations

import io
import zipfile

import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from bot.files.text_worker import MOST_CHARACTERS
from tests.files.sample_files import (
    DAY,
    NOON,
    locked_pdf,
    make_docx,
    make_odt,
    make_pdf,
    make_pptx,
    make_xlsx,
    word_part,
    zipped,
)
from tests.support.file_fakes import change_zip, read, text_of


def reason_of(content: bytes, filename: str = "") -> str:
    result, pieces = read(content, filename)
    assert result.state == "refused"
    assert not pieces
    return result.reason


# What people's programs write -------------------------------------------------------------------


def test_a_pdf_is_read_page_by_page() -> None:
    pages = text_of(make_pdf("L'été efficace", "", "La fin"))
    assert pages == "[page 1]\nL’été efficace\n\n[page 3]\nLa fin"


def test_a_word_document_is_read_with_its_tables() -> None:
    content = make_docx("L’élève\tcalcule.", "Fin", table=(("Nom", "Note"), ("Awa", "12")))
    assert text_of(content) == "L’élève\tcalcule.\nFin\nNom\tNote\nAwa\t12"


def test_what_a_word_document_only_keeps_for_older_programs_is_not_read_twice() -> None:
    again = "<mc:Fallback><w:t>encadré</w:t></mc:Fallback>"
    tabs = '<w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr>'
    content = word_part(f"<w:p>{tabs}<w:r><w:t>encadré</w:t>{again}</w:r></w:p>")
    assert text_of(content) == "encadré"


def test_footnotes_follow_the_text() -> None:
    held = io.BytesIO(word_part("<w:p><w:t>Texte</w:t></w:p>"))
    with zipfile.ZipFile(held, "a") as archive:
        archive.writestr("word/footnotes.xml", '<f xmlns:w="w"><w:p><w:t>Note</w:t></w:p></f>')
    assert text_of(held.getvalue()) == "Texte\n\nNote"


def test_slides_are_read_in_the_order_of_the_show_with_their_notes() -> None:
    content = make_pptx(("Un", "a\nb"), ("Deux", "c"), notes="À dire")
    assert text_of(content) == (
        "[slide 1]\nUn\na\nb\n\nNotes:\nÀ dire\n\n[slide 2]\nDeux\nc\n\nNotes:\nÀ dire"
    )


def test_sheets_are_read_as_computed_with_tabs_between_the_cells() -> None:
    rows = [["Nom", "Né le"], ["Awa", DAY], [None, NOON], [None, None], [0.1 + 0.2, 12.0], [True]]
    assert text_of(make_xlsx(Notes=rows, Vide=[])) == (
        "[sheet Notes]\nNom\tNé le\nAwa\t2026-11-21\n\t2026-11-21 12:30:00\n0.3\t12\nTRUE\n\n"
        "[sheet Vide]"
    )


def test_formulas_are_read_as_their_values_and_numbers_without_noise() -> None:
    held = io.BytesIO()
    with xlsxwriter.Workbook(held) as book:
        sheet = book.add_worksheet("A")
        sheet.write_formula("A1", "=1+1", value=2)
        sheet.write_number("B1", 0.5)
        sheet.write_number("C1", 1e21)
    noise = {
        "xl/worksheets/sheet1.xml": lambda part: part.replace(b">0.5<", b">0.30000000000000004<")
    }
    assert text_of(change_zip(held.getvalue(), **noise)) == "[sheet A]\n2\t0.3\t1e+21"


def test_open_document_texts_sheets_and_slides_are_read() -> None:
    spaced = '<text:p>un<text:s text:c="3"/>deux<text:tab/>trois<text:line-break/>4</text:p>'
    gone = "<text:tracked-changes><text:p>effacé</text:p></text:tracked-changes>"
    assert text_of(make_odt(f"<office:text>{gone}{spaced}</office:text>")) == (
        "un   deux\ttrois\n4"
    )
    cell = "<table:table-cell{0}><text:p>{1}</text:p></table:table-cell>"
    row = f"<table:table-row>{cell.format('', 'a')}{cell.format('', 'b')}</table:table-row>"
    sheet = f'<office:spreadsheet><table:table table:name="S">{row}</table:table>'
    assert text_of(make_odt(f"{sheet}</office:spreadsheet>")) == "[sheet S]\na\tb"
    page = "<draw:page><text:p>{0}</text:p></draw:page>"
    show = f"<office:presentation>{page.format('x')}{page.format('y')}</office:presentation>"
    assert text_of(make_odt(show)) == "[slide 1]\nx\n\n[slide 2]\ny"


def test_of_a_web_page_only_what_is_seen_is_read() -> None:
    page = (
        "<html><head><title>Été</title><style>p {}</style></head><body><h1>Un <b>grand</b> mot"
        "</h1><script>alert(1)</script><p>l'eau &amp; le feu<br>ici</p>"
        "<table><tr><td>1</td><td>2</td></tr></table></body></html>"
    )
    read_page = "Été\n\nUn grand mot\n\nl'eau & le feu\n\nici\n\n\t1\t2"
    assert text_of(page.encode(), "page.html") == read_page
    assert text_of(page.encode(), "", "text/html; charset=utf-8") == read_page
    assert text_of(f"<!doctype html>{page}".encode(), "sans ending") == read_page
    assert text_of(b"un<br>deux", "page", "text/html") == "un\n\ndeux"
    assert text_of(b"un<br>deux", "page", "text/plain") == "un<br>deux"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_text_is_read_in_any_usual_encoding(encoding: str) -> None:
    assert text_of("Noël : « été » à 3 €".encode(encoding), "notes.txt") == "Noël : « été » à 3 €"


def test_a_page_that_names_its_encoding_is_believed() -> None:
    page = '<meta charset="iso-8859-15"><p>3 €</p>'
    assert "3 €" in text_of(page.encode("iso-8859-15"), "p.html")
    lie = '<meta charset="zlib_codec"><p>été</p>'
    assert "été" in text_of(lie.encode("cp1252"), "p.html")


def test_csv_and_json_stay_as_they_are() -> None:
    assert text_of(b"nom;note\nAwa;12\n", "n.csv") == "nom;note\nAwa;12"
    assert text_of(b'{"a": [1]}', "n.json") == '{"a": [1]}'


def test_a_file_is_what_its_bytes_are_whatever_it_is_called() -> None:
    assert text_of(make_docx("Bonjour"), "photo.jpg", "image/jpeg") == "Bonjour"
    assert text_of(b"BMW est une marque", "a.pdf", "application/pdf") == "BMW est une marque"


# What is found -----------------------------------------------------------------------------------


def test_chunks_carry_their_words_and_the_first_the_name_of_the_file() -> None:
    _, pieces = read(("Des chevaux courent vers l'eau. " * 60).encode(), "Leçon_équations.txt")
    assert pieces[0].words.startswith("lecon equation txt des cheval courent ver eau")
    assert pieces[1].words.startswith("des cheval")
    assert all(len(piece.body) <= 1_050 for piece in pieces)


def test_places_are_the_pages_on_which_chunks_begin() -> None:
    _, pieces = read(make_pdf("mot " * 400, "fin"))
    assert [piece.place for piece in pieces] == ["page 1"] * len(pieces)
    assert "[page 2]" in pieces[-1].body


# What is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"   \n ", "no text"),
        (bytes(range(256)), "no text"),
        (b"PK\x03\x04 nothing", "damaged"),
        (make_docx("Bonjour")[:-200], "damaged"),
        (b"%PDF-1.7 nothing", "damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "old Office format"),
        (zipped(a="b"), "archive"),
        (word_part("<w:p>"), "damaged"),
        (word_part("<w:p>" * 1_000), "nested"),
        (word_part("", head='<!DOCTYPE a [<!ENTITY b "c">]>'), "declarations"),
        (word_part("", head='<!DOCTYPE a SYSTEM "file:///etc/passwd">'), "declarations"),
    ],
    ids=str.split(
        "empty blank binary zip-head cut-zip pdf-head ole archive cut-xml "
        "nested entities external-entity"
    ),
)
def test_what_cannot_be_read_is_refused_with_the_reason(content: bytes, reason: str) -> None:
    assert reason in reason_of(content)


def test_a_pdf_without_text_is_a_scan() -> None:
    result, pieces = read(make_pdf("#rect()"))
    assert (result.state, pieces) == ("scanned", [])


def forged(field: int, value: bytes) -> bytes:
    """A Word document whose directory has this value for its main part: APPNOTE.TXT, 4.3.12."""
    content = bytearray(word_part("<w:p/>"))
    entry = content.rfind(b"PK\x01\x02", 0, content.rfind(b"word/document.xml"))
    content[entry + field : entry + field + len(value)] = value
    return bytes(content)


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        (8, b"\x01", "password"),
        (24, b"\xff\xff\xff\x7f", "unfolds to more"),
        (16, b"\x00\x00\x00\x00", "damaged"),
        (42, b"\xff\xff\xff\x7f", "damaged"),
    ],
    ids=["encrypted", "too-large", "wrong-sum", "nowhere"],
)
def test_a_zip_that_is_not_as_zips_of_documents_are_is_refused(
    field: int, value: bytes, reason: str
) -> None:
    assert reason in reason_of(forged(field, value))


def test_a_zip_packed_as_no_document_is_refused() -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("word/document.xml", "<w:p xmlns:w='w'><w:t>Texte</w:t></w:p>")
    assert "damaged" in reason_of(held.getvalue())


def test_a_zip_of_endlessly_many_parts_is_refused() -> None:
    assert "more parts" in reason_of(zipped(**{str(number): "" for number in range(20_001)}))


def test_a_workbook_that_unfolds_to_too_much_in_many_parts_is_refused() -> None:
    content = bytearray(make_xlsx(A=[[1]]))
    for part in (b"xl/styles.xml", b"xl/workbook.xml"):
        entry = content.rfind(b"PK\x01\x02", 0, content.rfind(part))
        content[entry + 24 : entry + 28] = (150_000_000).to_bytes(4, "little")
    assert "unfolds to more" in reason_of(bytes(content))


def test_an_encrypted_pdf_is_refused() -> None:
    assert "password" in reason_of(locked_pdf())


def test_a_workbook_with_a_document_type_is_refused() -> None:
    styles = b'<!DOCTYPE a [<!ENTITY b "c">]><styleSheet/>'
    content = change_zip(make_xlsx(A=[[1]]), **{"xl/styles.xml": lambda _: styles})
    assert "declarations" in reason_of(content)


def test_a_workbook_that_lies_about_its_cells_is_refused() -> None:
    far = {"xl/worksheets/sheet1.xml": lambda part: part.replace(b'r="A1"', b'r="ZZZZZZ1"')}
    assert "cannot be read" in reason_of(change_zip(make_xlsx(A=[[1]]), **far))


def test_of_an_endless_file_the_beginning_is_read() -> None:
    result, pieces = read(b"mot " * 600_000)
    assert result.cut
    assert sum(len(piece.body) - piece.overlap for piece in pieces) <= MOST_CHARACTERS


def test_a_billion_repeated_cells_or_spaces_are_a_few() -> None:
    for many in (1_000, 1_000_000_000):
        spaced = f'<office:text><text:p>a<text:s text:c="{many}"/>b</text:p></office:text>'
        assert len(text_of(make_odt(spaced))) == 52


@given(st.binary(max_size=300))
def test_whatever_the_bytes_are_there_is_an_answer(content: bytes) -> None:
    result, pieces = read(content, "x.txt")
    assert (result.state == "kept") == bool(pieces)


@given(st.text(max_size=2_000))
def test_no_text_breaks_what_keeps_it(text: str) -> None:
    _, pieces = read(text.encode(), "\ud800.txt")
    for piece in pieces:
        assert "\x00" not in piece.body
        piece.body.encode()
