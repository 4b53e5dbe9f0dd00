"""Ask for the operator's pages as a browser does."""

from __future__ import annotations

import re
from typing import Any

from bot.web.operator.operator_auth import COOKIE
from tests.support.queries import NOW, add_row
from tests.support.site import Site

TOKEN = "a token that operators have"


def bearer(token: str = TOKEN) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def send(
    site: Site,
    path: str,
    *,
    method: str = "POST",
    headers: dict[str, str] | None = None,
    **form: str,
) -> tuple[int, str, Any]:
    """Send a form; return status, body and headers. Redirects are not followed."""
    async with site.session.request(
        method,
        f"{site.url}/operator{path}",
        data=form or None,
        headers={"Accept-Language": "en"} | (headers or {}),
        allow_redirects=False,
    ) as answer:
        return answer.status, await answer.text(), answer.headers


async def see(site: Site, path: str = "", **headers: str) -> tuple[int, str, Any]:
    """Get a page; return status, body and headers."""
    return await send(site, path, method="GET", headers=headers)


async def log_in(site: Site) -> str:
    """Log in and return the key that forms of the session carry. (The jar keeps cookies of names
    only.)"""
    status, _, headers = await send(site, "/login", key="", token=TOKEN)
    assert (status, headers["Location"]) == (303, "/operator")
    cookie = headers["Set-Cookie"].partition(";")[0].partition("=")[2]
    site.session.headers["Cookie"] = f"{COOKIE}={cookie}"
    _, page, _ = await see(site)
    [key, *_] = re.findall(r'name="key" value="([0-9a-f]+)"', page)
    return key


PHONE = "+2250701020304"

HOSTILE = "<script>alert(1)</script>"


async def add_dead_turn(site: Site) -> int:
    """Add a turn on WhatsApp that has failed for good; return its id."""
    database = site.app.database
    lane = f"whatsapp:{PHONE}"
    await add_row(database, "lane", id=lane, via="none")
    await add_row(
        database,
        "inbox",
        seq=7,
        lane=lane,
        delivery_key="d",
        message_key="m",
        body="{}",
        ready_at=0,
        state="dead",
        stored_at=NOW,
    )
    await add_row(
        database,
        "turn",
        lane=lane,
        id=7,
        state="dead",
        reason="failed",
        error=f"{HOSTILE} for whatsapp:{PHONE}",
        attempts=5,
        started_at=NOW,
        ended_at=NOW,
    )
    await add_row(
        database,
        "outbox",
        lane=lane,
        turn=7,
        part=-1,
        body="{}",
        state="refused",
        due_at=0,
        error=f"no such number {PHONE}",
        created_at=NOW,
    )
    return 7
