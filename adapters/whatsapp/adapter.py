"""WhatsApp, by Meta's Cloud API (v25.0): the adapter, checks of the number and the token, and
webhooks."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl

import msgspec
import structlog

from adapters.base import (
    MAX_BODY,
    MAX_REPLIES,
    MAX_ROWS,
    describe_row,
    get_list_label,
    list_buttons,
    make_whatsapp_link,
    read_library_file,
    require_contact_id,
    write_options_as_text,
)
from adapters.whatsapp.client import (
    ANSWER_SECONDS,
    Graph,
    Media,
    Refusal,
    explain,
    log_operator_error,
)
from adapters.whatsapp.parse import VIA, parse_payload
from bot.contracts.channels import Adapter, Capabilities, Finding, Pace, Webhook
from bot.contracts.storage import ReadFile
from bot.errors import BadRequest, OutcomeUnknown, Refused, RetryAt, SettingsError, Undeliverable
from bot.messages.channels import Channel
from bot.messages.incoming import Attachment, Received
from bot.messages.outgoing import (
    Button,
    Delivery,
    FileBody,
    Preview,
    Sent,
    ShareFile,
    TemplateBody,
    TextBody,
    Typing,
)
from bot.net import NOT_JSON, is_same_secret
from bot.settings import Settings

Message = Mapping[str, Any]
_BAD_TOKEN: Final = 190
_NO_OBJECT: Final = 100
_NO_PERMISSION: Final = (3, 10, *range(200, 300))
_RESTRICTED: Final = (368, 131031)
log = structlog.get_logger()


class _Named(msgspec.Struct):
    id: str


class _Accepted(msgspec.Struct):
    messages: tuple[_Named, ...]


class _Number(msgspec.Struct):
    display_phone_number: str = ""
    verified_name: str = ""
    quality_rating: str = ""


_decode_accepted = msgspec.json.Decoder(_Accepted).decode


class WhatsAppCloud(Adapter):
    """Sends by a number of WhatsApp's Cloud API.

    Limits and pace: Cloud API reference and "throughput" (80 messages a second; to one person one
    in 6 seconds, 45 of which may be borrowed). Whether an emoji counts as one character or two is
    not documented: it counts as two.

    Args:
        settings: its `whatsapp_…` fields.
        read_file: returns the bytes of a library file by its id; raises `NotFound`.
        seconds: time-out for an answer of the API.

    Raises:
        SettingsError: `WHATSAPP_TEMPLATE` is not `name:language`.
    """

    name = VIA
    title = "WhatsApp"
    channel: Channel = "whatsapp"

    def __init__(
        self,
        settings: Settings,
        read_file: ReadFile,
        seconds: float = ANSWER_SECONDS,
    ) -> None:
        self._number_id = settings.whatsapp_phone_number_id
        self._app_secret = settings.whatsapp_app_secret
        self._graph = Graph(settings.whatsapp_api_url, settings.whatsapp_token, seconds)
        self._media = Media(self._graph, self._number_id)
        self._template = read_template(settings.whatsapp_template)
        self._read_file = read_file
        self.capabilities = Capabilities(
            max_text=4096,
            text_unit="utf16",
            markup="markers",
            max_caption=1024,
            max_buttons=MAX_ROWS,
            max_button_label=20,
            header_buttons=MAX_REPLIES,
            joins=True,
            opens_lists=True,
            asks_number=True,
            media=CARRIED,
            typing=25.0,
            resend="never",
            window=24 * 3600.0,
            template=self._template is not None,
            receipts=True,
            sender_pace=Pace(settings.whatsapp_per_second, 20),
            chat_pace=lambda _: Pace(1 / 6, 45),
        )

    async def check(self) -> Sequence[Finding]:
        """Check the number and the token (`bot.contracts.channels.CheckedAdapter`)."""
        try:
            number = await self._ask_for_number()
        except Refusal as refusal:
            return [_explain_refusal(refusal)]
        if number.quality_rating == "RED":
            advice = "people block or report what it sends; Meta may limit it: see WhatsApp Manager"
            return [Finding("warning", "WhatsApp", "the number's quality rating is RED", advice)]
        words = f"knows the number and the token: {number.verified_name[:80]}"
        return [Finding("ok", "WhatsApp", words)]

    async def find_address(self) -> str:
        """Return the link by which people open the chat. Raises `ConnectionError` or
        `DeliveryError`, also where the token is refused."""
        try:
            number = (await self._ask_for_number()).display_phone_number
        except Refusal as refusal:
            raise _unanswered(refusal) from None
        if not re.search(r"\d", number):
            raise ConnectionError("it tells no number")
        return make_whatsapp_link(number)

    async def fetch(self, attachment: Attachment) -> bytes:
        """Download a file of at most 16 MB."""
        return await self._media.fetch(attachment.reference)

    async def deliver(self, delivery: Delivery) -> Sent:
        try:
            match delivery.body:
                case TextBody() as body:
                    return await self._send_text(delivery, body)
                case FileBody() as body:
                    return await self._send_file(delivery, body)
                case TemplateBody() as body:
                    return await self._send_template(delivery, body)
                case _:  # buttons cannot be retired here, nor taps acknowledged
                    return Sent("")
        except Refusal as refusal:
            log_operator_error(refusal)
            raise explain(refusal, delivery.attempt) from None

    async def show(self, preview: Preview) -> None:
        """Show typing, which also marks the message as read."""
        if not isinstance(preview, Typing) or not preview.about.startswith("wamid."):
            return
        try:
            await self._graph.post(f"{self._number_id}/messages", typing_mark(preview.about))
        except Refusal as refusal:
            if refusal.is_too_fast:
                raise explain(refusal) from None
            log.debug("whatsapp_preview_dropped", reason=str(refusal))
        except (RetryAt, OutcomeUnknown) as error:
            log.debug("whatsapp_preview_dropped", reason=str(error))

    async def close(self) -> None:
        await self._graph.close()

    async def _ask_for_number(self) -> _Number:
        """Return Meta's data of the number. Raises `Refusal`, `ConnectionError` or
        `DeliveryError`."""
        query = {"fields": "display_phone_number,verified_name,quality_rating"}
        if self._app_secret:
            query["appsecret_proof"] = self._graph.sign_token(self._app_secret)
        try:
            return msgspec.json.decode(await self._graph.get(self._number_id, query), type=_Number)
        except msgspec.DecodeError:
            raise ConnectionError("it answered something else than a number") from None

    async def _send_text(self, delivery: Delivery, body: TextBody) -> Sent:
        """Send a text with its buttons; if WhatsApp refuses the form, once more with a line for
        each, or first the picture above them."""
        if not body.buttons and not body.asks_number:
            return await self._send(delivery, text_message(body.text))
        media_id = await self._upload(body.header) if body.header else ""
        if interactive := to_interactive(body, media_id):
            try:
                return await self._send(
                    delivery, {"type": "interactive", "interactive": interactive}
                )
            except Refusal as refusal:
                if not refusal.is_about_form:
                    raise
                log.warning("whatsapp_buttons_refused", reason=str(refusal))
        if body.header:
            sent = await self._send(delivery, file_message(body.header, media_id))
            return msgspec.structs.replace(sent, left=msgspec.structs.replace(body, header=None))
        sent = await self._send(delivery, text_message(write_options_as_text(body)))
        return msgspec.structs.replace(sent, options_listed=bool(body.buttons))

    async def _send_file(self, delivery: Delivery, body: FileBody) -> Sent:
        """Upload the file, then send it; people see only the second step, which may be in doubt."""
        require_contact_id(delivery.conversation)
        return await self._send(delivery, file_message(body.file, await self._upload(body.file)))

    async def _upload(self, file: ShareFile) -> str:
        """Upload a file of the library; return its media id."""
        content = await read_library_file(self._read_file, file.file_id)
        return await self._media.upload(content, file.mime_type)

    async def _send_template(self, delivery: Delivery, body: TemplateBody) -> Sent:
        if self._template is None:
            raise Undeliverable("WHATSAPP_TEMPLATE is not set")
        return await self._send(delivery, template_message(*self._template, body.text))

    async def _send(self, delivery: Delivery, message: Message) -> Sent:
        """Send one message. Raises `Refusal` or `DeliveryError`."""
        whole = {
            "messaging_product": "whatsapp",
            "recipient_type": "individual",
            **_address(delivery.conversation),
            **message,
        }
        answer = await self._graph.post(f"{self._number_id}/messages", whole)
        try:
            return Sent(_decode_accepted(answer).messages[0].id)
        except (*NOT_JSON, IndexError):
            raise OutcomeUnknown("WhatsApp's answer names no message") from None


def _address(conversation: str) -> dict[str, str]:
    """Return the field that names the recipient. Meta would accept a user id in `to`, and drop the
    message."""
    contact_id = require_contact_id(conversation)
    return {"to" if contact_id.startswith("+") else "recipient": contact_id}


def _unanswered(refusal: Refusal) -> ConnectionError:
    return ConnectionError(f"it answered {refusal.status}")


def _explain_refusal(refusal: Refusal) -> Finding:
    """Return the finding for a refusal. Raises `ConnectionError` for one that says nothing about
    our settings."""
    if refusal.is_about_proof:
        advice = "copy the secret of the same app that made the token (App settings, Basic)"
        return Finding(
            "error", "WHATSAPP_APP_SECRET", "is not of the app that made WHATSAPP_TOKEN", advice
        )
    if refusal.code == _BAD_TOKEN or refusal.status == 401:
        advice = "make a permanent token of a system user; those of the dashboard last a day"
        return Finding("error", "WHATSAPP_TOKEN", "Meta refuses it, or it has expired", advice)
    if refusal.code in _RESTRICTED:
        advice = "ask for a review in WhatsApp Manager (Account overview); answers wait meanwhile"
        words = f"Meta has restricted the number ({refusal.code})"
        return Finding("error", "WhatsApp", words, advice)
    if refusal.code in _NO_PERMISSION:
        advice = "give its system user whatsapp_business_messaging and the WhatsApp account"
        return Finding("error", "WHATSAPP_TOKEN", "may not use this number", advice)
    if refusal.code == _NO_OBJECT:
        advice = "copy the phone number's id, not the number nor the account's id"
        return Finding(
            "error", "WHATSAPP_PHONE_NUMBER_ID", "Meta knows no such number for us", advice
        )
    raise _unanswered(refusal)


# Webhooks -----------------------------------------------------------------------------------------

MAX_FIELDS = 20
_CHALLENGE = re.compile(r"[A-Za-z0-9_.-]{1,128}")
"""The form of a challenge: Meta's are numbers, and a page or a script does not match."""


class WhatsAppWebhooks:
    """Implements `bot.contracts.channels.WebhookReader` for Meta's webhooks.

    Args:
        settings: `whatsapp_app_secret`, `whatsapp_verify_token`, `whatsapp_phone_number_id`.
    """

    name = VIA

    def __init__(self, settings: Settings) -> None:
        self._secret = settings.whatsapp_app_secret.encode()
        self._verify_token = settings.whatsapp_verify_token
        self._number_id = settings.whatsapp_phone_number_id

    def verify(self, webhook: Webhook) -> None:
        """Check that Meta sent it, by a GET's verify token or a POST's signature. Raises `Refused`.

        The signature is over the raw bytes
        (https://developers.facebook.com/docs/graph-api/webhooks/getting-started).
        """
        if webhook.method == "GET":
            self._verify_subscription(_parse_query(webhook))
            return
        if not self._secret:
            raise Refused("WHATSAPP_APP_SECRET is not set")
        digest = hmac.new(self._secret, webhook.body, hashlib.sha256).hexdigest()
        if not is_same_secret(webhook.headers.get("X-Hub-Signature-256", ""), f"sha256={digest}"):
            raise Refused("wrong or missing signature")

    def _verify_subscription(self, query: Mapping[str, str]) -> None:
        if not self._verify_token:
            raise Refused("WHATSAPP_VERIFY_TOKEN is not set")
        known = is_same_secret(query.get("hub.verify_token", ""), self._verify_token)
        if not known or query.get("hub.mode") != "subscribe":
            raise Refused("wrong or missing verify token")

    def challenge(self, webhook: Webhook) -> str:
        """Return the challenge of a GET that `verify` let through. Raises `BadRequest`."""
        challenge = _parse_query(webhook).get("hub.challenge", "")
        if not _CHALLENGE.fullmatch(challenge):
            raise BadRequest("hub.challenge is missing, or not one of Meta's")
        return challenge

    def parse(self, webhook: Webhook) -> list[Received]:
        """Read updates and receipts. Raises `BadRequest`."""
        return parse_payload(webhook.body, self._number_id)


def _parse_query(webhook: Webhook) -> dict[str, str]:
    """Parse the query; empty when it has more than `MAX_FIELDS` fields."""
    query = webhook.path.partition("?")[2]
    try:
        return dict(parse_qsl(query, keep_blank_values=True, max_num_fields=MAX_FIELDS))
    except ValueError:
        return {}


MAX_IMAGE = 5 * 2**20
MAX_RECORDING = 16 * 2**20
MAX_DOCUMENT = 100 * 2**20
_OFFICE = "application/vnd.openxmlformats-officedocument"
_AUDIO = ("audio/aac", "audio/amr", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/opus")
_DOCUMENTS = (
    "application/pdf",
    "application/msword",
    "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint",
    f"{_OFFICE}.wordprocessingml.document",
    f"{_OFFICE}.spreadsheetml.sheet",
    f"{_OFFICE}.presentationml.presentation",
    "text/plain",
)
CARRIED = (
    ("image/jpeg", MAX_IMAGE),
    ("image/png", MAX_IMAGE),
    *((mime_type, MAX_RECORDING) for mime_type in _AUDIO),
    ("video/mp4", MAX_RECORDING),
    ("video/3gpp", MAX_RECORDING),
    *((mime_type, MAX_DOCUMENT) for mime_type in _DOCUMENTS),
)
"""MIME types and the most bytes of each."""
_TEMPLATE = re.compile(r"([a-z0-9_]{1,512}):([A-Za-z]{2,3}(?:_[A-Za-z]{2,4})?)")


_CONTACT = "request_contact_info"
"""The button by which a person shares their number; WhatsApp chooses its words."""


def read_template(setting: str) -> tuple[str, str] | None:
    """Return name and language of the template; None where none is set. Raises `SettingsError`."""
    if not setting:
        return None
    found = _TEMPLATE.fullmatch(setting)
    if found is None:
        raise SettingsError("WHATSAPP_TEMPLATE: write name:language, such as news:fr")
    return found[1], found[2]


def text_message(text: str) -> dict[str, Any]:
    return {"type": "text", "text": {"body": text, "preview_url": False}}


def file_message(file: ShareFile, media_id: str) -> dict[str, Any]:
    """Return a file's message. Recordings cannot have a caption on WhatsApp: with one, they go as
    documents."""
    kind = file.mime_type.partition("/")[0]
    if kind not in {"image", "audio", "video"} or (kind == "audio" and file.caption):
        kind = "document"
    content = {"id": media_id}
    if file.caption:
        content["caption"] = file.caption
    if kind == "document":
        content["filename"] = file.filename
    return {"type": kind, kind: content}


def template_message(name: str, language: str, text: str) -> dict[str, Any]:
    """Return a message by the template `name`; `text` is the one variable of its body."""
    variables = [{"type": "text", "text": text}]
    return {
        "type": "template",
        "template": {
            "name": name,
            "language": {"code": language},
            "components": [{"type": "body", "parameters": variables}],
        },
    }


def typing_mark(wamid: str) -> dict[str, Any]:
    """Return the call that marks a message as read, and shows that its answer is being written."""
    return {
        "messaging_product": "whatsapp",
        "status": "read",
        "message_id": wamid,
        "typing_indicator": {"type": "text"},
    }


def to_interactive(body: TextBody, media_id: str = "") -> dict[str, Any] | None:
    """Return the `interactive` of a message that shows `body`; None where WhatsApp cannot show it
    so.

    Args:
        media_id: id of the picture or document above it, if there is one; a list can have none.

    Limits: three replies whose titles differ, or ten rows in a list, and 1024 characters above
    them (Cloud API reference, messages). A title of 20 fits both.
    """
    buttons = list_buttons(body)
    if not body.text.strip() or len(body.text) > MAX_BODY:
        return None
    if not buttons:
        return _interactive(_CONTACT, body, {"name": _CONTACT}) if body.asks_number else None
    if len(buttons) <= MAX_REPLIES and len({each.label for each in buttons}) == len(buttons):
        replies = [
            {"type": "reply", "reply": {"id": each.token, "title": each.label}} for each in buttons
        ]
        shown = _interactive("button", body, {"buttons": replies})
        return shown | {"header": _header(body.header, media_id)} if body.header else shown
    if len(buttons) <= MAX_ROWS and not body.header:
        rows = [_row(each, describe_row(each, body)) for each in buttons]
        return _interactive(
            "list", body, {"button": get_list_label(body), "sections": [{"rows": rows}]}
        )
    return None


def _interactive(kind: str, body: TextBody, action: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "body": {"text": body.text}, "action": action}


def _header(file: ShareFile, media_id: str) -> dict[str, Any]:
    if file.mime_type.startswith("image/"):
        return {"type": "image", "image": {"id": media_id}}
    return {"type": "document", "document": {"id": media_id, "filename": file.filename}}


def _row(button: Button, description: str) -> dict[str, str]:
    row = {"id": button.token, "title": button.label}
    return row | {"description": description} if description else row
