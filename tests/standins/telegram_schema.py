"""The Bot API's own rules: its OpenAPI document, and the limits that the document cannot say."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from tests.standins.telegram_rich import BadRichMessage, read_rich_message
from tests.support.recorded_data import DATA

SPECIFICATION = DATA / "telegram" / "bot-api-10.1.openapi.json"
MAX_FILE = 50 * 2**20
MAX_RAW_TEXT = 32_768
STYLED = (("text", "entities", 4096), ("caption", "caption_entities", 1024))


class Mistake(Exception):
    """A call that Telegram would refuse; the message is its description."""


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


def decode_fields(method: str, form: Mapping[str, str]) -> dict[str, Any]:
    """The fields of a form: those that are not strings by the specification come as JSON."""
    properties = request_validator(method).schema["properties"]
    return {name: _decode_field(properties.get(name, {}), text) for name, text in form.items()}


def _decode_field(schema: Mapping[str, Any], text: str) -> Any:
    if schema.get("type") == "string":
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def check(method: str, parameters: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    """Raise `Mistake` for the first rule that a call breaks."""
    given = {**parameters, **dict.fromkeys(files, "attached")}
    for error in request_validator(method).iter_errors(given):
        raise Mistake(f"{error.json_path}: {error.message[:300]}")
    for mistake in _mistakes(parameters, files):
        raise Mistake(mistake)


def _mistakes(parameters: Mapping[str, Any], files: Mapping[str, bytes]) -> Iterator[str]:
    yield from _field_mistakes(parameters)
    for text_name, entities_name, limit in STYLED:
        yield from _text_mistakes(
            text_name, parameters.get(text_name), parameters.get(entities_name, []), limit
        )
    if "rich_message" in parameters:
        yield from _rich_mistakes(parameters["rich_message"])
    for row in parameters.get("reply_markup", {}).get("inline_keyboard", []):
        yield from _row_mistakes(row)
    for name, content in files.items():
        if len(content) > MAX_FILE:
            yield f"{name}: Request Entity Too Large"


def _field_mistakes(parameters: Mapping[str, Any]) -> Iterator[str]:
    if "parse_mode" in parameters:
        yield "parse_mode is not modelled here: send entities"
    if parameters.get("draft_id") == 0:
        yield "DRAFT_ID_INVALID"
    if parameters.get("message_thread_id") == 1:  # the General topic is no thread
        yield "message thread not found"
    if parameters.get("ok") is False and not parameters.get("error_message"):
        yield "error message must be non-empty"


def _text_mistakes(
    name: str, text: str | None, entities: list[dict[str, Any]], limit: int
) -> Iterator[str]:
    if text is None:
        if entities:
            yield f"entities without {name}"
        return
    units = text.encode("utf-16-le", "surrogatepass")
    if len(text.encode(errors="surrogatepass")) > MAX_RAW_TEXT or len(units) // 2 > limit:
        yield "message is too long"
    if name == "text" and text and not text.strip():
        yield "message text is empty"
    for entity in entities:
        yield from _entity_mistakes(entity, units)


def _entity_mistakes(entity: dict[str, Any], units: bytes) -> Iterator[str]:
    start, end = entity["offset"], entity["offset"] + entity["length"]
    if start < 0 or entity["length"] <= 0 or end > len(units) // 2:
        yield f"can't parse entities: {entity} is outside the text"
    elif any(0xDC <= units[2 * at + 1] <= 0xDF for at in (start, end) if 2 * at < len(units)):
        yield f"can't parse entities: {entity} splits a surrogate pair"
    if entity["type"] == "text_link" and not entity.get("url"):
        yield f"can't parse entities: {entity} has no url"


def _rich_mistakes(rich: dict[str, Any]) -> Iterator[str]:
    try:
        read_rich_message(rich)
    except BadRichMessage as mistake:
        yield str(mistake)


def _row_mistakes(row: list[dict[str, Any]]) -> Iterator[str]:
    if not 1 <= len(row) <= 8:
        yield "a row of the keyboard has 1 to 8 buttons"
    for button in row:
        if not button["text"].strip():
            yield "text buttons are not allowed to be empty"
        if not 1 <= len(button.get("callback_data", "x").encode()) <= 64:
            yield "BUTTON_DATA_INVALID"
