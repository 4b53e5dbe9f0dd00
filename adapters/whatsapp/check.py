"""Check our WhatsApp number and its token at Meta."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from adapters.base import make_whatsapp_link
from adapters.whatsapp.client import Graph, Refusal
from bot.contracts.findings import Finding

_BAD_TOKEN: Final = 190
_NO_OBJECT: Final = 100
_NO_PERMISSION: Final = (3, 10, *range(200, 300))
_RESTRICTED: Final = (368, 131031)


class _Number(msgspec.Struct):
    display_phone_number: str = ""
    verified_name: str = ""
    quality_rating: str = ""


async def check_number(graph: Graph, number_id: str, app_secret: str) -> Sequence[Finding]:
    """Check the number and the token (`bot.contracts.findings.CheckedProvider`)."""
    try:
        number = await _ask(graph, number_id, app_secret)
    except Refusal as refusal:
        return [_explain_refusal(refusal)]
    if number.quality_rating == "RED":
        advice = "people block or report what it sends; Meta may limit it: see WhatsApp Manager"
        return [Finding("warning", "WhatsApp", "the number's quality rating is RED", advice)]
    words = f"knows the number and the token: {number.verified_name[:80]}"
    return [Finding("ok", "WhatsApp", words)]


async def find_address(graph: Graph, number_id: str, app_secret: str) -> str:
    """Return the link by which people open the chat. Raises `ConnectionError` or
    `DeliveryError`."""
    try:
        number = (await _ask(graph, number_id, app_secret)).display_phone_number
    except Refusal as refusal:
        raise _unanswered(refusal) from None
    if not re.search(r"\d", number):
        raise ConnectionError("it tells no number")
    return make_whatsapp_link(number)


async def _ask(graph: Graph, number_id: str, app_secret: str) -> _Number:
    """Return Meta's data of the number. Raises `Refusal`, `ConnectionError` or `DeliveryError`."""
    query = {"fields": "display_phone_number,verified_name,quality_rating"}
    if app_secret:
        query["appsecret_proof"] = graph.sign_token(app_secret)
    try:
        return msgspec.json.decode(await graph.get(number_id, query), type=_Number)
    except msgspec.DecodeError:
        raise ConnectionError("it answered something else than a number") from None


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
