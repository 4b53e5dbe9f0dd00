"""What is read of a page, whatever it is made of."""

from __future__ import annotations

import msgspec
import pytest
import typst
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import ToolFailed
from bot.files.page_worker import extract_text, serve
from bot.files.web_worker_messages import PAGE_WORKER, PDF, WebPage
from bot.isolated_worker.worker import IsolatedWorker

WORDS = "Le mil pousse dans les régions sèches du Sahel."


def read(body: bytes | str, mime_type: str = "text/html", charset: str = "") -> str:
    return extract_text(
        WebPage(mime_type, charset, body.encode() if isinstance(body, str) else body)
    )


def test_the_title_comes_first() -> None:
    page = f"<title> Le \n mil </title><article><p>{WORDS}</p></article>"
    assert read(page) == f"Le mil\n\n{WORDS}"


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        ("café".encode("cp850"), "cp850"),
        ("café".encode("utf-16"), ""),
        ("café".encode("utf-16-be"), "utf-16-be"),
        ("\ufeffcafé".encode(), "iso-8859-1"),
        ("café".encode(), ""),
        ("café".encode("cp1252"), ""),
        ("café".encode(), "nobody-knows"),
        ("café".encode(), "\0"),
        ("café".encode(), "é" * 5_000),
    ],
)
def test_a_text_is_read_in_the_charset_in_which_it_is_written(body: bytes, charset: str) -> None:
    assert read(body, "text/plain", charset) == "café"


def test_latin_1_means_what_browsers_take_it_for() -> None:
    assert read(b"l\x92\x9cuf \x80", "text/plain", "ISO-8859-1") == "l’œuf €"


def test_a_page_may_name_its_charset_itself() -> None:
    page = '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r"><p>Привет</p>'
    assert read(page.encode("koi8-r")).endswith("Привет")


@pytest.mark.parametrize(
    "charset", ["punycode", "idna", "undefined", "unicode_escape", "hex", "zlib", "rot13", "utf-7"]
)
def test_a_charset_that_is_none_does_no_harm(charset: str) -> None:
    assert read(b"mil " * 100_000, "text/plain", charset).startswith("mil mil")


def test_a_text_that_was_cut_in_the_middle_of_a_letter_is_still_utf_8() -> None:
    assert read("été café".encode()[:-1], "text/plain") == "été caf\ufffd"


@pytest.mark.parametrize("mime_type", ["text/html", "text/plain", "application/json"])
def test_what_is_no_text_at_all_has_none(mime_type: str) -> None:
    assert read(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" * 1_000, mime_type) == ""


@pytest.mark.parametrize(
    "page", ["", " ", "<!-- -->", "<!--" * 10_000, "<html></html>", "<script>x()</script>", "<?x"]
)
def test_a_page_without_words_has_no_text(page: str) -> None:
    assert read(page) == ""


@pytest.mark.parametrize(
    "page",
    [
        f"<?xml version='1.0' encoding='iso-8859-1'?><html><body><p>{WORDS}</p></body></html>",
        f"<p>{WORDS}",
        f"{WORDS}",
        "<div>" * 1_000 + WORDS,
        "<p>x</p>" * 30_000 + WORDS,
        "<span>" * 1_000 + "</span>" * 1_000 + WORDS,
        f"<table><tr><td>{WORDS}" * 50,
        f"<a {'x=1 ' * 2_000}>{WORDS}</a>",
    ],
    ids=["declared", "unclosed", "bare", "deep", "wide", "closed", "tables", "attributes"],
)
def test_the_words_are_found_however_the_page_is_made(page: str) -> None:
    assert WORDS in read(page)


def test_what_is_not_written_for_people_is_not_read() -> None:
    page = f"<style>.a{{}}</style><script>steal()</script>{'<b>x</b>' * 30_000}<p>{WORDS}</p>"
    assert "steal" not in read(page)
    assert ".a" not in read(page)


def test_a_pdf_is_read_page_by_page() -> None:
    paper = typst.compile(f"{WORDS} #pagebreak() Fin.".encode(), format="pdf")
    text = read(paper, PDF)
    assert WORDS in text
    assert text.endswith("Fin.")


def test_a_pdf_that_is_none_is_refused() -> None:
    with pytest.raises(ToolFailed, match="PDF"):
        read(b"%PDF-1.7 and no more", PDF)


def test_the_answer_can_be_encoded_whatever_the_page_holds() -> None:
    request = msgspec.msgpack.encode(WebPage("text/plain", "utf-7", b"a+2AA-b"))
    assert serve(request) == b"a?b"


@given(st.binary(max_size=300), st.sampled_from(["text/html", "text/plain"]), st.text(max_size=9))
def test_no_page_makes_it_fail(body: bytes, mime_type: str, charset: str) -> None:
    assert isinstance(read(b"<p>" + body, mime_type, charset), str)


async def test_a_page_is_read_within_the_limits_of_its_process() -> None:
    page = WebPage("text/html", "", f"<p>{WORDS}</p>".encode() * 30_000)
    text = await IsolatedWorker().run(PAGE_WORKER, msgspec.msgpack.encode(page), seconds=60)
    assert text.decode().count(WORDS) == 30_000


async def test_a_page_that_is_made_to_take_minutes_is_given_up() -> None:
    attributes = " ".join(f"a{i}=1" for i in range(200_000))
    page = WebPage("text/html", "", f"<p {attributes}>x</p>".encode())
    with pytest.raises(ToolFailed, match="within 2 seconds"):
        await IsolatedWorker().run(PAGE_WORKER, msgspec.msgpack.encode(page), seconds=2)
