"""What Meta tells a webhook: messages of people, statuses of ours, errors of the account.

Shapes: the webhook examples published with the OpenAPI v23.0; edits: Meta's reference of the edit
webhook (an edit may also arrive as `unsupported`). Sending a message opens the person's window.
"""

from __future__ import annotations

import base64
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from tests.standins.whatsapp_errors import UNSUPPORTED, told_error
from tests.standins.whatsapp_media import Held, Media, told_media

ACCOUNT = "102290129340398"
NUMBER_ID = "106540352242922"
NUMBER = "15550783881"
JPEG = b"\xff\xd8\xff\xe0JFIF"
Item = dict[str, Any]
Status = Literal["sent", "delivered", "read", "failed"]


class Incoming:
    """Makes the messages of people: a phone is digits without a plus, or the user id of somebody
    who hides their number."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.media = Media(clock)
        self.names: dict[str, str] = {}
        """Profile names, where they are not Awa."""
        self.last_wrote: dict[str, float] = {}
        """When each person last wrote: their window is open for 24 hours from then."""
        self.written: dict[str, str] = {}
        """The writer of each message that came in, by wamid."""
        self.pricing: Any = {"billable": False, "pricing_model": "PMP", "category": "service"}
        """What statuses say of the price; None: nothing."""
        self._numbers = itertools.count(1)

    def new_wamid(self, phone: str, *, outgoing: bool = False) -> str:
        mark = b"\x11" if outgoing else b"\x12"
        number = f"{next(self._numbers):018X}".encode()
        head = b"\x1c\x18" + bytes([len(phone)]) + phone.encode() + b"\x15\x02\x00" + mark
        return "wamid." + base64.b64encode(head + b"\x18\x14" + number + b"\x00").decode()

    def message(self, phone: str, kind: str, content: Any, **fields: Any) -> Item:
        """A message of any kind. `fields` are laid over it."""
        wamid = self.new_wamid(phone)
        self.last_wrote[phone] = self.clock()
        self.written[wamid] = phone
        now = str(int(self.clock()))
        head = {_name_writer(phone): phone, "id": wamid, "timestamp": now}
        return {**head, "type": kind, kind: content} | fields

    def text_message(self, phone: str, body: str, *, reply_to: str = "", **fields: Any) -> Item:
        if reply_to:
            fields = {"context": _context(reply_to), **fields}
        return self.message(phone, "text", {"body": body}, **fields)

    def media_message(
        self,
        phone: str,
        kind: Literal["image", "document", "audio", "video", "sticker"],
        held: Held,
        **content: Any,
    ) -> Item:
        """`content` is what the kind adds: caption, filename, voice, animated."""
        media_id = self.media.keep(held)
        return self.message(phone, kind, {**content, **told_media(media_id, held)})

    def image_message(self, phone: str, image: bytes = JPEG, **content: Any) -> Item:
        return self.media_message(phone, "image", Held(image, "image/jpeg"), **content)

    def document_message(
        self, phone: str, content: bytes, filename: str, mime_type: str, **more: Any
    ) -> Item:
        held = Held(content, mime_type, filename)
        return self.media_message(phone, "document", held, filename=filename, **more)

    def voice_message(self, phone: str, sound: bytes = b"OggS", *, voice: bool = True) -> Item:
        """A voice note; with `voice` false, a sound file."""
        held = Held(sound, "audio/ogg; codecs=opus")
        return self.media_message(phone, "audio", held, voice=voice)

    def video_message(self, phone: str, film: bytes = b"\0\0\0 ftyp", **content: Any) -> Item:
        return self.media_message(phone, "video", Held(film, "video/mp4"), **content)

    def sticker_message(self, phone: str, *, animated: bool = False) -> Item:
        held = Held(b"RIFF....WEBP", "image/webp")
        return self.media_message(phone, "sticker", held, animated=animated)

    def location_message(self, phone: str, latitude: float, longitude: float, **place: str) -> Item:
        """`place` may have name, address and url: a bare pin has none."""
        where = {"latitude": latitude, "longitude": longitude, **place}
        return self.message(phone, "location", where)

    def contacts_message(self, phone: str, *numbers: str) -> Item:
        """A card for each number."""
        return self.message(phone, "contacts", [_card(number) for number in numbers])

    def shared_contact(
        self, user_id: str, request: str, number: str, *, origin: str = "contact_request"
    ) -> Item:
        """The answer to our `request_contact_info`; with `origin` other, a card of their choice
        that quotes it."""
        if origin == "contact_request":  # the number is theirs
            self.last_wrote[number] = self.clock()
        card = {"origin": origin, **_card(number)}
        return self.message(user_id, "contacts", [card], context=_context(request))

    def button_reply(self, phone: str, to: str, option_id: str, title: str) -> Item:
        """A tap on a reply button of our message `to`."""
        reply = {"type": "button_reply", "button_reply": {"id": option_id, "title": title}}
        return self.message(phone, "interactive", reply, context=_context(to))

    def list_reply(
        self, phone: str, to: str, option_id: str, title: str, description: str = ""
    ) -> Item:
        row = {"id": option_id, "title": title, "description": description}
        reply = {"type": "list_reply", "list_reply": row}
        return self.message(phone, "interactive", reply, context=_context(to))

    def template_tap(self, phone: str, to: str, payload: str, text: str) -> Item:
        button = {"payload": payload, "text": text}
        return self.message(phone, "button", button, context=_context(to))

    def reaction_message(self, phone: str, wamid: str, emoji: str = "👍") -> Item:
        """A reaction; without emoji, its removal."""
        reaction = {"message_id": wamid} | ({"emoji": emoji} if emoji else {})
        return self.message(phone, "reaction", reaction)

    def edit_message(self, phone: str, original: str, body: str) -> Item:
        """A text of before, put differently."""
        message = {"context": {"id": original}, "type": "text", "text": {"body": body}}
        edit = {"original_message_id": original, "message": message}
        return self.message(phone, "edit", edit)

    def unsupported_message(self, phone: str, kind: str = "") -> Item:
        """A poll, a view-once photo, an edit …; Meta does not always give the kind."""
        errors = [told_error(UNSUPPORTED)]
        item = self.message(phone, "unsupported", {"type": kind}, errors=errors)
        if not kind:
            del item["unsupported"]
        return item

    def system_message(self, phone: str, new_phone: str) -> Item:
        """The person changed number: nobody wrote."""
        body = f"User Awa changed from {phone} to {new_phone}"
        system = {"body": body, "wa_id": new_phone, "type": "user_changed_number"}
        wrote = self.last_wrote.get(phone)
        item = self.message(phone, "system", system)
        if wrote is None:
            del self.last_wrote[phone]
        else:
            self.last_wrote[phone] = wrote
        return item

    def status(self, phone: str, wamid: str, status: Status, *, code: int = 0) -> Item:
        """What became of our message; `code` says why it failed."""
        now = str(int(self.clock()))
        item: Item = {"id": wamid, "status": status, "timestamp": now}
        item["recipient_id" if phone.isdigit() else "recipient_user_id"] = phone
        if status == "failed":
            return {**item, "errors": [told_error(code)]}
        return item if self.pricing is None else {**item, "pricing": self.pricing}

    def payload(self, entries: Iterable[Iterable[Sequence[Item]]]) -> dict[str, Any]:
        """The body of a POST: entries of changes of items, as they are given."""
        told = [
            {"id": ACCOUNT, "changes": [self._change(items) for items in changes]}
            for changes in entries
        ]
        return {"object": "whatsapp_business_account", "entry": told}

    def _change(self, items: Sequence[Item]) -> dict[str, Any]:
        value: dict[str, Any] = {
            "messaging_product": "whatsapp",
            "metadata": {"display_phone_number": NUMBER, "phone_number_id": NUMBER_ID},
        }
        for item in items:
            value.setdefault(_place(item), []).append(item)
        writers = [
            each.get("from") or each["from_user_id"]
            for each in value.get("messages", [])
            if each["type"] != "system"
        ]
        if writers:
            value["contacts"] = [self._profile(phone) for phone in dict.fromkeys(writers)]
        return {"value": value, "field": "messages"}

    def _profile(self, phone: str) -> dict[str, Any]:
        name = "wa_id" if str(phone).isdigit() else "user_id"
        return {"profile": {"name": self.names.get(phone, "Awa")}, name: phone}


def _place(item: Item) -> str:
    if "recipient_id" in item or "recipient_user_id" in item:
        return "statuses"
    return "messages" if "from" in item or "from_user_id" in item else "errors"


def _name_writer(phone: str) -> str:
    return "from" if phone.isdigit() else "from_user_id"


def _context(wamid: str) -> dict[str, str]:
    return {"from": NUMBER, "id": wamid}


def _card(number: str) -> dict[str, Any]:
    name = {"first_name": "Fatou", "formatted_name": "Fatou"}
    return {"name": name, "phones": [{"phone": f"+{number}", "wa_id": number, "type": "CELL"}]}
