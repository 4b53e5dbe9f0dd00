"""Twilio's own specifications: the OpenAPI of the 2010 API, of Content and
of Verify, made ready to check by.

They are OpenAPI 3.0, where `nullable` says what a JSON Schema says with `null` among the types. A
form has only text: a field is read as the kind that the document names, and one that is a list
there is a list here even when it comes once (the document, taken literally, refuses a lone
MediaUrl).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

from jsonschema import Draft202012Validator
from multidict import MultiMapping

from bot.standins.twilio_errors import INVALID, TwilioRefused
from tests.support.recorded_data import DATA

Document = Literal["api_v2010", "content_v1", "verify_v2"]
Schema = dict[str, Any]
FORM = "application/x-www-form-urlencoded"
ACCOUNT = "/2010-04-01/Accounts/{AccountSid}"
MESSAGES = f"{ACCOUNT}/Messages.json"
UNPUBLISHED = {"Tags"}
"""Fields of a message that the document's examples use and its schema leaves out."""


@cache
def specification(document: Document) -> dict[str, Any]:
    published = json.loads((DATA / "twilio" / f"twilio_{document}.json").read_bytes())
    return _with_nulls(published)


def _with_nulls(node: Any) -> Any:
    if isinstance(node, list):
        return [_with_nulls(each) for each in node]
    if not isinstance(node, dict):
        return node
    mended = {name: _with_nulls(value) for name, value in node.items()}
    if mended.get("nullable") is True and isinstance(mended.get("type"), str):
        mended["type"] = [mended["type"], "null"]
    return mended


@cache
def answer_validator(document: Document, path: str, method: str) -> Draft202012Validator:
    """For the answer of an operation that goes well; the path as the document writes it."""
    responses = specification(document)["paths"][path][method]["responses"]
    [answer] = responses.values()
    return _validator(document, answer["content"]["application/json"]["schema"])


@cache
def body_validator(document: Document, name: str) -> Draft202012Validator:
    """For a schema by its name."""
    return _validator(document, {"$ref": f"#/components/schemas/{name}"})


@cache
def form_validator(document: Document, path: str) -> Draft202012Validator:
    """For the form of a POST; what the document does not name is not taken."""
    body = specification(document)["paths"][path]["post"]["requestBody"]["content"]
    return _validator(document, {**body[FORM]["schema"], "additionalProperties": False})


def message_schema() -> Schema:
    """Of the fields of a message that is to be created."""
    content = specification("api_v2010")["paths"][MESSAGES]["post"]["requestBody"]["content"]
    return content[FORM]["schema"]


@cache
def message_validator() -> Draft202012Validator:
    return _validator("api_v2010", message_schema())


def _validator(document: Document, schema: Schema) -> Draft202012Validator:
    components = specification(document)["components"]
    return Draft202012Validator({**schema, "components": components})


def check_message(form: MultiMapping[str]) -> list[str]:
    """What is odd about the form of a message though Twilio takes it. Raises `Refused`."""
    properties: dict[str, Schema] = message_schema()["properties"]
    fields: dict[str, Any] = {}
    oddities = [f"{name} is no parameter" for name in set(form) - set(properties) - UNPUBLISHED]
    for name in set(form) & set(properties):
        texts = form.getall(name)
        if properties[name].get("type") == "array":
            fields[name] = texts
            continue
        if len(texts) > 1:
            oddities.append(f"{name} comes {len(texts)} times")
        fields[name] = _read_field(properties[name], texts[-1])
    check(message_validator(), fields)
    return oddities


def check_content(body: Any) -> None:
    """Raises `Refused`."""
    check(body_validator("content_v1", "ContentCreateRequest"), body)


def _read_field(schema: Mapping[str, Any], text: str) -> Any:
    if schema.get("type") not in {"number", "integer", "boolean"}:
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def check(validator: Draft202012Validator, value: Any) -> None:
    """Raise `Refused` for the first thing that the schema does not allow."""
    for error in validator.iter_errors(value):
        raise TwilioRefused(INVALID, f"{error.json_path}: {error.message[:300]}")
