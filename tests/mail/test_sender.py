"""Letters go once each, whatever servers say and whoever dies on the way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.contracts.storage import Database
from bot.mail import emails
from bot.settings import Settings
from tests.mail.parts import AWA, IDA, KOFI, Office
from tests.standins.mail import serve_mail
from tests.support.queries import Plus, change_rows, read_rows
from tests.support.waiting import until


@pytest.fixture
async def office(database: Database, settings: Settings, tmp_path: Path) -> AsyncIterator[Office]:
    async with serve_mail(tmp_path, tls="offered") as server:
        yield Office(database, settings, server)


async def test_what_is_kept_goes_by_itself(office: Office) -> None:
    await office.keep("one")
    office.post.start()

    async def gone() -> bool:
        return bool((await office.row())["ended_at"])

    await until(gone)
    await office.post.stop(5)
    [arrived] = office.server.arrived
    assert (arrived.sender, arrived.recipients) == ("griot@example.org", [AWA])
    assert arrived.message["From"] == "Griot <griot@example.org>"
    assert (await office.row())["state"] == "sent"
    assert office.counted() == {"sent": 1}


async def test_several_processes_send_it_once(office: Office) -> None:
    for number in range(6):
        await office.keep(f"letter {number}")
    posts = [office.post, *(office.another() for _ in range(3))]
    sent = await asyncio.gather(*(post.send_next() for post in posts * 3))
    assert sent.count(True) == 6
    ids = [arrived.message["Message-ID"] for arrived in office.server.arrived]
    assert len(ids) == len(set(ids)) == 6


async def test_the_same_key_is_one_letter(office: Office) -> None:
    for _ in range(3):
        await office.keep("one")
    assert await office.post.send_next()
    assert not await office.post.send_next()
    assert len(office.server.arrived) == 1


async def test_what_may_be_tried_again_is_later_and_later(office: Office) -> None:
    office.server.answers["MAIL"] = ["451 later", "421 later", "450 later"]
    await office.keep("one")
    waits = []
    for _ in range(3):
        await office.make_due()
        assert await office.post.send_next()
        row = await office.row()
        assert (row["state"], row["ended_at"]) == ("pending", None)
        waits.append(round(row["wait"] / 15))
        assert not await office.post.send_next()  # not before its time
    assert waits == [1, 2, 4]
    await office.make_due()
    await office.post.send_next()
    assert ((await office.row())["state"], len(office.server.arrived)) == ("sent", 1)
    assert office.counted() == {"retry": 3, "sent": 1}


async def test_a_server_that_is_down_costs_no_letter(office: Office) -> None:
    office.server.hangs_up = ["MAIL"]
    await office.keep("one")
    await office.post.send_next()
    assert (await office.row())["state"] == "pending"
    await office.make_due()
    await office.post.send_next()
    assert (await office.row())["state"] == "sent"


async def test_what_is_refused_is_not_tried_again_and_told(office: Office) -> None:
    office.server.answers[AWA] = ["550 no such user"]
    await office.keep("one")
    await office.post.send_next()
    row = await office.row()
    assert (row["state"], row["error"]) == ("refused", "550 no such user")
    assert office.told.of == [("one", (AWA,))]
    await office.make_due()
    assert not await office.post.send_next()


async def test_nobody_is_told_of_our_own_letters(office: Office) -> None:
    office.server.answers[AWA] = ["550 no such user"]
    await office.keep("one", account=None)
    await office.post.send_next()
    assert (await office.row())["state"] == "refused"
    assert office.told.of == []


async def test_of_several_only_those_are_tried_again_whom_it_has_not_reached(
    office: Office,
) -> None:
    office.server.answers = {KOFI: ["450 later"], IDA: ["550 no such user"]}
    await office.keep("one", AWA, KOFI, IDA)
    await office.post.send_next()
    row = await office.row()
    assert (row["state"], row["recipients"]) == ("pending", f'["{KOFI}"]')
    await office.make_due()
    await office.post.send_next()
    first, second = office.server.arrived
    assert (first.recipients, second.recipients) == ([AWA], [KOFI])
    assert first.message["To"] == second.message["To"] == f"{AWA}, {KOFI}, {IDA}"
    assert (await office.row())["state"] == "sent"
    assert office.told.of == [("one", (IDA,))]


async def test_after_a_day_it_is_given_up(office: Office) -> None:
    office.server.answers["MAIL"] = ["451 later", "451 later"]
    await office.keep("one")
    await change_rows(office.database, "email", {"created_at": Plus(-86300)})
    await office.post.send_next()
    assert (await office.row())["state"] == "pending"
    await change_rows(office.database, "email", {"created_at": Plus(-101)})
    await office.make_due()
    await office.post.send_next()
    assert (await office.row())["state"] == "refused"
    assert office.told.of == [("one", (AWA,))]


@pytest.mark.parametrize("moment", ["DATA", "END"])
async def test_what_may_have_arrived_is_never_sent_again(office: Office, moment: str) -> None:
    office.server.hangs_up = ["END" if moment == "END" else "DATA"]
    await office.keep("one")
    await office.post.send_next()
    assert (await office.row())["state"] == "unknown"
    await office.make_due()
    assert not await office.post.send_next()
    assert office.counted() == {"unknown": 1}


async def test_whose_process_dies_on_the_way_is_in_doubt(office: Office) -> None:
    office.server.waits = asyncio.Event()
    await office.keep("one")
    dying = asyncio.create_task(office.post.send_next())
    await until(lambda: _has(office.server.arrived))
    dying.cancel()
    await asyncio.gather(dying, return_exceptions=True)
    assert (await office.row())["state"] == "attempting"
    other = office.another()
    await other.count_lost()
    assert not await other.send_next()  # its lease holds
    assert (await office.row())["state"] == "attempting"
    await office.make_due()
    await other.count_lost()
    assert not await other.send_next()
    assert (await office.row())["state"] == "unknown"
    assert office.counted() == {"unknown": 1}


async def test_who_was_taken_for_dead_and_knows_better_is_believed(office: Office) -> None:
    office.server.waits = asyncio.Event()
    await office.keep("one")
    slow = asyncio.create_task(office.post.send_next())
    await until(lambda: _has(office.server.arrived))
    await office.make_due()
    await office.another().count_lost()
    assert (await office.row())["state"] == "unknown"
    office.server.waits.set()
    await slow
    assert (await office.row())["state"] == "sent"


async def test_it_is_marked_before_anything_is_connected(office: Office) -> None:
    await office.keep("one")
    kept = await office.database.write(emails.claim_due_email)
    assert kept is not None
    assert (await office.row())["state"] == "attempting"
    assert office.server.connections == 0


async def test_files_go_along(office: Office) -> None:
    kept = await office.files.save(
        7, "reçu.pdf", b"%PDF", mime_type="application/pdf", source="generated", key="k"
    )
    await office.keep("one", attachments=(kept.file_id,))
    await office.post.send_next()
    [file] = office.server.arrived[0].message.iter_attachments()
    assert (file.get_filename(), file.get_payload(decode=True)) == ("reçu.pdf", b"%PDF")


@pytest.mark.parametrize("owner", [None, 8])
async def test_without_a_file_of_its_own_it_does_not_go(office: Office, owner: int | None) -> None:
    file_id = "gone"
    if owner:
        kept = await office.files.save(
            owner, "a.pdf", b"%PDF", mime_type="application/pdf", source="generated", key="k"
        )
        file_id = kept.file_id
    await office.keep("one", attachments=(file_id,))
    await office.post.send_next()
    assert (await office.row())["state"] == "refused"
    assert office.server.connections == 0


async def test_a_store_out_of_reach_is_no_reason_to_give_up(office: Office) -> None:
    kept = await office.files.save(
        7, "a.pdf", b"%PDF", mime_type="application/pdf", source="generated", key="k"
    )
    whole = office.files.read

    async def unreachable(file_id: str) -> bytes:
        raise ConnectionError("the store is away")

    office.files.read = unreachable  # the blob store answers again below
    await office.keep("one", attachments=(kept.file_id,))
    await office.post.send_next()
    assert (await office.row())["state"] == "pending"
    office.files.read = whole
    await office.make_due()
    await office.post.send_next()
    assert (await office.row())["state"] == "sent"


async def test_stopping_waits_for_what_is_on_its_way(office: Office) -> None:
    office.server.waits = asyncio.Event()
    await office.keep("one")
    office.post.start()
    await until(lambda: _has(office.server.arrived))
    stopping = asyncio.create_task(office.post.stop(20))
    await asyncio.sleep(0)
    office.server.waits.set()
    await stopping
    assert (await office.row())["state"] == "sent"


async def test_what_fails_in_one_holds_up_no_other(office: Office) -> None:
    await office.keep("one")
    await change_rows(office.database, "email", {"body": "not json"})
    await office.keep("two")
    office.post.start()

    async def sent() -> bool:
        rows = await read_rows(office.database, "email", key="two")
        return rows[0]["state"] == "sent"

    await until(sent)
    await office.post.stop(5)


async def _has(arrived: list[object]) -> bool:
    return bool(arrived)
