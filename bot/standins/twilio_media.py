"""Fetch the media of a message as Twilio does, without credentials.

Kinds: Twilio's guidance on WhatsApp media messages (its table of MIME types is wider, and
conflicts: the narrower reading holds here), and its accepted types for MMS.
"""

from __future__ import annotations

import aiohttp
from yarl import URL

from bot.standins.twilio_errors import (
    BAD_MEDIA_URL,
    MEDIA_KIND,
    MEDIA_LOST,
    MMS_KIND,
    MMS_SIZE,
    TwilioRefused,
)
from bot.standins.twilio_messages import Channel, Media

MB = 2**20
FETCH_SECONDS = 5
MAX_WHATSAPP, MAX_WHATSAPP_IMAGE = 16 * MB, 5 * MB
MAX_MMS, MAX_MMS_OTHER = 5 * MB, 500 * 2**10
OFFICE = "application/vnd.openxmlformats-officedocument."
WHATSAPP_KINDS = {
    "image/jpeg",
    "image/jpg",
    "image/png",
    "audio/ogg",
    "audio/amr",
    "audio/3gpp",
    "audio/aac",
    "audio/mpeg",
    "application/pdf",
    "application/msword",
    f"{OFFICE}wordprocessingml.document",
    f"{OFFICE}presentationml.presentation",
    f"{OFFICE}spreadsheetml.sheet",
    "video/mp4",
    "text/vcard",
}
MMS_KINDS = {
    "image/jpeg",
    "image/jpg",
    "image/png",
    "image/gif",
    "audio/ogg",
    "audio/mpeg",
    "audio/amr",
    "video/mp4",
    "video/3gpp",
    "text/vcard",
    "text/csv",
    "text/rtf",
    "text/calendar",
    "application/pdf",
}
BEGINNINGS = {
    "image/jpeg": b"\xff\xd8",
    "image/jpg": b"\xff\xd8",
    "image/png": b"\x89PNG",
    "application/pdf": b"%PDF",
    f"{OFFICE}wordprocessingml.document": b"PK",
    f"{OFFICE}presentationml.presentation": b"PK",
    f"{OFFICE}spreadsheetml.sheet": b"PK",
}


async def fetch_media(url: str, reachable: str, channel: Channel) -> Media:
    """Return the file at `url`, fetched from `reachable`. Raises `Refused`."""
    if URL(url).scheme not in {"http", "https"} or not URL(url).host:
        raise TwilioRefused(BAD_MEDIA_URL, url)
    timeout = aiohttp.ClientTimeout(total=FETCH_SECONDS)
    address = URL(reachable, encoded=True)
    try:
        async with aiohttp.ClientSession(timeout=timeout) as http, http.get(address) as response:
            content = await _read(response)
            named = response.content_disposition
            media = Media(content, response.content_type, (named and named.filename) or "")
            if response.status != 200:
                raise TwilioRefused(MEDIA_LOST, f"{url} answered {response.status}")
    except (aiohttp.ClientError, TimeoutError) as error:
        raise TwilioRefused(MEDIA_LOST, f"{url}: {error!r}") from error
    check_media(media, channel)
    return media


async def _read(response: aiohttp.ClientResponse) -> bytes:
    """Read the body, but no more than shows that it is too large."""
    content = bytearray()
    async for chunk in response.content.iter_chunked(MB):
        content += chunk
        if len(content) > MAX_WHATSAPP:
            break
    return bytes(content)


def check_media(media: Media, channel: Channel) -> None:
    """Raise `Refused` for a kind or a size that the channel does not take."""
    kinds = WHATSAPP_KINDS if channel == "whatsapp" else MMS_KINDS
    wrong_kind = MEDIA_KIND if channel == "whatsapp" else MMS_KIND
    if media.mime_type not in kinds:
        raise TwilioRefused(wrong_kind, f"{media.mime_type} is not sent on {channel}")
    if not media.content.startswith(BEGINNINGS.get(media.mime_type, b"")):
        raise TwilioRefused(wrong_kind, f"the content is not {media.mime_type}")
    limit = _limit(media.mime_type, channel)
    if not 0 < len(media.content) <= limit:
        code = MEDIA_KIND if channel == "whatsapp" else MMS_SIZE
        raise TwilioRefused(code, f"{len(media.content)} bytes of {limit}")


def _limit(mime_type: str, channel: Channel) -> int:
    is_image = mime_type.startswith("image/")
    if channel == "whatsapp":
        return MAX_WHATSAPP_IMAGE if is_image else MAX_WHATSAPP
    return MAX_MMS if is_image else MAX_MMS_OTHER
