"""What people see on their phones, and when WhatsApp lets a business write to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tests.standins.whatsapp_errors import INVALID, PAIR_RATE, TEMPLATE_UNKNOWN, Refused
from tests.standins.whatsapp_limits import fill_template
from tests.standins.whatsapp_media import Held
from tests.standins.whatsapp_webhooks import Incoming, Item

WINDOW_SECONDS = 24 * 3600
TYPING_SECONDS = 25
PAIR_SECONDS = 6
PAIR_BURST = 45
Body = dict[str, Any]


@dataclass(frozen=True)
class Option:
    """A button, or a row of a list."""

    id: str
    title: str
    description: str = ""


@dataclass(frozen=True)
class Shown:
    """A message of ours as the person sees it."""

    wamid: str
    kind: str
    """text, button, list, image, document, audio, video, template."""
    text: str = ""
    header: str = ""
    footer: str = ""
    options: tuple[Option, ...] = ()
    menu: str = ""
    """What opens the list."""
    media: bytes | None = field(default=None, repr=False)
    media_type: str = ""
    filename: str = ""
    caption: str = ""
    template: str = ""
    """Name and language, as in `welcome:fr`."""
    reply_to: str = ""
    """The wamid that it quotes."""
    at: float = 0.0


class Phones(Incoming):
    """The phones of everybody. `templates` are the approved ones: wording by `name:language`."""

    def __init__(self, clock: Callable[[], float], templates: dict[str, str]) -> None:
        super().__init__(clock)
        self.templates = templates
        self.absent: set[str] = set()
        """Numbers that are not on WhatsApp."""
        self.read: list[str] = []
        """The wamids that were marked read, in the order of the marks."""
        self.typings: list[str] = []
        """The wamids with whose mark typing was shown."""
        self.reactions: dict[str, str] = {}
        """Our emoji by the wamid it stands on."""
        self._chats: dict[str, list[Shown]] = defaultdict(list)
        self._typing_until: dict[str, float] = {}
        self._next_free: dict[str, float] = {}

    def chat(self, phone: str) -> list[Shown]:
        """What the person got from us, oldest first."""
        return list(self._chats.get(phone, []))

    def is_typing(self, phone: str) -> bool:
        """Whether the person sees us typing now."""
        return self._typing_until.get(phone, 0.0) > self.clock()

    def tap(self, phone: str, choice: str) -> Item:
        """The person taps what is titled so, in the newest message that offers it."""
        for shown in reversed(self._chats[phone]):
            for option in shown.options:
                if option.title == choice and shown.kind == "list":
                    fields = (option.id, option.title, option.description)
                    return self.list_reply(phone, shown.wamid, *fields)
                if option.title == choice:
                    return self.button_reply(phone, shown.wamid, option.id, option.title)
        raise LookupError(f"no option {choice!r}")

    def open_window(self, phone: str) -> None:
        """As if the person had just written."""
        self.last_wrote[phone] = self.clock()

    def close_window(self, phone: str) -> None:
        """As if the person had been silent for 24 hours."""
        self.last_wrote.pop(phone, None)

    def window_is_open(self, phone: str) -> bool:
        return self.clock() - self.last_wrote.get(phone, float("-inf")) < WINDOW_SECONDS

    def _keep_pace(self, phone: str) -> None:
        """One in 6 s to one person; 45 may be borrowed from what follows."""
        now = self.clock()
        free = max(self._next_free.get(phone, 0.0), now)
        if free - now > (PAIR_BURST - 1) * PAIR_SECONDS:
            raise Refused(PAIR_RATE)
        self._next_free[phone] = free + PAIR_SECONDS

    def _mark_read(self, body: Body) -> None:
        phone = self.written.get(body["message_id"])
        if phone is None:
            raise Refused(INVALID, "message_id: no message of this id came in")
        self.read.append(body["message_id"])
        if "typing_indicator" in body:
            self.typings.append(body["message_id"])
            self._typing_until[phone] = self.clock() + TYPING_SECONDS

    def _wording(self, body: Body) -> str:
        """The text of a template message, empty for the other kinds."""
        if body["type"] != "template":
            return ""
        wording = self.templates.get(_template_name(body))
        if wording is None:
            raise Refused(TEMPLATE_UNKNOWN, f"{_template_name(body)} is not approved")
        return fill_template(wording, body["template"])

    def _show(self, phone: str, body: Body, shown: Shown) -> None:
        self._typing_until.pop(phone, None)
        if body["type"] == "reaction":
            self._react(phone, body["reaction"])
        else:
            self._chats[phone].append(shown)

    def _react(self, phone: str, reaction: dict[str, str]) -> None:
        self.reactions[reaction["message_id"]] = reaction["emoji"]
        if not reaction["emoji"]:
            del self.reactions[reaction["message_id"]]

    def _check_reaction(self, phone: str, body: Body) -> None:
        target = body.get("reaction", {}).get("message_id")
        ours = {shown.wamid for shown in self._chats.get(phone, [])}
        if target and self.written.get(target) != phone and target not in ours:
            raise Refused(INVALID, "reaction: message_id is not in this chat")


def picture(wamid: str, body: Body, held: Held | None, text: str, at: float) -> Shown:
    """How a message looks. `held` is its media, `text` the wording of its template."""
    kind, reply_to = body["type"], body.get("context", {}).get("message_id", "")
    if kind == "text":
        return Shown(wamid, kind, body["text"]["body"], reply_to=reply_to, at=at)
    if kind == "template":
        name = _template_name(body)
        return Shown(wamid, kind, text, template=name, reply_to=reply_to, at=at)
    if kind == "interactive":
        shown = _interactive_picture(wamid, body["interactive"], reply_to, at)
        kept = (held.content, held.mime_type) if held else (None, "")
        return replace(shown, media=kept[0], media_type=kept[1])
    content = body[kind]
    return Shown(
        wamid,
        kind,
        media=held.content if held else None,
        media_type=held.mime_type if held else "",
        filename=content.get("filename", ""),
        caption=content.get("caption", ""),
        reply_to=reply_to,
        at=at,
    )


def _interactive_picture(wamid: str, content: Body, reply_to: str, at: float) -> Shown:
    action = content["action"]
    rows = [row for section in action.get("sections", []) for row in section["rows"]]
    options = [button["reply"] for button in action.get("buttons", [])] + rows
    return Shown(
        wamid,
        content["type"],
        content["body"]["text"],
        header=content.get("header", {}).get("text", ""),
        footer=content.get("footer", {}).get("text", ""),
        options=tuple(Option(**option) for option in options),
        menu=action.get("button", ""),
        reply_to=reply_to,
        at=at,
    )


def _template_name(body: Body) -> str:
    return f"{body['template']['name']}:{body['template']['language']['code']}"
