"""An Africa's Talking to test against: its SMS API over a real socket, and its callbacks.

Every request is checked by developers.africastalking.com/docs/sms/sending/bulk: headers and each
field; what breaks a rule is refused as it would be there and kept in `violations`. What becomes of
each recipient is in the answer, with the codes of the documentation.
"""

from __future__ import annotations

import re

from aiohttp import web

from tests.standins.sms_gateways import Sms, SmsGatewayStandIn

USERNAME, API_KEY, SENDER = "griot", "atsk_a_key_of_the_stand_in", "22384"
_NUMBER = re.compile(r"\+[1-9][0-9]{6,14}")
_FORM = "application/x-www-form-urlencoded"
CODES = {
    100: "Processed",
    101: "Success",
    102: "Queued",
    401: "RiskHold",
    402: "InvalidSenderId",
    403: "InvalidPhoneNumber",
    404: "UnsupportedNumberType",
    405: "InsufficientBalance",
    406: "UserInBlacklist",
    407: "CouldNotRoute",
    409: "DoNotDisturbRejection",
    500: "InternalServerError",
    501: "GatewayError",
    502: "RejectedByGateway",
}


class AfricasTalkingStandIn(SmsGatewayStandIn):
    """See the module."""

    def __init__(self) -> None:
        super().__init__()
        self.opted_out: set[str] = set()
        self.outcomes: dict[str, int] = {}
        """By number, the code with which messages to it end."""
        self.sender = SENDER
        """The one that is registered."""

    @property
    def settings(self) -> dict[str, object]:
        return {
            "sms_one_way": "",
            "africastalking_username": USERNAME,
            "africastalking_api_key": API_KEY,
            "africastalking_sender": SENDER,
            "africastalking_api_url": self.url,
        }

    def list_routes(self) -> list[web.RouteDef]:
        return [
            web.post("/version1/messaging", self._send),
            web.get("/version1/user", self._tell_balance),
        ]

    # The API

    async def _tell_balance(self, request: web.Request) -> web.Response:
        if not self._is_ours(request, request.query.get("username", "")):
            return web.Response(status=401, text="The supplied authentication is invalid")
        return web.json_response({"UserData": {"balance": "KES 1785.50"}})

    async def _send(self, request: web.Request) -> web.StreamResponse:
        fields = {name: str(value) for name, value in (await request.post()).items()}
        if not self._is_ours(request, fields.get("username", "")):
            return web.Response(status=401, text="The supplied authentication is invalid")
        wrong: list[str] = []
        if request.content_type != _FORM:
            wrong.append(f"the body is {request.content_type}")
        if request.headers.get("Accept") != "application/json":
            wrong.append("the answer would be XML")
        if (
            not {"username", "to", "message"}
            <= set(fields)
            <= {"username", "to", "message", "from"}
        ):
            wrong.append(f"the fields are {sorted(fields)}")
        if not _NUMBER.fullmatch(fields.get("to", "")):
            wrong.append("to is not one number")
        if wrong:
            self.violations += wrong
            return web.Response(status=400, text="Request is missing required form field")
        return await self.run_with_faults(request, fields["to"], lambda: self._accept(fields))

    def _is_ours(self, request: web.Request, username: str) -> bool:
        return request.headers.get("apiKey") == API_KEY and username == USERNAME

    def _accept(self, fields: dict[str, str]) -> web.Response:
        number = fields["to"]
        if fields.get("from", self.sender) != self.sender:
            data: dict[str, object] = {"Message": "InvalidSenderId", "Recipients": []}
            return web.json_response({"SMSMessageData": data}, status=201)
        code = 406 if number in self.opted_out else self.outcomes.get(number, 101)
        is_taken = code < 400
        message_id = "None"
        if is_taken:
            message_id = self.take(number, fields["message"], self.sender, "ATXid_").id
        recipient = {
            "statusCode": code,
            "number": number,
            "status": CODES[code],
            "cost": "KES 0.8000" if is_taken else "0",
            "messageId": message_id,
        }
        summary = f"Sent to {int(is_taken)}/1 Total Cost: {recipient['cost']}"
        data = {"Message": summary, "Recipients": [recipient]}
        return web.json_response({"SMSMessageData": data}, status=201)

    # Callbacks

    async def report(self, message: Sms, status: str, reason: str = "") -> int:
        form = {
            "id": message.id,
            "status": status,
            "phoneNumber": message.to,
            "networkCode": "63902",
            "retryCount": "0",
        }
        return await self.post_webhook(form=form | ({"failureReason": reason} if reason else {}))

    def write(self, number: str, text: str) -> dict[str, str]:
        """The form by which a message of a person is told, not yet posted."""
        return {
            "date": "2026-11-24 10:00:00.000",
            "from": number,
            "id": f"mo-{next(self._numbers)}",
            "linkId": "SampleLinkId123",
            "text": text,
            "to": SENDER,
            "networkCode": "63902",
        }
