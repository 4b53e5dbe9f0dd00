"""The bytes of a letter, read back as a mail program reads them."""

from __future__ import annotations

from email import message_from_bytes
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import default
from typing import Any

import pytest

from adapters.email.message import make_message_id, write_message
from bot.messages.outgoing import SendEmail, ShareFile
from tests.standins.mail import what_is_wrong

SENDER = Address("Griot, l’école", "griot", "example.org")
LONG = "Récapitulatif des résultats du troisième trimestre, élèves de Côte d’Ivoire.pdf"


def letter(subject: str = "Bonjour", text: str = "Bonjour", **more: Any) -> SendEmail:
    to = more.pop("to", ("awa@example.org",))
    return SendEmail(to, subject, text, **more)


def with_file(name: str, mime_type: str) -> SendEmail:
    return letter(name, attachments=(ShareFile("f", name, mime_type, 1),))


def written(one: SendEmail, *files: bytes) -> EmailMessage:
    raw = write_message(one, SENDER, make_message_id("email:7/1", SENDER), files)
    assert what_is_wrong(raw) == ""
    read = message_from_bytes(raw, policy=default)
    assert isinstance(read, EmailMessage)
    assert read.defects == []
    return read


def part(message: EmailMessage, kind: str) -> str:
    body = message.get_body((kind,))
    assert body is not None
    return body.get_content().replace("\r\n", "\n")


def test_text_and_html_say_the_same() -> None:
    read = written(letter("Élèves : reçus", "**Reçu**\n\nCordialement,\nAwa"))
    assert read["Subject"] == "Élèves : reçus"
    assert part(read, "plain") == "**Reçu**\n\nCordialement,\nAwa\n"
    assert "<strong>Reçu</strong>" in part(read, "html")
    assert "Cordialement,<br>\nAwa" in part(read, "html")


def test_who_writes_to_whom() -> None:
    read = written(letter(to=("awa@example.org", "kofi@example.org"), reply_to="me@example.org"))
    assert [each.addr_spec for each in read["To"].addresses] == [
        "awa@example.org",
        "kofi@example.org",
    ]
    assert read["From"].addresses == (SENDER,)
    assert read["Reply-To"] == "me@example.org"
    assert read["Auto-Submitted"] == "auto-generated"


def test_the_same_letter_has_the_same_id() -> None:
    first, again = written(letter()), written(letter("another try"))
    assert first["Message-ID"] == again["Message-ID"]
    assert first["Message-ID"].endswith("@example.org>")


@pytest.mark.parametrize("separator", ["\r\n", "\n", "\r", "\u2028", "\x0b", "\x85", "\0"])
def test_no_subject_or_file_name_begins_a_header(separator: str) -> None:
    evil = f"Bonjour{separator}Bcc: all@example.org{separator}{separator}Body"
    read = written(with_file(evil, "text/plain"), b"x")
    assert read["Bcc"] is None
    assert read["Subject"] == "Bonjour Bcc: all@example.org Body"
    [file] = read.iter_attachments()
    assert file["Bcc"] is None


@pytest.mark.parametrize("name", ["reçu.pdf", LONG, 'a"b\\c;d.pdf', "ورقة.pdf"])
def test_files_arrive_whole_under_their_names(name: str) -> None:
    content = bytes(range(256)) * 10
    [file] = written(with_file(name, "application/pdf"), content).iter_attachments()
    assert file.get_filename() == name
    assert file.get_content_type() == "application/pdf"
    assert file.get_payload(decode=True) == content


@pytest.mark.parametrize(
    "kind", ["message/rfc822", "multipart/mixed", "x\r\nBcc: a@b.c", "", "a/b/c"]
)
def test_a_type_that_is_none_is_bytes(kind: str) -> None:
    [file] = written(with_file("x", kind), b"From: me\r\n\r\nx").iter_attachments()
    assert file.get_content_type() == "application/octet-stream"


@pytest.mark.parametrize(
    "html",
    [
        "<p onclick='x()'>hello</p><script>x()</script>",
        "<p>hello</p><img src='https://example.org/seen.png'>",
        "<p style='background:url(https://example.org)'>hello</p><style>p{}</style>",
        "<p>hello</p><a href='javascript:x()'>here</a><iframe src='//x'></iframe>",
        "<p>hello</p><form action='https://example.org'><input></form>",
    ],
)
def test_html_holds_nothing_that_runs_or_calls_home(html: str) -> None:
    shown = part(written(letter(html=html)), "html")
    assert "<p>hello</p>" in shown
    for wrong in ("script", "onclick", "img", "style", "iframe", "form", "x()"):
        assert wrong not in shown


def test_markup_in_the_text_is_text() -> None:
    shown = part(written(letter(text="<script>x()</script>\n\n[a](javascript:x)")), "html")
    assert "<script" not in shown
    assert "href" not in shown


def test_no_text_makes_a_message_that_servers_refuse() -> None:
    text = "é" * 5000 + "\r\n.\r\nFrom here\rlone\n\0\x07\ud800" + "x" * 2000
    read = written(letter(text=text, html="<p>" + "y" * 5000 + "</p>"))
    assert "é" * 5000 in part(read, "plain")
    assert "x" * 2000 in part(read, "plain")
