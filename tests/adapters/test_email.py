"""E-mail: deliveries, the bytes of a message as a mail program reads them, and the outcome of a
message at a mail server, by recipient."""

from __future__ import annotations

from collections.abc import AsyncIterator
from email import message_from_bytes
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from aiosmtplib import SMTPException
from msgspec.structs import replace

from adapters.email import (
    EmailAdapter,
    SmtpResult,
    SmtpServer,
    check_login,
    make_message_id,
    parse_smtp_url,
    send_message,
    write_message,
)
from bot.accounts.email_addresses import parse_sender
from bot.errors import NotFound, OutcomeUnknown, RetryAt, SettingsError, Undeliverable
from bot.messages.outgoing import Delivery, EmailBody, SendEmail, ShareFile, TextBody
from tests.standins.mail import MailServer, Moment, serve_mail, what_is_wrong

AWA, KOFI, IDA = "awa@example.org", "kofi@example.org", "ida@example.org"
PDF = ShareFile("f1", "reçu.pdf", "application/pdf", 4)
SENDER = Address("Griot, l’école", "griot", "example.org")
LONG = "Récapitulatif des résultats du troisième trimestre, élèves de Côte d’Ivoire.pdf"
FROM = "griot@example.org"

MESSAGE = (
    b"From: griot@example.org\r\nTo: awa@example.org\r\nSubject: x\r\n"
    b"Date: Mon, 01 Jun 2026 08:00:00 +0000\r\nMessage-ID: <1@example.org>\r\n\r\nBonjour\r\n"
)
PASSWORD = "s@cret/#:é"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[MailServer]:
    async with serve_mail(tmp_path, tls="offered") as server:
        yield server


async def read_file(file_id: str) -> bytes:
    if file_id == "away":
        raise ConnectionError("the store is away")
    if file_id != "f1":
        raise NotFound("gone")
    return b"%PDF"


@pytest.fixture
def adapter(server: MailServer) -> EmailAdapter:
    sender = parse_sender("Griot <griot@example.org>")
    return EmailAdapter(parse_smtp_url(server.url), sender, read_file, server.trusted)


def to(*recipients: str, attempt: int = 1, **more: Any) -> Delivery:
    email = SendEmail(recipients, "Bonjour", "Bonjour", **more)
    body = EmailBody(email, left=recipients)
    return Delivery(5, "email:7/ab", "7/ab", body, attempt)


async def test_it_is_sent_with_its_files(server: MailServer, adapter: EmailAdapter) -> None:
    sent = await adapter.deliver(to(AWA, KOFI, attachments=(PDF,)))
    [arrived] = server.arrived
    assert (arrived.sender, arrived.recipients) == ("griot@example.org", [AWA, KOFI])
    assert arrived.message["From"] == "Griot <griot@example.org>"
    assert (sent.provider_id, sent.body) == (arrived.message["Message-ID"], None)
    [file] = arrived.message.iter_attachments()
    assert (file.get_filename(), file.get_payload(decode=True)) == ("reçu.pdf", b"%PDF")


async def test_each_attempt_has_the_same_id(server: MailServer, adapter: EmailAdapter) -> None:
    first = await adapter.deliver(to(AWA))
    again = await adapter.deliver(to(AWA, attempt=2))
    other = await adapter.deliver(replace(to(AWA), lane="email:7/cd"))
    assert first.provider_id == again.provider_id != other.provider_id
    assert len(server.arrived) == 3


@pytest.mark.parametrize(("attempt", "pause"), [(1, 15), (2, 30), (3, 60), (99, 1800)])
async def test_what_is_deferred_is_tried_later_and_later(
    server: MailServer, adapter: EmailAdapter, attempt: int, pause: float
) -> None:
    server.answers["MAIL"] = ["451 later"]
    with pytest.raises(RetryAt) as failed:
        await adapter.deliver(to(AWA, attempt=attempt))
    assert (failed.value.after, failed.value.body) == (pause, None)


async def test_a_server_that_is_down_is_tried_again(
    server: MailServer, adapter: EmailAdapter
) -> None:
    server.hangs_up = ["MAIL"]
    with pytest.raises(RetryAt):
        await adapter.deliver(to(AWA))
    assert await adapter.deliver(to(AWA))


async def test_only_those_are_tried_again_whom_it_has_not_reached(
    server: MailServer, adapter: EmailAdapter
) -> None:
    server.answers = {KOFI: ["450 later"], IDA: ["550 no such user"]}
    whole = to(AWA, KOFI, IDA)
    with pytest.raises(RetryAt) as failed:
        await adapter.deliver(whole)
    rest = failed.value.body
    assert isinstance(rest, EmailBody)
    assert (rest.left, rest.refused) == ((KOFI,), (IDA,))
    sent = await adapter.deliver(replace(whole, body=rest, attempt=2))
    assert sent.body == replace(rest, left=())
    first, second = server.arrived
    assert (first.recipients, second.recipients) == ([AWA], [KOFI])
    assert first.message["To"] == second.message["To"] == f"{AWA}, {KOFI}, {IDA}"


async def test_what_all_refuse_is_refused(server: MailServer, adapter: EmailAdapter) -> None:
    server.answers = {AWA: ["550 no such user"], KOFI: ["550 nor this one"]}
    with pytest.raises(Undeliverable, match="550 nor this one"):
        await adapter.deliver(to(AWA, KOFI))


@pytest.mark.parametrize("moment", ["DATA", "END"])
async def test_what_may_have_arrived_is_in_doubt(
    server: MailServer, adapter: EmailAdapter, moment: Moment
) -> None:
    server.hangs_up = [moment]
    with pytest.raises(OutcomeUnknown):
        await adapter.deliver(to(AWA))


async def test_without_its_file_it_does_not_go(server: MailServer, adapter: EmailAdapter) -> None:
    with pytest.raises(Undeliverable, match="gone"):
        await adapter.deliver(to(AWA, attachments=(replace(PDF, file_id="f2"),)))
    with pytest.raises(RetryAt):
        await adapter.deliver(to(AWA, attachments=(replace(PDF, file_id="away"),)))
    assert server.connections == 0


async def test_it_carries_nothing_else(adapter: EmailAdapter) -> None:
    with pytest.raises(Undeliverable):
        await adapter.deliver(replace(to(AWA), body=TextBody("hello")))
    assert adapter.capabilities.resend == "never"


# The message --------------------------------------------------------------------------------------


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


def test_a_table_has_lines_and_its_sides() -> None:
    table = "| Poste | Montant |\n|---|--:|\n| Loyer | 250 000 |"
    shown = part(written(letter(text=table)), "html")
    assert 'border="1"' in shown
    assert 'cellpadding="6"' in shown
    assert '<td align="right">250 000</td>' in shown
    assert "<td>Loyer</td>" in shown


def test_formulas_are_lines_that_can_be_read() -> None:
    read = written(letter(text="Soit $x^2 \\le \\frac{a}{b}$ à 5 $ et 10 $.\n\n$$\\sqrt{a < b}$$"))
    assert part(read, "plain") == "Soit x² ≤ a/b à 5 $ et 10 $.\n\n√(a < b)\n"
    assert "<p>Soit x² ≤ a/b à 5 $ et 10 $.</p>\n<p>√(a &lt; b)</p>" in part(read, "html")


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


# SMTP ---------------------------------------------------------------------------------------------


async def hand(server: MailServer, *to: str, message: bytes = MESSAGE) -> SmtpResult:
    return await send_message(
        parse_smtp_url(server.url), FROM, to or (AWA,), message, trusted=server.trusted
    )


async def test_what_the_server_takes_is_taken(tmp_path: Path) -> None:
    async with serve_mail(tmp_path) as server:
        assert await hand(server, AWA, KOFI) == SmtpResult(taken=(AWA, KOFI))
        [arrived] = server.arrived
    assert (arrived.sender, arrived.recipients) == (FROM, [AWA, KOFI])
    assert arrived.raw == MESSAGE


@pytest.mark.parametrize(("code", "became"), [(450, "deferred"), (550, "refused")])
async def test_each_recipient_is_taken_or_not_on_its_own(
    tmp_path: Path, code: int, became: str
) -> None:
    async with serve_mail(tmp_path) as server:
        server.answers[KOFI] = [f"{code} no"]
        handed = await hand(server, AWA, KOFI)
        assert (handed.taken, getattr(handed, became)) == ((AWA,), (KOFI,))
        assert server.arrived[0].recipients == [AWA]


@pytest.mark.parametrize(("code", "became"), [(451, "deferred"), (554, "refused")])
@pytest.mark.parametrize("about", ["MAIL", "DATA"])
async def test_a_refusal_of_the_whole_is_one_for_all(
    tmp_path: Path, about: str, code: int, became: str
) -> None:
    async with serve_mail(tmp_path) as server:
        server.answers[about] = [f"{code} no"]
        handed = await hand(server, AWA, KOFI)
        assert getattr(handed, became) == (AWA, KOFI)
        assert handed.error == f"{code} no"
        assert server.arrived == []


@pytest.mark.parametrize("moment", ["MAIL", "RCPT"])
async def test_what_breaks_before_the_letter_may_be_tried_again(
    tmp_path: Path, moment: Moment
) -> None:
    async with serve_mail(tmp_path) as server:
        server.hangs_up = [moment]
        handed = await hand(server, AWA, KOFI)
        assert (handed.deferred, handed.doubtful) == ((AWA, KOFI), ())


@pytest.mark.parametrize("moment", ["DATA", "END"])
async def test_what_breaks_after_the_letter_is_in_doubt(tmp_path: Path, moment: Moment) -> None:
    async with serve_mail(tmp_path) as server:
        server.hangs_up = [moment]
        handed = await hand(server, AWA, KOFI)
        assert (handed.doubtful, handed.deferred, handed.taken) == ((AWA, KOFI), (), ())


async def test_a_server_out_of_reach_may_be_tried_again(tmp_path: Path) -> None:
    async with serve_mail(tmp_path) as server:
        pass
    assert (await hand(server)).deferred == (AWA,)


async def test_what_is_too_large_is_refused_before_it_is_sent(tmp_path: Path) -> None:
    async with serve_mail(tmp_path, size=1000) as server:
        handed = await hand(server, message=MESSAGE + b"x" * 1000)
    assert handed.refused == (AWA,)
    assert handed.error.startswith("552")


async def test_tls_is_used_where_it_is_offered(tmp_path: Path) -> None:
    async with serve_mail(tmp_path, tls="offered") as server:
        assert (await hand(server)).taken == (AWA,)
        assert server.arrived[0].is_private


async def test_tls_from_the_first_byte(tmp_path: Path) -> None:
    async with serve_mail(tmp_path, tls="first") as server:
        assert server.url.startswith("smtps://")
        assert (await hand(server)).taken == (AWA,)


@pytest.mark.parametrize("tls", ["offered", "first"])
async def test_a_certificate_that_nobody_vouches_for_gets_nothing(tmp_path: Path, tls: str) -> None:
    async with serve_mail(tmp_path, tls="first" if tls == "first" else "offered") as server:
        server.trusted = None
        assert (await hand(server)).deferred == (AWA,)
        assert server.arrived == []


@pytest.mark.parametrize("password", [PASSWORD, "wrong"])
async def test_who_must_log_in_does(tmp_path: Path, password: str) -> None:
    async with serve_mail(tmp_path, tls="offered", users={"griot@x": PASSWORD}) as server:
        url = f"smtp://{quote('griot@x', '')}:{quote(password, '')}@127.0.0.1:{server.port}"
        handed = await send_message(
            parse_smtp_url(url), FROM, (AWA,), MESSAGE, trusted=server.trusted
        )
        if password == PASSWORD:
            assert handed.taken == (AWA,)
            await check_login(parse_smtp_url(url), FROM, server.trusted)
        else:  # a fault of ours is no word about the letter
            assert handed.deferred == (AWA,)
            with pytest.raises(SMTPException):
                await check_login(parse_smtp_url(url), FROM, server.trusted)


async def test_without_login_where_it_is_wanted_the_letter_waits(tmp_path: Path) -> None:
    async with serve_mail(tmp_path, users={"griot": "x"}) as server:
        handed = await hand(server)
        assert (handed.deferred, handed.error[:3]) == ((AWA,), "530")


async def test_no_password_goes_in_clear_over_a_network(tmp_path: Path) -> None:
    users = {"griot": "x"}
    async with serve_mail(tmp_path, users=users, host="127.0.0.2") as server:  # as if far away
        far = SmtpServer(server.host, server.port, tls=False, user="griot", password="x")
        handed = await send_message(far, FROM, (AWA,), MESSAGE)
        assert handed.deferred == (AWA,)
        assert "no TLS" in handed.error
    async with serve_mail(tmp_path, users=users) as server:
        near = SmtpServer(server.host, server.port, tls=False, user="griot", password="x")
        assert (await send_message(near, FROM, (AWA,), MESSAGE)).taken == (AWA,)
        assert server.arrived[0].user == "griot"


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("smtp://mail.example.org", SmtpServer("mail.example.org", 25, tls=False)),
        (
            "smtp://a%40b:p%2Fw@mail.example.org",
            SmtpServer("mail.example.org", 587, tls=False, user="a@b", password="p/w"),
        ),
        ("smtps://mail.example.org", SmtpServer("mail.example.org", 465, tls=True)),
        ("smtp://[::1]:2525", SmtpServer("::1", 2525, tls=False)),
    ],
)
def test_the_url_names_the_server(url: str, server: SmtpServer) -> None:
    assert parse_smtp_url(url) == server


@pytest.mark.parametrize(
    "url", ["mail.example.org:25", "http://x", "smtp://", "smtp://u:se#cret@x", "smtp://u:p@x:port"]
)
def test_a_url_that_names_none_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(SettingsError, match="SMTP_URL") as refused:
        parse_smtp_url(url)
    assert "cret" not in str(refused.value)
