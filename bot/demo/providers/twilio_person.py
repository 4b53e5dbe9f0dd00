"""The person behind the phones of WhatsApp and SMS, and what Twilio tells Griot of them.

Fields: https://www.twilio.com/docs/messaging/guides/webhook-request. Signature, over the public
URL and the sorted fields: https://www.twilio.com/docs/usage/security.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import secrets
import time
from collections.abc import Sequence
from typing import Final, Literal
from urllib.parse import urlencode

from bot.demo.providers.posting import Posting
from bot.demo.providers.screens import Screens
from bot.demo.providers.shown import Bubble, Held, Tick
from bot.demo.providers.twilio_limits import START_WORDS, STOP_WORDS, WHATSAPP, Refused
from bot.gateway.render.gsm import segments

SMS_NUMBER: Final = "+15005550006"
WHATSAPP_NUMBER: Final = "+14155238886"
"""Twilio's own numbers for tests and for the sandbox."""
_WINDOW: Final = 24 * 3600.0
_LATE: Final = 4.0
_A_SECOND: Final = 20
"""Messages that the account may create."""
Channel = Literal["whatsapp", "sms"]
MediaType = Literal["image/jpeg", "audio/ogg"]
Fields = list[tuple[str, str]]


class TwilioPerson:
    """
    Args:
        number: the person's, in E.164: the same on both phones.
        api_url: where Twilio's API is, for the addresses of media.
    """

    def __init__(self, screens: Screens, posting: Posting, number: str, api_url: str) -> None:
        self.account = f"AC{secrets.token_hex(16)}"
        self.secret = secrets.token_hex(16)
        self.number = number
        self.posting = posting
        self.has_opted_out = False
        self._screens = screens
        self._media = f"{api_url}/2010-04-01/Accounts/{self.account}/Messages"
        self._wrote = 0.0
        self._created: list[float] = []

    @property
    def is_window_open(self) -> bool:
        return time.time() - self._wrote < _WINDOW

    def admit(self, channel: str) -> None:
        """Count a message to the person. Raises `Refused` (20429) for too many at once."""
        now = time.monotonic()
        self._created = [at for at in self._created if now - at < 1]
        if len(self._created) >= _A_SECOND:
            raise Refused(20429, channel)
        self._created.append(now)

    # What the person does

    def write(
        self, channel: Channel, text: str, media: bytes = b"", kind: MediaType = "image/jpeg",
        *, twice: bool = False, late: bool = False,
    ) -> None:  # fmt: skip
        """Send a message; `media` is a photo or a voice note, of type `kind`."""
        sid = f"{'MM' if media else 'SM'}{secrets.token_hex(16)}"
        held = self._keep(media, kind) if media else None
        paid = segments(text).paid if channel == "sms" else 0
        self._screens.show(
            Bubble(phone=channel, id=sid, mine=True, text=text, file=held, segments=paid)
        )
        fields = [*self._describe(channel, sid, text), ("NumMedia", str(int(bool(held))))]
        if held is not None:
            key = held.url.rpartition("/")[2]
            fields += [("MediaContentType0", held.mime_type)]
            fields += [("MediaUrl0", f"{self._media}/{sid}/Media/{key}")]
        if channel == "sms":
            self._heed(text)
        self._tell(channel, sid, fields, twice=twice, late=late)

    def tap(self, message_id: str, payload: str, *, twice: bool = False) -> None:
        """Choose a button or a row on WhatsApp. Raises `LookupError`: it is not there."""
        bubble = self._screens.find("whatsapp", message_id)
        options = [option for row in bubble.rows for option in row] if bubble else []
        title = next((each.label for each in options if each.payload == payload), None)
        if bubble is None or title is None:
            raise LookupError("no such option")
        sid = f"SM{secrets.token_hex(16)}"
        self._screens.show(Bubble(phone="whatsapp", id=sid, mine=True, text=title))
        names = ("ListId", "ListTitle") if bubble.menu else ("ButtonPayload", "ButtonText")
        fields = [*self._describe("whatsapp", sid, title), ("NumMedia", "0")]
        fields += [*zip(names, (payload, title), strict=True)]
        fields += [("OriginalRepliedMessageSid", message_id)]
        self._tell("whatsapp", sid, fields, twice=twice)

    def _keep(self, media: bytes, kind: MediaType) -> Held:
        name = "photo.jpg" if kind == "image/jpeg" else "voice.ogg"
        return self._screens.keep(f"ME{secrets.token_hex(16)}", name, media, kind)

    def _heed(self, text: str) -> None:
        """STOP and START, on which the carrier acts by itself, and answers."""
        word = text.strip().upper()
        if word in STOP_WORDS or (word in START_WORDS and self.has_opted_out):
            self.has_opted_out = word in STOP_WORDS
            said = (
                "You have successfully been unsubscribed. Reply START to resubscribe."
                if self.has_opted_out
                else "You have successfully been re-subscribed. Reply STOP to unsubscribe."
            )
            self._screens.show(Bubble(phone="sms", id=secrets.token_hex(8), text=said))

    def _describe(self, channel: Channel, sid: str, text: str) -> Fields:
        whatsapp = channel == "whatsapp"
        mark = WHATSAPP if whatsapp else ""
        told = [("MessageSid", sid), ("SmsMessageSid", sid), ("AccountSid", self.account)]
        told += [("From", mark + self.number), ("Body", text), ("SmsStatus", "received")]
        told += [("To", mark + (WHATSAPP_NUMBER if whatsapp else SMS_NUMBER))]
        if whatsapp:
            told += [("ProfileName", "Awa"), ("WaId", self.number.removeprefix("+"))]
        return told

    # Webhooks

    def _tell(
        self, channel: Channel, sid: str, fields: Fields, *, twice: bool, late: bool = False
    ) -> None:
        if channel == "whatsapp":
            self._wrote = time.time()
        self.posting.begin(self._deliver(channel, sid, fields, twice=twice, late=late))

    async def _deliver(
        self, channel: Channel, sid: str, fields: Fields, *, twice: bool, late: bool
    ) -> None:
        if late:
            await asyncio.sleep(_LATE)
            self._screens.mark(channel, "late")
        path, about = "/webhooks/twilio", f"{sid[:6]}…"
        statuses = await asyncio.gather(
            *(self._post(channel, path, fields, about) for _ in range(1 + twice))
        )
        if 0 in statuses:  # Twilio tries once more where there was no answer
            statuses = [await self._post(channel, path, fields, about)]
        if twice:
            self._screens.mark(channel, "twice")
        taken = all(200 <= status < 300 for status in statuses)
        bubble = self._screens.find(channel, sid)
        if bubble is not None and bubble.tick != "read":
            bubble.tick = "delivered" if taken else "failed"
            self._screens.show(bubble)

    async def report(self, bubble: Bubble, tick: Tick, callback: str, error: int = 0) -> None:
        """What became of a message of Griot's, where it asked to be told."""
        if not callback:
            return
        whatsapp = bubble.phone == "whatsapp"
        mark = WHATSAPP if whatsapp else ""
        fields = [("MessageSid", bubble.id), ("MessageStatus", tick), ("SmsStatus", tick)]
        fields += [("AccountSid", self.account), ("To", mark + self.number)]
        fields += [("From", mark + (WHATSAPP_NUMBER if whatsapp else SMS_NUMBER))]
        if error:
            fields += [("ErrorCode", str(error))]
        path = callback.removeprefix(self.posting.public_url)
        await self._post("whatsapp" if whatsapp else "sms", path, fields, f"status {tick}")

    async def _post(self, channel: Channel, path: str, fields: Fields, about: str) -> int:
        headers = {
            "Content-Type": "application/x-www-form-urlencoded; charset=UTF-8",
            "X-Twilio-Signature": self._sign(path, fields),
        }
        body = urlencode(fields).encode()
        return await self.posting.post(channel, path, body, headers, about)

    def _sign(self, path: str, fields: Sequence[tuple[str, str]]) -> str:
        signed = self.posting.public_url + path + "".join(map("".join, sorted(fields)))
        digest = hmac.new(self.secret.encode(), signed.encode(), hashlib.sha1).digest()
        return base64.b64encode(digest).decode()
