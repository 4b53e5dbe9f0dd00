"""Files by upload, by link, and in two steps from a person."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator

import aiohttp
import pytest

from tests.standins.whatsapp import WhatsAppStandIn, running_whatsapp
from tests.standins.whatsapp_business import AWA, PNG, asking, media, send, serving, upload
from tests.standins.whatsapp_errors import Refused
from tests.standins.whatsapp_limits import MAX_SIZE, check_media
from tests.standins.whatsapp_webhooks import JPEG, NUMBER_ID


@pytest.fixture
async def whatsapp() -> AsyncIterator[WhatsAppStandIn]:
    async with running_whatsapp() as stand_in:
        stand_in.open_window(AWA)
        yield stand_in


@pytest.mark.parametrize(
    ("kind", "mime_type", "content"),
    [
        ("image", "image/png", PNG),
        ("document", "application/pdf", b"%PDF"),
        ("audio", "audio/ogg", b"OggS"),
        ("video", "video/mp4", b"ftyp"),
    ],
)
async def test_a_file_goes_by_upload_and_by_link(
    whatsapp: WhatsAppStandIn, kind: str, mime_type: str, content: bytes
) -> None:
    more = {"filename": "cours.pdf", "caption": "Le cours"} if kind == "document" else {}
    _, made = await upload(whatsapp, content, mime_type)
    await send(whatsapp, media(kind, id=made["id"], **more))
    async with serving(content, mime_type) as link:
        await send(whatsapp, media(kind, link=link, **more))
    for shown in whatsapp.chat(AWA):
        assert (shown.kind, shown.media, shown.media_type) == (kind, content, mime_type)
        assert {"filename": shown.filename, "caption": shown.caption} == {
            "filename": "",
            "caption": "",
            **more,
        }
    assert len(whatsapp.chat(AWA)) == 2
    assert whatsapp.violations == []


@pytest.mark.parametrize(
    ("mime_type", "size"),
    [
        ("image/jpeg", MAX_SIZE["image"]),
        ("audio/mpeg", MAX_SIZE["audio"]),
        ("video/mp4", MAX_SIZE["video"]),
        ("application/pdf", MAX_SIZE["document"]),
        ("image/webp", 500 * 2**10),
    ],
)
def test_a_file_has_the_size_of_its_kind_at_most(mime_type: str, size: int) -> None:
    beginning = {"image/jpeg": JPEG, "application/pdf": b"%PDF"}.get(mime_type, b"")
    check_media(mime_type, size, beginning)
    for wrong in (0, size + 1):
        with pytest.raises(Refused):
            check_media(mime_type, wrong, beginning)


@pytest.mark.parametrize(
    ("content", "mime_type", "form"),
    [
        (b"<html>", "text/html", {}),
        (b"GIF89a", "image/gif", {}),
        (b"%PDF", "image/jpeg", {}),
        (JPEG, "image/jpeg", {"messaging_product": ""}),
    ],
)
async def test_an_upload_of_a_wrong_kind_is_refused(
    whatsapp: WhatsAppStandIn, content: bytes, mime_type: str, form: dict[str, str]
) -> None:
    status, answer = await upload(whatsapp, content, mime_type, **form)
    assert (status, answer["error"]["code"]) == (400, 100)
    assert len(whatsapp.violations) == 1


@pytest.mark.parametrize("missing", ["type", "file"])
async def test_an_upload_has_a_type_and_a_file(whatsapp: WhatsAppStandIn, missing: str) -> None:
    form = aiohttp.FormData({"messaging_product": "whatsapp"})
    if missing == "file":
        form.add_field("type", "image/png")
        form.add_field("file", "a.png")
    else:
        form.add_field("file", io.BytesIO(PNG), filename="a.png", content_type="image/png")
    async with asking(whatsapp, "POST", f"{NUMBER_ID}/media", data=form) as response:
        assert response.status == 400
    assert len(whatsapp.violations) == 1


async def test_an_upload_over_its_size_is_refused(whatsapp: WhatsAppStandIn) -> None:
    content = JPEG + bytes(MAX_SIZE["image"])
    assert (await upload(whatsapp, content, "image/jpeg"))[0] == 400
    assert len(whatsapp.violations) == 1


async def test_a_picture_is_not_sent_as_a_film(whatsapp: WhatsAppStandIn) -> None:
    _, made = await upload(whatsapp, PNG, "image/png")
    assert (await send(whatsapp, media("video", id=made["id"])))[0] == 400
    assert whatsapp.chat(AWA) == []


async def test_a_link_that_cannot_be_fetched_fails_after_it_was_accepted(
    whatsapp: WhatsAppStandIn,
) -> None:
    for mime_type, status in (("text/html", 200), ("image/png", 404), ("video/mp4", 200)):
        async with serving(PNG, mime_type, status) as link:
            assert (await send(whatsapp, media("image", link=link)))[0] == 200
    async with serving(b"<html>", "text/html") as page:
        assert (await send(whatsapp, media("document", link=page)))[0] == 200
    assert (await send(whatsapp, media("image", link=link)))[0] == 200
    assert [each[:6] for each in whatsapp.violations] == ["131053"] * 5
    assert whatsapp.chat(AWA) == []


async def test_a_file_of_a_person_is_fetched_in_two_steps(whatsapp: WhatsAppStandIn) -> None:
    media_id, other = (whatsapp.image_message(AWA, PNG)["image"]["id"] for _ in range(2))
    async with asking(whatsapp, "GET", media_id) as response:
        told = await response.json()
    for _ in range(2):
        async with asking(whatsapp, "GET", told["url"]) as response:
            assert (await response.read(), response.content_type) == (PNG, "image/jpeg")
    assert told["file_size"] == str(len(PNG))
    for tampered in (told["url"][:-1] + "!", told["url"].replace(media_id, other)):
        async with asking(whatsapp, "GET", tampered) as response:
            assert response.status == 404
    whatsapp.media.expire_links()
    async with asking(whatsapp, "GET", told["url"]) as response:
        assert response.status == 404
    whatsapp.media.forget(media_id)
    async with asking(whatsapp, "GET", media_id) as response:
        assert response.status == 400


async def test_a_download_address_lives_five_minutes() -> None:
    now = 1_000_000.0
    async with running_whatsapp(clock=lambda: now) as whatsapp:
        url = whatsapp.media.describe(whatsapp.image_message(AWA)["image"]["id"], whatsapp.origin)
        for passed, status in ((299, 200), (2, 404)):
            now += passed
            async with asking(whatsapp, "GET", url["url"]) as response:
                assert response.status == status
