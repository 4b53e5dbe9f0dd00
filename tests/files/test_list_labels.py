"""Numbers and bullets of lists are read as Word and LibreOffice show them."""

from __future__ import annotations

import io

import docx
import pytest
from docx.oxml.ns import qn
from docx.oxml.parser import OxmlElement

from bot.documents.document_request import PageRequest
from bot.documents.docx_worker import make_docx
from tests.files.sample_files import make_odt, word_list_parts
from tests.support.file_fakes import read, text_of

# Word --------------------------------------------------------------------------------------------


def level(at: int, form: str, text: str, *, start: int = 1, more: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/>{more}'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
    )


def described(name: str, *levels: str, more: str = "") -> str:
    return f'<w:abstractNum w:abstractNumId="{name}">{more}{"".join(levels)}</w:abstractNum>'


def num(name: str, of: str, *overrides: str) -> str:
    over = "".join(overrides)
    return f'<w:num w:numId="{name}"><w:abstractNumId w:val="{of}"/>{over}</w:num>'


def starts(at: int, value: int) -> str:
    return f'<w:lvlOverride w:ilvl="{at}"><w:startOverride w:val="{value}"/></w:lvlOverride>'


def numbered(num: str = "", at: int | None = None) -> str:
    depth = "" if at is None else f'<w:ilvl w:val="{at}"/>'
    name = f'<w:numId w:val="{num}"/>' if num else ""
    return f"<w:numPr>{depth}{name}</w:numPr>"


def item(
    text: str, num: str = "", at: int | None = None, *, style: str = "", mark: str = ""
) -> str:
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    number = numbered(num, at) if num or at is not None else ""
    return f"<w:p><w:pPr>{named}{number}{mark}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def style(name: str, of: str = "", number: str = "", more: str = "") -> str:
    based = f'<w:basedOn w:val="{of}"/>' if of else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="{name}"{more}>{based}<w:pPr>{number}</w:pPr>'
        "</w:style>"
    )


LEGAL = described(
    "0",
    level(0, "decimal", "%1."),
    level(1, "decimal", "%1.%2"),
    level(2, "lowerLetter", "%3)"),
    level(3, "lowerRoman", "%1.%2.%4"),
)


def test_articles_of_a_contract_are_read_with_their_numbers() -> None:
    body = "".join(
        item(text, "1", at)
        for text, at in [
            ("Objet", 0), ("Prix", 0), ("Montant", 1), ("Délais", 1), ("un mois", 2),
            ("deux mois", 2), ("Litiges", 0), ("Droit", 1), ("sous", 2), ("plus", 3),
        ]
    )  # fmt: skip
    assert text_of(word_list_parts(body, numbering=LEGAL + num("1", "0"))) == (
        "1. Objet\n2. Prix\n2.1 Montant\n2.2 Délais\na) un mois\nb) deux mois\n3. Litiges\n"
        "3.1 Droit\na) sous\n3.1.i plus"
    )


def test_bullets_are_dashes_that_are_indented_by_their_levels() -> None:
    points = described("0", level(0, "bullet", "·"), level(1, "bullet", "o"))
    body = item("un", "1", 0) + item("deux", "1", 1) + item("trois", "1")
    table = f"<w:tbl><w:tr><w:tc>{item('a', '1', 1)}{item('b', '1', 1)}</w:tc></w:tr></w:tbl>"
    content = word_list_parts(body + table, numbering=points + num("1", "0"))
    assert text_of(content) == "- un\n  - deux\n- trois\n- a - b"


STYLES = (
    style("Normal", more=' w:default="1"')
    + style("Titre1", "Normal", numbered("1"))
    + style("Titre2", "Titre1", numbered(at=1))
    + style("Clause", "Titre2")
    + style("Sans", "Titre2", numbered("0"))
)
HEADINGS = described(
    "7",
    level(0, "upperRoman", "Article %1 :", more='<w:pStyle w:val="Titre1"/>'),
    level(1, "decimal", "%1.%2", more='<w:pStyle w:val="Titre2"/><w:isLgl/>'),
    level(2, "lowerLetter", "%3)"),
) + num("1", "7")


def test_headings_are_numbered_by_their_styles() -> None:
    body = (
        item("Objet", style="Titre1")
        + item("Définitions", style="Titre2")
        + item("Champ", style="Clause")
        + item("Nu", style="Sans")
        + item("Nu aussi", "0", style="Titre1")
        + item("Plus bas", at=2, style="Titre2")
        + item("Prix", style="Titre1")
        + item("Texte", style="Normal")
        + item("Autre", style="Inconnu")
        + item("Montant", style="Titre2")
    )
    assert text_of(word_list_parts(body, numbering=HEADINGS, styles=STYLES)) == (
        "Article I : Objet\n1.1 Définitions\n1.2 Champ\nNu\nNu aussi\na) Plus bas\n"
        "Article II : Prix\nTexte\nAutre\n2.1 Montant"
    )


@pytest.mark.parametrize(
    ("form", "start", "shown"),
    [
        ("decimal", 9, "9 10"),
        ("decimalZero", 9, "09 10"),
        ("lowerLetter", 26, "z aa"),
        ("upperLetter", 27, "AA BB"),
        ("lowerRoman", 4, "iv v"),
        ("upperRoman", 1999, "MCMXCIX MM"),
        ("ordinal", 1, "1st 2nd"),
        ("ordinal", 11, "11th 12th"),
        ("chineseCounting", 3, "3 4"),
        ("lowerLetter", 0, "0 a"),
        ("upperLetter", 1_000_000, "1000000 1000001"),
        ("lowerRoman", 999_999_999, "999999999 1000000000"),
    ],
)
def test_numbers_are_written_in_their_formats(form: str, start: int, shown: str) -> None:
    one = described("0", level(0, form, "(%1)", start=start)) + num("1", "0")
    first, second = shown.split()
    content = word_list_parts(item("x", "1") + item("y", "1"), numbering=one)
    assert text_of(content) == f"({first}) x\n({second}) y"


def test_ordinal_numbers_are_french_in_french_documents() -> None:
    one = described("0", level(0, "ordinal", "Article %1")) + num("1", "0")
    language = '<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="fr-CI"/></w:rPr></w:rPrDefault>'
    content = word_list_parts(
        item("Objet", "1") + item("Prix", "1"),
        numbering=one,
        styles=f"{language}</w:docDefaults>",
    )
    assert text_of(content) == "Article 1er Objet\nArticle 2e Prix"


def test_levels_without_numbers_show_their_words_or_nothing() -> None:
    levels = level(0, "none", "Annexe"), level(1, "none", ""), level(2, "decimal", "%1%2-%3.%2.")
    body = item("a", "1", 0) + item("b", "1", 1) + item("c", "1", 2) + item("d", "1", 8)
    content = word_list_parts(body, numbering=described("0", *levels) + num("1", "0"))
    assert text_of(content) == "Annexe a\nb\n1.. c\nd"


def test_levels_restart_as_they_are_told() -> None:
    levels = (
        level(0, "decimal", "%1."),
        level(1, "decimal", "%1.%2", more='<w:lvlRestart w:val="0"/>'),
        level(2, "decimal", "%3)", more='<w:lvlRestart w:val="1"/>'),
    )
    body = "".join(item("x", "1", at) for at in (0, 1, 2, 1, 2, 0, 1, 2))
    content = word_list_parts(body, numbering=described("0", *levels) + num("1", "0"))
    assert text_of(content).replace(" x", "").split() == str.split("1. 1.1 1) 1.2 2) 2. 2.3 1)")


def test_lists_of_one_description_go_on_unless_they_start_anew() -> None:
    other = f'<w:lvlOverride w:ilvl="0">{level(0, "upperLetter", "%1/", start=7)}</w:lvlOverride>'
    numbering = (
        LEGAL
        + num("1", "0")
        + num("2", "0")
        + num("3", "0", starts(0, 1))
        + num("4", "0", starts(0, 5), starts(1, 3))
        + num("5", "0", other)
    )
    order = ["1", "1", "2", "3", "3", "1", "4", "5"]
    body = "".join(item("x", name) for name in order) + item("x", "4", 1) + item("x", "3")
    labels = text_of(word_list_parts(body, numbering=numbering)).replace(" x", "").split()
    assert labels == str.split("1. 2. 3. 1. 2. 3. 5. F/ 6.3 7.")


def test_a_level_whose_parents_never_came_counts_them_as_one() -> None:
    body = "".join(item("x", "1", at) for at in (1, 1, 0, 1))
    content = word_list_parts(body, numbering=LEGAL + num("1", "0"))
    assert text_of(content) == "1.1 x\n1.2 x\n2. x\n2.1 x"


def test_a_list_style_describes_lists_that_name_it() -> None:
    link = '<w:numStyleLink w:val="Liste"/>'
    numbering = LEGAL + described("1", more=link) + num("1", "0") + num("2", "1")
    styles = (
        '<w:style w:type="numbering" w:styleId="Liste"><w:pPr><w:numPr><w:numId w:val="1"/>'
        "</w:numPr></w:pPr></w:style>"
    )
    content = word_list_parts(
        item("a", "2", 0) + item("b", "2", 1), numbering=numbering, styles=styles
    )
    assert text_of(content) == "1. a\n1.1 b"


def test_paragraphs_that_were_deleted_or_have_changed_are_not_counted_twice() -> None:
    gone = '<w:rPr><w:del w:id="1"/></w:rPr>'
    before = f"<w:pPrChange><w:pPr>{numbered('0')}</w:pPr></w:pPrChange>"
    body = item("a", "1", 0) + item("", "1", 0, mark=gone) + item("b", "1", 0, mark=before)
    content = word_list_parts(body, numbering=LEGAL + num("1", "0"))
    assert text_of(content).split("\n") == ["1. a", "", "2. b"]


def test_lists_of_python_docx_are_read() -> None:
    document = docx.Document()
    document.add_heading("Objet", 1)
    for text in ("un", "deux"):
        document.add_paragraph(text, style="List Number")
    document.add_paragraph("point", style="List Bullet")
    heading = document.styles["Heading 1"].element.get_or_add_pPr()
    properties, name = OxmlElement("w:numPr"), OxmlElement("w:numId")
    name.set(qn("w:val"), str(document.styles["List Number"].element.pPr.numPr.numId.val))
    properties.append(name)
    heading.append(properties)
    held = io.BytesIO()
    document.save(held)
    assert text_of(held.getvalue()) == "1. Objet\n2. un\n3. deux\n- point"


def test_a_document_that_griot_wrote_is_read_with_its_numbers() -> None:
    request = PageRequest(
        "Contrat",
        "1. Objet\n2. Prix\n   - net\n   1. brut\n\nSuite\n\n3. Durée\n\n- fin",
    )
    assert text_of(make_docx(request).content).split("\n\n")[0] == (
        "Contrat\n1. Objet\n2. Prix\n  - net\na. brut\nSuite\n3. Durée\n- fin"
    )


@pytest.mark.parametrize(
    ("numbering", "styles"),
    [
        (b"", b""),
        (b"<w:numbering", b"<w:styles"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><a/>', b"\xff\xfe"),
        (LEGAL + num("1", "9") + num("x", "0"), style("S", "S", numbered("1"))),
        (described("0", level(-3, "decimal", "%1"), level(77, "", "%2")) + num("1", "0"), ""),
        ('<w:num w:numId="1"/><w:lvl/><w:numFmt/><w:start/><w:abstractNum/>', "<w:style/>"),
        (
            described("0", more='<w:numStyleLink w:val="S"/>') + num("1", "0"),
            style("S", "S", numbered("1")),
        ),
        (LEGAL + "<w:lvl>" * 400 + "</w:lvl>" * 400, style("S") * 200_001),
    ],
    ids=str.split("empty cut forbidden dangling levels bare circle endless"),
)  # fmt: skip
def test_a_document_is_read_whatever_its_numbering_is(
    numbering: str | bytes, styles: str | bytes
) -> None:
    content = word_list_parts(
        item("Objet", "1", 0) + item("Prix", style="S"), numbering=numbering, styles=styles
    )
    result, pieces = read(content)
    assert result.state == "kept"
    assert pieces[0].body.replace(" ", "").endswith("Objet\nPrix")


def test_styles_that_are_based_on_each_other_without_end_are_read() -> None:
    chain = "".join(style(f"S{at}", f"S{at + 1}") for at in range(5_000))
    circle = style("A", "B") + style("B", "A")
    content = word_list_parts(
        item("a", style="S0") + item("b", style="A"),
        numbering=HEADINGS,
        styles=chain + circle + style("S5000", "", numbered("1")),
    )
    assert text_of(content) == "a\nb"


@pytest.mark.parametrize("at", [9, 10_000, -1])
@pytest.mark.parametrize("num", ["1", "9" * 5_000, "é"])
def test_numbers_out_of_range_are_no_numbers(num: str, at: int) -> None:
    numbering = LEGAL + f'<w:num w:numId="1"><w:abstractNumId w:val="0"/>{starts(at, 9 * 10**30)}'
    content = word_list_parts(item("a", num, at), numbering=f"{numbering}</w:num>")
    assert text_of(content) == "a"


def test_labels_are_bounded() -> None:
    long = described("0", level(0, "decimal", "%1" * 1_000 + "x" * 100_000)) + num("1", "0")
    assert len(text_of(word_list_parts(item("a", "1") * 10, numbering=long))) < 2_000


# OpenDocument ------------------------------------------------------------------------------------


def numbers(at: int, form: str, more: str = "", kind: str = "list-level-style-number") -> str:
    return f'<text:{kind} text:level="{at}" style:num-format="{form}" {more}/>'


def list_style(name: str, *levels: str) -> str:
    return f'<text:list-style style:name="{name}">{"".join(levels)}</text:list-style>'


def entries(*items: str, style: str = "", more: str = "") -> str:
    named = f'text:style-name="{style}"' if style else ""
    return f"<text:list {named} {more}>{''.join(items)}</text:list>"


def entry(*parts: str, more: str = "", kind: str = "list-item") -> str:
    inner = "".join(part if part.startswith("<") else f"<text:p>{part}</text:p>" for part in parts)
    return f"<text:{kind} {more}>{inner}</text:{kind}>"


SUFFIX = 'style:num-suffix="."'
ODT_LISTS = list_style(
    "L1",
    numbers(1, "1", SUFFIX),
    numbers(2, "a", 'style:num-suffix=")" style:num-letter-sync="true"'),
    numbers(3, "i", 'style:num-prefix="(" style:num-suffix=")" text:display-levels="3"'),
) + list_style(
    "L2",
    numbers(1, "A", f'{SUFFIX} text:start-value="3"'),
    numbers(2, ""),
    numbers(3, "1", 'style:num-suffix="°" text:display-levels="3"'),
    '<text:list-level-style-bullet text:level="4" text:bullet-char="•"/>',
)


def odt_text(*parts: str, automatic: str = ODT_LISTS, styles: str | bytes = "") -> str:
    body = f"<office:text>{''.join(parts)}</office:text>"
    return text_of(make_odt(body, automatic=automatic, styles=styles))


def test_lists_of_an_open_document_are_read_with_their_numbers() -> None:
    inner = entries(entry("b"), entry("c"))
    again = entries(entry("d"), entry("e", entries(entry("f"))))
    assert odt_text(
        entries(entry("a", inner, "suite", again), entry("g"), style="L1"),
        "<text:p>Texte</text:p>",
        entries(entry("h"), style="L1"),
    ) == "1. a\na) b\nb) c\nsuite\na) d\nb) e\n(1.b.i) f\n2. g\nTexte\n1. h"  # fmt: skip


def test_headers_start_values_and_levels_without_numbers_are_read() -> None:
    deep = entries(entry("sans", entries(entry("profond", entries(entry("point"))))))
    assert (
        odt_text(
            entries(
                entry("tête", kind="list-header"),
                entry("a", deep),
                entry("b", more='text:start-value="9"'),
                entry("c"),
                entry("d", more='text:style-override="L1"'),
                style="L2",
            )
        )
        == "tête\nC. a\nsans\nC.1° profond\n      - point\nI. b\nJ. c\n11. d"
    )


def test_lists_go_on_where_they_are_told_to() -> None:
    going_on = 'text:continue-numbering="true"'
    within = entries(entry(entries(entry("c"))), entry("d"), style="L1", more=going_on)
    assert (
        odt_text(
            entries(entry("a", entries(entry("b"))), style="L1", more='xml:id="x"'),
            within,
            entries(entry("e"), style="L2", more=going_on),
            entries(entry("f"), style="L1", more='text:continue-list="x"'),
            entries(entry("g"), style="L1", more='text:continue-list="y"'),
        )
        == "1. a\na) b\nb) c\n2. d\nC. e\n3. f\n1. g"
    )


def test_parents_that_never_came_are_counted_as_one() -> None:
    assert (
        odt_text(entries(entry(entries(entry("a"), entry("b"))), entry("c"), style="L1"))
        == "a) a\nb) b\n2. c"
    )


def test_lists_without_a_style_have_that_of_their_paragraphs() -> None:
    paragraph_styles = (
        '<style:style style:family="paragraph" style:name="P1" style:list-style-name="L1"/>'
        '<style:style style:family="text" style:name="P2" style:list-style-name="L2"/>'
        '<style:style style:family="paragraph" style:name="P2" style:parent-style-name="P1"/>'
    )
    styled = '<text:p text:style-name="P2">a</text:p>'
    content = entries(entry(styled), entry(styled)) + entries(entry("b"))
    common = f"<office:styles>{ODT_LISTS}</office:styles>"
    assert odt_text(content, automatic=paragraph_styles, styles=common) == "1. a\n2. a\nb"


OUTLINE = (
    "<office:styles><text:outline-style>"
    + numbers(1, "I", 'style:num-prefix="Article "', "outline-level-style")
    + numbers(2, "1", f'text:display-levels="2" {SUFFIX}', "outline-level-style")
    + '<text:outline-level-style text:level="3" style:num-format=""/></text:outline-style>'
    '<style:style style:family="paragraph" style:name="Nu" style:list-style-name=""/>'
    '<style:style style:family="paragraph" style:name="T" style:parent-style-name="Nu"'
    ' style:list-style-name="Autre"/></office:styles>'
)


def heading(text: str, at: int, more: str = "") -> str:
    return f'<text:h text:outline-level="{at}" {more}>{text}</text:h>'


def test_headings_of_an_open_document_are_numbered_by_its_outline() -> None:
    assert odt_text(
        heading("<text:number>9</text:number>Objet", 1),
        heading("Champ", 2),
        heading("Sans", 2, 'text:is-list-header="true"'),
        heading("Nu", 2, 'text:style-name="Nu"'),
        heading("Détail", 3, 'text:style-name="T"'),
        heading("Prix", 1),
        heading("Montant", 2, 'text:restart-numbering="true" text:start-value="7"'),
        heading("Délais", 2),
        entries(entry(heading("Liste", 2)), style="L1"),
        styles=OUTLINE,
    ) == (
        "Article I Objet\nI.1. Champ\nSans\nNu\nDétail\nArticle II Prix\nII.7. Montant\n"
        "II.8. Délais\n1. Liste"
    )


def test_formats_that_libreoffice_adds_are_read() -> None:
    own = 'xmlns:l="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"'
    lists = list_style(
        "L1",
        numbers(1, "01, 02, 03, ...", f'{own} l:num-list-format="Art. %1% -"'),
        numbers(2, "1", f'{own} l:num-list-format="%1%/%2%)" text:display-levels="2"'),
        numbers(3, "A", 'text:start-value="28"'),
        numbers(4, "a", 'text:start-value="702"'),
    )
    deepest = entries(entry("d"), entry("e"))
    deep = entries(entry("b", entries(entry("c", deepest))))
    assert odt_text(entries(entry("a", deep), style="L1"), automatic=lists) == (
        "Art. 01 - a\n01/1) b\nAB c\nzz d\n703 e"
    )


@pytest.mark.parametrize(
    "styles",
    [b"<", b'<!DOCTYPE a [<!ENTITY b "c">]><a/>', "<office:styles/>" * 300_000],
    ids=str.split("damaged forbidden endless"),
)
def test_an_open_document_is_read_whatever_its_styles_are(styles: str | bytes) -> None:
    assert odt_text(entries(entry("a"), style="L1"), heading("b", 1), styles=styles) == "1. a\nb"


def test_lists_that_are_nested_or_described_beyond_reason_are_read() -> None:
    deep = "a"
    for _ in range(100):
        deep = entries(entry(deep))
    wrong = list_style("L1", numbers(0, "1"), numbers(11, "1"), numbers(1, "1" * 9_000, SUFFIX))
    strange = entries(entry("b", more='text:start-value="x"'), style="L1")
    circle = '<style:style style:family="paragraph" style:name="P" style:parent-style-name="P"/>'
    looped = entries(entry('<text:p text:style-name="P">c</text:p>'))
    stray = "<text:list-item><text:p>d</text:p></text:list-item>"
    headings = heading("e", -1) + heading("f", 10**20)
    assert odt_text(deep, strange, looped, stray, headings, automatic=wrong + circle) == (
        "a\n1. b\nc\nd\ne\nf"
    )
