"""One person who writes by SMS, logs in on Telegram, and goes on by WhatsApp: one account [9.1]."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.flows.street import CHAT, Street, open_street
from tests.support.model_endpoint import FakeEndpoint, endpoint, stream, text

AWA = "+2250701020399"
SAID = ("je m'appelle Awa, par SMS", "et me voici sur Telegram", "enfin sur WhatsApp")

pytestmark = [pytest.mark.timeout(180)]


def shown(street: Street, channel: str) -> list[str]:
    """What Awa's phones show, oldest first."""
    if channel == "telegram":
        return [each.text for each in street.telegram.messages(CHAT)]
    return [each.body for each in street.twilio.chat(AWA, channel)]  # type: ignore[arg-type]


async def say(street: Street, channel: str, words: str, answer: str) -> str:
    """Say it there; what comes next that holds the answer."""
    known = len(shown(street, channel))
    if channel == "telegram":
        await street.post(street.telegram.text_update(CHAT, words))
    else:
        await street.twilio.say(AWA, words, whatsapp=channel == "whatsapp")

    def found() -> str:
        return next((each for each in shown(street, channel)[known:] if answer in each), "")

    await street.until(found)
    return found()


async def log_in(street: Street) -> None:
    await say(street, "telegram", f"/login {AWA}", "code")
    sent = re.compile(r"\b\d{6}\b")
    await street.until(lambda: any(sent.search(each.body) for each in street.twilio.chat(AWA)))
    [code, *_] = [found for each in street.twilio.chat(AWA) for found in sent.findall(each.body)]
    await say(street, "telegram", code, "Connexion réussie")


def heard_by(model: FakeEndpoint) -> list[str]:
    """What the model was told that the person said, in the newest request."""
    messages = model.bodies[-1]["messages"]
    return [each["content"] for each in messages if each["role"] == "user"]


async def test_sms_then_telegram_then_whatsapp_are_one_history_and_one_balance(
    sqlite_url: str, tmp_path: Path
) -> None:
    async with (
        endpoint(*(stream(text(f"Réponse {number}")) for number in range(3))) as model,
        open_street(model.url, sqlite_url, tmp_path) as street,
    ):
        await say(street, "sms", SAID[0], "Réponse 0")
        await log_in(street)
        await say(street, "telegram", SAID[1], "Réponse 1")
        await say(street, "whatsapp", SAID[2], "Réponse 2")
        assert [each for each in heard_by(model) if each in SAID] == list(SAID)
        answers = [each["content"] for each in model.bodies[-1]["messages"]]
        assert [each for each in answers if str(each).startswith("Réponse")] == [
            "Réponse 0",
            "Réponse 1",
        ]
        balances = [
            await say(street, each, "/solde", "crédits") for each in ("sms", "telegram", "whatsapp")
        ]
        assert {re.findall(r"\d+", each)[0] for each in balances} == {"44"}
