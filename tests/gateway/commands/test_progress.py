"""`/progress`: where there are pictures, where there are none, where words cost, what fails."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from bot.contracts.channels import Capabilities
from bot.documents.document_request import Chart
from bot.documents.typesetter import Typesetter
from bot.files.links import Links
from bot.files.store import TEMPORARY
from bot.gateway.commands.progress import ProgressCommand
from bot.gateway.commands.reply import Reply
from bot.learning.results import Results
from bot.messages.incoming import Person, Sender, Update
from bot.messages.outgoing import Say, ShareFile
from bot.render.sms import count_segments
from tests.support.app import MakeApp, TestApp, update
from tests.support.fakes import FakeChannel, tool_context
from tests.support.queries import read_row

SHOWS = Capabilities(max_text=4096, markup="entities", media=(("image/*", 5_000_000),))
SMS = Capabilities(max_text=1600, text_unit="gsm7", markup="plain", page=459)
MARKDOWN = Capabilities(max_text=100_000, markup="markdown", media=(("*/*", 5_000_000),))
NO_PICTURES = replace(SHOWS, media=())
PNG = b"\x89PNG a picture"


class FakeTypesetter(Typesetter):
    def __init__(self, picture: bytes | None = PNG) -> None:
        super().__init__()
        self.asked: list[Chart] = []
        self.drawn = picture

    async def chart(self, chart: Chart) -> bytes | None:
        self.asked.append(chart)
        return self.drawn


class HangingTypesetter(FakeTypesetter):
    async def chart(self, chart: Chart) -> bytes | None:
        await asyncio.Event().wait()
        return None


@dataclass
class Desk:
    """Awa, and who answers her `/progress`."""

    app: TestApp
    typesetter: FakeTypesetter = field(default_factory=FakeTypesetter)

    def __post_init__(self) -> None:
        app = self.app.app
        links = Links(app.settings, place="progress")
        self.handler = ProgressCommand(app.context, app.files, self.typesetter, links)

    async def person(self) -> Person:
        async def work(tx: Any) -> Person:
            sender = Sender("1", "Awa Koné", "en")
            return await self.app.app.people.recognise(tx, "telegram", sender)

        return await self.app.database.write(work)

    async def ask(self, *, key: str = "", group: bool = False) -> Reply:
        sent = msgspec.structs.replace(update("/progress", key=key), group=group)
        return await self.run(await self.person(), sent)

    async def run(self, person: Person, sent: Update) -> Reply:
        found = await self.handler.run(person, sent, "")
        assert isinstance(found, Reply)
        return found

    async def words(self, **values: Any) -> str:
        said = (await self.ask(**values)).outgoing[0]
        assert isinstance(said, Say)
        return said.markdown


MakeDesk = Callable[..., Awaitable[Desk]]


@pytest.fixture
def desk(app: MakeApp) -> MakeDesk:
    async def make(capabilities: Capabilities = SHOWS, *subjects: str, **values: object) -> Desk:
        usual: dict[str, object] = {"public_url": "https://griot.example"}
        one = await app(FakeChannel(capabilities=capabilities), **(usual | values))
        account = await one.log_in()
        for number, subject in enumerate(subjects or ("maths",)):
            context = tool_context(account=account, key=f"k{number}")
            await Results(one.database).report(subject, correct=True, topic="", context=context)
        return Desk(one)

    return make


async def test_words_come_first_then_the_picture(desk: MakeDesk) -> None:
    one = await desk()
    said, picture = (await one.ask()).outgoing
    assert isinstance(said, Say)
    assert "1 of 1 right (100%)" in said.markdown
    assert "(https://griot.example/progress/" in said.markdown
    assert isinstance(picture, ShareFile)
    assert (picture.filename, picture.mime_type, picture.size) == (
        "progress.png",
        "image/png",
        len(PNG),
    )
    [chart] = one.typesetter.asked
    assert chart.title == "Your progress, Awa"
    assert [row.name for row in chart.subjects] == ["Maths"]


async def test_the_picture_is_not_kept_among_the_persons_files(desk: MakeDesk) -> None:
    one = await desk()
    await one.ask()
    account = (await one.person()).account or 0
    assert await one.app.app.files.listing(account) == []
    row = await read_row(one.app.database, "file")
    assert (row["account"], row["source"]) == (account, TEMPORARY)


async def test_run_again_for_the_same_message_it_makes_no_second_picture(desk: MakeDesk) -> None:
    one = await desk()
    first, again = await one.ask(key="same"), await one.ask(key="same")
    assert first.outgoing[1:] == again.outgoing[1:]
    assert len(one.typesetter.asked) == 1
    both = await asyncio.gather(one.ask(key="a"), one.ask(key="a"))
    assert both[0].outgoing[1:] == both[1].outgoing[1:]


async def test_another_persons_picture_is_never_sent(desk: MakeDesk) -> None:
    one = await desk()
    sent = update("/progress", key="same")
    awa = await one.person()
    other = await one.app.log_in("2", "+2250701020305")
    await Results(one.app.database).report(
        "french", correct=False, topic="", context=tool_context(account=other, key="other")
    )
    [_, mine] = (await one.run(awa, sent)).outgoing
    [_, theirs] = (await one.run(Person("telegram", "2", other), sent)).outgoing
    assert mine != theirs


@pytest.mark.parametrize("capabilities", [MARKDOWN, NO_PICTURES])
async def test_without_pictures_there_are_words_and_the_link(
    desk: MakeDesk, capabilities: Capabilities
) -> None:
    one = await desk(capabilities)
    [said] = (await one.ask()).outgoing
    assert isinstance(said, Say)
    assert "[Your private page](https://griot.example/progress/" in said.markdown
    assert one.typesetter.asked == []


async def test_no_picture_leaves_the_words(desk: MakeDesk) -> None:
    one = await desk()
    one.typesetter.drawn = None
    [said] = (await one.ask()).outgoing
    assert isinstance(said, Say)


async def test_a_picture_that_does_not_come_is_not_waited_for(
    desk: MakeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.gateway.commands.progress._PATIENCE", 0.05)  # or the test would wait 5
    one = Desk((await desk()).app, HangingTypesetter())
    with capture_logs() as logs:
        [said] = (await one.ask()).outgoing
    assert isinstance(said, Say)
    assert [entry["event"] for entry in logs] == ["progress_not_drawn"]


async def test_who_has_nothing_to_show_gets_words_only(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=SHOWS), public_url="https://griot.example")
    await one.log_in()
    assert (await Desk(one).ask()).outgoing == (
        Say("Nothing to show yet. Answer a quiz or do an exercise with me, and it will be here."),
    )


async def test_a_guest_is_told_to_log_in(app: MakeApp) -> None:
    assert "/login" in await Desk(await app()).words()


async def test_a_group_is_not_given_the_link(desk: MakeDesk) -> None:
    one = await desk()
    assert "/progress/" in await one.words()
    assert "http" not in await one.words(group=True)


async def test_a_link_that_nobody_could_open_is_left_out(desk: MakeDesk) -> None:
    assert "http" not in await (await desk(SHOWS, public_url=None)).words()
    assert "/progress/" in await (await desk(MARKDOWN, public_url=None)).words()


async def test_the_link_leads_to_this_account_and_to_no_file(desk: MakeDesk) -> None:
    one = await desk()
    token = (await one.words()).rpartition("/")[2].rstrip(")")
    settings = one.app.app.settings
    account, _, _ = Links(settings, place="progress").read(token).partition("-")
    assert int(account) == (await one.person()).account


# Where words cost


async def test_by_sms_it_is_one_segment_with_the_link_if_there_is_room(desk: MakeDesk) -> None:
    one = await desk(SMS)
    text = await one.words()
    assert text.startswith("Progress: 1 day in a row, 100% right in 30 days.\nMaths 100% (1 of 1)")
    assert "\nhttps://griot.example/progress/" in text
    assert count_segments(text).paid == 1
    assert one.typesetter.asked == []


async def test_by_sms_subjects_go_before_the_link(desk: MakeDesk) -> None:
    text = await (await desk(SMS, "maths", "french", "biology", "history", "philosophy")).words()
    assert "Biology" in text
    assert "http" not in text
    assert count_segments(text).paid == 1


async def test_by_sms_a_subject_that_would_double_the_price_is_left_out(desk: MakeDesk) -> None:
    text = await (await desk(SMS, "数学" * 10, "maths")).words()
    assert "Maths 100%" in text
    assert "数" not in text
    assert count_segments(text).paid == 1


@pytest.mark.parametrize("capabilities", [SHOWS, SMS])
async def test_the_name_of_a_subject_is_no_markup(
    desk: MakeDesk, capabilities: Capabilities
) -> None:
    one = await desk(capabilities, "[*a*](http://b.c)")
    adapter = one.app.app.context.adapters["fake"]
    outgoing = (await one.ask()).outgoing
    composed = one.app.app.context.composer.compose(outgoing[:1], adapter.capabilities, "en")
    [body] = composed.bodies
    shown: Any = body
    assert "[*a*](http://b.c)" in shown.text
    assert "italic" not in {entity.kind for entity in shown.entities}
