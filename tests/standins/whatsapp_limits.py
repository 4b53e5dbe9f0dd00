"""What the Cloud API refuses and its published schema cannot say.

Lengths are counted in characters, as JSON Schema counts them; whether Meta counts an emoji as one
or as two is unsure. Sources: the Cloud API's reference of messages, media and templates; the list
of types is the one that the media upload names when it refuses another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from tests.standins.whatsapp_errors import (
    BAD_VALUE,
    INVALID,
    TEMPLATE_COUNT,
    TEMPLATE_LONG,
    TEMPLATE_TEXT,
    Refused,
)

MAX_TEXT = 4096
MAX_CAPTION = 1024
MAX_HEADER = 60
MAX_ROWS = 10
MAX_TEMPLATE = 1024
MB = 2**20
MAX_SIZE = {"image": 5 * MB, "audio": 16 * MB, "video": 16 * MB, "document": 100 * MB}
MAX_STICKER = 500 * 2**10
OFFICE = "application/vnd.openxmlformats-officedocument."
TYPES = {
    "audio": ["audio/aac", "audio/mp4", "audio/mpeg", "audio/amr", "audio/ogg", "audio/opus"],
    "image": ["image/jpeg", "image/png"],
    "video": ["video/mp4", "video/3gpp"],
    "sticker": ["image/webp"],
    "document": [
        "text/plain",
        "application/pdf",
        "application/msword",
        "application/vnd.ms-excel",
        "application/vnd.ms-powerpoint",
        f"{OFFICE}wordprocessingml.document",
        f"{OFFICE}presentationml.presentation",
        f"{OFFICE}spreadsheetml.sheet",
    ],
}
UPLOADS = [each for types in TYPES.values() for each in types]
BEGINNINGS = {"image/jpeg": b"\xff\xd8", "image/png": b"\x89PNG", "application/pdf": b"%PDF"}
MEDIA_FIELDS = {
    "image": {"id", "link", "caption"},
    "video": {"id", "link", "caption"},
    "audio": {"id", "link"},
    "document": {"id", "link", "caption", "filename"},
}
PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


USER_ID = re.compile(r"^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$")
CONTACT = "request_contact_info"


def phone_of(body: dict[str, Any]) -> str:
    """The digits of a recipient, else the user id of `recipient`; raises `Refused` where there is
    none. A user id in `to` Meta would accept and drop: here it is a mistake."""
    if "to" not in body:
        return body["recipient"]
    digits = re.sub(r"[ +()-]", "", body["to"])
    if not re.fullmatch(r"[0-9]{7,15}", digits):
        raise Refused(BAD_VALUE, "to is not a phone number")
    return digits


def kind_of(mime_type: str) -> str:
    """The kind of media a type is of, empty for an unknown one."""
    plain = mime_type.partition(";")[0].strip()
    return next((kind for kind, types in TYPES.items() if plain in types), "")


def check_media(mime_type: str, size: int, beginning: bytes) -> None:
    """Raise `Refused` for what cannot be uploaded, or fetched from a link."""
    kind = kind_of(mime_type)
    if not kind:
        known = ", ".join(UPLOADS)
        text = f"Param file must be a file with one of the following types: {known}."
        raise Refused(INVALID, f"{text} Received file of type '{mime_type}'.")
    if size > MAX_SIZE.get(kind, MAX_STICKER) or size == 0:
        raise Refused(INVALID, f"file: {size} bytes are too many, or none, for {mime_type}")
    expected = BEGINNINGS.get(mime_type, b"")
    if not beginning.startswith(expected):
        raise Refused(INVALID, f"file: the content is not {mime_type}")


def check_fit(kind: str, mime_type: str) -> None:
    """Raise `Refused` where media of this type cannot be sent as this kind of message.

    As a document goes whatever can be uploaded.
    """
    if kind != "document" and kind_of(mime_type) != kind:
        raise Refused(INVALID, f"{kind}: {mime_type} cannot be sent as this")


def check_limits(body: dict[str, Any]) -> None:
    """Raise `Refused` for the first limit that a message of a valid form is over."""
    kind = body["type"]
    rules = RULES.get(kind)
    if rules is None or body.get("recipient_type") == "group":
        raise Refused(BAD_VALUE, f"{kind}, {body.get('recipient_type')}: not modelled")
    for mistake in rules(body[kind]):
        raise Refused(INVALID, f"{kind}: {mistake}")


def fill_template(wording: str, template: dict[str, Any]) -> str:
    """The text that the person sees."""
    body = [each for each in template.get("components", []) if each["type"] == "body"]
    parameters = [each for component in body for each in component.get("parameters", [])]
    given = [parameter.get("text", "") for parameter in parameters]
    names = list(dict.fromkeys(PLACEHOLDER.findall(wording)))
    if len(names) != len(given):
        raise Refused(TEMPLATE_COUNT, f"expected {len(names)} parameters, received {len(given)}")
    if any(not text or re.search(r"[\n\t]| {5}", text) for text in given):
        raise Refused(TEMPLATE_TEXT)
    values = dict(zip(names, given, strict=True))
    text = PLACEHOLDER.sub(lambda found: values[found[1]], wording)
    if len(text) > MAX_TEMPLATE:
        raise Refused(TEMPLATE_LONG)
    return text


def _text_mistakes(text: dict[str, Any]) -> Iterator[str]:
    if not text["body"].strip():
        yield "body is empty"
    if len(text["body"]) > MAX_TEXT:
        yield f"body has {len(text['body'])} characters of {MAX_TEXT}"


def _media_mistakes(kind: str) -> Callable[[dict[str, Any]], Iterator[str]]:
    def mistakes(media: dict[str, Any]) -> Iterator[str]:
        if unknown := set(media) - MEDIA_FIELDS[kind]:
            yield f"unexpected {sorted(unknown)}"
        if not all(isinstance(value, str) for value in media.values()):
            yield "a value is not a string"
        elif len(media.get("caption", "")) > MAX_CAPTION:
            yield f"caption has {len(media['caption'])} characters of {MAX_CAPTION}"
        elif not re.match("https?://.", media.get("link", "http://x")):
            yield "link is not a web address"

    return mistakes


def _interactive_mistakes(interactive: dict[str, Any]) -> Iterator[str]:
    action = interactive["action"]
    if not interactive.get("body", {}).get("text", "").strip():
        yield "body is required"
    if "header" in interactive:
        yield from _header_mistakes(interactive["header"], interactive["type"])
    if interactive["type"] == "button" and "buttons" in action:
        yield from _option_mistakes([button["reply"] for button in action["buttons"]])
    elif interactive["type"] == "list" and "button" in action:
        yield from _list_mistakes(action)
    elif interactive["type"] == CONTACT and action.get("name") == CONTACT:
        if "header" in interactive or len(interactive["body"]["text"]) > MAX_CAPTION:
            yield "a header, or a body that is too long"
    else:
        yield "this type with this action is not modelled"


def _header_mistakes(header: dict[str, Any], interactive: str) -> Iterator[str]:
    """A list has a title at most; a message with buttons a picture, film or document too."""
    kind = header.get("type", "")
    kinds = ("text", "image", "video", "document") if interactive == "button" else ("text",)
    if kind not in kinds:
        yield f"a header of type {kind!r}"
    elif set(header) != {"type", kind}:
        yield f"a header of type {kind} has {sorted(header)}"
    elif kind == "text":
        if not 0 < len(header["text"]) <= MAX_HEADER:
            yield f"the header has {len(header['text'])} characters of {MAX_HEADER}"
    elif len({"id", "link"} & set(header[kind])) != 1:
        yield "the header's media needs an id or a link"


def _list_mistakes(action: dict[str, Any]) -> Iterator[str]:
    sections = action["sections"]
    rows = [row for section in sections for row in section.get("rows", [])]
    if not action["button"].strip():
        yield "button is empty"
    if not 1 <= len(rows) <= MAX_ROWS:
        yield f"{len(rows)} rows, of {MAX_ROWS} in all sections"
    if len(sections) > 1 and not all(section.get("title") for section in sections):
        yield "of several sections each has a title"
    if not all(section.get("rows") for section in sections):
        yield "a section has no rows"
    yield from _option_mistakes(rows, unique_titles=False)


def _option_mistakes(options: list[dict[str, Any]], *, unique_titles: bool = True) -> Iterator[str]:
    ids = [option["id"] for option in options]
    titles = [option["title"] for option in options]
    if not all(title.strip() for title in titles):
        yield "a title is empty"
    if any(not each or each != each.strip() for each in ids):
        yield "an id is empty, or has spaces around it"
    if len(set(ids)) < len(ids):
        yield "two options have the same id"
    if unique_titles and len(set(titles)) < len(titles):
        yield "two buttons have the same title"


def _reaction_mistakes(reaction: dict[str, Any]) -> Iterator[str]:
    if not reaction.get("message_id") or "emoji" not in reaction:
        yield "message_id and emoji are required"


def _no_mistakes(_: dict[str, Any]) -> Iterator[str]:
    yield from ()


RULES: dict[str, Callable[[dict[str, Any]], Iterator[str]]] = {
    "text": _text_mistakes,
    "interactive": _interactive_mistakes,
    "reaction": _reaction_mistakes,
    "template": _no_mistakes,
    **{kind: _media_mistakes(kind) for kind in MEDIA_FIELDS},
}
