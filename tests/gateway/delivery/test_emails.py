"""What tools hand in: to the person's own address at once, to others once they agree."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from bot.accounts.people import People
from bot.contracts.channels import Capabilities
from bot.contracts.services import Email, ToolContext
from bot.contracts.storage import Database
from bot.errors import ToolFailed
from bot.files.store import FileStore
from bot.gateway.delivery.emails import MAX_BYTES, MAX_FILES, MAX_PER_DAY, EmailService
from bot.gateway.delivery.notify import Notifier
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.lanes import thread_of
from bot.messages.incoming import Person
from bot.messages.outgoing import AskApproval, TextBody
from bot.render.renderer import render_outgoing
from bot.settings import Settings
from bot.storage.blobs import open_blobs
from tests.support.emails import make_email, read_emails
from tests.support.fakes import tool_context
from tests.support.queries import NOW, add_row, change_rows, count_rows, read_rows

LETTER = Email("Ton résumé", "Voici **tout**.")
OWN = "awa@example.org"


@pytest.fixture
async def account(database: Database) -> int:
    row = await add_row(database, "account", phone="+2250701020304", email=OWN, created_at=NOW)
    await add_row(database, "lane", id="telegram:42", thread=thread_of(row["id"]))
    return row["id"]


@pytest.fixture
def files(database: Database, settings: Settings) -> FileStore:
    return FileStore(database, open_blobs(settings))


@pytest.fixture
def room(database: Database, files: Any, settings: Settings) -> EmailService:
    return open_room(database, files, settings, make_email())


def open_room(database: Database, files: Any, settings: Settings, *adapters: Any) -> EmailService:
    notifier = Notifier(database, Inbox(database), {each.name: each for each in adapters})
    return EmailService(database, People(database, settings), notifier, files)


def calling(account: int, key: str = "k", language: str = "fr") -> ToolContext:
    person = Person("telegram", "42", account=account, language=language)
    return tool_context(person=person, account=account, key=key)


async def test_it_goes_to_the_proven_address_once_a_key(
    room: EmailService, database: Database, account: int
) -> None:
    for _ in range(3):
        await room.send_to_person(LETTER, calling(account))
    [row] = await read_emails(database)
    assert (row.account, row.asked_in) == (account, "telegram:42")
    assert (row.to, row.subject) == ((OWN,), "Ton résumé")


async def test_without_a_proven_address_the_model_learns_how_to_prove_one(
    room: EmailService, database: Database, account: int
) -> None:
    await change_rows(database, "account", {"email": ""})
    with pytest.raises(ToolFailed, match="/email"):
        await room.send_to_person(LETTER, calling(account))
    assert await read_emails(database) == []


async def test_where_no_mail_is_set_up_it_says_so(
    database: Database, files: Any, settings: Settings, account: int
) -> None:
    shut = open_room(database, files, settings)
    with pytest.raises(ToolFailed, match="No mail is set up"):
        await shut.send_to_person(LETTER, calling(account))
    with pytest.raises(ToolFailed, match="No mail is set up"):
        await shut.draft(LETTER, ["kofi@example.org"], calling(account))


async def save(files: FileStore, account: int, content: bytes = b"x", key: str = "f") -> str:
    kept = await files.save(
        account, "reçu.pdf", content, mime_type="application/pdf", source="generated", key=key
    )
    return kept.file_id


async def test_files_must_be_the_persons_own(
    room: EmailService, files: FileStore, account: int
) -> None:
    own, other = await save(files, account), await save(files, account + 1, key="g")
    await room.send_to_person(Email("x", "y", attachments=(own,)), calling(account))
    with pytest.raises(ToolFailed, match="no file"):
        await room.send_to_person(Email("x", "y", attachments=(own, other)), calling(account, "l"))


async def test_too_many_or_too_large_files_are_refused(
    room: EmailService, files: FileStore, account: int
) -> None:
    half = await save(files, account, b"x" * (MAX_BYTES // 2))
    await room.send_to_person(Email("x", "y", attachments=(half, half)), calling(account, "a"))
    with pytest.raises(ToolFailed, match="15 MB"):
        await room.send_to_person(Email("x", "y", attachments=(half,) * 3), calling(account, "b"))
    many = ("f",) * (MAX_FILES + 1)
    with pytest.raises(ToolFailed, match="10 files"):
        await room.send_to_person(Email("x", "y", attachments=many), calling(account, "c"))


@pytest.mark.parametrize(
    "letter", [Email("\n\0", "y"), Email("x", " \n"), Email("x", "y" * 100_001)]
)
async def test_what_no_letter_can_be_is_refused(
    room: EmailService, account: int, letter: Email
) -> None:
    with pytest.raises(ToolFailed):
        await room.send_to_person(letter, calling(account))


async def test_a_hundred_a_day_and_no_more(
    room: EmailService, database: Database, account: int
) -> None:
    for number in range(MAX_PER_DAY):
        await room.send_to_person(LETTER, calling(account, f"k{number}"))
    with pytest.raises(ToolFailed, match="100 e-mails"):
        await room.send_to_person(LETTER, calling(account, "one more"))
    with pytest.raises(ToolFailed, match="100 e-mails"):
        await room.draft(LETTER, ["kofi@example.org"], calling(account, "a draft"))
    assert await read_rows(database, "approval") == []
    await room.send_to_person(LETTER, calling(account, "k0"))  # that one is kept already
    await change_rows(database, "allowance", {"day": "2026-01-01"})
    await room.send_to_person(LETTER, calling(account, "tomorrow"))


async def test_a_draft_shows_all_of_it_and_goes_nowhere(
    room: EmailService, files: FileStore, database: Database, account: int
) -> None:
    file = await save(files, account)
    letter = Email("Facture *no* 12", "Bonjour **Kofi**,\n\nvoici.", attachments=(file,))
    asked = await room.draft(letter, ["kofi_b@example.org", "ida@example.org"], calling(account))
    assert isinstance(asked, AskApproval)
    assert asked.kind == "email"
    assert [button.label for button in asked.buttons] == ["Envoyer", "Modifier", "Annuler"]
    assert asked.text == (
        "**À :** kofi\\_b@example.org, ida@example.org  \n"
        "**Objet :** Facture \\*no\\* 12  \n"
        "**Réponses à :** awa@example.org  \n"
        "**Pièces jointes :** reçu.pdf\n\n---\n\n"
        "Bonjour **Kofi**,\n\nvoici."
    )
    assert await read_emails(database) == []


@pytest.mark.parametrize(
    "hidden",
    [
        "[ici](https://b.example/?a=1)",
        "![plan](https://b.example/?a=1)",
        "<https://b.example/?a=1>",
        "https://b.example/?a=1",
        "```b.example/?a=1\nx\n```",
    ],
)
async def test_a_draft_shows_where_its_links_lead(
    room: EmailService, account: int, hidden: str
) -> None:
    text = f"Bonjour **Kofi**,\n1. un\n\n{hidden}"
    asked = await room.draft(Email("Plan", text), ["kofi@example.org"], calling(account))
    [body] = render_outgoing(asked, Capabilities(max_text=4096, markup="entities", max_buttons=3))
    assert isinstance(body, TextBody)
    assert "b.example/?a=1" in body.text.replace("\u200b", "")
    assert "Kofi" in body.text


async def test_a_draft_says_that_answers_do_not_come_to_who_has_no_address(
    room: EmailService, database: Database, account: int
) -> None:
    await change_rows(database, "account", {"email": ""})
    asked = await room.draft(LETTER, ["kofi@example.org"], calling(account))
    assert (
        "**Réponses\xa0:** pas à toi\u202f; pour les recevoir, envoie d’abord /courriel"
        in asked.text
    )


@pytest.mark.parametrize("markup", ["entities", "markers", "plain"])
async def test_what_is_no_markup_is_shown_as_it_is(
    room: EmailService, account: int, markup: Literal["entities", "markers", "plain"]
) -> None:
    subject = r"[a](https://b.example) \(x\) \[y\] $1$ **c** __d__ ~~e~~ `f` <b> &amp; # | !"
    asked = await room.draft(Email(subject, "x"), ["kofi_b_c@example.org"], calling(account))
    [body] = render_outgoing(asked, Capabilities(max_text=4096, markup=markup, max_buttons=3))
    assert isinstance(body, TextBody)
    lines = body.text.splitlines()
    assert subject in lines[1] or lines[1].replace("\u200b", "").endswith(subject)
    assert "kofi_b_c@example.org" in lines[0].replace("\u200b", "")


async def test_the_same_draft_asks_once(
    room: EmailService, database: Database, account: int
) -> None:
    first = await room.draft(LETTER, ["kofi@example.org"], calling(account))
    assert await room.draft(LETTER, ["kofi@example.org"], calling(account)) == first
    assert await count_rows(database, "approval") == 1


async def test_one_draft_at_a_time(room: EmailService, database: Database, account: int) -> None:
    await room.draft(LETTER, ["kofi@example.org"], calling(account))
    with pytest.raises(ToolFailed, match="waits for the person"):
        await room.draft(LETTER, ["ida@example.org"], calling(account, "another"))
    assert await count_rows(database, "approval") == 1


async def test_a_wrong_address_makes_no_draft(
    room: EmailService, database: Database, account: int
) -> None:
    with pytest.raises(ToolFailed, match="no e-mail address"):
        await room.draft(LETTER, ["Kofi <kofi@example.org>"], calling(account))
    assert await count_rows(database, "approval") == 0
