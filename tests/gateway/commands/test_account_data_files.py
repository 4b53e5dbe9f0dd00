"""`/files`: the newest with their links, how many more, how full the library is."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from bot.gateway.commands.account_data import FilesCommand
from bot.messages.channels import Channel
from bot.messages.incoming import Person
from bot.messages.outgoing import Say, ShareFile
from tests.support.app import MakeApp, TestApp, update
from tests.support.queries import change_rows


async def keep(app: TestApp, account: int, *names: str, size: int = 10) -> None:
    for number, name in enumerate(names):
        await app.app.files.save(
            account, name, b"x" * size, mime_type="text/plain", source="generated", key=name
        )
        await change_rows(app.database, "file", {"created_at": number}, key=name)


async def ask(
    app: TestApp, account: int | None, channel: Channel = "telegram", *, language: str = "en"
) -> str:
    files = FilesCommand(app.app.files, app.app.links)
    person = Person(channel, "1", account=account, language=language)
    [said] = (await files(person, update("/files"), "")).outgoing
    assert isinstance(said, Say)
    return said.markdown


@pytest.mark.parametrize(("channel", "most"), [("telegram", 10), ("sms", 5)])
async def test_the_newest_are_shown_with_links_and_the_rest_is_counted(
    app: MakeApp, channel: Channel, most: int
) -> None:
    one = await app()
    account = await one.log_in()
    await keep(one, account, *(f"file{number:02d}.txt" for number in range(12)), size=1_000_000)
    told = await ask(one, account, channel)
    shown = re.findall(r"file(\d\d)\.txt\]\((http\S+)\)", told)
    assert [int(number) for number, _ in shown] == [*range(11, 11 - most, -1)]
    assert f"And {12 - most} older files." in told
    assert "12 of 200 MB used." in told
    token = shown[0][1].rpartition("/")[2]
    found = await one.app.files.find(one.app.links.read(token))
    assert found.name == "file11.txt"


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "0.1 of 200 MB used."), ("fr", "Place prise\u00a0: 0,1\u00a0Mo sur 200\u00a0Mo.")],
)
async def test_a_small_file_takes_little_of_the_place(
    app: MakeApp, language: str, words: str
) -> None:
    one = await app()
    account = await one.log_in()
    await keep(one, account, "a.txt", size=9_900)
    assert words in await ask(one, account, language=language)


async def test_each_has_its_day_and_equal_names_their_time(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    await keep(one, account, "a.pdf", "b.pdf", "c.pdf")
    await change_rows(one.database, "file", {"name": "a.pdf", "created_at": 7200}, key="b.pdf")
    lines = (await ask(one, account)).splitlines()
    days = [line.rpartition("· ")[2] for line in lines if line.startswith("-")]
    assert sorted(days) == ["1 Jan 1970", "1 Jan 1970, 0:00", "1 Jan 1970, 2:00"]
    assert "1er janv. 1970, 2\u00a0h" in await ask(one, account, language="fr")


async def test_names_are_short_where_each_line_is_paid(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    await keep(one, account, "a very long name of a document.pdf")
    assert "[a very long name of .pdf]" in await ask(one, account, "sms")
    assert "[a very long name of a document.pdf]" in await ask(one, account)


async def test_an_export_is_not_listed(app: MakeApp, tmp_path: Path) -> None:
    one = await app()
    account = await one.log_in()
    path = tmp_path / "x.zip"
    path.write_bytes(b"zip")
    await one.app.files.save_export(account, "all.zip", path, key="e")
    assert "no files yet" in await ask(one, account)


async def test_nobody_elses_are_shown(app: MakeApp) -> None:
    one = await app()
    account, other = await one.log_in(), await one.log_in("2", "+22670123456")
    await keep(one, other, "theirs.txt")
    assert "theirs" not in await ask(one, account)


async def test_a_guest_has_none(app: MakeApp) -> None:
    assert "/login" in await ask(await app(), None)


async def test_in_a_group_they_are_not_shown(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    await keep(one, account, "mine.txt")
    files = FilesCommand(one.app.files, one.app.links)
    group = msgspec.structs.replace(update("/files", chat="-100"), group=True)
    person = Person("telegram", "1", account=account, language="en")
    [said] = (await files(person, group, "")).outgoing
    assert isinstance(said, Say)
    assert "private" in said.markdown


async def test_where_no_link_works_the_files_come_themselves(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    await keep(one, account, "fiche.md")
    files = FilesCommand(one.app.files, one.app.links)
    person = Person("console", "1", account=account, language="en")
    said, *shared = (await files(person, update("/files"), "")).outgoing
    assert isinstance(said, Say)
    assert "fiche.md" in said.markdown
    assert "http" not in said.markdown
    assert [each.filename for each in shared if isinstance(each, ShareFile)] == ["fiche.md"]
