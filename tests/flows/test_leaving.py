"""Someone has a copy of all that is kept, and leaves: on Telegram by a button, on SMS by typing."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from bot.gateway.scheduler.cleanup import Cleanup
from bot.settings import Settings
from tests.adapters.conformance.driver import AWA, PUBLIC
from tests.adapters.conformance.stage import MakeStage, Stage, staging
from tests.adapters.conformance.table import SMS, TELEGRAM
from tests.support.fakes import FakeModel, reply
from tests.support.queries import count_rows, read_row, read_rows

BOTH = pytest.mark.parametrize("name", [TELEGRAM, SMS])
LEFT = ("lane", "inbox", "turn", "journal", "outbox", "button", "identity", "file", "memory")
GONE = "C’est fait"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
async def stage(make_settings: Callable[..., Settings]) -> AsyncIterator[MakeStage]:
    async with staging(make_settings) as make:
        yield make


async def _left(one: Stage) -> dict[str, int]:
    """How many rows there still are, by table."""
    counted = {name: await count_rows(one.database, name) for name in LEFT}
    return {name: number for name, number in counted.items() if number}


async def _swept(one: Stage) -> None:
    app = one.griot.app
    await one.settle()
    await Cleanup(app.database, app.files).sweep()


def _plain(text: str) -> str:
    """Typographic apostrophes are not sent where they would cost."""
    return text.replace("’", "'")


@BOTH
async def test_who_confirms_is_gone_and_begins_anew(stage: MakeStage, name: str) -> None:
    one = await stage(name, FakeModel(reply("Un demi."), reply("Enchanté.")))
    await one.log_in()
    await one.say("je m'appelle Awa Traoré")
    await one.told(1)
    await one.say("/delete")
    warning = (await one.told(2))[1]
    assert "50" in warning or "crédits" in warning
    await (one.choose("Tout effacer") if name == TELEGRAM else one.say("delete confirm"))
    await one.until(lambda: any(_plain(GONE) in _plain(text) for text in one.words()))
    await _swept(one)
    others = {} if name == TELEGRAM else {"identity": 1}  # Binta's
    assert await _left(one) == others
    [account, *_] = await read_rows(one.database, "account")
    assert (account["phone"], account["name"]) == (None, "")

    await one.say("bonjour")
    # a number is welcomed once; a guest may ask again
    await one.heard("Enchanté." if name == TELEGRAM else "crédits")


@BOTH
async def test_a_copy_comes_as_a_file_or_as_a_link(stage: MakeStage, name: str) -> None:
    one = await stage(name, FakeModel(reply("Un demi.")))
    await one.log_in()
    await one.say("1/2 ?")
    await one.told(1)
    await one.say("/export" if name == TELEGRAM else "Export")
    await one.settle()
    row = await read_row(one.database, "file", source="export")
    content = await one.griot.app.files.read(row["id"])
    if name == SMS:
        [link] = re.findall(rf"{PUBLIC}(/files/\S+?)[)\s]*$", one.driver.shown()[-1])
        async with one.griot.session.get(one.griot.url + link) as answer:
            assert (answer.status, await answer.read()) == (200, content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        said: list[Any] = json.loads(archive.read("messages.json"))
    assert [each["text"] for each in said] == ["1/2 ?", "Un demi."]


@BOTH
async def test_files_are_listed_with_links(stage: MakeStage, name: str) -> None:
    note = ("generate_md", '{"filename": "fiche.md", "content": "# Les fractions"}')
    one = await stage(name, FakeModel(reply("", note), reply("Voilà.")))
    await one.log_in()
    await one.say("fais une fiche")
    await one.settle()
    await one.say("/files" if name == TELEGRAM else "Fichiers")
    await one.heard("fiche.md")
    await one.until(lambda: "Mo" in one.driver.shown()[-1])
    assert AWA not in one.driver.shown()[-1]
