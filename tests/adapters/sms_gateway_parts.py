"""What the tests of the SMS gateways share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import urlencode

from multidict import CIMultiDict

from bot.contracts.channels import Webhook
from bot.messages.outgoing import Body, Delivery
from bot.settings import Settings

AWA = "+2250701020304"
WANJIRU = "+254711000111"
SECRET_KEY = "a key of these tests, long enough"
FORM = "application/x-www-form-urlencoded"


def settings(**values: object) -> Settings:
    return Settings.model_validate({"secret_key": SECRET_KEY} | values)


def delivery(body: Body, number: str = AWA) -> Delivery:
    return Delivery(1, f"sms:{number}", number, body)


def post(path: str, body: bytes, content_type: str = FORM) -> Webhook:
    return Webhook("POST", path, CIMultiDict({"Content-Type": content_type}), body)


def post_form(fields: Mapping[str, str], path: str = "/webhooks/africastalking/x") -> Webhook:
    return post(path, urlencode(fields).encode())


def post_json(content: object, path: str = "/webhooks/orange/x") -> Webhook:
    return post(path, json.dumps(content).encode(), "application/json")
