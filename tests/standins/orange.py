"""An Orange to test against: its SMS API over a real socket, and its webhooks.

Every request is checked by developer.orange.com/apis/sms/getting-started and .../api-reference:
headers, the address, each field; what breaks a rule is refused as Orange would and kept in
`violations`. Tokens end, or are withdrawn. More than five messages in a second are a 429.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import aiohttp
import msgspec
from aiohttp import web

from tests.standins.sms_gateways import Sms, SmsGatewayStandIn

SENDER = "+2250000"
CLIENT_ID, CLIENT_SECRET = "an id of the stand-in", "a secret of the stand-in"
MOST_A_SECOND = 5
SECOND = 0.9
"""Less what the way there jitters."""
_ADDRESS = re.compile(r"tel:\+[1-9][0-9]{6,14}")
_FIELDS = {"address", "senderAddress", "senderName", "outboundSMSTextMessage"}


class Refused(Exception):
    def __init__(self, status: int, body: object) -> None:
        super().__init__(status)
        self.status = status
        self.body = body


def service_error(code: str, words: str) -> dict[str, Any]:
    return {"requestError": {"serviceException": {"messageId": code, "text": words}}}


class OrangeStandIn(SmsGatewayStandIn):
    """See the module. `clock` decides when a token ends."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.tokens: list[str] = []
        """Those that were given, oldest first."""
        self.lifetime = 3600
        self.dead_numbers: set[str] = set()
        self.sender_name = ""
        """The one that is registered; empty: none."""
        self._clock = clock
        self._good_until: dict[str, float] = {}
        self._moments: list[float] = []

    @property
    def settings(self) -> dict[str, object]:
        return {
            "sms_one_way": "",
            "orange_client_id": CLIENT_ID,
            "orange_client_secret": CLIENT_SECRET,
            "orange_sender": SENDER,
            "orange_sender_name": self.sender_name,
            "orange_api_url": self.url,
        }

    def list_routes(self) -> list[web.RouteDef]:
        return [
            web.post("/oauth/v3/token", self._give_token),
            web.post("/smsmessaging/v1/outbound/{sender}/requests", self._send),
        ]

    def withdraw_tokens(self) -> None:
        """From now on no token that was given is taken any more."""
        self._good_until.clear()

    # The API

    async def _give_token(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != aiohttp.encode_basic_auth(
            CLIENT_ID, CLIENT_SECRET
        ):
            words = {"error": "invalid_client", "error_description": "The credentials are wrong"}
            return web.json_response(words, status=401)
        form = dict(await request.post())
        if request.content_type != "application/x-www-form-urlencoded" or form != {
            "grant_type": "client_credentials"
        }:
            self.note_breach(f"a token was asked for by {sorted(form)}")
            return web.json_response({"error": "invalid_request"}, status=400)
        token = f"token-{len(self.tokens) + 1}"
        self.tokens.append(token)
        self._good_until[token] = self._clock() + self.lifetime
        answer = {"token_type": "Bearer", "access_token": token}
        return web.json_response({**answer, "expires_in": str(self.lifetime)})

    async def _send(self, request: web.Request) -> web.StreamResponse:
        number = ""
        try:
            self._check_token(request)
            number, text, sender = self._check_message(request, await request.read())
            return await self.run_with_faults(
                request, number, lambda: self._accept(number, text, sender)
            )
        except Refused as refused:
            return web.json_response(refused.body, status=refused.status)

    def _check_token(self, request: web.Request) -> None:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if self._good_until.get(token, 0) <= self._clock():
            raise Refused(401, {"code": 42, "message": "Expired credentials"})

    def _check_message(self, request: web.Request, body: bytes) -> tuple[str, str, str]:
        """Return number, text and sender; what breaks a rule is noted and refused."""
        wrong: list[str] = []
        if request.content_type != "application/json":
            wrong.append(f"the body is {request.content_type}")
        if not request.raw_path.endswith("/outbound/tel%3A%2B2250000/requests"):
            wrong.append(f"the address is {request.raw_path}")
        try:
            whole: Any = msgspec.json.decode(body)
            message = whole["outboundSMSMessageRequest"]
            address, text = message["address"], message["outboundSMSTextMessage"]["message"]
        except (msgspec.DecodeError, KeyError, TypeError):
            self.note_breach("the body has not the form of a message")
            raise Refused(400, service_error("SVC0002", "Invalid input value")) from None
        wrong += self._find_wrong_fields(whole, message)
        if wrong:
            self.violations += wrong
            raise Refused(400, service_error("SVC0002", "Invalid input value"))
        return address.removeprefix("tel:"), text, message.get("senderName", SENDER)

    def _find_wrong_fields(self, whole: dict[str, Any], message: dict[str, Any]) -> list[str]:
        text = message["outboundSMSTextMessage"]
        address, sender = message["address"], message.get("senderAddress")
        rules = {
            "fields that are not known": _FIELDS.issuperset(message) and len(whole) == 1,
            "the text has another form": set(text) == {"message"}
            and isinstance(text["message"], str),
            "the address is no number": isinstance(address, str) and _ADDRESS.fullmatch(address),
            "the sender is another country's": sender == f"tel:{SENDER}",
            "the sender's name is not registered": message.get("senderName", self.sender_name)
            == self.sender_name,
        }
        return [words for words, is_kept in rules.items() if not is_kept]

    def _accept(self, number: str, text: str, sender: str) -> web.Response:
        if number in self.dead_numbers:
            raise Refused(400, service_error("SVC0004", "No valid addresses provided"))
        if not number.startswith("+225"):
            words = {"messageId": "POL0001", "text": "A policy error occurred: Expired contract"}
            raise Refused(403, {"requestError": {"policyException": words}})
        now = time.monotonic()
        self._moments = [at for at in self._moments if now - at < SECOND]
        if len(self._moments) >= MOST_A_SECOND:
            raise Refused(429, {"code": 53, "message": "Too many requests"})
        self._moments.append(now)
        taken = self.take(number, text, sender, "6a3f-")
        url = f"{self.url}/smsmessaging/v1/outbound/tel:{SENDER}/requests/{taken.id}"
        answer = {
            "address": [f"tel:{number}"],
            "senderAddress": f"tel:{SENDER}",
            "senderName": sender,
            "outboundSMSTextMessage": {"message": text},
            "resourceURL": url,
        }
        return web.json_response({"outboundSMSMessageRequest": answer}, status=201)

    # Webhooks

    def describe_receipt(
        self, message: Sms, status: str, *, callback: bool = True
    ) -> dict[str, Any]:
        """The body of a delivery receipt; without `callback`, as in countries that send no id."""
        info = {"address": f"tel:{message.to}", "deliveryStatus": status}
        data = message.id if callback else ""
        return {"deliveryInfoNotification": {"callbackData": data, "deliveryInfo": info}}

    async def report(self, message: Sms, status: str, *, callback: bool = True) -> int:
        return await self.post_webhook(
            json=self.describe_receipt(message, status, callback=callback)
        )

    def write(self, number: str, text: str, *, message_id: str = "") -> dict[str, Any]:
        """The body by which a message of a person is told, not yet posted."""
        message = {
            "dateTime": "2026-11-24T10:00:00Z",
            "destinationAddress": f"tel:{SENDER}",
            "messageId": message_id or f"mo-{next(self._numbers)}",
            "message": text,
            "senderAddress": f"tel:{number}",
        }
        return {"inboundSMSMessageNotification": {"inboundSMSMessage": message}}
