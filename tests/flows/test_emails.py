"""E-mails to others go once the person has agreed, as they saw them; to themselves at once."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from bot.messages.transcript import ModelReply, ToolResult
from bot.settings import Settings
from tests.adapters.conformance.stage import MakeStage, Stage, staging
from tests.adapters.conformance.table import CLOUD, SMS, TELEGRAM, WHATSAPP
from tests.standins.mail import MailServer, serve_mail
from tests.support.emails import read_emails
from tests.support.fakes import FakeModel, reply
from tests.support.queries import Above, change_rows, read_row

EVERYWHERE = pytest.mark.parametrize("name", [TELEGRAM, WHATSAPP, CLOUD, SMS])
KOFI, OWN = "kofi@example.org", "awa@example.org"
OPERATOR = "+2250700000001"
TEXT = "Bonjour Kofi,\n\nLa facture est payee.\n\nAwa"


def drafting(text: str = TEXT, **more: Any) -> ModelReply:
    letter = {"to": [KOFI], "subject": "Facture 12", "text": text} | more
    return reply("", ("draft_email", json.dumps(letter)))


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
async def stage(make_settings: Callable[..., Settings]) -> AsyncIterator[MakeStage]:
    async with staging(make_settings) as make:
        yield make


@pytest.fixture
async def mail(tmp_path: Path) -> AsyncIterator[MailServer]:
    async with serve_mail(tmp_path) as server:
        yield server


async def work(
    stage: MakeStage, mail: MailServer, model: FakeModel, name: str = TELEGRAM, **values: Any
) -> Stage:
    """Awa, at work, asks for an e-mail; the stage once she is shown something."""
    settings = {"smtp_url": mail.url, "mail_from": "Griot <griot@example.org>"} | values
    one = await stage(name, model, **settings)
    await one.log_in()
    await change_rows(one.database, "account", {"mode": "pro", "email": OWN})
    await one.say("ecris a Kofi que la facture est payee")
    await one.told(1)
    await one.settle()
    return one


@EVERYWHERE
async def test_what_was_shown_is_sent_once_the_person_agrees(
    stage: MakeStage, mail: MailServer, name: str
) -> None:
    model = FakeModel(drafting(), reply("Parti."))
    one = await work(stage, mail, model, name)
    shown = "\n".join(one.driver.shown())
    for part in (KOFI, "Facture 12", "La facture est payee", OWN):
        assert part in shown
    turn = await read_row(one.database, "turn", attempts=Above(0))
    assert turn["reason"] == "awaiting_approval"
    assert (mail.arrived, await read_emails(one.database)) == ([], [])
    await one.choose("Envoyer")
    await one.heard("Parti.")
    await one.until(lambda: mail.arrived)
    [arrived] = mail.arrived
    assert (arrived.recipients, arrived.message["Subject"]) == ([KOFI], "Facture 12")
    assert arrived.message["Reply-To"] == OWN
    body = arrived.message.get_body(("plain",))
    assert body is not None
    assert body.get_content().replace("\r\n", "\n") == f"{TEXT}\n"
    assert "on its way" in str(model.requests[1].messages[-1])


@pytest.mark.parametrize("name", [WHATSAPP, CLOUD])
async def test_pressing_twice_sends_once(stage: MakeStage, mail: MailServer, name: str) -> None:
    one = await work(stage, mail, FakeModel(drafting(), reply("Parti.")), name)
    await one.choose("Envoyer")
    await one.choose("Envoyer")
    await one.choose("Annuler")
    await one.heard("Parti.")
    await one.settle()
    await one.until(lambda: mail.arrived)
    assert len(await read_emails(one.database)) == 1
    assert len(mail.arrived) == 1


async def test_who_wants_it_otherwise_is_shown_another(stage: MakeStage, mail: MailServer) -> None:
    model = FakeModel(
        drafting(), reply("Que veux-tu changer ?"), drafting("Paye, merci."), reply("Parti.")
    )
    one = await work(stage, mail, model)
    await one.choose("Modifier")
    await one.heard("Que veux-tu changer ?")
    assert "was not sent" in str(model.requests[1].messages[-1])
    await one.say("plus court")
    await one.heard("Paye, merci.")
    await one.settle()
    assert await read_emails(one.database) == []
    await one.choose("Envoyer")
    await one.until(lambda: mail.arrived)
    assert "Paye, merci." in str(mail.arrived[0].message)
    assert len(mail.arrived) == 1


async def test_what_is_cancelled_goes_nowhere(stage: MakeStage, mail: MailServer) -> None:
    model = FakeModel(drafting(), reply("Entendu."))
    one = await work(stage, mail, model)
    await one.choose("Annuler")
    await one.heard("Entendu.")
    await one.settle()
    assert "was not sent" in str(model.requests[1].messages[-1])
    assert await read_emails(one.database) == []


async def test_words_instead_of_a_decision_drop_it_and_the_model_is_told(
    stage: MakeStage, mail: MailServer
) -> None:
    model = FakeModel(drafting(), reply("Il pleut."))
    one = await work(stage, mail, model)
    await one.say("Quel temps fait-il ?")
    await one.heard("Il pleut.")
    await one.settle()
    said = str(model.requests[1].messages[-1])
    assert "not approved the e-mail" in said
    assert "Quel temps" in said
    assert await read_emails(one.database) == []
    await one.choose("Envoyer")
    await one.heard("C’est déjà décidé.")
    assert (mail.arrived, len(model.requests)) == ([], 2)


@pytest.mark.parametrize("command", ["/stop", "/new"])
async def test_a_command_that_ends_all_ends_the_draft(
    stage: MakeStage, mail: MailServer, command: str
) -> None:
    one = await work(stage, mail, FakeModel(drafting()))
    await one.say(command)
    await one.told(2)
    await one.choose("Envoyer")
    await one.heard("C’est déjà décidé.")
    assert (mail.arrived, await read_emails(one.database)) == ([], [])


async def test_to_themselves_it_goes_at_once(stage: MakeStage, mail: MailServer) -> None:
    own = json.dumps({"subject": "Ton résumé", "text": "Voici."})
    model = FakeModel(reply("", ("send_email_to_user", own)), reply("Envoyé."))
    one = await work(stage, mail, model)
    await one.heard("Envoyé.")
    await one.until(lambda: mail.arrived)
    assert mail.arrived[0].recipients == [OWN]
    assert mail.arrived[0].message["Subject"] == "Ton résumé"


async def test_a_pupil_drafts_nothing_though_the_model_names_it(
    stage: MakeStage, mail: MailServer
) -> None:
    model = FakeModel(drafting(), reply("Je ne peux pas."))
    one = await stage(TELEGRAM, model, smtp_url=mail.url, mail_from="griot@example.org")
    await one.log_in()
    await one.say("ecris a Kofi")
    await one.heard("Je ne peux pas.")
    [result] = [m for m in model.requests[1].messages if isinstance(m, ToolResult)]
    assert result.is_error
    assert await read_emails(one.database) == []


@EVERYWHERE
async def test_who_wrote_a_letter_that_comes_back_is_told(
    stage: MakeStage, mail: MailServer, name: str
) -> None:
    mail.answers[KOFI] = ["550 no such user"]
    one = await work(stage, mail, FakeModel(drafting(), reply("Parti.")), name)
    await one.choose("Envoyer")
    await one.heard("a pas pu")
    told = [text for text in one.words() if "a pas pu" in text]
    assert len(told) == 1
    assert KOFI in told[0]


async def test_operators_hear_of_faults_by_mail_and_whatsapp(
    stage: MakeStage, mail: MailServer
) -> None:
    fault = json.dumps({"description": "Le *PDF* de +2250701020304 est vide.", "severity": "high"})
    one = await stage(
        WHATSAPP,
        FakeModel(reply("", ("report_bug", fault)), reply("Merci, c’est signalé.")),
        smtp_url=mail.url,
        mail_from="griot@example.org",
        operator_email="a@example.org, b@example.org",
        operator_whatsapp=OPERATOR,
    )
    await one.say("aide", OPERATOR)  # so that the provider lets us write to them
    await one.told(1, OPERATOR)
    await one.log_in()
    await one.say("le PDF est vide")
    await one.heard("Merci")
    await one.told(2, OPERATOR)
    await one.until(lambda: mail.arrived)
    [arrived] = mail.arrived
    assert arrived.recipients == ["a@example.org", "b@example.org"]
    row = await read_row(one.database, "report")
    assert (row["severity"], row["lane"]) == ("high", one.lane())
    body = arrived.message.get_body(("plain",))
    assert body is not None
    for told in (body.get_content(), one.driver.shown(OPERATOR)[1]):
        assert f"whatsapp:+22507****04/{row['turn']}" in told
        assert "Le *PDF* de +22507****04 est vide." in told
