"""Meta's requests to us: authenticated, then read."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from urllib.parse import parse_qsl

from adapters.whatsapp_updates import parse_payload
from bot.contracts import Webhook
from bot.errors import BadRequest, Refused
from bot.messages import Receipt, Update
from bot.settings import Settings

MAX_FIELDS = 20
_CHALLENGE = re.compile(r"[A-Za-z0-9_.-]{1,128}")
"""Meta's are numbers; a page or a script is none."""


class Webhooks:
    """
    Args:
        settings: `whatsapp_app_secret`, `whatsapp_verify_token`, `whatsapp_phone_number_id`.
    """

    def __init__(self, settings: Settings) -> None:
        self._secret = settings.whatsapp_app_secret.encode()
        self._verify_token = settings.whatsapp_verify_token.encode()
        self._number_id = settings.whatsapp_phone_number_id

    def verify(self, webhook: Webhook) -> None:
        """Raises `Refused` unless it is Meta's: by the token in a GET, signed otherwise.

        The signature is over the raw bytes
        (https://developers.facebook.com/docs/graph-api/webhooks/getting-started).
        """
        if webhook.method == "GET":
            self._verify_subscription(_query(webhook))
            return
        if not self._secret:
            raise Refused("WHATSAPP_APP_SECRET is not set")
        digest = hmac.new(self._secret, webhook.body, hashlib.sha256).hexdigest()
        if not _same(f"sha256={digest}".encode(), webhook.headers.get("X-Hub-Signature-256", "")):
            raise Refused("wrong or missing signature")

    def _verify_subscription(self, query: Mapping[str, str]) -> None:
        if not self._verify_token:
            raise Refused("WHATSAPP_VERIFY_TOKEN is not set")
        known = _same(self._verify_token, query.get("hub.verify_token", ""))
        if not known or query.get("hub.mode") != "subscribe":
            raise Refused("wrong or missing verify token")

    def challenge(self, webhook: Webhook) -> str:
        """What Meta wants back. Raises `BadRequest` for what Meta would not ask."""
        challenge = _query(webhook).get("hub.challenge", "")
        if not _CHALLENGE.fullmatch(challenge):
            raise BadRequest("hub.challenge is missing, or not one of Meta's")
        return challenge

    def parse(self, webhook: Webhook) -> list[Update | Receipt]:
        """Raises `BadRequest`."""
        return parse_payload(webhook.body, self._number_id)


def _query(webhook: Webhook) -> dict[str, str]:
    """The query's fields; none where it holds more than anyone has use for."""
    query = webhook.path.partition("?")[2]
    try:
        return dict(parse_qsl(query, keep_blank_values=True, max_num_fields=MAX_FIELDS))
    except ValueError:
        return {}


def _same(expected: bytes, given: str) -> bool:
    return hmac.compare_digest(expected, given.encode(errors="surrogatepass"))
