"""A login code is seen on the phone that it was sent to, and nowhere else [9.2]."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from tests.flows.street import CHAT, WEB, Street, open_street, run_command
from tests.support.model_endpoint import endpoint, stream, text
from tests.support.queries import dump_sqlite_file

AWA = "+2250701020399"
_CODE = re.compile(r"\b\d{6}\b")
_FRACTION = re.compile(r"\d+\.\d+")

pytestmark = [pytest.mark.timeout(180)]


def codes(street: Street, phone: str) -> list[str]:
    """Those that the phone shows."""
    return [found for each in street.twilio.chat(phone) for found in _CODE.findall(each.body)]


def wrong(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06d}"


async def log_in_on_telegram(street: Street) -> list[str]:
    """With a wrong code first; both."""
    await street.post(street.telegram.text_update(CHAT, f"/login {AWA}"))
    await street.until(lambda: codes(street, AWA))
    [code] = codes(street, AWA)
    for typed, answer in ((wrong(code), "faux ou trop ancien"), (code, "Connexion réussie")):
        await street.post(street.telegram.text_update(CHAT, f"mon code : {typed}"))
        await street.until(
            lambda answer=answer: any(answer in m.text for m in street.telegram.messages(CHAT))
        )
    return [code, wrong(code)]


async def log_in_on_the_web(street: Street) -> list[str]:
    await street.request("POST", "/api/v1/login/otp", json={"phone": WEB})
    await street.until(lambda: codes(street, WEB))
    [code] = codes(street, WEB)
    with pytest.raises(AssertionError, match="400"):
        await street.request(
            "POST", "/api/v1/login/verify", json={"phone": WEB, "code": wrong(code)}
        )
    await street.request("POST", "/api/v1/login/verify", json={"phone": WEB, "code": code})
    return [code, wrong(code)]


def dump(path: Path) -> dict[str, str]:
    """Every row of every table, by table."""
    return {name: _FRACTION.sub("", text) for name, text in dump_sqlite_file(path).items()}


async def test_no_code_is_kept_logged_or_told_to_anybody_else(
    sqlite_url: str, tmp_path: Path
) -> None:
    async with (
        endpoint(stream(text("Oui."))) as model,
        open_street(model.url, sqlite_url, tmp_path) as street,
    ):
        typed = [*await log_in_on_telegram(street), *await log_in_on_the_web(street)]
        told = {
            **await asyncio.to_thread(dump, tmp_path / "griot.db"),
            "metrics": await street.request("GET", "/metrics"),
            "events": await run_command(street, "events", f"telegram:{CHAT}", "--json"),
            "turns": await run_command(street, "turns", "list", "--json"),
            "log": street.node.log,
        }
    assert told["inbox"].count("typed_code") == 2
    for place, words in told.items():
        found = set(_CODE.findall(_FRACTION.sub("", words))) & set(typed)
        assert not found, place
