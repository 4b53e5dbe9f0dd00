"""PDF documents, read back by PDFium."""

from __future__ import annotations

import io
import itertools
import re
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pypdfium2
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace
from PIL import Image

from bot.documents import pdf_layouts, pdf_worker, typst_markup
from bot.documents.document_request import DocumentImage, PageRequest, Template, decode_document
from bot.documents.image_worker import shrink_image
from bot.documents.pdf_layouts import lay_out_pages
from bot.documents.pdf_worker import make_pdf
from bot.documents.typst_compiler import compile_page, open_compiler
from bot.errors import ToolFailed
from bot.formulas.typst import to_parts
from bot.isolated_worker.worker import IsolatedWorker
from tests.support.documents import letters_of, page_request, pages_of, read_pdf


def picture(width: int, height: int) -> DocumentImage:
    out = io.BytesIO()
    Image.new("RGB", (width, height), "green").save(out, "PNG")
    return shrink_image(out.getvalue())


def unpacked(pdf: bytes) -> bytes:
    """A PDF with its compressed streams in clear."""
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    return pdf + b"".join(map(_inflate, streams))


def _inflate(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return b""


TEMPLATES: tuple[Template, ...] = ("report", "lesson", "exercise", "letter")
LONG = "\n\n".join(f"## Partie {n}\n\n" + "Une phrase du texte. " * 210 for n in range(5))


def test_a_report_begins_with_its_title_and_date_on_the_first_page() -> None:
    (page,) = pages_of("Texte.", title="La filière cajou")
    assert re.fullmatch(r"La filière cajou \d+(er)? \w+ \d{4} Texte\.", page)


def test_a_report_of_six_pages_has_a_title_page_a_running_head_and_numbers() -> None:
    first, second, *_, last = pages_of(LONG, title="La filière cajou")
    assert re.fullmatch(r"La filière cajou \d+(er)? \w+ \d{4}", first)
    assert second.startswith("La filière cajou ")
    assert last.endswith("Page 7 / 7")


@pytest.mark.parametrize("template", ["lesson", "exercise", "letter"])
def test_only_a_report_has_a_title_page(template: Template) -> None:
    first, *_ = pages_of(LONG, template)
    assert "Une phrase du texte" in first


def lines_of(content: str, **facts: Any) -> list[str]:
    """The lines of the first page."""
    document = pypdfium2.PdfDocument(make_pdf(page_request(content, **facts)))
    text: str = document[0].get_textpage().get_text_range()
    document.close()
    return [line.strip() for line in text.splitlines()]


def test_lines_that_were_ended_on_purpose_stay_lines() -> None:
    text = "4.1. Payer le loyer.\n4.2. Garder les lieux.\n4.3. Ne pas sous-louer."
    assert lines_of(text)[-3:] == text.split("\n")


def test_signatures_side_by_side_stand_under_each_other() -> None:
    text = "**Le bailleur**          **Le preneur**\n(lu et approuvé)       (bon pour accord)"
    document = pypdfium2.PdfDocument(make_pdf(page_request(text)))
    page = document[0].get_textpage()
    words = ("Le bailleur", "(lu et approuvé)", "Le preneur", "(bon pour accord)")
    found = [page.search(word).get_next() for word in words]
    left = [page.get_charbox(at)[0] for at, _ in filter(None, found)]
    document.close()
    assert left == pytest.approx([left[0], left[0], left[2], left[2]], abs=2)
    assert left[2] - left[0] > 180


def test_a_title_of_two_lines_has_lines_of_about_the_same_length() -> None:
    title = "Rapport sur les réalisations et les perspectives du groupe Ivoire Négoce pour 2026"
    assert lines_of("Texte.", title=title)[:2] == [
        "Rapport sur les réalisations et les perspectives",
        "du groupe Ivoire Négoce pour 2026",
    ]


def test_no_word_of_a_table_is_hyphenated() -> None:
    header = "Commune | Responsable commercial | Chiffre d'affaires | Évolution | Rythme | Avis"
    cells = "Abobo | Konan Amenan | 8 100 000 | −2,25 % | Mensuel | Renégociation nécessaire, {}"
    row = cells.format("concurrence accrue dans tous les établissements scolaires")
    text = " ".join(lines_of(f"| {header} |\n{'|---' * 6}|\n| {row} |\n| {row} |"))
    table = text.partition("Commune")[2]  # after the day, which has figures too
    for word in row.replace("|", "").split():
        assert table.count(word) == 2


def test_a_title_has_scripts_as_characters() -> None:
    page = pages_of("# Le CO~2~\n\nTexte", title="Le CO~2~")[0]
    assert page.startswith("Le CO₂")
    assert page.endswith(" Texte")


def test_a_heading_that_repeats_the_title_is_not_said_twice() -> None:
    assert pages_of("## Le cajou\n\nTexte.", title="Le cajou")[0].count("Le cajou") == 1


def test_a_long_report_has_contents_with_the_pages() -> None:
    pages = pages_of(LONG)
    assert pages[1].startswith("Titre Sommaire Partie 0")
    found = re.search(r"Partie 4[ .\u2060]*(\d+)", pages[1])
    assert found
    assert "Partie 4" in pages[int(found[1]) - 1]
    assert "Sommaire" not in "".join(pages_of(LONG[:20_000]))
    assert "Sommaire" not in "".join(pages_of(LONG.replace("## ", "")))


def test_the_text_begins_under_short_contents_and_after_long_ones() -> None:
    assert "Une phrase" in pages_of(LONG)[1]
    many = "\n\n".join(f"## Partie {n}\n\n" + "Une phrase du texte. " * 40 for n in range(30))
    assert "Une phrase" not in pages_of(many)[1]


def test_a_lesson_has_its_title_its_boxes_and_its_aims() -> None:
    (page,) = pages_of(
        "## Objectifs\n- Comprendre\n\n## Cours\n\n> **Définition :** une part.", "lesson"
    )
    assert page == "Titre Objectifs • Comprendre Cours Définition Une part. Titre Page 1 / 1"


def test_answers_stand_on_a_page_of_their_own() -> None:
    sheet = "## Exercice\n\nCombien ?\n\n**Réponse :** douze\n\n# Corrigé\n\nTreize"
    questions, answers = pages_of(sheet, "exercise")
    assert "Exercice 1" in questions
    assert "Combien" in questions
    assert "Nom" in questions
    assert not re.search("douze|Treize", questions)
    assert answers.startswith("Corrigé Exercice 1 Réponse : douze")
    assert "Treize" in answers


def test_a_letter_has_the_parts_of_one() -> None:
    (page,) = pages_of(
        "Awa\n12 rue A\n\nBanque\n\nMadame,\n\nTexte.\n\nAwa", "letter", title="Objet : prêt"
    )
    assert re.fullmatch(
        r"Awa 12 rue A Banque Le \d+(er)? \w+ \d{4} Objet : Prêt Madame, Texte\. Awa", page
    )


def test_pages_speak_the_language_of_the_text() -> None:
    english = "This is the text of the lesson and it is for you. " * 3
    assert pages_of(english * 40)[0].endswith("Page 1 / 2")
    assert "Name" in pages_of(english, "exercise")[0]
    assert re.search(r"\d+ [A-Z]\w+ \d{4}", pages_of(english)[0])


def test_the_document_says_its_title_its_language_and_its_headings() -> None:
    pdf = make_pdf(page_request("### Un\n\nTexte\n\n#### Deux", title='Prix : "été"'))
    document = pypdfium2.PdfDocument(pdf)
    assert document.get_metadata_value("Title") == 'Prix : "été"'
    headings = [(entry.level, entry.get_title()) for entry in document.get_toc()]
    assert headings == [(0, "Un"), (1, "Deux")]
    assert document.is_tagged()
    assert b"/Lang(fr)" in pdf
    assert document[0].get_size() == pytest.approx((595.3, 841.9), abs=0.1)
    document.close()


def test_a_first_heading_that_only_begins_the_title_is_in_the_outline() -> None:
    content = "# Introduction\n\ntexte un\n\n# Exercices\n\ntexte deux"
    pdf = make_pdf(page_request(content, title="Introduction aux fractions"))
    document = pypdfium2.PdfDocument(pdf)
    assert [entry.get_title() for entry in document.get_toc()] == ["Introduction", "Exercices"]
    document.close()


@pytest.mark.parametrize(
    "given",
    [
        "**Nom et prénom :** ______________  **Classe :** _____  **Date :** _____",
        "Nom : ........................ Note : ....../20",
        "| Nom : | Classe : |\n|---|---|\n| ……………… | ……………… |",
    ],
)
def test_a_sheet_asks_for_the_name_once(given: str) -> None:
    (page,) = pages_of(f"{given}\n\n## Exercice 1\n\nCalcule.", "exercise", title="Aires")
    assert page.count("Nom") == 1
    (page,) = pages_of("Le nom de l’auteur : Oyono.\n\nCalcule.", "exercise", title="Aires")
    assert "Nom" in page


def test_headings_begin_at_the_first_level() -> None:
    assert "#heading(level: 1)" in lay_out_pages(page_request("### Un"))


def test_a_page_break_begins_a_page_but_not_within_a_box() -> None:
    assert len(pages_of("Un.\n\n\\newpage\n\nDeux.")) == 2
    assert len(pages_of("Un.\n\n> \\newpage\n\n- \\newpage\n\nDeux.")) == 1
    lesson = pages_of("## Objectifs\n\nLire.\n\n\\newpage\n\nDeux.", "lesson")
    assert len(lesson) == 2


def test_a_line_of_underscores_is_a_line_to_write_on() -> None:
    source = lay_out_pages(page_request("Réponds :\n\n________\n________\n\n___", "exercise"))
    assert source.count("#writing-line()") == 2
    assert source.count("#divider()") == 1


def test_the_same_manuscript_makes_the_same_file() -> None:
    text = page_request("Texte $x^2$.\n\n| a |\n|---|\n| 1 |")
    assert make_pdf(text) == make_pdf(text)


def test_a_header_is_repeated_on_every_page_of_a_table() -> None:
    pages = pages_of("| Entête |\n|---|\n" + "| mot |\n" * 120)
    assert len(pages) > 2
    assert all("Entête" in page for page in pages)


def test_mathematics_is_set_and_what_cannot_be_is_shown_as_typed() -> None:
    page = pages_of(r"Soit $\frac{1}{2}$, $\foo{x}$ et $\frac{1}{$. $$\sum_{k=1}^n k$$ Fin")[0]
    assert r"\foo{x}" in page
    assert r"\frac{1}{" in page
    assert r"\sum" not in page
    assert page.endswith("Fin")


def test_a_formula_that_typst_refuses_is_shown_as_typed_beside_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # No formula is known that can be written in Typst and not set by it; one may turn up.
    def written(latex: str, unknown: list[str] | None = None) -> list[str]:
        return ["unknown"] if latex == "x^9" else to_parts(latex, unknown)

    monkeypatch.setattr(typst_markup, "to_parts", written)
    monkeypatch.setattr(pdf_worker, "to_typst", lambda latex, _: "".join(written(latex)))
    page = pages_of(r"Avant $x^9$, $\frac{1}{2}$, $x^9$ après")[0]
    assert page.count("x^9") == 2
    assert "frac" not in page


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("![Un schéma](https://a.ci/x.png)", "Un schéma"),
        ("[lien](ftp://a.ci)", "lien"),
        ("[](https://a.ci)", "https://a.ci"),
        ("- [x] fait\n- [ ] reste", "☑ fait ☐ reste"),
        ("- [x] fait\n- autre", "• ☑ fait • autre"),
        ("> [!NOTE]\n> Un mot", "À noter Un mot"),
        ("> [!TIP]\n> - un", "Astuce • un"),
        ("> [!WARNING] Un mot", "Attention Un mot"),
        ("> [!IMPORTANT] Titre\n> Un mot", "Titre Un mot"),
        ("```mermaid\ngraph TD; A-->B\n```", "Schéma sous forme de texte graph TD; A-->B"),
        ("~~non~~ **oui**", "non oui"),
        ("H~2~O à ~5 km", "H2O à ~5 km"),
        ("```python\nx = '#let'\n```", "x = '#let'"),
        ("a\\\nb", "a b"),
        ("| a |\n|---|", "a"),
        ("مرحبا", "مرحبا"),
        ("> > > a", "a"),
        ("3. c\n4. d", "3. c 4. d"),
        ("x" * 400, "x" * 20),
    ],
)
def test_what_is_written_is_shown(markdown: str, shown: str) -> None:
    assert shown in pages_of(markdown)[0].replace("\u200b", "")


class Box(NamedTuple):
    char: str
    left: float
    bottom: float
    right: float
    top: float


def boxes_of(content: str, template: Template = "report", **facts: Any) -> list[Box]:
    """Each letter of the first page, and where it stands: points from the left and the bottom."""
    document = pypdfium2.PdfDocument(make_pdf(page_request(content, template, **facts)))
    page = document[0].get_textpage()
    text = page.get_text_range()
    boxes = [Box(char, *page.get_charbox(index)) for index, char in enumerate(text)]
    document.close()
    return boxes


def find_box(boxes: list[Box], char: str) -> Box:
    [found] = [box for box in boxes if box.char == char]
    return found


def test_fractions_in_a_line_are_large_and_keep_apart() -> None:
    boxes = boxes_of(r"1. $\frac{4}{6}$" "\n" r"2. $\frac{7}{8}$" "\n\n9", "exercise")
    digits = [find_box(boxes, digit) for digit in "46789"]
    heights = [box.top - box.bottom for box in digits]
    assert min(heights) > 0.85 * heights[-1]
    assert digits[1].bottom - digits[2].top > 4


def test_a_list_within_a_list_stands_as_close_as_its_items() -> None:
    boxes = boxes_of("1. H :\n   - T\n   - F\n2. E\n   - K\n3. X", title="a")
    lines = [find_box(boxes, letter).bottom for letter in "HTFEKX"]
    steps = [upper - lower for upper, lower in itertools.pairwise(lines)]
    assert max(steps) - min(steps) < 2


def test_a_footnote_has_a_space_after_its_number() -> None:
    boxes = boxes_of("texte[^1]\n\n[^1]: Hauteur.", title="a")
    note = find_box(boxes, "H")
    [number] = [box for box in boxes if box.char == "1" and note.bottom < box.top < note.top + 3]
    assert note.left - number.right > 1.5


def test_a_footnote_stands_at_the_foot_of_the_page_that_calls_it() -> None:
    first, second, *_ = pages_of(
        "Le mil[^m] et le riz[^2]. Encore le mil[^m].\n\n"
        + "Une phrase. " * 500
        + "\n\n[^m]: Une **céréale**.\n[^2]: Une autre\nde l'eau."
    )
    assert "Le mil1 et le riz2. Encore le mil1." in first
    assert re.search(r"1\s?Une céréale\. 2\s?Une autre de l’eau\. Page 1", first)
    assert "céréale" not in second


def test_a_footnote_of_a_heading_is_not_called_by_the_contents() -> None:
    pages = pages_of(LONG.replace("Partie 0", "Partie 0[^1]") + "\n\n[^1]: La note.")
    assert "".join(pages).count("La note") == 1


def test_a_footnote_that_is_not_called_or_not_written_loses_no_words() -> None:
    (page,) = pages_of("Texte[^1] et[^2].\n\n[^1]: Note une.\n\n[^9]: Note neuf.")
    assert "Texte1 et[^2]. Note neuf." in page


async def test_what_cannot_be_drawn_or_found_is_told_to_the_model() -> None:
    text = "Texte[^2].\n\n```mermaid\ngraph TD\n```\n\n> ```plantuml\n> a\n> ```"
    request = msgspec.json.encode(page_request(text))
    document = decode_document(
        await IsolatedWorker().run("bot.documents.pdf_worker", request, seconds=60)
    )
    drawn, footnote = document.notes
    assert drawn.startswith("Mermaid is not drawn: the diagram stands as plain text.")
    assert "[^2]" in footnote


def test_a_picture_has_its_caption_its_description_and_its_proportions() -> None:
    images = {"file:a": picture(400, 200)}
    text = "Avant ![Un champ de mil](file:a) après."
    pdf = make_pdf(replace(page_request(text), images=images))
    document = pypdfium2.PdfDocument(pdf)
    (shown,) = [
        each for each in document[0].get_objects() if each.type == pypdfium2.raw.FPDF_PAGEOBJ_IMAGE
    ]
    left, bottom, right, top = shown.get_bounds()
    assert (right - left) == pytest.approx(2 * (top - bottom), rel=0.02)
    document.close()
    assert "Avant Un champ de mil après." in read_pdf(pdf)[0]
    assert b"(Un champ de mil)" in unpacked(pdf)


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize(
    "markdown",
    [
        "![a](file:a)",
        "# ![a](file:a)",
        "- ![a](file:a)",
        "> **Exemple**\n> ![a](file:a)",
        "| ![a](file:a) |\n|---|\n| ![a](file:a) |",
        "[![a](file:a)](https://a.ci)",
        "**![a](file:a)**",
    ],
)
def test_a_picture_is_shown_wherever_it_stands(markdown: str, template: Template) -> None:
    images = {"file:a": picture(1_600, 20)}
    pdf = make_pdf(replace(page_request(f"{markdown}\n\nTexte.", template), images=images))
    assert b"/Subtype/Image" in unpacked(pdf)
    assert "Image non" not in read_pdf(pdf)[0]


def test_a_line_in_italics_under_a_picture_is_its_caption() -> None:
    images = {"file:a": picture(40, 20)}
    text = '![Description](file:a)\n*La légende*\n\n![Description](file:a "Un titre")'
    (page,) = read_pdf(make_pdf(replace(page_request(text), images=images)))
    assert "La légende Un titre" in page
    assert "Description" not in page


def test_a_picture_that_is_not_there_leaves_its_description() -> None:
    (page,) = pages_of("Avant\n\n![Une carte](file:absent)\n\nAprès")
    assert "Avant Image non affichée : Une carte Après" in page


def test_links_lead_only_to_the_web_and_to_mail() -> None:
    pdf = make_pdf(
        page_request(
            "[a](https://a.ci/b) [b](mailto:a@b.ci) [c](file:///etc/passwd) [d](ftp://x) [e](#y)"
        )
    )
    document = pypdfium2.PdfDocument(pdf)
    raw = pypdfium2.raw
    found: list[str] = []
    for page in document:
        for index in range(raw.FPDFPage_GetAnnotCount(page)):
            link = raw.FPDFAnnot_GetLink(raw.FPDFPage_GetAnnot(page, index))
            action = raw.FPDFLink_GetAction(link)
            size = raw.FPDFAction_GetURIPath(document, action, None, 0)
            buffer = bytes(size)
            raw.FPDFAction_GetURIPath(document, action, buffer, size)
            found.append(buffer.rstrip(b"\0").decode())
    document.close()
    assert found == ["https://a.ci/b", "mailto:a@b.ci"]


CODE = '#read("/etc/hostname")'


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize(
    "markdown",
    [
        CODE,
        f"# {CODE}",
        f"- {CODE}",
        f"| {CODE} |\n|---|\n| {CODE} |",
        f"`{CODE}`",
        f"```typ\n{CODE}\n```",
        f"> **Définition** {CODE}",
        f"[{CODE}](https://a.ci)",
        f"![{CODE}](https://a.ci)",
        f'"]{CODE}',
        f'\\"]{CODE}["',
        f'\\\\"]{CODE}',
        f'$\\text{{" {CODE}}}$',
        f"*/ // {CODE}",
        f"$x$ ] {CODE}",
        f'"\\u{{22}}{CODE}',
    ],
)
def test_code_of_typst_is_text(markdown: str, template: Template) -> None:
    pages = pages_of(f"{markdown}\n\nFin du texte.", template, title='"]#sys.version')
    shown = letters_of("".join(pages))
    assert "readetchostname" in shown
    assert "sysversion" in shown


_WORD = st.text(st.characters(categories=("Lu", "Ll", "Nd"), max_codepoint=0x17F), min_size=1)
_ANY = st.text(st.characters(exclude_categories=()), max_size=30)
_MARKS = st.sampled_from([
    "# ", "## Corrigé\n", "- ", "1. ", "> ", "\n", "\n\n", "**", "*", "_", "~~", "`", "```", "$",
    "[^1]", "\n\n[^1]: ", "[^a]", "\n[^a]: ", "> [!NOTE]\n> ", "> [!WARNING] ", "```mermaid\n",
    "![a](file:a)", "$$", "\\(", "\\)", "[", "](https://a.ci)", "![", "<br>", "---\n", "    ", "\t",
    "#let x", '"',
    "\\", "//", "/*", "@a", "<a>", "**Réponse :** ", "Monsieur,\n\n", "Exercice ", "- [ ] ", "'",
    "\\newpage", "<b>",
    " : ", "« ", " »", "|a|b|\n|-|-|\n|c|\n", r"\frac{1}{2}", r"$\foo$", "$x^2$", "$$\ny\n$$\n",
])  # fmt: skip
_DOCUMENTS = st.lists(_ANY | _WORD | _MARKS, max_size=14).map("".join)
_NAMES = {
    "strong", "emph", "strike", "sub", "super", "link", "raw", "linebreak", "heading", "lead",
    "list", "enum", "writing-line", "pagebreak",
    "quoted", "divider", "sheet", "long-sheet", "callout", "formula", "wide-formula", "typed",
    "cover", "contents", "band", "sheet-head", "exercise", "answers", "head", "signature", "grid",
    "leftward", "opening", "picture", "small-picture", "absent-picture", "note", "note-again",
    "diagram",
}  # fmt: skip
_STRING = r'"(?:[^"\\]|\\.)*"'
_LEFT_OUT = re.compile(rf'{_STRING}|\$(?:\\.|{_STRING}|[^$\\"])*\$')
_SAID = page_request("").words
_COMPILER = open_compiler()
_TEMPLATES = Path(pdf_layouts.__file__).parent / "templates"


def names_in(source: str) -> set[str]:
    """The names of functions after `#` in markup, strings and formulas left out (these have tests
    of their own)."""
    return set(re.findall(r"#([\w.-]*)", _LEFT_OUT.sub("", source))) - {""}


@given(_DOCUMENTS, st.sampled_from(TEMPLATES), _ANY)
@example("a\ud800b\x00\u2028c", "report", "\ud800")
@example("H~2~O, m^2^", "report", "")
@example('$"$#0', "report", "")
@example("# [^1]\n[^1]:\n\n[^1]", "report", "")
def test_no_text_fails_or_becomes_code(content: str, template: Template, title: str) -> None:
    source = lay_out_pages(PageRequest(title, content, "fr", "1er mars 2026", template, _SAID))
    _, _, body = source.partition((_TEMPLATES / f"{template}.typ").read_text())
    assert names_in(body) <= _NAMES
    assert compile_page(_COMPILER, source) is not None


@given(st.lists(_WORD, min_size=9, max_size=9), st.sampled_from(TEMPLATES))
def test_all_words_arrive(words: list[str], template: Template) -> None:
    a, b, c, d, e, f, g, h, i = words
    content = (
        f"## x{a}\n\ntexte {b} **{c}**\n\n- p\n  - {d}\n\n1. {e}\n\n> {f}\n\n"
        f"| {g} | b |\n|---|---|\n| {h} | `{i}` |\n"
    )
    shown = letters_of("".join(pages_of(content, template)))
    for word in words:
        assert word in shown


async def made(content: str) -> bytes:
    request = msgspec.json.encode(page_request(content))
    return decode_document(
        await IsolatedWorker().run("bot.documents.pdf_worker", request, seconds=110)
    ).content


def section(number: int) -> str:
    phrase = f"Une phrase du rapport n° {number}, de la longueur que les phrases ont d'habitude. "
    items = "".join(f"- **Point {item}** : {phrase}\n" for item in range(3))
    rows = "".join(f"| {row} | {phrase} | {row * number} |\n" for row in range(2))
    return (
        f"## Partie {number}\n\n{phrase * 4}\n\n{phrase}\n\n{phrase}\n\n"
        f"$$\\frac{{{number}}}{{x^2}}$$\n\n{items}\n"
        f"| N | Texte | Prix |\n|---|---|---|\n{rows}"
    )


async def test_two_hundred_full_pages_fit_into_an_isolated_worker() -> None:
    pdf = await made("\n\n".join(map(section, range(475))))
    assert len(read_pdf(pdf)) > 200
    assert len(pdf) < 3_000_000


async def test_ten_thousand_rows_fit_into_an_isolated_worker() -> None:
    rows = "".join(f"| {n} | Kouassi | Bouaké | {n * 25} |\n" for n in range(10_000))
    pages = read_pdf(await made("| N | Nom | Ville | Prix |\n|---|---|---|---|\n" + rows))
    assert "9999 Kouassi Bouaké 249975" in pages[-1]
    assert len(pages) < 250


async def test_scripts_that_cannot_be_shown_are_told_to_the_model() -> None:
    request = msgspec.json.encode(page_request("中文"))
    document = decode_document(
        await IsolatedWorker().run("bot.documents.pdf_worker", request, seconds=60)
    )
    assert "Cjk" in document.notes[0]


async def test_pictures_that_are_left_out_are_told_to_the_model() -> None:
    request = msgspec.json.encode(page_request("Bravo 🎉 !"))
    document = decode_document(
        await IsolatedWorker().run("bot.documents.pdf_worker", request, seconds=60)
    )
    assert "🎉 were left out" in document.notes[0]


def test_what_is_written_from_right_to_left_begins_at_the_right() -> None:
    text = page_request("bonjour\n\nمرحبا بالعالم")
    assert lay_out_pages(text).count("#leftward(") == 1
    assert "مرحبا" in "".join(read_pdf(make_pdf(text)))


async def test_arabic_nko_and_tifinagh_have_a_face_of_their_own() -> None:
    content = "## سلام\n\nكتاب **جديد**, ߒߞߏ, ⵜⵉⴼⵉⵏⴰⵖ"
    request = msgspec.json.encode(page_request(content))
    document = decode_document(
        await IsolatedWorker().run("bot.documents.pdf_worker", request, seconds=60)
    )
    fonts = set(re.findall(rb"/BaseFont */[A-Z]{6}\+([\w-]+)", unpacked(document.content)))
    assert {b"GriotScripts-Regular", b"GriotScripts-Bold"} <= fonts
    assert not any(b"Mono" in font for font in fonts)
    assert not document.notes


def test_headings_lists_and_the_title_begin_at_the_right_too() -> None:
    boxes = boxes_of("## درس\n\n- كلمة\n- كتاب", title="سلام")
    edge = max(box.right for box in boxes)
    for letters in ("سلام", "درس", "كلمة"):
        assert max(box.right for box in boxes if box.char in letters) > edge - 40
    assert [box.left > edge - 20 for box in boxes if box.char == "•"] == [True, True]


def test_what_cannot_be_set_in_any_way_is_refused_with_a_way_out() -> None:
    without_words = PageRequest("a", "b", template="exercise")  # of which its template knows
    with pytest.raises(ToolFailed, match="simpler"):
        make_pdf(without_words)


def test_a_low_box_stays_on_one_page_and_a_high_one_goes_on() -> None:
    filled = "Une phrase.\n\n" * 31
    low, high = (
        pages_of(f"{filled}> **Exemple** : début\n>\n" + "> mot\n>\n" * lines + "> fin", "lesson")
        for lines in (4, 60)
    )
    assert [("Début" in page, "fin" in page) for page in low] == [(False, False), (True, True)]
    assert "Début" in high[0]
    assert "fin" in high[-1]


MONTHS = ("Janvier", "Février", "Mars", "Avril", "Mai", "Juin", "Juillet", "Août", "Septembre")
WIDE_TABLE = f"""
| Poste de dépense | {" | ".join(MONTHS)} |
|---|{"---:|" * len(MONTHS)}
| Loyer de la boutique au marché de Treichville | {" | ".join(["75 000"] * len(MONTHS))} |
"""


def test_the_heads_of_narrow_columns_do_not_touch() -> None:
    document = pypdfium2.PdfDocument(make_pdf(page_request(WIDE_TABLE)))
    text = document[0].get_textpage()
    boxes: list[tuple[float, float]] = []
    for month in MONTHS:
        place = text.search(month, match_case=True).get_next()
        assert place is not None
        letters = [text.get_charbox(place[0] + n) for n in range(place[1])]
        boxes.append((letters[0][0], letters[-1][2]))
    document.close()
    gaps = [after[0] - before[1] for before, after in itertools.pairwise(boxes)]
    assert min(gaps) > 4, gaps


@pytest.mark.parametrize("lines", range(24, 31))
def test_a_short_table_stays_on_one_page(lines: int) -> None:
    rows = "".join(f"| ligne {n} | {n} |\n" for n in range(1, 11))
    text = "\n\n".join(["Un paragraphe."] * lines)
    pages = pages_of(f"{text}\n\n| Nom | Nombre |\n|---|---|\n{rows}")
    assert any("Nom" in page and "ligne 1 " in page and "ligne 10" in page for page in pages)


@pytest.mark.parametrize("lines", range(26, 33))
def test_the_header_of_a_long_table_stays_with_two_rows(lines: int) -> None:
    rows = "".join(f"| ligne {n} | {n} |\n" for n in range(1, 41))
    text = "\n\n".join(["Un paragraphe."] * lines)
    pages = pages_of(f"{text}\n\n| Nom | Nombre |\n|---|---|\n{rows}")
    assert all("ligne 2 " in page for page in pages if "ligne 1 " in page)


def is_landscape(pdf: bytes) -> list[bool]:
    document = pypdfium2.PdfDocument(pdf)
    sizes = [page.get_size() for page in document]
    document.close()
    return [width > height for width, height in sizes]


def test_a_table_of_many_wide_columns_has_a_landscape_page() -> None:
    header = f"| {' | '.join(['Une désignation'] * 8)} |\n{'|---' * 8}|\n"
    row = "| " + " | ".join(["Sacs de riz parfumé"] * 8) + " |\n"
    text = f"Avant.\n\n## Achats\n\nVoici :\n\n{header}{row * 9}\n\nAprès."
    pdf = make_pdf(page_request(text))
    assert is_landscape(pdf) == [False, True, False]
    assert "Achats Voici" in read_pdf(pdf)[1]


@pytest.mark.parametrize(
    ("columns", "rows", "cell"), [(9, 9, "12"), (8, 3, "Sacs de riz parfumé"), (6, 9, "mot")]
)
def test_other_tables_stay_on_upright_pages(columns: int, rows: int, cell: str) -> None:
    row = f"| {' | '.join([cell] * columns)} |\n"
    pdf = make_pdf(page_request(f"{row}{'|---' * columns}|\n{row * rows}"))
    assert is_landscape(pdf) == [False]


def test_a_wide_table_alone_stands_under_the_title() -> None:
    row = f"| {' | '.join(['Sacs de riz parfumé'] * 8)} |\n"
    pdf = make_pdf(page_request(f"{row}{'|---' * 8}|\n{row * 9}", title="Achats"))
    assert is_landscape(pdf) == [True]
