from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from aiohttp import web
from openapi_spec_validator import OpenAPIV31SpecValidator, validate

from bot.web.api_document import OPERATIONS
from bot.web.app import make_app
from tests.support.fakes import FakeModel
from tests.support.site import MakeSite

PUBLIC = ("/api/v1/", "/v1/", "/files/", "/healthz", "/readyz", "/metrics")


def _routed(app: web.Application) -> Iterator[tuple[str, str]]:
    for route in app.router.routes():
        path = route.resource.canonical if route.resource else ""
        if path.startswith(PUBLIC) and route.method != "HEAD":
            yield route.method.lower(), path


async def test_every_route_is_described_and_nothing_else(site: MakeSite) -> None:
    from bot.server import _make_routes

    griot = await site(FakeModel())
    app = make_app(_make_routes(griot.app, web_part=True))
    described = [(operation.method, operation.path) for operation in OPERATIONS]
    assert sorted(described) == sorted(_routed(app))


async def test_the_document_is_valid(site: MakeSite) -> None:
    griot = await site(FakeModel(), public_url="https://griot.example.org")
    status, document = await griot.request("GET", "/api/v1/openapi.json")
    assert status == 200
    validate(document, cls=OpenAPIV31SpecValidator)
    assert document["servers"] == [{"url": "https://griot.example.org"}]
    assert _undescribed(document) == []


def _undescribed(document: dict[str, Any]) -> list[str]:
    """Answers in JSON that could be anything."""
    return [
        f"{path} {status}"
        for path, operations in document["paths"].items()
        for operation in operations.values()
        for status, answer in operation["responses"].items()
        if path != "/api/v1/openapi.json"
        and "application/json" in answer["content"]
        and "$ref" not in json.dumps(answer["content"]["application/json"])
    ]
