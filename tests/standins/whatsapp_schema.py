"""The Cloud API's own specification (OpenAPI v23.0, the newest published), mended where it refuses
what it documents, and for what v25.0 has beside it.

What is mended, each seen in the specification's own examples or in Meta's documentation:

- every kind of message is `allOf [common properties, {additionalProperties: false, ...}]`, which no
  message can satisfy: the kinds are closed as a whole instead;
- `recipient_type` (default individual) and a template's `language.policy` are not required;
- a template button's `index` is a digit, not the pattern given;
- `typing_indicator` goes with the read mark; `text.body` is required;
- the parts of interactive messages are closed: Meta refuses unexpected keys;
- `recipient` (a business-scoped user id) stands in the place of `to`, and interactive messages may
  be `request_contact_info` (Meta: business-scoped user ids, 2026);
- what comes in refers to schemas of what goes out (`TextMessage`, where `TextMessage_2` is meant).
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from typing import Any, Protocol, cast

import yaml
from jsonschema import Draft202012Validator, exceptions

from tests.standins.whatsapp_errors import BAD_VALUE, INVALID, Refused
from tests.standins.whatsapp_limits import USER_ID
from tests.support.recorded_data import DATA

SPECIFICATION = DATA / "whatsapp" / "business-messaging-api_v23.0.yaml"
REF = "#/components/schemas/"
Schema = dict[str, Any]

CLOSED_PARTS = (
    "InteractiveObject",
    "HeaderObject",
    "BodyObject",
    "FooterObject",
    "ActionObject",
    "SectionObject",
)
INCOMING = {
    "TextMessage": "TextMessage_2",
    "ReactionMessage": "ReactionMessage_1",
    "AudioMessage": "AudioMessage_1",
    "DocumentMessage": "DocumentMessage_1",
    "ImageMessage": "ImageMessage_1",
    "StickerMessage": "StickerMessage_1",
    "VideoMessage": "VideoMessage_1",
    "LocationMessage": "LocationMessage_1",
    "BaseMessageProperties": "BaseMessageProperties_1",
    "ErrorObject": "ErrorObject_2",
    "ContactObject": "ContactObject_1",
}
ONLY_INCOMING = (
    "IncomingMessage",
    "ContactSharingMessage",
    "UnsupportedMessage",
    "ButtonMessage",
    "InteractiveMessageReply",
    "OrderMessage",
    "SystemMessage",
)


class Validator(Protocol):
    """What is used of jsonschema's, whose own types are partly unknown."""

    def validate(self, instance: Any) -> None: ...
    def is_valid(self, instance: Any) -> bool: ...
    def iter_errors(self, instance: Any) -> Iterator[Any]: ...


@cache
def specification() -> dict[str, Any]:
    """The document as published; read once in a process (0.3 s with libyaml)."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(SPECIFICATION.read_bytes(), Loader=loader)


@cache
def schemas() -> dict[str, Schema]:
    """The document's schemas, mended."""
    mended = copy.deepcopy(specification()["components"]["schemas"])
    for name in message_kinds().values():
        _close_as_a_whole(mended[name])
    for name in CLOSED_PARTS:
        _close(mended[name])
    _allow_user_ids(mended)
    mended["LanguageObject"]["required"].remove("policy")
    mended["TextMessage"]["allOf"][1]["properties"]["text"]["required"] = ["body"]
    index = {"type": "string", "pattern": "^[0-9]$"}
    mended["TemplateComponent"]["properties"]["index"] = index
    mended["ButtonComponent"]["allOf"][1]["properties"]["index"] = index
    typing = {"type": "object", "required": ["type"], "properties": {"type": {"enum": ["text"]}}}
    mark = mended["MarkMessageRequestPayload"]
    mark["properties"].update(status={"enum": ["read"]}, typing_indicator=typing)
    _close(mark)
    _mend_incoming(mended)
    return mended


def _allow_user_ids(mended: dict[str, Schema]) -> None:
    base = mended["BaseMessageProperties"]
    base["required"] = ["messaging_product", "type"]
    base["anyOf"] = [{"required": ["to"]}, {"required": ["recipient"]}]
    base["properties"]["recipient"] = {"type": "string", "pattern": USER_ID.pattern}
    kind = mended["InteractiveObject"]["properties"]["type"]
    kind["enum"].append("request_contact_info")
    name = {"enum": ["request_contact_info"]}
    action = {"required": ["name"], "properties": {"name": name}, "unevaluatedProperties": False}
    mended["ActionObject"]["oneOf"].append(action)


@cache
def message_kinds() -> dict[str, str]:
    """Schema by the `type` of a message."""
    mapping = specification()["components"]["schemas"]["Message"]["discriminator"]["mapping"]
    return {kind: ref.removeprefix(REF) for kind, ref in mapping.items()}


def _close_as_a_whole(schema: Schema) -> None:
    for part in schema["allOf"]:
        part.pop("additionalProperties", None)
    schema["unevaluatedProperties"] = False


def _close(schema: Schema) -> None:
    if "properties" in schema:
        schema["unevaluatedProperties"] = False
    within = [schema["items"]] if "items" in schema else []
    for part in [*schema.get("properties", {}).values(), *schema.get("oneOf", []), *within]:
        _close(part)


def _mend_incoming(mended: dict[str, Schema]) -> None:
    for name in [*INCOMING.values(), *ONLY_INCOMING]:
        text = json.dumps(mended[name])
        for wrong, right in INCOMING.items():
            text = text.replace(f'"{REF}{wrong}"', f'"{REF}{right}"')
        mended[name] = json.loads(text)
    mended["ContextObject"]["required"].remove("referred_product")


@cache
def validator(name: str) -> Validator:
    """For a schema by its name in the (mended) document."""
    return _validator({"$ref": REF + name})


@cache
def answer_validator(path: str, method: str) -> Validator:
    """For the answer of an operation; the path as the document writes it."""
    operation = specification()["paths"][path][method]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    return _validator(schema)


def _validator(schema: Schema) -> Validator:
    whole = {**schema, "components": {"schemas": schemas()}}
    return cast("Validator", Draft202012Validator(whole))


def check(name: str, value: Any) -> None:
    """Raise `Refused` for what the schema does not allow."""
    errors = list(validator(name).iter_errors(value))
    telling = [each for each in errors if each.validator != "unevaluatedProperties"]
    error = cast("Any", exceptions).best_match(telling) or max(
        errors, key=lambda each: len(each.path), default=None
    )
    if error is not None:
        raise Refused(INVALID, f"{error.json_path}: {error.message[:300]}")


def check_message(message: Any) -> None:
    """Raise `Refused` unless this is a message, or the mark that one was read."""
    if not isinstance(message, dict):
        raise Refused(INVALID, "the body is not an object")
    body = cast("dict[str, Any]", message)
    if body.get("messaging_product") != "whatsapp":
        raise Refused(INVALID, "messaging_product is not whatsapp")
    if "status" in body:
        check("MarkMessageRequestPayload", body)
        return
    kind = body.get("type")
    if not isinstance(kind, str) or kind not in message_kinds():
        raise Refused(BAD_VALUE, f"type: {kind!r} is not a kind of message")
    check(message_kinds()[kind], body)
    if kind == "template":
        _check_components(body["template"].get("components", []))


def _check_components(components: list[Any]) -> None:
    """By the discriminators, which a validator of JSON Schema passes over."""
    for component in components:
        check(_choose("TemplateComponent", component), component)
        base = "ButtonParameterObject" if component["type"] == "button" else "ParameterObject"
        for parameter in component.get("parameters", []):
            check(_choose(base, parameter), parameter)


def _choose(base: str, value: Any) -> str:
    check(base, value)
    return schemas()[base]["discriminator"]["mapping"][value["type"]].removeprefix(REF)
