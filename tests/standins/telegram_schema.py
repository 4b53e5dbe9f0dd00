"""The Bot API's own rules: its OpenAPI document."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from bot.standins.telegram_rules import Call, Mistake
from tests.support.recorded_data import DATA

SPECIFICATION = DATA / "telegram" / "bot-api-10.1.openapi.json"


@cache
def specification() -> dict[str, Any]:
    return json.loads(SPECIFICATION.read_bytes())


def methods() -> set[str]:
    return {path.rpartition("/")[2] for path in specification()["paths"]}


@cache
def request_validator(method: str) -> Draft202012Validator:
    operation = _operation(method)["requestBody"]["content"]["application/json"]["schema"]
    return _validator(operation)


@cache
def answer_validator(method: str) -> Draft202012Validator:
    responses = _operation(method)["responses"]
    return _validator(responses["200"]["content"]["application/json"]["schema"])


def update_validator() -> Draft202012Validator:
    return _validator({"$ref": "#/components/schemas/Update"})


def _operation(method: str) -> dict[str, Any]:
    return specification()["paths"][f"/bot{{token}}/{method}"]["post"]


def _validator(schema: dict[str, Any]) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": specification()["components"]})


def validate(call: Call) -> None:
    """Raise `Mistake` for the first thing of a call that the document does not allow."""
    given = {**call.parameters, **dict.fromkeys(call.files, "attached")}
    for error in request_validator(call.method).iter_errors(given):
        raise Mistake(f"{error.json_path}: {error.message[:300]}")
