"""Files sent with a chat message over HTTP, from the request to what the model sees."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.asyncio_tasks import cancel_tasks
from bot.messages.transcript import Media, UserMessage
from tests.support.fakes import FakeModel, reply
from tests.support.media import OGG, PDF, PNG
from tests.support.queries import change_rows, read_rows
from tests.support.site import Events, MakeSite, Site, parse_sse
from tests.support.transcription_endpoint import play_text, serve_transcription
from tests.support.waiting import until

MB = 2**20
WEBM = b"\x1aE\xdf\xa3" + bytes(40) + b"webm" + bytes(20) + b"A_OPUS" + bytes(60)
MP4 = b"\0\0\0\x18ftypiso5" + bytes(40) + b"hdlr" + bytes(8) + b"soun" + bytes(40)


def form(message: str | None = "look", *files: tuple[str, bytes, str], **fields: str) -> Any:
    """A form with files as (name, content, claimed type)."""
    made = aiohttp.FormData(quote_fields=False)
    for name, text in ({} if message is None else {"message": message} | fields).items():
        made.add_field(name, text)
    for name, content, kind in files:
        made.add_field("attachment", io.BytesIO(content), filename=name, content_type=kind)
    return made


async def send(griot: Site, data: Any, **headers: str) -> tuple[int, str, dict[str, str]]:
    """Status, events or JSON as text, and headers of one form that is sent."""
    url = f"{griot.url}/api/v1/chat"
    async with griot.session.post(url, data=data, headers=griot.headers | headers) as answer:
        return answer.status, await answer.text(), dict(answer.headers)


async def chat(griot: Site, data: Any) -> Events:
    status, text, _ = await send(griot, data)
    assert status == 200, text
    return parse_sse(text)


async def refused(griot: Site, data: Any, **headers: str) -> tuple[int, str, str]:
    """Status, code and message of a form that is refused."""
    status, text, _ = await send(griot, data, **headers)
    error = json.loads(text)["error"]
    return status, error["code"], error["message"]


def seen(model: FakeModel, number: int = 0) -> UserMessage:
    """What the person said, as the model sees it."""
    [play_text] = [m for m in model.requests[number].messages if isinstance(m, UserMessage)][-1:]
    return play_text


async def stored_files(griot: Site) -> list[Any]:
    return await read_rows(griot.app.database, "file")


async def leaves_nothing(griot: Site) -> None:
    assert await stored_files(griot) == []
    assert await read_rows(griot.app.database, "inbox") == []


# What becomes of them ---------------------------------------------------------------------------


async def test_a_photo_is_shown_to_the_model_and_kept_in_the_library(site: MakeSite) -> None:
    model = FakeModel(reply("A dot."))
    griot = await site(model)
    await griot.log_in()
    events = await chat(griot, form("what is this?", ("devoir.jpg", PNG, "text/html")))
    assert ("content", {"text": "A dot."}) in events
    shown = seen(model)
    [picture] = [part for part in shown.parts if isinstance(part, Media)]
    assert (picture.kind, picture.mime_type) == ("image", "image/png")  # by its bytes
    assert shown.text.startswith("what is this?")
    assert [(row["source"], row["account"]) for row in await stored_files(griot)] == [("http", 1)]


async def test_a_document_lands_in_the_library_under_a_clean_name(site: MakeSite) -> None:
    model = FakeModel(reply("Read."))
    griot = await site(model)
    await griot.log_in()
    await chat(griot, form("", ("../../etc/devoir de maths.pdf", PDF, "application/pdf")))
    [file] = await stored_files(griot)
    assert (file["name"], file["mime_type"]) == ("devoir de maths.pdf", "application/pdf")
    assert "document devoir de maths.pdf" in seen(model).text
    status, listed = await griot.request("GET", "/api/v1/files")
    assert (status, [each["filename"] for each in listed]) == (200, ["devoir de maths.pdf"])


async def test_five_files_come_in_their_order(site: MakeSite) -> None:
    model = FakeModel(reply("Five."))
    griot = await site(model)
    await griot.log_in()
    await chat(griot, form("", *[(f"{n}.pdf", PDF, "application/pdf") for n in range(5)]))
    assert [seen(model).text.index(f"{n}.pdf") for n in range(5)] == sorted(
        seen(model).text.index(f"{n}.pdf") for n in range(5)
    )


async def test_a_guest_shows_photos_and_keeps_no_documents(site: MakeSite) -> None:
    model = FakeModel(reply("A dot."))
    griot = await site(model)
    await chat(griot, form("look", ("a.png", PNG, "image/png"), ("b.pdf", PDF, "x/y")))
    shown = seen(model)
    assert [part.kind for part in shown.parts if isinstance(part, Media)] == ["image"]
    assert "guests have no library" in shown.text
    assert [row["source"] for row in await stored_files(griot)] == ["http"]


@pytest.mark.parametrize(
    ("kind", "content"),
    [("audio/webm;codecs=opus", WEBM), ("audio/mp4", MP4), ("audio/ogg", OGG)],
)
async def test_a_recording_is_transcribed_and_read_back(
    site: MakeSite, kind: str, content: bytes
) -> None:
    model = FakeModel(reply("Seven."))
    words = "Three and four?"
    async with serve_transcription(play_text(words)) as listener:
        settings = {"openai_base_url": listener.url, "openai_api_key": "sk-test"}
        griot = await site(model, transcribe_model="whisper-1", **settings)
        await griot.log_in()
        events = await chat(griot, form(None, ("blob", content, kind)))
    assert [(one.audio, one.mime_type) for one in listener.heard] == [
        (content, kind.partition(";")[0])
    ]
    texts = [data["text"] for name, data in events if name == "content"]
    assert texts == [f"> 🎤 {words}\n\n", "Seven."]
    assert words in seen(model).text
    session = events[0][1]["session_id"]
    _, body = await griot.request("GET", f"/api/v1/sessions/{session}/turns")
    [turn] = body["turns"]
    assert turn["said"] == []
    assert turn["attachments"] == [{"kind": "audio", "filename": "", "size": len(content)}]
    assert turn["events"][0][1]["text"] == f"> 🎤 {words}\n\nSeven."


async def test_the_history_tells_what_was_attached(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("A dot."), reply("Yes.")))
    await griot.log_in()
    await chat(griot, form("look", ("a.png", PNG, "image/png"), session_id="s"))
    await griot.chat("and now?", session_id="s")
    _, body = await griot.request("GET", "/api/v1/sessions/s/turns")
    assert [(turn["said"], turn["attachments"]) for turn in body["turns"]] == [
        (["look"], [{"kind": "image", "filename": "a.png", "size": len(PNG)}]),
        (["and now?"], []),
    ]


async def test_a_job_takes_files_too(site: MakeSite) -> None:
    model = FakeModel(reply("Done."))
    griot = await site(model)
    await griot.log_in()
    status, text, _ = await send(
        griot, form("sum it up", ("a.pdf", PDF, "application/pdf"), background="true")
    )
    assert status == 202, text
    job = json.loads(text)["job_id"]

    async def is_done() -> bool:
        return (await griot.request("GET", f"/api/v1/jobs/{job}"))[1]["status"] == "done"

    await until(is_done)
    assert "document a.pdf" in seen(model).text
    assert [row["source"] for row in await stored_files(griot)] == ["http"]


async def test_words_that_would_be_a_command_are_none_with_a_file(site: MakeSite) -> None:
    model = FakeModel(reply("I see."))
    griot = await site(model)
    await griot.log_in()
    await chat(griot, form("/help", ("a.png", PNG, "image/png")))
    assert len(model.requests) == 1


async def test_a_zip_bomb_is_kept_unopened(site: MakeSite) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", bytes(4 * MB))
        archive.writestr("word/document.xml", bytes(200 * MB))
    griot = await site(FakeModel(reply("A file.")))
    await griot.log_in()
    await chat(griot, form("read it", ("bomb.docx", packed.getvalue(), "application/zip")))
    assert [row["name"] for row in await stored_files(griot)] == ["bomb.docx"]


async def test_what_was_staged_is_gone_after_the_turn(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("ok")))
    await griot.log_in()
    await chat(griot, form("look", ("a.png", PNG, "image/png")))
    stored = await read_rows(griot.app.database, "file")
    folder = griot.app.settings.blob_url.removeprefix("file:")
    assert await asyncio.to_thread(_count_files, folder) == len(stored) == 1


def _count_files(folder: str) -> int:
    return sum(path.is_file() for path in Path(folder).rglob("*"))


# What is refused --------------------------------------------------------------------------------


async def test_nothing_said_and_nothing_sent_is_400(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    assert (await refused(griot, form("", background="")))[:2] == (400, "bad_request")


async def test_a_sixth_file_is_400_in_the_persons_language(site: MakeSite) -> None:
    griot = await site(FakeModel())
    six = form("look", *[(f"{n}.png", PNG, "image/png") for n in range(6)])
    status, code, words = await refused(griot, six, **{"Accept-Language": "fr-CI"})
    assert (status, code, words) == (400, "bad_request", "Pas plus de 5 fichiers à la fois.")
    await leaves_nothing(griot)


async def test_more_than_16_mb_together_is_413(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    nine = bytes(9 * MB)
    large = form("look", ("a.bin", nine, "x/y"), ("b.bin", nine, "x/y"))
    assert (await refused(griot, large))[:2] == (413, "too_large")
    await leaves_nothing(griot)


async def test_16_mb_are_taken(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("ok")))
    await griot.log_in()
    await chat(griot, form("look", ("a.bin", bytes(16 * MB), "x/y")))
    assert [row["name"] for row in await stored_files(griot)] == ["a.bin"]


async def test_an_empty_file_is_400_and_a_field_without_a_choice_is_nothing(
    site: MakeSite,
) -> None:
    griot = await site(FakeModel(reply("ok")))
    await griot.log_in()
    assert (await refused(griot, form("look", ("a.png", b"", "image/png"))))[0] == 400
    await chat(griot, form("look", ("", b"", "application/octet-stream")))


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", b"{}"),
        ("multipart/form-data; boundary=x", b""),
        ("multipart/form-data; boundary=x", b"nothing of the kind"),
        ("multipart/form-data; boundary=" + "x" * 100, b"--x--"),
        ("multipart/form-data; boundary=x", b"--x\r\n\r\nno name\r\n--x--\r\n"),
        ("multipart/form-data; boundary=x", b"--x\r\nContent-Disposition: form-data\r\n\r\na"),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="message"\r\n\r\n\xff\xfe\r\n--x--\r\n',
        ),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="message"\r\n\r\na\r\n' * 2
            + b"--x--\r\n",
        ),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="attachment"; filename="a"\r\n'
            b"Content-Type: multipart/mixed; boundary=y\r\n\r\n--y--\r\n--x--\r\n",
        ),
        ("multipart/form-data; boundary=x", b"--x\r\nA: " + b"a" * 20_000 + b"\r\n\r\n\r\n--x--"),
        ("multipart/mixed; boundary=x", b"--x--\r\n"),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="other"\r\n\r\na\r\n' * 30 + b"--x--\r\n",
        ),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="message"\r\n\r\na\r\n'
            b'--x\r\nContent-Disposition: form-data; name="background"\r\n\r\nperhaps\r\n--x--\r\n',
        ),
    ],
)
async def test_a_malformed_form_is_400(site: MakeSite, kind: str, body: bytes) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    answer = await refused(griot, body, **{"Content-Type": kind})
    assert answer[:2] == (400, "bad_request")
    await leaves_nothing(griot)


async def test_a_file_in_a_part_of_another_name_is_400(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    data = form("look")
    data.add_field("file", PNG, filename="a.png", content_type="image/png")
    answer = await refused(griot, data)
    assert answer == (400, "bad_request", "file: send each file as a part named attachment.")
    await leaves_nothing(griot)


async def test_someone_elses_session_takes_no_files(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("mine")))
    await griot.log_in()
    await griot.chat("hello", session_id="s")
    await griot.log_in("+2250701020305")
    answer = await refused(griot, form("look", ("a.png", PNG, "image/png"), session_id="s"))
    assert answer[:2] == (404, "not_found")
    assert await stored_files(griot) == []


class _Held(FakeModel):
    def __init__(self) -> None:
        super().__init__(reply("At last."))
        self.begun, self.free = asyncio.Event(), asyncio.Event()

    async def ask(self, request: Any, emit: Any) -> Any:
        self.begun.set()
        await self.free.wait()
        return await super().ask(request, emit)


async def test_files_for_a_busy_session_are_not_kept(site: MakeSite) -> None:
    model = _Held()
    griot = await site(model)
    await griot.log_in()
    running = asyncio.create_task(griot.chat("long", session_id="s"))
    await model.begun.wait()
    answer = await refused(griot, form("look", ("a.png", PNG, "image/png"), session_id="s"))
    assert answer[:2] == (409, "busy")
    assert await stored_files(griot) == []
    model.free.set()
    await running


async def test_json_is_still_limited_to_one_mebibyte(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    body = io.BytesIO(json.dumps({"message": "x" * (MB + 1)}).encode())
    answer = await refused(griot, body, **{"Content-Type": "application/json"})
    assert answer[:2] == (413, "too_large")


# On the wire ------------------------------------------------------------------------------------

HEAD = (
    b"POST /api/v1/chat HTTP/1.1\r\nHost: griot\r\n"
    b"Content-Type: multipart/form-data; boundary=x\r\n"
)
PART = b'--x\r\nContent-Disposition: form-data; name="attachment"; filename="a.bin"\r\n\r\n'


async def _connect(griot: Site) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, port = griot.url.removeprefix("http://").split(":")
    return await asyncio.open_connection(host, int(port))


async def test_what_says_that_it_is_huge_is_refused_before_it_is_read(site: MakeSite) -> None:
    griot = await site(FakeModel())
    reader, writer = await _connect(griot)
    writer.write(HEAD + b"Content-Length: 1000000000000\r\n\r\n" + PART)
    async with asyncio.timeout(10):
        assert b" 413 " in await reader.readline()
    writer.close()
    await leaves_nothing(griot)


async def test_what_turns_out_to_be_huge_is_cut_off(site: MakeSite) -> None:
    griot = await site(FakeModel())
    reader, writer = await _connect(griot)
    writer.write(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    writer.write(b"%x\r\n%s\r\n" % (len(PART), PART))
    sent = 0
    chunk = b"%x\r\n%s\r\n" % (MB, bytes(MB))

    async def pour() -> None:
        nonlocal sent
        while True:
            writer.write(chunk)
            await writer.drain()
            sent += MB

    pouring = asyncio.create_task(pour())
    async with asyncio.timeout(30):
        assert b" 413 " in await reader.readline()
    assert sent < 60 * MB
    await cancel_tasks([pouring])
    writer.close()
    await leaves_nothing(griot)


async def test_a_connection_that_breaks_off_leaves_nothing_behind(site: MakeSite) -> None:
    griot = await site(FakeModel())
    for _ in range(3):
        _, writer = await _connect(griot)
        writer.write(HEAD + b"Content-Length: 1000000\r\n\r\n" + PART + bytes(300_000))
        await writer.drain()
        await asyncio.sleep(0.05)
        writer.close()
        await writer.wait_closed()
    await asyncio.sleep(0.2)
    await leaves_nothing(griot)
    assert (await griot.request("GET", "/healthz"))[0] == 200


# What survives ----------------------------------------------------------------------------------


async def test_what_is_staged_is_erased_with_the_person(site: MakeSite) -> None:
    model = _Held()
    griot = await site(model)
    await griot.log_in()
    await change_rows(griot.app.database, "account", {"mode": "child"})
    sending = asyncio.create_task(chat(griot, form("look", ("a.png", PNG, "image/png"))))
    await model.begun.wait()
    await griot.app.files.save(
        0, "b.png", PNG, mime_type="image/png", source="passing", key="http:other/upload/k/1"
    )
    await griot.chat("/delete")
    await griot.chat("/delete confirm")
    async with asyncio.timeout(20):
        await sending
    assert [row["name"] for row in await stored_files(griot)] == ["b.png"]
