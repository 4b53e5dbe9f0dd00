"""Names in paths and bodies that no database would like."""

from __future__ import annotations

import pytest

from tests.support.fakes import FakeModel, reply
from tests.support.site import MakeSite

ODD = ["%00", "a%00b", "%FF", "%ED%A0%80", "..%2F..", "x" * 5000, "%F0%9F%A6%81"]


@pytest.mark.parametrize("name", ODD)
async def test_what_nobody_has_is_not_found(site: MakeSite, name: str) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    for method, path in (
        ("GET", f"/api/v1/jobs/{name}"),
        ("DELETE", f"/api/v1/jobs/{name}"),
        ("GET", f"/api/v1/jobs/{name}/events"),
        ("GET", f"/api/v1/sessions/{name}/events"),
        ("POST", f"/api/v1/quizzes/{name}/answer"),
        ("GET", f"/files/{name}"),
        ("GET", f"/v1/models/{name}"),
    ):
        body = {"json": {"index": 0}} if method == "POST" else {}
        url = griot.url + path
        status, answer = await griot.request(method, path, **body)
        assert status in {403, 404}, (url, answer)


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "\u202e\u0000"])
async def test_odd_characters_are_no_reason_to_fail(site: MakeSite, text: str) -> None:
    griot = await site(FakeModel(reply("one"), reply("two")), otp_countries="1")
    await griot.log_in()
    said = {"model": "griot", "messages": [{"role": "user", "content": f"x{text}"}]}
    for path, body in (
        ("/api/v1/chat", {"message": f"x{text}"}),
        ("/api/v1/chat", {"message": "x", "decision": {"id": text, "choice": "approve"}}),
        ("/api/v1/chat", {"message": "x", "session_id": text}),
        ("/api/v1/login/otp", {"phone": text}),
        ("/api/v1/login/verify", {"phone": "+2250701020304", "code": text}),
        ("/v1/chat/completions", said),
    ):
        status, answer = await griot.request("POST", path, json=body)
        assert status in {200, 400, 404}, (path, answer)
