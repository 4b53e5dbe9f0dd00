"""The people behind the phones: what they write, whether their window is open, who said STOP.

Parameters: Twilio's page on its request to the webhook of incoming messages, and requests that
people have published. Names of a choice from a list are unsure (ListId, ListTitle).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from tests.standins.twilio_errors import OPTED_OUT, WINDOW, Refused
from tests.standins.twilio_messages import (
    WHATSAPP,
    Channel,
    Media,
    Message,
    Messages,
    new_sid,
)
from tests.standins.twilio_segments import count_segments

WINDOW_SECONDS = 24 * 3600
STOP_WORDS = {"STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT"}
START_WORDS = {"START", "YES", "UNSTOP"}
HELP_WORDS = {"HELP", "INFO"}
Parameters = list[tuple[str, str]]


def keyword_of(body: str) -> Literal["", "STOP", "START", "HELP"]:
    """What Twilio takes the text of an SMS for."""
    word = body.strip().upper()
    if word in STOP_WORDS:
        return "STOP"
    if word in START_WORDS:
        return "START"
    return "HELP" if word in HELP_WORDS else ""


class People:
    """Makes what people send. `clock` tells seconds since 1970."""

    def __init__(
        self, account: str, numbers: dict[Channel, str], clock: Callable[[], float]
    ) -> None:
        self.messages = Messages()
        self.clock = clock
        self.advanced_opt_out = True
        """Whether STOP, START and HELP on SMS come with `OptOutType`."""
        self.last_wrote: dict[str, float] = {}
        """When each person last wrote on WhatsApp: their window is open for 24 hours from then."""
        self._opted_out: dict[str, bool] = {}
        self._account = account
        self._numbers = numbers

    def receive(
        self, phone: str, text: str, channel: Channel, media: Iterable[tuple[bytes, str]]
    ) -> Message:
        """Keep what a person wrote; it opens the window, and STOP and START have their effect."""
        held = {new_sid("ME"): Media(content, mime_type) for content, mime_type in media}
        mark = WHATSAPP if channel == "whatsapp" else ""
        message = Message(
            sid=new_sid("MM" if held else "SM"),
            sender=mark + phone,
            to=mark + self._numbers[channel],
            body=text,
            created=self.clock(),
            direction="inbound",
            media=held,
            segments=count_segments(text) if channel == "sms" else 1,
            status="received",
        )
        self.messages.all.append(message)
        if channel == "whatsapp":
            self.last_wrote[phone] = self.clock()
        elif keyword_of(text) == "STOP":
            self._opted_out[phone] = False
        elif keyword_of(text) == "START":
            self._opted_out.pop(phone, None)
        return message

    # Windows and opt-outs

    def close_window(self, phone: str) -> None:
        """As after 24 hours of silence."""
        self.last_wrote.pop(phone, None)

    def check_window(self, phone: str) -> None:
        """Raise `Refused` where only a template may be sent."""
        wrote = self.last_wrote.get(phone)
        if wrote is None or self.clock() - wrote >= WINDOW_SECONDS:
            raise Refused(WINDOW, is_breach=False)

    def opt_out(self, phone: str) -> None:
        """Refuse SMS to this phone; the carrier told nobody."""
        self._opted_out[phone] = False

    def opt_in(self, phone: str) -> None:
        """Take SMS again, and tell nobody."""
        self._opted_out.pop(phone, None)

    def tell_opt_out(self, phone: str) -> None:
        """From now on the client knows: it was told by a webhook or an error."""
        if phone in self._opted_out:
            self._opted_out[phone] = True

    def check_opt_out(self, phone: str) -> None:
        """Raise `Refused`: a breach from the second time on, or after a webhook told of STOP."""
        if phone in self._opted_out:
            was_told = self._opted_out[phone]
            self.tell_opt_out(phone)
            raise Refused(OPTED_OUT, is_breach=was_told)

    # The parameters of a webhook

    def describe_sms(self, message: Message, origin: str) -> Parameters:
        """Places of which the carrier tells nothing come empty."""
        places = [f"{side}{part}" for side in ("From", "To") for part in ("City", "State", "Zip")]
        told = [("ToCountry", "US"), ("FromCountry", ""), *((place, "") for place in places)]
        keyword = keyword_of(message.body)
        if keyword and self.advanced_opt_out:
            told.append(("OptOutType", keyword))
        return [*told, *self._describe(message, origin)]

    def describe_whatsapp(
        self,
        message: Message,
        origin: str,
        *,
        kind: str,
        name: str,
        told: Sequence[tuple[str, str]],
    ) -> Parameters:
        """`told` is what the kind adds."""
        number = message.sender.removeprefix(f"{WHATSAPP}+")
        context = {"ProfileName": name, "WaId": number, **dict(told)}
        metadata = {"type": "whatsapp", "data": {"context": context}}
        return [
            ("ProfileName", name),
            ("WaId", number),
            ("MessageType", kind),
            ("ReferralNumMedia", "0"),
            ("ChannelMetadata", json.dumps(metadata, ensure_ascii=False)),
            *told,
            *self._describe(message, origin),
        ]

    def _describe(self, message: Message, origin: str) -> Parameters:
        """What every channel tells. The addresses of media have no `.json`."""
        told = [
            ("SmsMessageSid", message.sid),
            ("NumMedia", str(len(message.media))),
            ("SmsSid", message.sid),
            ("SmsStatus", "received"),
            ("Body", message.body),
            ("To", message.to),
            ("NumSegments", str(message.segments)),
            ("MessageSid", message.sid),
            ("AccountSid", self._account),
            ("From", message.sender),
            ("ApiVersion", "2010-04-01"),
        ]
        base = f"{origin}/2010-04-01/Accounts/{self._account}/Messages/{message.sid}/Media"
        for number, (sid, media) in enumerate(message.media.items()):
            told.append((f"MediaContentType{number}", media.mime_type))
            told.append((f"MediaUrl{number}", f"{base}/{sid}"))
        return told
