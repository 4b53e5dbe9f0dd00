"""Books, RTF files and e-mails of strangers come out as text, or with a clear word why not."""

from __future__ import annotations

import time
from email.message import EmailMessage

import pytest

from bot.files.extracted_text import TextReader
from bot.files.media import sniff
from bot.isolated_worker.worker import IsolatedWorker
from tests.files.sample_files import make_epub
from tests.support.file_fakes import read, text_of


def reason_of(content: bytes) -> str:
    result, pieces = read(content)
    assert result.state == "refused"
    assert not pieces
    return result.reason


# EPUB --------------------------------------------------------------------------------------------


def test_a_book_is_read_in_the_order_of_its_spine() -> None:
    book = make_epub("<h1>Un</h1><p>L’été&nbsp;commence.</p>", "<p>Deux</p>", "<p>Trois</p>")
    assert text_of(book, "livre.epub") == "Un\n\nL’été commence.\n\nDeux\n\nTrois"
    assert text_of(make_epub("<p>Racine</p>", folder=""), "livre") == "Racine"


def test_formulas_of_a_book_are_read() -> None:
    formula = "<math xmlns='m'><mfrac><mn>1</mn><mn>2</mn></mfrac></math>"
    assert text_of(make_epub(f"<p>x = {formula}</p>")) == "x = 1/2"


def test_numbered_lists_of_a_book_are_read_with_their_numbers() -> None:
    inner = "<ul><li>point</li></ul><ol type='a'><li>sous</li></ol>"
    body = (
        f"<ol><li><p>Objet</p></li><li> <b>Prix</b>{inner}</li><li value='7'>Durée</li></ol>"
        "<ol start='3' type='I'><li><math xmlns='m'><mn>5</mn></math></li><li/><li>fin</li></ol>"
        "<ol reversed='' start='9'><li>a</li><li>b</li></ol><ol reversed=''><li>c</li></ol>"
        "<ol start='x' type='?'><li>d</li></ol><li>nu</li>"
    )
    lines = [line for line in text_of(make_epub(body)).split("\n") if line]
    assert lines == [
        "1. Objet", "2. Prix", "point", "a. sous", "7. Durée", "III. 5", "V. fin", "9. a", "8. b",
        "c", "1. d", "nu",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("charset", "encoding"), [("utf-16", "utf-16"), ("iso-8859-1", "cp1252"), ("cp1251", "cp1251")]
)
def test_pages_of_a_book_are_read_in_their_encodings(charset: str, encoding: str) -> None:
    words = "Привет" if charset == "cp1251" else "Noël à l’été"
    page = f'<?xml version="1.0" encoding="{charset}"?><html><body><p>{words}</p></body></html>'
    book = make_epub("", **{"OEBPS/text/page 1.xhtml": page.encode(encoding)})
    assert text_of(book) == words


def test_pages_that_a_book_names_twice_or_elsewhere_are_passed_over() -> None:
    package = (
        '<package><manifest><item id="a" href="text/page%201.xhtml#start"/>'
        '<item id="up" href="../../../../etc/passwd"/><item id="root" href="/etc/passwd"/>'
        '<item id="web" href="https://example.org/page.xhtml"/></manifest><spine>'
        + "".join(f'<itemref idref="{name}"/>' for name in ("up", "a", "root", "web", "no", "a"))
        + "</spine></package>"
    )
    assert text_of(make_epub("<p>Seule</p>", **{"OEBPS/content.opf": package})) == "Seule"


ENCRYPTED = (
    '<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData>'
    '<e:EncryptionMethod Algorithm="{}"/><e:CipherData><e:CipherReference URI="{}"/>'
    "</e:CipherData></e:EncryptedData></encryption>"
)


def test_a_protected_book_is_refused_and_one_with_protected_fonts_is_read() -> None:
    method = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
    pages = ENCRYPTED.format(method, "OEBPS/text/page%201.xhtml")
    protected = make_epub("<p>Texte</p>", **{"META-INF/encryption.xml": pages})
    assert "protected against copying (DRM)" in reason_of(protected)
    fonts = ENCRYPTED.format("http://www.idpf.org/2008/embedding", "OEBPS/fonts/a.otf")
    assert text_of(make_epub("<p>Texte</p>", **{"META-INF/encryption.xml": fonts})) == "Texte"


@pytest.mark.parametrize(
    ("book", "reason"),
    [
        (make_epub(), "damaged"),
        (make_epub("a", **{"OEBPS/content.opf": "<package>"}), "damaged"),
        (make_epub("a", **{"META-INF/container.xml": "<container/>"}), "damaged"),
        (make_epub("a", **{"META-INF/container.xml": b"\xff\xfe<"}), "damaged"),
        (make_epub("a", **{"META-INF/encryption.xml": "<encryption>"}), "damaged"),
        (
            make_epub("a", **{"OEBPS/content.opf": '<!DOCTYPE a [<!ENTITY b "c">]><a/>'}),
            "declaration",
        ),
        (make_epub("<img src='page.jpg'/>"), "scan"),
        (make_epub("", **{"OEBPS/text/page 1.xhtml": bytes(2_000)}), "scan"),
        (make_epub("a")[:-100], "damaged"),
    ],
    ids=str.split("empty package container binary encryption entities pictures noise cut"),
)
def test_a_book_that_cannot_be_read_is_refused_with_the_reason(book: bytes, reason: str) -> None:
    assert reason in reason_of(book)


def test_a_small_book_that_unfolds_to_much_is_refused() -> None:
    parts = {f"OEBPS/text/page {number}.xhtml": f"<p>{' ' * 30_000_000}</p>" for number in range(8)}
    book = make_epub(*[""] * 8, **parts)
    assert len(book) < 500_000
    assert "unfolds to more" in reason_of(book)


async def test_a_book_is_read_in_a_process_of_its_own() -> None:
    reading = await TextReader(IsolatedWorker()).read("livre.epub", "", make_epub("<p>Texte</p>"))
    assert (reading.state, reading.reason) == ("kept", "")
    assert reading.pieces[0].body == "Texte"


def test_a_long_book_is_read_as_far_as_may_be() -> None:
    result, pieces = read(make_epub(*[f"<p>{'mot ' * 100_000}</p>"] * 8))
    assert (result.state, result.cut) == ("kept", True)
    assert len(pieces) > 2_000


def test_a_book_keeps_its_type_and_its_extension() -> None:
    found = sniff(make_epub("a"), "", "Livre.epub")
    assert (found.kind, found.mime_type) == ("document", "application/epub+zip")
    renamed = make_epub("a", mimetype="application/epub+zip\n")
    assert sniff(renamed, "application/zip", "Livre.zip").extension == ".epub"


# RTF ---------------------------------------------------------------------------------------------


def rtf(body: str, head: str = r"\ansi\ansicpg1252\uc1{\fonttbl{\f0\fswiss Arial;}}") -> bytes:
    return rf"{{\rtf1{head}{body}}}".encode("latin-1")


def test_an_rtf_file_is_read_with_its_accents_tables_and_signs() -> None:
    body = (
        r"{\info{\title Secret}}\pard L\'e9l\'e8ve {\b calcule} \{vite\}\par"
        r"\trowd\cellx100\cellx200 Nom\cell Note\cell\row Awa\cell 12\cell\row\pard"
        r" \u8364?5 et \u-10179?\u-8704?\line C:\\cell fin"
    )
    assert text_of(rtf(body), "devoir.rtf") == (
        "Lélève calcule {vite}\nNom\tNote\nAwa\t12\n€5 et 😀\nC:\\cell fin"
    )


def test_headers_footers_and_notes_of_an_rtf_file_are_read_in_their_places() -> None:
    body = (
        r"{\header\pard Coll\'e8ge\par}{\footerf Page 1}\headery720 Un mot"
        r"{\footnote\pard{\super\chftn} Sa note}, puis la suite."
    )
    assert text_of(rtf(body)) == "Collège\n\nPage 1\nUn mot [ Sa note], puis la suite."


@pytest.mark.parametrize(
    "label",
    [
        r"{\listtext\pard\plain 2.1\tab}",
        r"{\pntext\f0 2.1\tab}",
        r"{\*\pn\pnlvlbody}{\pntext 2.1\tab}",
    ],
)
def test_numbers_of_lists_in_an_rtf_file_are_read(label: str) -> None:
    assert text_of(rtf(rf"\pard {label}Prix\par")) == "2.1\tPrix"


def test_raw_letters_of_an_rtf_file_are_read_in_its_code_page() -> None:
    content = r"{\rtf1\ansi\ansicpg1251 Привет \'cf}".encode("cp1251")
    assert text_of(content) == "Привет П"
    assert text_of("{\\rtf1\\ansi\\ansicpg65001 été}".encode()) == "été"
    assert text_of("{\\rtf1 été}".encode("cp1252")) == "été"


def test_pictures_of_an_rtf_file_are_passed_over() -> None:
    digits = b"{\\*\\shppict{\\pict\\picw100 " + b"89504e47\r\n" * 2_000 + b"}}"
    binary = b"{\\pict\\pngblip\\bin9 }{\\'zz}}{}"
    assert text_of(b"{\\rtf1\\ansi avant" + digits + binary + b" apr\\'e8s}") == "avant après"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (rtf(r"\u999999999 ?"), "RTF file cannot be read"),
        (rtf(r"\uc \u233?"), "RTF file cannot be read"),
        (rtf(r"\f0\'e9", r"{\fonttbl{\f0\fcharset78 Osaka;}}"), "RTF file cannot be read"),
        (rb"{\rtf1", "no text"),
        (rb"{\rtf1\bin999999999 abc}", "no text"),
    ],
    ids=str.split("beyond-unicode no-number unknown-charset head binary"),
)
def test_an_rtf_file_that_cannot_be_read_is_refused(content: bytes, reason: str) -> None:
    assert reason in reason_of(content)


async def test_an_rtf_file_is_read_in_a_process_of_its_own() -> None:
    reading = await TextReader(IsolatedWorker()).read("a.rtf", "", rtf("Texte"))
    assert (reading.state, reading.reason) == ("kept", "")
    assert reading.pieces[0].body == "Texte"


def test_groups_that_are_nested_without_end_are_read() -> None:
    assert text_of(rtf("{" * 300_000 + "mot")) == "mot"
    assert text_of(rtf("mot" + "}" * 300_000)) == "mot"


# E-mail ------------------------------------------------------------------------------------------


def make_email(*, plain: str = "", page: str = "") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Awa Diop <awa@example.org>"
    message["To"] = "compta@example.org"
    message["Subject"] = "Facture n° 12 – règlement"
    message["Date"] = "Mon, 02 Mar 2026 09:15:00 +0000"
    if plain:
        message.set_content(plain, charset="iso-8859-1", cte="quoted-printable")
    if page:
        (message.add_alternative if plain else message.set_content)(
            page, subtype="html", cte="base64"
        )
    return message


HEADERS = """From: Awa Diop <awa@example.org>
To: compta@example.org
Date: Mon, 02 Mar 2026 09:15:00 +0000
Subject: Facture n° 12 – règlement"""


def test_an_email_is_read_with_its_headers_and_words_once() -> None:
    message = make_email(plain="À régler : 1 250 000\n", page="<p>À <b>régler</b></p>")
    assert text_of(bytes(message), "m.eml") == f"{HEADERS}\n\nÀ régler : 1 250 000"
    assert text_of(bytes(message), "m", mime_type="message/rfc822").startswith(HEADERS)


def test_an_email_that_is_only_a_page_is_read_as_a_page() -> None:
    message = make_email(page="<style>p {}</style><p>Prix : 5&nbsp;000</p>")
    assert text_of(bytes(message), "M.EML") == f"{HEADERS}\n\nPrix : 5 000"


def test_what_is_attached_to_an_email_is_named_and_read() -> None:
    message = make_email(plain="Voici.")
    message.add_attachment(
        "Riz;à 5".encode("cp1252"), maintype="text", subtype="csv", filename="détail.csv"
    )
    message.add_attachment(b"\x00\x01", maintype="image", subtype="png", filename="logo.png")
    message.add_attachment(make_email(plain="Avant."))
    assert text_of(bytes(message), "m.eml") == (
        f"{HEADERS}\n\nVoici.\n\n[attachment détail.csv]\nRiz;à 5\n\n[attachment logo.png]\n"
        f"There is no text in a file of this kind, or none that can be read.\n\n{HEADERS}\n\nAvant."
    )


@pytest.mark.parametrize(
    "content",
    [
        b"Subject: =?nothing?b?!!?=\nContent-Type: text/plain; charset=idna\n\nBonjour",
        b"Subject: =?utf-8?q?=FF=E9?=\nContent-Transfer-Encoding: base64\n\nBonjour",
        b"Content-Type: multipart/mixed; boundary=a\n\n--a\n\nBonjour",
        b"Content-Type: multipart/mixed\n\nBonjour",
        b": \n\nBonjour",
        b"Content-Disposition: attachment; filename*=x''%ff\n\nBonjour",
    ],
)
def test_a_faulty_email_is_read_as_far_as_it_can_be(content: bytes) -> None:
    assert text_of(content, "m.eml")


def test_an_email_that_is_nested_without_end_is_read_or_refused() -> None:
    parts = b"".join(
        b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (n, n) for n in range(3_000)
    )
    assert "damaged" in reason_of_email(parts + b"\nBonjour")


def reason_of_email(content: bytes) -> str:
    result, _ = read(content, "m.eml")
    return result.reason


def test_a_text_that_begins_with_many_comments_is_read_in_bounded_time() -> None:
    start = time.process_time()
    assert text_of(b"<!-- a -->\n" * 27 + b"La suite", "notes.md").endswith("La suite")
    assert text_of(b"<!-- a -->\n" * 3 + b"<html><p>Une page</p></html>", "page") == "Une page"
    assert time.process_time() - start < 1
