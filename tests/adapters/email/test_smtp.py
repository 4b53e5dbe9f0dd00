"""What a mail server makes of a letter, by recipient; and when nobody can tell."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from aiosmtplib import SMTPException

from adapters.email.smtp import SmtpResult, SmtpServer, check_login, parse_smtp_url, send_message
from bot.errors import SettingsError
from tests.standins.mail import MailServer, Moment, serve_mail

FROM = "griot@example.org"
AWA, KOFI = "awa@example.org", "kofi@example.org"
MESSAGE = (
    b"From: griot@example.org\r\nTo: awa@example.org\r\nSubject: x\r\n"
    b"Date: Mon, 01 Jun 2026 08:00:00 +0000\r\nMessage-ID: <1@example.org>\r\n\r\nBonjour\r\n"
)
PASSWORD = "s@cret/#:é"


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
