"""An e-mail address of one's own: asked for, proven by a code, forgotten."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.gateway.people.erasure import Erasure
from bot.messages.incoming import SharedContact
from tests.standins.mail import MailServer, serve_mail
from tests.support.app import MakeApp, TestApp
from tests.support.fakes import FakeModel, reply
from tests.support.phones import AWA, phones_of
from tests.support.queries import read_every_table, read_row, read_rows
from tests.support.waiting import until

ADDRESS = "awa@example.org"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[MailServer]:
    async with serve_mail(tmp_path) as mail:
        yield mail


async def told(app: TestApp, text: str) -> str:
    await app.send(text)
    await until(app.settled)
    return app.said()[-1]


async def opened(app: MakeApp, server: MailServer) -> TestApp:
    one = await app(smtp_url=server.url, mail_from="Griot <griot@example.org>")
    await one.log_in()
    await one.start(FakeModel(reply("hm")))
    return one


async def code_of(server: MailServer) -> str:
    async def has_come() -> bool:
        return bool(server.arrived)

    await until(has_come)
    found = re.search(r"\b(\d{6})\b", str(server.arrived[-1].message.get_body(("plain",))))
    assert found
    return found[1]


async def test_a_code_proves_the_address(app: MakeApp, server: MailServer) -> None:
    one = await opened(app, server)
    assert ADDRESS in await told(one, f"/email {ADDRESS}")
    assert await told(one, await code_of(server)) == f"Your e-mails go to {ADDRESS}."
    assert await told(one, "/email") == f"Your e-mails go to {ADDRESS}."
    account = await read_row(one.database, "account")
    assert account["email"] == ADDRESS


async def test_the_other_conversations_are_told_where_letters_go(
    app: MakeApp, server: MailServer
) -> None:
    one = await phones_of(app)("Hi", smtp_url=server.url, mail_from="Griot <griot@example.org>")
    await one.say("hi", "whatsapp", AWA)
    await one.say(SharedContact(AWA, owner="1"))
    await one.say(f"/email {ADDRESS}")
    await one.say(await code_of(server))
    assert one.told()[-1] == f"Your e-mails go to {ADDRESS}."
    warning = one.told("whatsapp", AWA)[-1]
    assert warning.startswith(f"Your e-mails now go to {ADDRESS}. If it was not you")


async def test_its_code_in_another_conversation_is_not_told_the_model(
    app: MakeApp, server: MailServer
) -> None:
    model = FakeModel(reply("Hi"))
    one = await phones_of(app)(model, smtp_url=server.url, mail_from="Griot <griot@example.org>")
    await one.say("hi", "whatsapp", AWA)
    await one.say(SharedContact(AWA, owner="1"))
    await one.say(f"/email {ADDRESS}")
    code = await code_of(server)
    await one.say(code, "whatsapp", AWA)
    assert one.told("whatsapp", AWA)[-1].startswith("This is a login code.")
    assert len(model.requests) == 1
    await one.say(code)
    assert one.told()[-1] == f"Your e-mails go to {ADDRESS}."


async def test_the_letter_is_kept_without_its_code(app: MakeApp, server: MailServer) -> None:
    one = await opened(app, server)
    await told(one, f"/email {ADDRESS}")
    code = await code_of(server)
    assert code not in str([row for _, row in await read_every_table(one.database)])


async def test_a_wrong_code_proves_nothing(app: MakeApp, server: MailServer) -> None:
    one = await opened(app, server)
    await told(one, f"/email {ADDRESS}")
    code = await code_of(server)
    assert "wrong" in await told(one, f"{(int(code) + 1) % 1_000_000:06d}")
    account = await read_row(one.database, "account")
    assert account["email"] == ""


async def test_it_can_be_removed(app: MakeApp, server: MailServer) -> None:
    one = await opened(app, server)
    await told(one, f"/email {ADDRESS}")
    await told(one, await code_of(server))
    assert "not e-mail you" in await told(one, "/email remove")
    assert "name@example.org" in await told(one, "/email")


@pytest.mark.parametrize("wrong", ["awa", "a b@example.org", "awa@", "x@y\r\nBcc: z@example.org"])
async def test_what_is_no_address_gets_no_code(
    app: MakeApp, server: MailServer, wrong: str
) -> None:
    one = await opened(app, server)
    assert "name@example.org" in await told(one, f"/email {wrong}")
    assert await read_rows(one.database, "code") == []


async def test_guests_and_houses_without_mail_are_told_so(app: MakeApp) -> None:
    one = await app()
    await one.start(FakeModel())
    assert "/login" in await told(one, f"/email {ADDRESS}")
    await one.log_in()
    assert "No mail" in await told(one, f"/email {ADDRESS}")


async def test_erasure_leaves_no_address(app: MakeApp, server: MailServer) -> None:
    one = await opened(app, server)
    await told(one, f"/email {ADDRESS}")
    await code_of(server)
    await told(one, "/email other@example.org")
    await Erasure(one.database, one.app.files, one.app.settings).erase_account(1)
    for table in ("outbox", "code", "account"):
        kept = await read_rows(one.database, table)
        assert "example.org" not in str(kept)
