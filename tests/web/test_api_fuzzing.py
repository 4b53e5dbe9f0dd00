"""Calls that nobody would think of, against the real site: none breaks it, and each is answered as
the document says. `--fuzz-calls 2000` asks for more of them than usual."""

from __future__ import annotations

import asyncio
import collections
from collections.abc import Mapping
from typing import Any

import hypothesis
import pytest
import requests
import schemathesis
from hypothesis import strategies as st
from schemathesis import checks
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi import checks as openapi_checks

from bot.contracts.models import ModelRequest
from bot.events import Content, Emit
from bot.messages.transcript import ModelReply
from tests.support.fakes import FakeModel, reply
from tests.support.site import MakeSite, Site
from tests.support.web_login import make_whatsapp

CHECKS = [
    checks.not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_headers_conformance,
    openapi_checks.response_schema_conformance,
]


SENSIBLE: Mapping[str, list[Any]] = {
    "message": ["hello", "/help"],
    "decision": [None],
    "phone": ["+2250701020304", "+2250701020305"],
    "model": ["griot"],
    "messages": [[{"role": "user", "content": "hello"}]],
    **{name: [None] for name in ("n", "tools", "functions", "response_format", "modalities")},
}


class _Talkative(FakeModel):
    """Has an answer to everything, and costs nothing."""

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        emit(Content("Yes"))
        return reply("Yes", usd=0.0)


async def _known(griot: Site) -> Mapping[str, list[Any]]:
    """Names of what is there, so that not every call is for nothing."""
    events = await griot.chat("hello")
    session = next(fields["session_id"] for name, fields in events if name == "start")
    _, begun = await griot.request(
        "POST", "/api/v1/chat", json={"message": "x", "background": True}
    )
    file = await griot.app.files.save(
        1, "a.txt", b"hello", mime_type="text/plain", source="answer", key="k"
    )
    token = griot.app.links.make(file.file_id).rpartition("/")[2]
    return {
        **SENSIBLE,
        "id": [session, begun["job_id"], "griot"],
        "token": [token, token + "x"],
        "session_id": [None, session],
    }


@pytest.mark.timeout(900)
async def test_the_api_is_as_it_is_described(site: MakeSite, request: Any) -> None:
    griot = await site(
        _Talkative(),
        guest_daily_messages=10**6,
        welcome_credits=10**6,
        max_person_day_usd=10**6,
        more=[make_whatsapp()],
    )
    await griot.log_in()
    known = await _known(griot)
    status, document = await griot.request("GET", "/api/v1/openapi.json")
    assert status == 200
    calls = request.config.getoption("--fuzz-calls")
    told = await asyncio.to_thread(_call_all, griot, document, known, calls)
    assert sum(told.values()) >= calls
    assert {"200", "400", "401", "404"} <= set(told)


def _call_all(
    griot: Site, document: Any, known: Mapping[str, list[Any]], calls: int
) -> collections.Counter[str]:
    """How often which status was answered."""
    told: collections.Counter[str] = collections.Counter()
    schema = schemathesis.openapi.from_dict(document)
    operations = [found.ok() for found in schema.get_all_operations()]
    varied = [each for each in operations if each.body or each.path_parameters]
    each = -(-calls // len(varied))  # the others have no more than a few forms
    failures: list[BaseException] = []
    with requests.Session() as session:
        for operation in operations:
            try:
                _call(griot, operation, known, told, session, each)
            except BaseException as failure:  # noqa: BLE001 (all that is wrong is told at once)
                failures.append(failure)
    if failures:
        raise BaseExceptionGroup("not as described", failures)
    return told


def _call(
    griot: Site,
    operation: Any,
    known: Mapping[str, list[Any]],
    told: collections.Counter[str],
    session: requests.Session,
    calls: int,
) -> None:
    tokens = [griot.headers] * 3 + [{}, {"Authorization": "Bearer x"}]
    usual = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    cases = usual
    if operation.body or operation.path_parameters:
        odd = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
        cases = st.one_of(usual, usual.map(lambda case: case), odd)

    @hypothesis.settings(
        max_examples=calls,
        database=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(case=cases, headers=st.sampled_from(tokens), data=st.data())
    def call(case: Any, headers: dict[str, str], data: Any) -> None:
        if operation.path == "/api/v1/chat" and isinstance(case.body, dict):
            case.body.setdefault("message", "")
        for values in (case.path_parameters, case.body):
            if isinstance(values, dict):
                for name in sorted(known.keys() & values.keys()):
                    if data.draw(st.booleans()):
                        values[name] = data.draw(st.sampled_from(known[name]))
        response = case.call(base_url=griot.url, session=session, headers=headers, timeout=60)
        told[str(response.status_code)] += 1
        case.validate_response(response, checks=CHECKS)

    call()
