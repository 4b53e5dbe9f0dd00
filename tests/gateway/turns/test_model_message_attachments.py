"""What people send beside text: fetched, kept, transcribed, or honestly missing."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from bot.agent.transcription import Transcript
from bot.errors import NotFound, RetryAt, TooLarge
from bot.files.store import FileStore
from bot.gateway.turns.model_message import Attachments
from bot.isolated_worker.worker import IsolatedWorker
from bot.messages.incoming import Attachment, Person, Said
from bot.messages.transcript import Media, Part, Text
from tests.support.app import MakeApp, TestApp, update
from tests.support.fakes import FakeChannel, FakeModel, reply
from tests.support.media import OGG, PDF, PNG, make_photo
from tests.support.queries import read_row, read_rows
from tests.support.waiting import until


@dataclass
class Cupboard(FakeChannel):
    """A channel that holds files; an exception in place of one is raised."""

    files: dict[str, bytes | Exception] = field(default_factory=dict[str, "bytes | Exception"])
    fetched: list[str] = field(default_factory=list[str])

    async def fetch(self, attachment: Attachment) -> bytes:
        self.fetched.append(attachment.reference)
        content = self.files[attachment.reference]
        if isinstance(content, Exception):
            raise content
        return content


@dataclass
class FakeTranscriber:
    words: str = "bonjour"
    available: bool = True
    estimated: float = 0.001
    model: str = "whisper-1"
    heard: int = 0

    def estimate_usd(self, audio: bytes, mime_type: str) -> float:
        return self.estimated

    async def transcribe(self, audio: bytes, **_: object) -> Transcript:
        self.heard += 1
        return Transcript(self.words.strip(), 0.002)


ACCOUNT = Person("telegram", "1", account=1, language="en")
GUEST = Person("telegram", "1", language="en")


async def _bring(
    app: TestApp,
    content: bytes | Exception,
    attachment: Attachment,
    person: Person = ACCOUNT,
    transcriber: Any = None,
) -> Part:
    channel = Cupboard(files={attachment.reference: content})
    listener = transcriber or FakeTranscriber()
    attachments = Attachments(app.app.files, listener, IsolatedWorker())
    said = update(Said("look", (attachment,)))
    [part] = (await attachments.bring(said, person, channel, "telegram:1/1", most_usd=0.5)).parts
    return part


def _words(part: Part) -> str:
    return part.text if isinstance(part, Text) else part.mention


async def test_a_photo_is_kept_and_shown(app: MakeApp) -> None:
    opened = await app()
    part = await _bring(opened, PNG, Attachment("image", "p", mime_type="image/jpeg"))
    assert isinstance(part, Media)
    assert part.mime_type == "image/png"  # by its bytes, whatever was claimed
    assert part.filename.startswith("photo-")
    assert part.filename.endswith(".png")
    assert await opened.app.files.read(part.file_id) == PNG


async def test_brought_twice_it_is_kept_once(app: MakeApp) -> None:
    opened = await app()
    for _ in range(2):
        await _bring(opened, PNG, Attachment("image", "p"))
    assert len(await opened.app.files.listing(1)) == 1


async def test_a_guests_photo_is_shown_though_they_have_no_library(app: MakeApp) -> None:
    part = await _bring(await app(), PNG, Attachment("image", "p"), GUEST)
    assert isinstance(part, Media)


async def test_a_guests_document_is_not_kept_and_the_model_is_told_why(app: MakeApp) -> None:
    opened = await app()
    part = await _bring(opened, PDF, Attachment("document", "d", "devoir.pdf"), GUEST)
    assert "devoir.pdf" in _words(part)
    assert "/login" in _words(part)
    assert await read_rows(opened.database, "file") == []


async def test_a_document_lands_in_the_library_under_its_name(app: MakeApp) -> None:
    opened = await app()
    part = await _bring(opened, PDF, Attachment("document", "d", "../devoir.pdf"))
    [file] = await opened.app.files.listing(1)
    assert file.name in _words(part)
    assert file.id in _words(part)
    assert "/" not in file.name


async def test_a_voice_note_is_read_to_the_model(app: MakeApp) -> None:
    part = await _bring(await app(), OGG, Attachment("audio", "v", voice=True))
    assert isinstance(part, Media)
    assert part.transcript == "bonjour"


@pytest.mark.parametrize("content", [b"OggS\x00\x02" + bytes(50), b"\x93NUMPY\x01\x00", b"Bonjour"])
@pytest.mark.parametrize("mime_type", ["audio/ogg; codecs=opus", "audio/amr"])
async def test_a_voice_note_of_an_unknown_form_is_heard_as_what_the_provider_says(
    app: MakeApp, content: bytes, mime_type: str
) -> None:
    note = Attachment("audio", "v", mime_type=mime_type, voice=True)
    part = await _bring(await app(), content, note)
    assert isinstance(part, Media)
    assert (part.transcript, part.mime_type) == ("bonjour", mime_type.partition(";")[0])


async def test_a_voice_note_that_is_something_else_by_its_bytes_is_that(app: MakeApp) -> None:
    opened = await app()
    await _bring(opened, PDF, Attachment("audio", "v", mime_type="audio/ogg"))
    [file] = await opened.app.files.listing(1)
    assert file.mime_type == "application/pdf"


async def test_a_document_that_claims_to_be_audio_is_kept_as_a_document(app: MakeApp) -> None:
    opened = await app()
    await _bring(opened, b"Bonjour", Attachment("document", "d", mime_type="audio/ogg"))
    assert [file.mime_type for file in await opened.app.files.listing(1)] == ["text/plain"]


async def test_where_nothing_can_listen_the_model_says_so(app: MakeApp) -> None:
    deaf = FakeTranscriber(available=False)
    part = await _bring(await app(), OGG, Attachment("audio", "v", voice=True), transcriber=deaf)
    assert "in writing" in _words(part)


async def test_silence_is_no_words(app: MakeApp) -> None:
    part = await _bring(
        await app(), OGG, Attachment("audio", "v"), transcriber=FakeTranscriber(" ")
    )
    assert "without a word" in _words(part)


@pytest.mark.parametrize(
    ("estimated", "most_usd", "heard"),
    [(0.3, 0.5, 1), (0.2, 0.5, 2), (0.6, 0.5, 0), (0.01, 0.0, 2), (0.03, 0.0, 0)],
)
async def test_notes_are_heard_while_the_turn_may_pay_them_short_ones_always(
    app: MakeApp, estimated: float, most_usd: float, heard: int
) -> None:
    listener = FakeTranscriber(estimated=estimated)
    attachments = Attachments((await app()).app.files, listener, IsolatedWorker())  # type: ignore[arg-type]
    notes = tuple(Attachment("audio", name, voice=True) for name in ("a", "b"))
    channel = Cupboard(files={"a": OGG, "b": OGG})

    brought = await attachments.bring(
        update(Said("", notes)), ACCOUNT, channel, "k", most_usd=most_usd
    )

    assert listener.heard == heard
    assert sum("too long" in _words(part) for part in brought.parts) == 2 - heard
    assert brought.transcriber == ("whisper-1" if heard else "")
    assert brought.transcribing_usd == pytest.approx(0.002 * heard)


async def test_what_is_gone_or_too_large_is_said(app: MakeApp) -> None:
    opened = await app()
    gone = await _bring(opened, NotFound("expired"), Attachment("image", "p"))
    large = await _bring(opened, TooLarge("at most 20 MB"), Attachment("document", "d"))
    assert "expired" in _words(gone)
    assert "20 MB" in _words(large)


async def test_what_does_not_come_is_named(app: MakeApp) -> None:
    opened = await app()
    for trouble in (NotFound("expired"), TooLarge("at most 20 MB")):
        part = await _bring(opened, trouble, Attachment("document", "d", "../devoir 3.pdf"))
        assert "[document devoir 3.pdf that " in _words(part)


async def test_a_photo_that_came_in_part_is_kept_but_not_shown(app: MakeApp) -> None:
    opened = await app()
    part = await _bring(opened, make_photo()[:-500], Attachment("image", "p", "tableau.jpg"))
    [file] = await opened.app.files.listing(1)
    assert f"[image {file.name}, " in _words(part)
    assert f"file_id {file.id}: it came damaged" in _words(part)


async def test_damaged_photos_are_told_to_guests_and_others_alike(app: MakeApp) -> None:
    part = await _bring(
        await app(), make_photo()[:-500], Attachment("image", "p", "tableau.png"), GUEST
    )
    assert _words(part) == (
        "[image tableau.png: it came damaged and cannot be looked at; ask for it again]"
    )


async def test_a_channel_that_stumbles_is_asked_again(app: MakeApp) -> None:
    opened = await app()
    channel = Cupboard(files={"p": RetryAt("502")})
    attachments = Attachments(opened.app.files, FakeTranscriber(), IsolatedWorker())  # type: ignore[arg-type]
    said = update(Said("look", (Attachment("image", "p"),)))
    [part] = (await attachments.bring(said, ACCOUNT, channel, "k", most_usd=0.5)).parts
    assert channel.fetched == ["p"] * 3
    assert "sent again" in _words(part)


# Through the whole app ------------------------------------------------------------------------


async def test_an_album_reaches_the_model_as_one_message_with_all_photos(app: MakeApp) -> None:
    channel = Cupboard(files={f"p{n}": PNG for n in range(5)})
    opened = await app(channel, burst_seconds=0.1)
    await opened.log_in()
    model = FakeModel(reply("five photos"))
    await opened.start(model)
    photos = [
        Said("my exercises" if n == 4 else "", (Attachment("image", f"p{n}"),)) for n in range(5)
    ]
    for photo in photos:
        await opened.send(photo)
    await until(opened.settled)
    [request] = model.requests
    message = msgspec.to_builtins(request.messages[-1])
    kinds = [part["type"] for part in message["parts"]]
    assert kinds == ["text"] + ["media"] * 5
    assert opened.said() == ["five photos"]


async def test_after_a_crash_the_photos_are_brought_before_the_model_is_asked(
    app: MakeApp,
) -> None:
    channel = Cupboard(files={"p": PNG})
    opened = await app(channel)
    await opened.log_in()
    attachment = Said("look", (Attachment("image", "p"),))
    model = FakeModel(ConnectionError("the process is gone"), reply("a photo"))
    await opened.start(model)
    await opened.send(attachment)
    await until(opened.settled)
    assert opened.said() == ["a photo"]
    first, second = (request.messages[-1] for request in model.requests)
    assert first == second
    assert channel.fetched == ["p"]


async def test_what_was_heard_stands_above_the_answer(app: MakeApp) -> None:
    opened = await app(Cupboard(files={"v": OGG}))
    model = FakeModel(reply("The sum is 4."))
    await opened.start(model)
    await opened.send(Said("", (Attachment("audio", "v", voice=True),)))
    await until(opened.settled)
    [request] = model.requests
    assert "in writing" in str(request.messages[-1])  # nothing listens here
    assert opened.said() == ["The sum is 4."]


# More than anyone can look at --------------------------------------------------------------------


@dataclass
class Counting(Cupboard):
    """Gives each photo a moment later, and counts how many it was asked for at once."""

    running: int = 0
    most: int = 0

    async def fetch(self, attachment: Attachment) -> bytes:
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0.01)
        self.running -= 1
        return await super().fetch(attachment)


async def test_of_a_burst_of_photos_the_first_twenty_are_looked_at_and_the_rest_is_told(
    app: MakeApp,
) -> None:
    names = [f"p{number}" for number in range(27)]
    channel = Counting(files=dict.fromkeys(names, PNG))
    opened = await app(channel, burst_seconds=0.1)
    await opened.log_in()
    photos = [
        update(Said("all of it" if n == 0 else "", (Attachment("image", name),)))
        for n, name in enumerate(names)
    ]
    await opened.app.inbox.store(photos)
    model = FakeModel(reply("twenty photos"))
    await opened.start(model)
    await until(opened.settled)
    assert sorted(channel.fetched) == sorted(names[:20])
    assert channel.most <= 8
    [request] = model.requests
    kinds = [part["type"] for part in msgspec.to_builtins(request.messages[-1])["parts"]]
    assert kinds == ["text", *["media"] * 20, "text"]
    assert "7 more attachments" in str(request.messages[-1])
    assert len(await opened.app.files.listing(1)) == 20
    assert opened.said() == ["twenty photos"]


async def test_of_one_message_with_too_many_the_rest_is_told_too(app: MakeApp) -> None:
    channel = Cupboard(files={f"p{number}": PNG for number in range(21)})
    files = (await app()).app.files
    attachments = Attachments(files, FakeTranscriber(), IsolatedWorker())  # type: ignore[arg-type]
    said = update(Said("", tuple(Attachment("image", name) for name in channel.files)))
    parts = (await attachments.bring(said, ACCOUNT, channel, "k", most_usd=0.5)).parts
    assert len(parts) == 21
    assert "1 more" in _words(parts[-1])


async def test_beside_a_damaged_photo_the_message_is_answered(app: MakeApp) -> None:
    channel = Cupboard(files={"good": PNG, "bad": make_photo()[:-500]})
    opened = await app(channel)
    await opened.log_in()
    model = FakeModel(reply("42. The second photo came damaged: send it again."))
    await opened.start(model)
    photos = (Attachment("image", "good"), Attachment("image", "bad", "tableau.png"))
    await opened.send(Said("6 × 7?", photos))
    await until(opened.settled)
    [request] = model.requests
    kinds = [part["type"] for part in msgspec.to_builtins(request.messages[-1])["parts"]]
    assert kinds == ["text", "media", "text"]
    assert "tableau.png" in str(request.messages[-1])
    assert opened.said() == ["42. The second photo came damaged: send it again."]


# Stopped ----------------------------------------------------------------------------------------


@dataclass
class Slow(Cupboard):
    """Gives what it has at once, and the rest never."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: int = 0

    async def fetch(self, attachment: Attachment) -> bytes:
        if attachment.reference in self.files:
            return await super().fetch(attachment)
        self.asked.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        raise AssertionError("never")


async def test_stop_while_photos_are_fetched_takes_effect_at_once(app: MakeApp) -> None:
    channel = Slow(files={"p0": PNG})
    opened = await app(channel, welcome_credits=50)
    await opened.log_in()
    model = FakeModel(reply("a new question"))
    await opened.start(model)
    photos = tuple(Attachment("image", f"p{number}") for number in range(3))
    await opened.send(Said("look", photos))
    await channel.asked.wait()
    await until(lambda: read_rows(opened.database, "file"))
    await opened.send("/stop")
    await until(opened.settled)
    assert channel.cancelled == 2
    assert opened.said() == ["Stopped."]
    assert model.requests == []
    turns = await read_rows(opened.database, "turn", order_by="id")
    assert (turns[0]["reason"], turns[0]["credits"]) == ("cancelled", 0)
    account = await read_row(opened.database, "account")
    assert account["balance"] == 50


async def test_what_was_stopped_is_not_fetched_for_the_next_message(app: MakeApp) -> None:
    channel = Slow()
    opened = await app(channel)
    await opened.log_in()
    model = FakeModel(reply("hello"))
    await opened.start(model)
    await opened.send(Said("look", (Attachment("image", "p0"),)))
    await channel.asked.wait()
    await opened.send("/stop", "hello")
    await until(opened.settled)
    assert opened.said() == ["Stopped.", "hello"]
    assert channel.cancelled == 1
    assert len(model.requests) == 1


async def test_a_photo_that_came_whole_before_the_stop_is_whole(app: MakeApp) -> None:
    """And of the one that did not come whole there is nothing."""
    channel = Slow(files={"p0": PNG})
    opened = await app(channel)
    await opened.log_in()
    await opened.start(FakeModel())
    await opened.send(Said("look", (Attachment("image", "p0"), Attachment("image", "p1"))))
    await until(lambda: read_rows(opened.database, "file"))
    await opened.send("/stop")
    await until(opened.settled)
    [file] = await opened.app.files.listing(1)
    assert await opened.app.files.read(file.id) == PNG


class Held:
    """A blob store that has taken a file's bytes, and does not say so until it is let go."""

    def __init__(self) -> None:
        self.entered = asyncio.Event()
        self.kept: dict[str, bytes] = {}

    async def put(self, key: str, content: bytes, mime_type: str) -> None:
        self.kept[key] = content
        self.entered.set()
        await asyncio.Event().wait()

    async def get(self, key: str) -> bytes:
        return self.kept[key]

    async def delete(self, key: str) -> None:
        del self.kept[key]


async def test_cancelled_while_a_file_is_kept_no_row_points_at_it(app: MakeApp) -> None:
    opened, blobs = await app(), Held()
    files = FileStore(opened.database, blobs)
    attachments = Attachments(files, FakeTranscriber(), IsolatedWorker())  # type: ignore[arg-type]
    said = update(Said("look", (Attachment("image", "p"),)))
    bringing = asyncio.create_task(
        attachments.bring(said, ACCOUNT, Cupboard(files={"p": PNG}), "k", most_usd=0.5)
    )
    await asyncio.wait_for(blobs.entered.wait(), 10)
    bringing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(bringing, 1)
    assert await opened.app.files.listing(1) == []
