from __future__ import annotations

import io
from typing import Any

import docx
import msgspec
import pytest
from docx.document import Document as Word
from docx.enum.text import WD_LINE_SPACING
from docx.oxml.ns import qn
from docx.shared import Pt
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml.etree import fromstring
from PIL import Image

from bot.documents.document_request import Document, PageRequest, decode_document
from bot.documents.docx_worker import make_docx, serve
from bot.documents.image_worker import shrink_image
from bot.documents.theme import measure_longest_word

W14 = "http://schemas.microsoft.com/office/word/2010/wordml"


def make(content: str, title: str = "", language: str = "fr") -> Document:
    return make_docx(PageRequest(title, content, language, name="contrat"))


def read(content: str, title: str = "", language: str = "fr") -> Word:
    return docx.Document(io.BytesIO(make(content, title, language).content))


def find(word: Word, name: str) -> list[Any]:
    return list(word.element.body.iter(qn(name)))


def lines(word: Word) -> list[tuple[str, str]]:
    """The paragraphs with text: style and text."""
    return [
        (paragraph.style.name, paragraph.text)
        for paragraph in word.paragraphs
        if paragraph.text and paragraph.style
    ]


def test_title_headings_and_paragraphs_have_their_styles() -> None:
    word = read("## Objet\n\nLe texte.\n\n### Suite", title="Contrat")
    assert lines(word) == [
        ("Title", "Contrat"),
        ("Heading 2", "Objet"),
        ("Normal", "Le texte."),
        ("Heading 3", "Suite"),
    ]
    assert word.core_properties.title == "Contrat"


@pytest.mark.parametrize(("title", "content"), [("Bilan", "Texte"), ("", "# Bilan\n\nTexte")])
def test_a_date_stands_under_the_title(title: str, content: str) -> None:
    document = make_docx(PageRequest(title, content, name="x", date="1er mars 2027"))
    word = docx.Document(io.BytesIO(document.content))
    assert lines(word) == [("Title", "Bilan"), ("Subtitle", "1er mars 2027"), ("Normal", "Texte")]


def test_without_a_title_no_date_stands_there() -> None:
    document = make_docx(PageRequest("", "Texte", name="x", date="1er mars 2027"))
    assert lines(docx.Document(io.BytesIO(document.content))) == [("Normal", "Texte")]


def test_a_first_heading_that_says_the_title_again_stands_once() -> None:
    assert lines(read("# Contrat\n\nTexte", title="Contrat")) == [
        ("Title", "Contrat"),
        ("Normal", "Texte"),
    ]


def test_a_title_has_scripts_as_characters() -> None:
    assert lines(read("# Le CO~2~\n\nTexte", title="Le CO~2~"))[0] == ("Title", "Le CO₂")
    assert lines(read("# Le CO~2~\n\nTexte", title="Le CO~2~"))[1] == ("Normal", "Texte")


def test_a_first_heading_that_only_begins_the_title_stands() -> None:
    content = "# Introduction\n\ntexte un\n\n# Exercices\n\ntexte deux"
    headings = [text for style, text in lines(read(content, "Introduction aux fractions"))][1:]
    assert headings == ["Introduction", "texte un", "Exercices", "texte deux"]


def test_emphasis_is_emphasis() -> None:
    (paragraph,) = read("un **gras** et *italique* et ~~barré~~ et ***les deux***").paragraphs
    runs = {run.text: run for run in paragraph.runs}
    assert runs["gras"].bold
    assert runs["italique"].italic
    assert runs["barré"].font.strike
    assert runs["les deux"].bold
    assert runs["les deux"].italic
    assert not runs["un "].bold


def test_scripts_are_lowered_and_raised_even_in_small_letters() -> None:
    header = "| " + " | ".join(["H~2~O"] * 9) + " |\n" + "|---" * 9 + "|"
    word = read(f"H~2~O sur 5 m^2^ ?\n\n{header}")
    runs = {run.text: run for run in word.paragraphs[0].runs}
    assert [runs["2"].font.superscript, runs["O sur 5\u00a0m"].font.subscript] == [True, None]
    assert word.paragraphs[0].text == "H2O sur 5\u00a0m2\u202f?"
    low = word.tables[0].rows[0].cells[0].paragraphs[0].runs[1]
    assert low.font.subscript
    assert low.font.size == Pt(9.5)
    names = [child.tag for child in low._r.rPr]
    assert names.index(qn("w:sz")) < names.index(qn("w:vertAlign"))


def test_links_are_links_to_the_web_and_to_mail_alone() -> None:
    word = read(
        "[site](https://example.org/a) <mailto:a@example.org> https://example.org/b "
        "[non](javascript:alert(1)) [fichier](file:///etc/passwd) [ftp](ftp://example.org)"
    )
    rels = [rel.target_ref for rel in word.part.rels.values() if rel.is_external]
    assert rels == ["https://example.org/a", "mailto:a@example.org", "https://example.org/b"]
    links = [link.text for link in word.paragraphs[0].hyperlinks]
    assert links == ["site", "mailto:a@example.org", "https://example.org/b"]
    assert "fichier" in word.paragraphs[0].text


def test_a_link_used_twice_is_one_relationship() -> None:
    word = read("[a](https://example.org) [b](https://example.org)")
    assert sum(rel.is_external for rel in word.part.rels.values()) == 1


def numbers(word: Word) -> list[tuple[str, str, str]]:
    """Of numbered paragraphs: list, level, text."""
    found: list[tuple[str, str, str]] = []
    for paragraph in word.paragraphs:
        mark = paragraph._p.find(f".//{qn('w:numPr')}")
        if mark is not None:
            level, number = (
                mark.find(qn(f"w:{name}")).get(qn("w:val")) for name in ("ilvl", "numId")
            )
            found.append((number, level, paragraph.text))
    return found


def test_lists_nest_and_a_new_list_begins_at_one() -> None:
    word = read("1. a\n   - b\n   - c\n2. d\n\nTexte\n\n1. e\n2. f\n\n<!-- -->\n\n5. g")
    marks = numbers(word)
    assert [(level, text) for _, level, text in marks] == [
        *(("0", "a"), ("1", "b"), ("1", "c"), ("0", "d"), ("0", "e"), ("0", "f"), ("0", "g"))
    ]
    first, bullets, second, fifth = marks[0][0], marks[1][0], marks[4][0], marks[6][0]
    assert len({first, bullets, second, fifth}) == 4
    assert marks[3][0] == first
    starts = {
        number.get(qn("w:numId")): number.find(f".//{qn('w:startOverride')}")
        for number in word.part.numbering_part.element.iter(qn("w:num"))
    }
    assert starts[second].get(qn("w:val")) == "1"
    assert starts[fifth].get(qn("w:val")) == "5"


def test_what_continues_an_item_is_indented_and_has_no_number() -> None:
    word = read("1. a\n\n   encore\n\n2. b")
    assert [text for _, _, text in numbers(word)] == ["a", "b"]
    more = word.paragraphs[1]
    assert more.text == "encore"
    assert more.paragraph_format.left_indent == word.paragraphs[0].paragraph_format.left_indent


def test_tasks_have_boxes_to_tick() -> None:
    word = read("- [ ] à faire\n- [x] fait\n- autre")
    assert [text for _, _, text in numbers(word)] == ["autre"]
    assert [paragraph.text.strip() for paragraph in word.paragraphs] == ["à faire", "fait", "autre"]
    states = [box.get(f"{{{W14}}}val") for box in word.element.body.iter(f"{{{W14}}}checked")]
    assert states == ["0", "1"]
    shown = [box.find(f".//{qn('w:t')}").text for box in find(word, "w:sdtContent")]
    assert shown == ["☐", "☑"]


def test_a_table_has_its_cells_and_repeats_its_header() -> None:
    word = read("| A | B |\n|---|--:|\n| un | **2** |\n| trois |\n\n| C |\n|---|")
    first, second = word.tables
    assert [[cell.text for cell in row.cells] for row in first.rows] == [
        *(["A", "B"], ["un", "2"], ["trois", ""])
    ]
    assert first.rows[0]._tr.find(f".//{qn('w:tblHeader')}") is not None
    assert first.rows[1]._tr.find(f".//{qn('w:tblHeader')}") is None
    assert first.rows[1].cells[1].paragraphs[0].alignment == 2  # right
    assert [cell.text for cell in second.rows[0].cells] == ["C"]
    widths = [int(column.get(qn("w:w"))) for column in first._tbl.iter(qn("w:gridCol"))]
    assert sum(widths) == 9_538
    between = first._tbl.getnext()
    assert between.tag == qn("w:p")  # without it Word would join the tables


NAMES = "| Élève | Établissement | Quantité | Prix (F CFA) | Observation |\n|---|---|---|---|---|\n"


def test_no_name_is_broken_in_a_table_and_figures_are_flush() -> None:
    notes = "une remarque assez longue pour plusieurs lignes de la case"
    word = read(NAMES + f"| Ouattara-Kouassi | Ferkessédougou | 1 200 | 12,5 | {notes} |\n" * 2)
    (table,) = word.tables
    widths = [int(column.get(qn("w:w"))) for column in table._tbl.iter(qn("w:gridCol"))]
    for cell, width in zip(table.rows[1].cells, widths, strict=True):
        size = (cell.paragraphs[0].runs[0].font.size or Pt(11)).pt
        assert measure_longest_word(cell.text) * size * 20 + 200 <= width
    assert sum(widths) == 9_538
    sides = [cell.paragraphs[0].alignment for cell in table.rows[1].cells]
    assert sides == [0, 0, 2, 2, 0]
    assert [cell.paragraphs[0].alignment for cell in table.rows[0].cells] == sides


def test_no_word_is_broken_in_a_table_where_calibri_is_missing() -> None:
    header = "Commune | Responsable | Chiffre d'affaires | Évolution | Réapprovisionnement | Avis"
    cells = "Treichville | N'Guessan Marie | 15 250 000 | +18,5 % | Hebdomadaire | Établissement"
    word = read(f"| {header} |\n{'|---' * 6}|\n| {cells} |\n" + "\n\n| Un | Deux |\n|---|---|\n")
    large, small = word.tables
    widths = [int(column.get(qn("w:w"))) for column in large._tbl.iter(qn("w:gridCol"))]
    (margin, _) = [int(side.get(qn("w:w"))) for side in large._tbl.find(f".//{qn('w:tblCellMar')}")]
    for factor, row in zip((1.34, 1.21), large.rows, strict=True):  # of DejaVu Sans
        for cell, width in zip(row.cells, widths, strict=True):
            size = cell.paragraphs[0].runs[0].font.size.pt
            assert size >= 9
            word_width = measure_longest_word(cell.text) * factor * size * 20
            assert word_width + 2 * margin <= width
    assert small.rows[0].cells[0].paragraphs[0].runs[0].font.size is None  # 11 points


WORDS = {"Note": "À noter", "Tip": "Astuce", "Warning": "Attention", "Contents": "Sommaire"}


def write(content: str, **more: Any) -> Word:
    letter = PageRequest("", content, "fr", words=WORDS, **more)
    return docx.Document(io.BytesIO(make_docx(letter).content))


@pytest.mark.parametrize(
    ("quote", "label", "text"),
    [
        ("> [!NOTE]\n> Un fait", "À noter", "Un fait"),
        ("> [!TIP] Titre\n> Un fait", "Titre", "Un fait"),
        ("> [!warning]\n> Un fait", "Attention", "Un fait"),
        ("> **Définition** : un fait", "Définition", "Un fait"),
    ],
)
def test_a_quote_with_a_title_is_a_box(quote: str, label: str, text: str) -> None:
    word = write(quote)
    (cell,) = word.tables[0].rows[0].cells
    assert [paragraph.text for paragraph in cell.paragraphs] == [label, text]
    assert cell.paragraphs[0].runs[0].bold
    assert cell._tc.find(f".//{qn('w:tcPr')}/{qn('w:shd')}") is not None
    assert word.tables[0]._tbl.getnext().tag == qn("w:p")


def test_a_box_holds_lists_and_tables_within_its_width() -> None:
    word = write("> [!NOTE]\n> - un\n> - deux\n>\n> | A | B |\n> |---|---|\n> | 1 | 2 |")
    (cell,) = word.tables[0].rows[0].cells
    (inner,) = cell.tables
    grids = [
        sum(int(column.get(qn("w:w"))) for column in table._tbl.tblGrid)
        for table in (word.tables[0], inner)
    ]
    assert grids[1] < grids[0] == 9_538
    assert cell.paragraphs[-1]._p.getnext() is None  # a cell ends with a paragraph


def test_the_model_hears_that_a_diagram_is_not_drawn() -> None:
    (note,) = make("```mermaid\npie\n```").notes
    assert note.startswith("Mermaid is not drawn")


def test_lines_ended_on_purpose_stay_beside_a_footnote() -> None:
    word = read("Rue des Écoles\nAbidjan\n\nLa masse[^1] est\nconservée.\n\n[^1]: Lavoisier.")
    shown = [text for _, text in lines(word)]
    assert shown == ["Rue des Écoles\nAbidjan", "La masse est\nconservée."]


def test_footnotes_are_words_own() -> None:
    document = make(
        "Un[^1] et deux[^b] et encore[^1], puis[^x].\n\n[^1]: *La* note\n[^b]: "
        "[Lien](https://example.org)"
    )
    word = docx.Document(io.BytesIO(document.content))
    calls = [call.get(qn("w:id")) for call in find(word, "w:footnoteReference")]
    assert calls == ["1", "2"]
    (part,) = [
        rel.target_part for rel in word.part.rels.values() if rel.reltype.endswith("/footnotes")
    ]
    root = fromstring(part.blob)
    texts = ["".join(note.itertext()) for note in root if note.get(qn("w:type")) is None]
    assert texts == ["La note", "Lien"]
    assert [rel.target_ref for rel in part.rels.values()] == ["https://example.org"]
    declared = word.settings.element.find(qn("w:footnotePr"))
    assert [each.get(qn("w:id")) for each in declared] == ["-1", "0"]
    assert "[^x]" in document.notes[0]
    assert "[^1]" not in word.paragraphs[0].text


LONG = "Les parties conviennent de ce qui suit. " * 40


def test_a_long_document_has_its_contents_filled_in() -> None:
    articles = "\n\n".join(f"## Article {n} : $x^{n}$\n\n{LONG}\n\n{LONG}" for n in range(1, 9))
    word = write(articles + "\n\n### Suite\n\nfin")
    styles = [(p.style.name, p.text) for p in word.paragraphs if p.style]
    assert styles[0] == ("TOC Heading", "Sommaire")
    entries = [p for p in word.paragraphs if p.style and p.style.name.startswith("toc ")]
    assert entries[0].text == "Article 1 : x¹\t2"
    pages = [int(entry.text.rpartition("\t")[2]) for entry in entries]
    assert pages == sorted(pages)
    assert pages[-1] > 6
    settings = word.settings.element
    names = [child.tag for child in settings]
    assert names.index(qn("w:updateFields")) < names.index(qn("w:compat"))
    first = next(p for p in word.paragraphs if p.style and p.style.name == "Heading 2")
    assert first.paragraph_format.page_break_before
    assert [p.style.name for p in entries if p.style] == ["toc 2"] * 8 + ["toc 3"]
    marks = {mark.get(qn("w:name")) for mark in find(word, "w:bookmarkStart")}
    leads = {link.get(qn("w:anchor")) for link in find(word, "w:hyperlink")}
    assert leads == marks
    codes = [code.text for code in find(word, "w:instrText")]
    assert codes[0].split() == ["TOC", "\\o", '"2-3"', "\\h", "\\z", "\\u"]
    assert [code.split()[0] for code in codes[1:]] == ["PAGEREF"] * 9
    kinds = [mark.get(qn("w:fldCharType")) for mark in find(word, "w:fldChar")]
    assert kinds == ["begin", "separate"] * 2 + ["end"] + ["begin", "separate", "end"] * 8 + ["end"]


@pytest.mark.parametrize("content", [LONG * 9, "\n\n".join(f"## {n}\n\nx" for n in range(9))])
def test_a_short_document_has_no_contents(content: str) -> None:
    assert not find(write(content), "w:fldChar")


def test_a_picture_stands_over_its_caption_and_has_words() -> None:
    out = io.BytesIO()
    Image.new("RGB", (3_000, 1_000), "green").save(out, "PNG")
    word = write(
        "![Le fleuve Niger](file:x)\n\n| Carte |\n|---|\n| ![Petit](file:x) |",
        images={"file:x": shrink_image(out.getvalue())},
    )
    large, small = find(word, "wp:inline")
    assert large.find(qn("wp:docPr")).get("descr") == "Le fleuve Niger"
    size = large.find(qn("wp:extent"))
    wide, high = int(size.get("cx")), int(size.get("cy"))
    assert wide / high == pytest.approx(3, rel=0.01)
    assert wide <= 17 * 360_000
    assert int(small.find(qn("wp:extent")).get("cy")) <= 160 * 12_700
    assert ("Caption", "Le fleuve Niger") in lines(word)
    assert len({each.find(qn("wp:docPr")).get("id") for each in (large, small)}) == 2


def test_the_rows_of_a_long_table_all_arrive() -> None:
    word = read("| a | b |\n|---|---|\n" + "| x | y |\n" * 3_000)
    assert len(find(word, "w:tr")) == 3_001


def test_formulas_are_words_own_and_those_that_cannot_be_set_are_named() -> None:
    document = make("Soit $x^2$ et\n\n$$\\frac{1}{2}$$\n\nmais $\\inconnu{x}$ et $5.")
    word = docx.Document(io.BytesIO(document.content))
    assert len(find(word, "m:oMath")) == 2
    assert len(find(word, "m:oMathPara")) == 1
    (note,) = document.notes
    assert note == r"1 formula could not be set and stayed as typed: '\inconnu{x}'."


@pytest.mark.parametrize("broken", [r"\inconnu{x}", r"\begin{matrix}1&2", r"\frac{1}{2"])
def test_a_formula_that_cannot_be_set_stands_as_it_was_typed(broken: str) -> None:
    (paragraph,) = read(f"mais ${broken}$ et $5.").paragraphs
    assert [run.text for run in paragraph.runs if run.font.name == "Consolas"] == [broken]


def test_code_keeps_its_lines_and_its_stars() -> None:
    word = read("```python\na = **b**\n\tc\n```\n\net `x*y*z`")
    assert word.paragraphs[0].text == "a = **b**\n    c"
    assert word.paragraphs[0].runs[0].font.name == "Consolas"
    assert any(run.text == "x*y*z" for run in word.paragraphs[1].runs)


def test_quotes_and_rules_are_drawn() -> None:
    word = read("> cité\n\n---\n\nfin")
    assert word.paragraphs[0].text == "cité"
    assert len(find(word, "w:pBdr")) == 2


@pytest.mark.parametrize(
    "line", ["\\newpage", '<div style="page-break-after: always;"></div>', "<!-- pagebreak -->"]
)
def test_a_page_break_is_one_of_word(line: str) -> None:
    word = read(f"Un.\n{line}\nDeux.")
    assert [each.get(qn("w:type")) for each in find(word, "w:br")] == ["page"]
    assert [paragraph.text for paragraph in word.paragraphs if paragraph.text.strip()] == [
        "Un.",
        "Deux.",
    ]


def test_tags_of_bold_and_emphasis_are_read() -> None:
    word = read("<b>Gras **et** x^2^</b> <u>Objet</u> 2 < 3 <b>ouvert")
    runs = [(run.text, bool(run.bold), bool(run.italic)) for run in word.paragraphs[0].runs]
    assert ("Gras ", True, False) in runs
    assert ("Objet", False, True) in runs
    assert runs[-1][0].endswith("2 < 3 <b>ouvert")


LETTER = (
    "Awa Koné\nCocody\n\nMadame la Directrice\nBanque\n\nAbidjan, le 3 mars 2026\n\n"
    "Objet : visite\n\nMadame la Directrice,\n\nJe vous écris.\n\nAwa Koné\nGérante"
)


def asides(word: Word) -> list[str]:
    """The paragraphs on the right half of the page."""
    return [each.text for each in word.paragraphs if each.paragraph_format.left_indent]


def test_a_letter_has_the_recipient_the_day_and_the_signature_at_the_right() -> None:
    assert asides(read(LETTER)) == [
        "Madame la Directrice\nBanque",
        "Abidjan, le 3 mars 2026",
        "Awa Koné\nGérante",
    ]
    assert asides(read(LETTER.replace("Abidjan, le 3 mars 2026\n\n", ""))) == []
    assert asides(read(LETTER, title="Contrat")) == []


def test_each_line_to_write_on_is_drawn() -> None:
    word = read("Réponds :\n\n________\n\n________\n\n___")
    assert [len(borders) for borders in find(word, "w:pBdr")] == [2, 2, 1]


def test_a_footnote_that_is_called_again_keeps_its_number_and_its_text() -> None:
    word = read("Un[^a], deux[^b] et encore[^a] [^a].\n\n[^a]: Premier.\n[^b]: Second.")
    calls = find(word, "w:footnoteReference")
    assert [call.get(qn("w:id")) for call in calls] == ["1", "2"]
    fields = find(word, "w:fldSimple")
    assert [field.find(f".//{qn('w:t')}").text for field in fields] == ["1", "1"]
    (name,) = {field.get(qn("w:instr")).split()[1] for field in fields}
    (mark, *_) = find(word, "w:bookmarkStart")
    assert mark.get(qn("w:name")) == name
    assert mark.getnext().find(qn("w:footnoteReference")) is calls[0]


def test_headings_and_tables_of_nothing_are_left_out() -> None:
    word = read("#\n\n## \n\n## $x^2$\n\n| | |\n|---|---|\n\n| | |\n|---|---|\n| | |")
    assert [each.style.name for each in word.paragraphs if each.style][:1] == ["Heading 2"]
    assert "Heading 1" not in {each.style.name for each in word.paragraphs if each.style}
    assert [len(table.rows) for table in word.tables] == [2]


def new_pages(content: str) -> list[str]:
    """The paragraphs that begin a page."""
    return [
        line.text for line in read(content).paragraphs if line.paragraph_format.page_break_before
    ]


def test_the_answers_to_exercises_begin_a_page() -> None:
    sheet = "## Exercice 1\n\nCalcule.\n\n---\n\n## Corrigé\n\n### Exercice 1\n\n42"
    assert new_pages(sheet) == ["Corrigé"]
    assert not find(read(sheet), "w:pBdr")
    assert new_pages("## Exercise 1\n\nAdd.\n\n## Answer key\n\n42") == ["Answer key"]
    assert new_pages("## Problèmes\n\nIl pleut.\n\n## Solutions\n\nUn toit.") == []
    assert new_pages("## Corrigé de l’exercice 1\n\n42") == []


def test_lines_to_write_on_leave_space_for_a_hand() -> None:
    first, second = read("________\n\n________").paragraphs
    for line in (first, second):
        assert line.paragraph_format.line_spacing_rule == WD_LINE_SPACING.EXACTLY
        assert 22 <= line.paragraph_format.line_spacing.pt <= 30
    (_, inner) = read("1. Explique.\n\n   ________").paragraphs
    assert inner.paragraph_format.left_indent.cm > 0.5


def test_lines_of_dots_are_lines_to_write_on() -> None:
    word = read(
        "Pourquoi ?\n\n.........................\n……………………\n\n- Comment ?\n\n  ...................."
    )
    said = [line.text for line in word.paragraphs if line.text]
    assert said == ["Pourquoi\u202f?", "Comment\u202f?"]
    assert [len(borders) for borders in find(word, "w:pBdr")] == [2, 2, 2]
    assert not find(read("Et puis…\n\n...\n\nNom : ................"), "w:pBdr")


WIDE = f"|{' Mois |' * 13}\n|{'---|' * 13}\n|{' 12345678901 |' * 13}\n"


@pytest.mark.parametrize(
    ("content", "pages"),
    [
        (f"Avant.\n\n## Mois\n\nVoici :\n\n{WIDE}\nAprès.", "ULU"),
        (f"Avant.\n\n{WIDE}", "UL"),
        (f"{WIDE}\nAprès.", "LU"),
        (WIDE, "L"),
        (f"{WIDE}\n## Encore\n\n{WIDE}", "LL"),
    ],
)
def test_a_table_too_wide_for_the_page_turns_it(content: str, pages: str) -> None:
    word = read(content)
    sections = list(word.sections)
    assert "".join("L" if s.page_width > s.page_height else "U" for s in sections) == pages
    assert all(len(s.footer._element.xpath(".//w:instrText")) for s in sections)


def test_what_stands_over_a_wide_table_goes_to_its_page() -> None:
    word = read(f"Avant.\n\n## Mois\n\nVoici :\n\n{WIDE}\nAprès.")
    upright, landscape, _ = word.sections
    assert [p.text for p in upright.iter_inner_content()] == ["Avant.", ""]
    said = [getattr(each, "text", "") for each in landscape.iter_inner_content()]
    assert said == ["Mois", "Voici\xa0:", "", ""]


def test_the_page_is_a4_and_numbered() -> None:
    word = read("x")
    section = word.sections[0]
    assert (round(section.page_width.mm), round(section.page_height.mm)) == (210, 297)
    codes = [element.text.strip() for element in section.footer._element.iter(qn("w:instrText"))]
    assert codes == ["PAGE", "NUMPAGES"]


@pytest.mark.parametrize(("language", "locale"), [("fr", "fr-FR"), ("en", "en-GB")])
def test_spelling_is_checked_in_the_persons_language(language: str, locale: str) -> None:
    word = read("x", language=language)
    checked = {element.get(qn("w:val")) for element in word.styles.element.iter(qn("w:lang"))}
    assert checked == {locale}


def test_what_is_written_from_right_to_left_begins_at_the_right() -> None:
    word = read("مرحبا بالعالم\n\nbonjour")
    assert word.paragraphs[0]._p.find(f".//{qn('w:bidi')}") is not None
    assert word.paragraphs[0].runs[0]._r.find(f".//{qn('w:rtl')}") is not None
    assert word.paragraphs[1]._p.find(f".//{qn('w:bidi')}") is None


def test_control_characters_do_no_harm() -> None:
    word = read("a\x00b\x0bc\x1f\ufffe😀", title="T\x00\x0bitre")
    assert word.paragraphs[1].text == "abc😀"
    assert word.paragraphs[0].text == "Titre"


def test_pictures_are_named_and_not_fetched() -> None:
    word = read("![une carte](https://example.org/carte.png)")
    assert word.paragraphs[0].text == "[une carte]"
    assert not any(rel.is_external for rel in word.part.rels.values())


def test_every_style_that_is_used_is_there() -> None:
    word = read("[a](https://example.org)\n\n# T", title="X")
    styles = {style.get(qn("w:styleId")) for style in word.styles.element.iter(qn("w:style"))}
    used = {element.get(qn("w:val")) for element in find(word, "w:pStyle") + find(word, "w:rStyle")}
    assert used <= styles


def test_a_short_document_is_light_and_whole() -> None:
    document = make("1. Bonjour\n\n| A |\n|---|", title="Titre")
    word = docx.Document(io.BytesIO(document.content))
    assert len(document.content) < 16_000
    numbered = {
        number.get(qn("w:numId")) for number in word.part.numbering_part.element.iter(qn("w:num"))
    }
    used = {
        element.get(qn("w:val"))
        for root in (word.element, word.styles.element)
        for element in root.iter(qn("w:numId"))
    }
    assert used <= numbered
    named = {style.get(qn("w:styleId")) for style in word.styles.element.iter(qn("w:style"))}
    for kind in ("w:basedOn", "w:next", "w:link"):
        links = {element.get(qn("w:val")) for element in word.styles.element.iter(qn(kind))}
        assert links <= named


def test_the_program_takes_and_gives_bytes() -> None:
    answer = decode_document(serve(msgspec.json.encode(PageRequest("", "Bonjour"))))
    assert docx.Document(io.BytesIO(answer.content)).paragraphs[0].text == "Bonjour"


MARKS = (
    "# |## |- |1. |> |```|~~~|\x7c |---|$|$$|\\(|\\)|**|*|_|~~|[a](b)|<br>|mot|\n|\n\n"
    "|   |\t|\\|!|<|&amp;|é|😀|\x7c-\x7c"
)


@given(st.lists(st.sampled_from(MARKS.split("|")), max_size=40).map("".join) | st.text(max_size=60))
@settings(max_examples=40)
def test_whatever_the_text_is_it_opens(content: str) -> None:
    assert read(content, title=content[:20]).paragraphs is not None


@given(st.lists(st.from_regex(r"[a-zéèà]{4,9}", fullmatch=True), min_size=1, max_size=12))
@settings(max_examples=15)
def test_no_word_is_lost(words: list[str]) -> None:
    thirds = [words[index::3] for index in range(3)]
    content = (
        f"{' '.join(thirds[0])}\n\n- {' '.join(thirds[1])}\n\n| {' '.join(thirds[2])} |\n|---|\n"
    )
    word = read(content)
    found = " ".join(element.text or "" for element in find(word, "w:t"))
    assert sorted(found.split()) == sorted(words)


@pytest.mark.parametrize(
    "text",
    [
        "Awa Koné\nBP 1234 Abidjan 01\n+225 07 01 02 03 04",
        "Monsieur le Directeur\nSociété Ivoirienne de Banque",
        "Jane Smith\n12 High Street\nLeeds LS1 4AP",
        "**Le bailleur**\n**Le locataire**",
        "Nom : Koné, né le 12 mars 1980 à Bouaké, domicilié à Cocody, Angré, 8e tranche, lot 12\n"
        "Profession : comptable à la Société ivoirienne de banque, agence du Plateau, depuis 2004",
        "> Awa Koné\n> Directrice",
    ],
)
def test_lines_that_were_ended_on_purpose_stay_lines(text: str) -> None:
    word = read(text)
    assert len(find(word, "w:br")) == text.count("\n")


def test_signatures_side_by_side_stand_under_each_other() -> None:
    word = read("**Le bailleur**          **Le preneur**\n(lu et approuvé)       (lu et approuvé)")
    (line,) = word.paragraphs
    assert line.text == "Le bailleur\tLe preneur\n(lu et approuvé)\t(lu et approuvé)"
    (stop,) = line.paragraph_format.tab_stops
    assert 8 < stop.position.cm < 9


@pytest.mark.parametrize(
    ("line", "signed"),
    [
        ("Fait à Abidjan, le 3 mars.", "| Le bailleur | Le preneur |\n|---|---|\n| | |"),
        ("Done at Accra.", "The landlord"),
        ("En deux exemplaires.", "Le bailleur          Le preneur"),
    ],
)
def test_signatures_stay_with_the_line_above_them(line: str, signed: str) -> None:
    clause, above, *_ = read(f"Clause.\n\n{line}\n\n{signed}").paragraphs
    assert above.paragraph_format.keep_with_next
    assert not clause.paragraph_format.keep_with_next


@pytest.mark.parametrize(
    "text",
    [
        "Un texte    avec des espaces",
        "Mot    " + "mot " * 30,
        "a    b    c    d",
        "Nom : ____  Classe",
    ],
)
def test_spaces_within_a_text_stay_spaces(text: str) -> None:
    assert "\t" not in read(text).paragraphs[0].text


@pytest.mark.parametrize(
    "text",
    [
        "Le présent contrat est conclu pour une durée d’un an à compter de sa signature par\n"
        "les deux parties ; il est renouvelé par tacite reconduction, sauf dénonciation par\n"
        "lettre recommandée.",
        "The tenant shall keep the premises in good repair and shall not make any change to them\n"
        "without the consent of the landlord.",
        "Voir [le texte](https://example.org/un/chemin/qui/est/vraiment/tres/long) de la loi, qui\n"
        "vaut dans tout le pays.",
    ],
)
def test_lines_of_a_wrapped_text_flow(text: str) -> None:
    assert not find(read(text), "w:br")


def test_formulas_of_a_header_and_of_a_label_have_its_colour() -> None:
    word = read("| $\\frac{a}{b}$ | B |\n|---|---|\n| 1 | 2 |\n\n> **Exemple** $x^2$")
    colours = [
        [colour.get(qn("w:val")) for colour in formula.iter(qn("w:color"))]
        for formula in find(word, "m:oMath")
    ]
    assert colours[0] == ["6B2D14"] * 3  # the two letters and the bar
    fills = [fill.get(qn("w:fill")) for fill in find(word, "w:shd")]
    assert fills[:2] == ["F0E8DB", "F0E8DB"]


def test_a_header_without_formulas_is_white_on_dark() -> None:
    word = read("| A | B |\n|---|---|\n| $x$ | 2 |")
    assert [fill.get(qn("w:fill")) for fill in find(word, "w:shd")][:2] == ["6B2D14"] * 2
    assert not list(find(word, "m:oMath")[0].iter(qn("w:color")))


SIGNS = r"\begin{array}{c|cc|} x & 0 & 1 \\ \hline f(x) & + & \\ \hline \end{array}"


@pytest.mark.parametrize("text", [f"$$\n{SIGNS}\n$$", f"$${SIGNS}.$$", f"${SIGNS}$"])
def test_an_array_with_lines_becomes_a_table(text: str) -> None:
    document = make(f"Voici\n\n{text}\n\nfin")
    (table,) = docx.Document(io.BytesIO(document.content)).tables
    sides = [
        {side.tag.rsplit("}")[1] for side in cell._tc.tcPr.find(qn("w:tcBorders"))}
        for row in table.rows
        for cell in row.cells
    ]
    assert sides == [
        *(set(), {"left"}, {"right"}),
        *({"top", "bottom"}, {"top", "bottom", "left"}, {"top", "bottom", "right"}),
    ]
    assert len(list(table._tbl.iter(qn("m:oMath")))) == 6
    assert document.notes == ()


def test_lines_of_an_array_within_text_are_named_as_lost() -> None:
    document = make(f"On a ${SIGNS}$ ici")
    assert document.notes[0].startswith("The lines between the cells of 1 formula are not shown")
    assert not make(r"On a $\begin{array}{cc} a & b \end{array}$ ici").notes


def test_an_unknown_command_does_not_spoil_its_formula() -> None:
    document = make(r"$$x = \frac{1}{2} \quad \inconnu{y}$$")
    word = docx.Document(io.BytesIO(document.content))
    (formula,) = find(word, "m:oMath")
    assert "".join(formula.itertext()) == "x=12\u2003\\inconnu{y}"
    assert document.notes == (
        r"Commands in formulas that are not known here stayed as typed: '\inconnu'. Write them in "
        "other LaTeX.",
    )


@pytest.mark.parametrize("rows", [1, 12, 13, 40])
def test_a_short_table_and_the_start_of_a_long_one_stay_on_one_page(rows: int) -> None:
    table = read("| A | B |\n|---|---|\n" + "| x | y |\n" * rows).tables[0]
    kept = [
        all(cell.paragraphs[0].paragraph_format.keep_with_next for cell in row.cells)
        for row in table.rows
    ]
    together = rows if rows <= 12 else 2
    assert kept == [True] * together + [False] * (rows + 1 - together)


def test_a_title_has_the_typography_of_the_text() -> None:
    title = lines(read("Texte", title="Qu'est-ce que l'IA ? Bilan: 50%"))[0][1]
    assert title == "Qu’est-ce que l’IA\u202f? Bilan\u00a0: 50\u00a0%"
    assert lines(read("Text", title="Why: 50%?", language="en"))[0][1] == "Why: 50%?"
