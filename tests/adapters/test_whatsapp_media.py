"""Files in both directions: two steps each, and whom we show our token."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs

from adapters.base import OPERATOR_SECONDS
from adapters.whatsapp.client import MAX_FILE_IN, Graph, Media, Refusal
from bot.errors import NotFound, RetryAt, TooLarge
from tests.adapters.twilio_parts import Origin, running
from tests.adapters.whatsapp_parts import PNG
from tests.standins.whatsapp import TOKEN, WhatsAppStandIn, running_whatsapp
from tests.standins.whatsapp_faults import Place
from tests.standins.whatsapp_media import Held
from tests.standins.whatsapp_webhooks import JPEG, NUMBER_ID


@pytest.fixture
async def whatsapp() -> AsyncIterator[WhatsAppStandIn]:
    async with running_whatsapp() as stand_in:
        yield stand_in


@pytest.fixture
async def elsewhere() -> AsyncIterator[Origin]:
    async with running() as server:
        yield server


@pytest.fixture
async def media(whatsapp: WhatsAppStandIn) -> AsyncIterator[Media]:
    graph = Graph(whatsapp.url, TOKEN)
    yield Media(graph, NUMBER_ID)
    await graph.close()


@pytest.fixture
async def hasty(whatsapp: WhatsAppStandIn) -> AsyncIterator[Media]:
    """One that does not wait for long."""
    graph = Graph(whatsapp.url, TOKEN, seconds=0.5)
    yield Media(graph, NUMBER_ID)
    await graph.close()


def keep(whatsapp: WhatsAppStandIn, content: bytes = JPEG) -> str:
    return whatsapp.media.keep(Held(content, "image/jpeg"))


def places(whatsapp: WhatsAppStandIn) -> list[Place]:
    return [call.place for call in whatsapp.calls]


def lead(whatsapp: WhatsAppStandIn, url: str) -> None:
    """Have the next look-up name this address."""
    whatsapp.answer_next(200, {"url": url, "id": "1"}, accept=False, place="lookup")


# Fetching


@pytest.mark.parametrize("as_number", [True, False])
async def test_a_file_is_looked_up_and_then_fetched(
    whatsapp: WhatsAppStandIn, media: Media, as_number: bool
) -> None:
    whatsapp.media.sizes_as_numbers = as_number
    assert await media.fetch(keep(whatsapp)) == JPEG
    assert places(whatsapp) == ["lookup", "download"]
    assert whatsapp.violations == []


async def test_it_may_be_fetched_twice(whatsapp: WhatsAppStandIn, media: Media) -> None:
    media_id = keep(whatsapp)
    assert await media.fetch(media_id) == await media.fetch(media_id) == JPEG


async def test_an_address_that_has_expired_is_asked_for_anew(
    whatsapp: WhatsAppStandIn, media: Media
) -> None:
    media_id = keep(whatsapp)
    expired = whatsapp.media.describe(media_id, whatsapp.origin)
    whatsapp.media.expire_links()
    whatsapp.answer_next(200, expired, accept=False, place="lookup")
    assert await media.fetch(media_id) == JPEG
    assert places(whatsapp) == ["lookup", "download", "lookup", "download"]


@pytest.mark.parametrize("status", [401, 403, 410])
async def test_whatever_it_answers_then(
    whatsapp: WhatsAppStandIn, media: Media, status: int
) -> None:
    whatsapp.answer_next(status, "expired", accept=False, place="download")
    assert await media.fetch(keep(whatsapp)) == JPEG


async def test_but_only_once(whatsapp: WhatsAppStandIn, media: Media) -> None:
    media_id = keep(whatsapp)
    for _ in range(5):
        tampered = whatsapp.media.describe(media_id, whatsapp.origin)
        tampered["url"] = tampered["url"].replace("hash=", "hash=0")
        whatsapp.answer_next(200, tampered, accept=False, place="lookup")
    with pytest.raises(NotFound):
        await media.fetch(media_id)
    assert places(whatsapp) == ["lookup", "download"] * 2


async def test_a_file_that_meta_has_forgotten_is_gone_and_nobody_is_alarmed(
    whatsapp: WhatsAppStandIn, media: Media
) -> None:
    media_id = keep(whatsapp)
    whatsapp.media.forget(media_id)
    with capture_logs() as logs, pytest.raises(NotFound):
        await media.fetch(media_id)
    assert logs == []


@pytest.mark.parametrize(
    "reference", ["", "../me", "1/2", "1?fields=x", "http://127.0.0.1/", "%2e%2e", "1" * 129, "é"]
)
async def test_what_is_no_media_id_is_not_asked_for(
    whatsapp: WhatsAppStandIn, media: Media, reference: str
) -> None:
    with pytest.raises(NotFound):
        await media.fetch(reference)
    assert whatsapp.calls == whatsapp.violations == []


async def test_a_file_told_to_be_too_large_is_not_fetched(
    whatsapp: WhatsAppStandIn, media: Media
) -> None:
    media_id = keep(whatsapp)
    whatsapp.media.told_sizes[media_id] = MAX_FILE_IN + 1
    with pytest.raises(TooLarge):
        await media.fetch(media_id)
    assert places(whatsapp) == ["lookup"]


@pytest.mark.parametrize("told", [0, 5])
async def test_one_that_turns_out_to_be_is_not_kept(
    whatsapp: WhatsAppStandIn, media: Media, told: int
) -> None:
    media_id = keep(whatsapp, b"x" * (MAX_FILE_IN + 1))
    whatsapp.media.told_sizes[media_id] = told
    with pytest.raises(TooLarge):
        await media.fetch(media_id)


async def test_the_largest_one_is(whatsapp: WhatsAppStandIn, media: Media) -> None:
    content = b"x" * MAX_FILE_IN
    assert await media.fetch(keep(whatsapp, content)) == content


@pytest.mark.parametrize("size", ["", "many", "9" * 5000, "-1", "٣"])
async def test_a_size_that_is_none_is_unknown(
    whatsapp: WhatsAppStandIn, media: Media, size: str
) -> None:
    media_id = keep(whatsapp)
    told = whatsapp.media.describe(media_id, whatsapp.origin) | {"file_size": size}
    whatsapp.answer_next(200, told, accept=False, place="lookup")
    assert await media.fetch(media_id) == JPEG


@pytest.mark.parametrize(
    "url",
    [
        "",
        "http://[",
        "/relative",
        "file:///etc/passwd",
        "http://169.254.169.254/latest/meta-data",
        "https://127.0.0.1/x",
        "https://evilfbsbx.com/x",
        "https://fbsbx.com.evil.example/x",
        "https://evil.example/lookaside.fbsbx.com",
        "http://lookaside.fbsbx.com/x",
        "http://lookaside.fbsbx.com:443/x",
        "https://lookaside.fbsbx.com:8443/x",
        "https://user:pass@lookaside.fbsbx.com/x",
        "https://lookaside.fbsbx.com@evil.example/x",
        "ftp://mmg.whatsapp.net/x",
    ],
)
async def test_a_forged_address_does_not_see_our_token(
    whatsapp: WhatsAppStandIn, media: Media, url: str
) -> None:
    lead(whatsapp, url)
    with pytest.raises(NotFound, match="media address"):
        await media.fetch("1")
    assert places(whatsapp) == ["lookup"]


async def test_nor_does_another_server_of_the_same_machine(
    whatsapp: WhatsAppStandIn, media: Media, elsewhere: Origin
) -> None:
    lead(whatsapp, f"{elsewhere.url}/file")
    with pytest.raises(NotFound, match="media address"):
        await media.fetch("1")
    assert elsewhere.seen == []


@pytest.mark.parametrize(
    "url",
    [
        "https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1",
        "https://mmg.whatsapp.net/x",
        "https://graph.facebook.com/x",
        "https://LOOKASIDE.FBSBX.COM/x",
    ],
)
def test_metas_own_addresses_do(url: str) -> None:
    assert str(Media(Graph("http://127.0.0.1:1", TOKEN), NUMBER_ID)._own(url)) == url.replace(
        "LOOKASIDE.FBSBX.COM", "lookaside.fbsbx.com"
    )


async def test_a_wrong_token_is_for_the_operator_and_the_file_waits(
    whatsapp: WhatsAppStandIn, media: Media
) -> None:
    whatsapp.fail_next(190, place="lookup")
    with capture_logs() as logs, pytest.raises(RetryAt) as caught:
        await media.fetch(keep(whatsapp))
    assert caught.value.after == OPERATOR_SECONDS
    assert [entry["event"] for entry in logs] == ["whatsapp_account_refused"]


@pytest.mark.parametrize("place", ["lookup", "download"])
@pytest.mark.parametrize("act", ["failing", "too fast", "hanging", "cut"])
async def test_a_file_out_of_reach_is_tried_again(
    whatsapp: WhatsAppStandIn, hasty: Media, place: Place, act: str
) -> None:
    for _ in range(3):  # aiohttp may ask once more for a GET whose connection broke
        match act:
            case "failing":
                whatsapp.fail_next(131000, place=place)
            case "too fast":
                whatsapp.fail_next(80007, place=place)
            case "hanging":
                whatsapp.hang_next(accept=False, place=place)
            case _:
                whatsapp.reset_next(accept=False, place=place)
    with pytest.raises(RetryAt):
        await hasty.fetch(keep(whatsapp))


@pytest.mark.parametrize("answer", ["<html>", "[]", '{"id": "1"}', "x" * (2**20 + 1)])
async def test_an_answer_that_is_no_look_up_is_tried_again(
    whatsapp: WhatsAppStandIn, media: Media, answer: str
) -> None:
    whatsapp.answer_next(200, answer, accept=False, place="lookup")
    with pytest.raises(RetryAt):
        await media.fetch("1")


@pytest.mark.parametrize("answer", [b'{"url": "\xff", "id": "\xff"}', b"[" * 100_000])
async def test_an_answer_that_is_no_text_is_tried_again_in_both_directions(
    elsewhere: Origin, answer: bytes
) -> None:
    graph = Graph(elsewhere.url, TOKEN)
    media = Media(graph, NUMBER_ID)
    elsewhere.answer(200, answer)
    with pytest.raises(RetryAt):
        await media.fetch("1")
    elsewhere.answer(200, answer)
    with pytest.raises(RetryAt):
        await media.upload(PNG, "image/png")
    await graph.close()


async def test_a_refused_download_is_gone(whatsapp: WhatsAppStandIn, media: Media) -> None:
    whatsapp.answer_next(400, "Bad Request", accept=False, place="download")
    with pytest.raises(NotFound):
        await media.fetch(keep(whatsapp))


# Uploading


async def test_an_upload_says_what_it_is(whatsapp: WhatsAppStandIn, media: Media) -> None:
    media_id = await media.upload(PNG, "image/png")
    held = whatsapp.media.find(media_id)
    assert (held.content, held.mime_type) == (PNG, "image/png")
    [call] = whatsapp.calls
    assert set(call.content) == {"messaging_product", "type", "file"}
    assert whatsapp.violations == []


async def test_a_refused_upload_is_a_refusal(whatsapp: WhatsAppStandIn, media: Media) -> None:
    with pytest.raises(Refusal) as caught:
        await media.upload(b"not a picture", "image/png")
    assert caught.value.code == 100


@pytest.mark.parametrize("act", ["failing", "hanging", "cut", "no JSON", "no id", "no end"])
async def test_an_upload_that_failed_was_shown_to_nobody_and_is_tried_again(
    whatsapp: WhatsAppStandIn, hasty: Media, act: str
) -> None:
    match act:
        case "failing":
            whatsapp.fail_next(131000, place="media")
        case "hanging":
            whatsapp.hang_next(accept=True, place="media")
        case "cut":
            whatsapp.reset_next(accept=True, place="media")
        case "no JSON":
            whatsapp.answer_next(200, "<html>", accept=True, place="media")
        case "no id":
            whatsapp.answer_next(200, {}, accept=True, place="media")
        case _:
            whatsapp.answer_next(200, "x" * (2**20 + 1), accept=True, place="media")
    with pytest.raises(RetryAt) as caught:
        await hasty.upload(PNG, "image/png")
    assert caught.value.only_file
