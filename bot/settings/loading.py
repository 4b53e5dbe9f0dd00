"""Read the settings from the environment and a `.env` file, and name every mistake in them."""

from __future__ import annotations

import difflib
import io
import logging
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from dotenv import dotenv_values
from dotenv.parser import Binding, parse_stream
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bot.errors import SettingsError
from bot.settings.reference import sections
from bot.settings.variables import COMMA_SEPARATED, Settings

logging.getLogger("dotenv").setLevel(logging.ERROR)  # `unknown` names the lines that are not read
_HINTS: Mapping[str, str] = {
    "database_url": "use sqlite:///griot.db or postgresql://user:password@host/name",
    "redis_url": "use redis://host:6379/0, or leave it out when one process does everything",
    "blob_url": "use file:./files or s3://bucket/prefix",
    "public_url": "use the address people reach, such as https://griot.example",
    "trusted_proxies": "use addresses or networks, comma-separated: 127.0.0.0/8,10.0.0.7",
    "client_address_header": "use the name of a header, such as X-Forwarded-For",
    "model_fallbacks": 'use a JSON list: [{"base_url": "https://…", "api_key": "…", "model": "…"}]',
    "model_capabilities": 'use a JSON object: {"model-name": {"tools": true, "usd_in": 0.15}}',
    "mcp_servers": 'use a JSON object: {"name": {"command": "…"}} or {"name": {"url": "…"}}',
    "advisors": 'use a JSON list: [{"name": "…", "description": "…", "prompt": "…", "tools": []}]',
    "a2a_agents": 'use a JSON list: [{"name": "…", "url": "https://…"}]',
    "packs": 'use a JSON list: [{"fcfa": 500, "credits": 100, "stars": 50}]',
    "mtn_momo_user": "use the API user's id, without a colon",
    "sms_routes": 'use a JSON object: {"225": "orange", "*": "twilio"}; calling codes have no +',
    "whatsapp_prices": 'use a JSON object: {"CI": {"service": 0.004}, "*": {"service": 0.0077}}',
    "sms_prices": 'use a JSON object of dollars a segment: {"CI": 0.08, "*": 0.05}',
    "cors_origins": "use origins, comma-separated, such as https://school.example, or *",
    "sms_one_way": "use countries by two capital letters, comma-separated: CI,GN; empty is none",
    "orange_sender": "use Orange's sender of the country, such as +2250000",
    "orange_sender_name": "use at most 11 letters and digits",
    "africastalking_sender": "use a short code, or at most 11 letters and digits",
    "quiet_hours": "use hours of the day, such as 21-7",
    "debug_mock_responses": 'use a JSON list of texts or {"tool_calls": [{"name", "arguments"}]}',
}
_MAY_BE_EMPTY: Final = frozenset({"sms_one_way"})
"""Settings for which an empty value is not unset, but means none."""
_WORDS: Mapping[str, str] = {
    "string_pattern_mismatch": "is not of the form that is expected",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
    "finite_number": "must be a number",
    "bool_parsing": "must be true or false",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "literal_error": "must be one of {expected}",
    "value_error": "{error}",
    "json_invalid": "Invalid JSON: {error}",
    "missing": "is missing",
    "extra_forbidden": "is not known",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "dataclass_type": "must be an object",
    "string_type": "must be a text",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
}
"""Explanations of pydantic's errors by their type and context."""
_OTHER_WORDS: Final = "is not of the form that is expected"
_FAMILIES: Final = (
    *(name[:-7].upper() for name in Settings.model_fields if name.endswith("_api_url")),
    *("BURST_", "SMS_", "TAVILY_", "OPENAI_BASE"),
)
"""Beginnings of variables that are meant for Griot: those of every provider, and some others."""


def load(environment: Mapping[str, str] | None = None, env_file: Path | None = None) -> Settings:
    """Return the settings of this process.

    Raises:
        SettingsError: names each invalid variable and what to write instead.
    """
    values = _read_values(env_file) if env_file else {}
    values.update(os.environ if environment is None else environment)
    known = {
        name.lower(): value
        for name, value in values.items()
        if name.lower() in Settings.model_fields and (value or name.lower() in _MAY_BE_EMPTY)
    }
    try:
        return Settings.model_validate(known)
    except ValidationError as error:
        raise SettingsError("\n".join(_explain(error))) from None


def _explain(error: ValidationError) -> list[str]:
    lines: list[str] = []
    for item in error.errors(include_url=False):
        name = str(item["loc"][0]) if item["loc"] else ""
        words = explain_problem(item)
        hint = _HINTS.get(name) or _give_example(name, item["type"])
        place = [str(each) for each in item["loc"][1:] if "[" not in str(each)]
        last = item["loc"][-1] if place else ""
        if item["type"] == "value_error" and (isinstance(last, int) or last == "[key]"):
            place = []  # the words name the value
        elif place and name in COMMA_SEPARATED:
            place = [str(item["input"])]  # its place tells little, and it is no secret
        line = f"{name.upper()}: {' '.join(['.'.join(place), words]).strip()}"
        lines.append(f"{line}; {hint}" if hint else line)
    return list(dict.fromkeys(lines))  # a type that may be one of two fails twice


def explain_problem(item: ErrorDetails) -> str:
    """Return in plain words what pydantic finds wrong with a value: `must be at least 1`."""
    context = {
        name: f"{each:g}" if isinstance(each, float) else each
        for name, each in item.get("ctx", {}).items()
    }
    return _WORDS.get(item["type"], _OTHER_WORDS).format_map(context)


def _give_example(name: str, error_type: str) -> str:
    """Return the default as an example of a setting's form; empty if it has none, or the error is
    not about the form."""
    field = Settings.model_fields.get(name)
    default = field.default if field else None
    is_form = error_type.endswith(("_parsing", "_from_float", "_mismatch", "finite_number"))
    is_switch = isinstance(default, bool)  # its words name both forms
    return f"such as {default}" if is_form and default and not is_switch else ""


def unknown(
    environment: Mapping[str, str] | None = None, env_file: Path | None = None
) -> list[str]:
    """Return one line for each variable that looks meant for Griot but is none of its settings, and
    for each line of the file that is no assignment."""
    known = {name.upper() for name in Settings.model_fields}
    lines = _list_unread_lines(env_file) if env_file else []
    from_file = set(_read_values(env_file)) if env_file else set[str]()
    for name in sorted(from_file | set(os.environ if environment is None else environment)):
        if name.upper() in known:
            continue
        likeness = 0.7 if name in from_file else 0.87  # variables of the file are meant for Griot
        near = difflib.get_close_matches(name.upper(), known, n=1, cutoff=likeness)
        if name in from_file or near or name.startswith(_FAMILIES):
            lines.append(
                f"{name}: unknown setting" + (f"; did you mean {near[0]}?" if near else "")
            )
    return lines


_PLAIN: Final = re.compile(r"[\w@%+=:,./?&*~-]*", re.ASCII)
"""A value that needs no quotes anywhere."""
_ASSIGNMENT: Final = re.compile(
    r"""(?P<head>\s*(?:export[^\S\r\n]+)?[^\s=]+)[^\S\r\n]*
        (?:=[^\S\r\n]*(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^\r\n]*?))?
        (?P<tail>(?:[^\S\r\n]+\#[^\r\n]*)?[^\S\r\n]*(?:\r?\n)?)\Z""",
    re.VERBOSE | re.DOTALL,
)


def read_env_file(path: Path) -> dict[str, str]:
    """Return the values by the names of the settings, in upper case; empty ones are left out.

    Raises:
        SettingsError: the file is no UTF-8 text.
    """
    return {name.upper(): value for name, value in _read_values(path).items() if value}


def write_env_file(path: Path, values: Mapping[str, str]) -> None:
    """Set these values and leave everything else as it is: other values, comments, order.

    The file is replaced at once or not at all, and only its owner may read it afterwards. A value
    replaces the line that has its name, even one behind a `#`; else it goes to the end, under its
    explanation.

    Args:
        values: the values by the names of the settings, in upper case.

    Raises:
        SettingsError: a value cannot be written so that it is read back as it was.
        OSError: the file cannot be written.
    """
    text = _read_text(path)
    for name, value in values.items():
        line = f"{name}={_quote(value)}"
        changed = _replace(text, name, line)
        text = _append(text, name, line) if changed is None else changed
    read_again = {
        name.upper(): value for name, value in dotenv_values(stream=io.StringIO(text)).items()
    }
    for name, value in values.items():
        if read_again.get(name) != value:
            raise SettingsError(
                f"{name}: it cannot be written to {path.name}; set it in the environment instead"
            )
    _write_atomically(path.resolve(), text)


def _read_values(path: Path) -> dict[str, str]:
    values = dotenv_values(stream=io.StringIO(_read_text(path)))
    return {name: value for name, value in values.items() if value is not None}


def _list_unread_lines(path: Path) -> list[str]:
    return [
        f"{path}: line {_find_line(binding)} is not read; write NAME=value, and close quotes"
        for binding in parse_stream(io.StringIO(_read_text(path)))
        if binding.error
    ]


def _find_line(binding: Binding) -> int:
    text = binding.original.string
    return binding.original.line + text[: len(text) - len(text.lstrip())].count("\n")


def _read_text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", newline="") as file:  # line ends stay as they are
            return file.read()
    except FileNotFoundError:
        return ""
    except IsADirectoryError:  # Docker makes one of a file to mount that is not there
        raise SettingsError(f"{path}: it is a folder; remove it, and run griot init") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: it is not UTF-8 text; save it as UTF-8") from None


def _quote(value: str) -> str:
    if _PLAIN.fullmatch(value):
        return value
    return f"'{value}'" if "'" not in value else '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'


def _replace(text: str, name: str, line: str) -> str | None:
    """Return the text with `line` in place of the one that sets `name`, or has it commented out;
    None: there is no such line."""
    bindings = list(parse_stream(io.StringIO(text, newline="")))
    for place in reversed(range(len(bindings))):  # the last one counts
        if (bindings[place].key or "").upper() == name:
            return _join(bindings, place, _assign(bindings[place].original.string, line))
    pattern = re.compile(rf"^#[^\S\r\n]*{name}=[^\r\n]*", re.MULTILINE)
    for place, binding in enumerate(bindings):
        if binding.key is None and (found := pattern.search(binding.original.string)):
            string = binding.original.string
            return _join(bindings, place, string[: found.start()] + line + string[found.end() :])
    return None


def _assign(original: str, line: str) -> str:
    """Return `original` with another value; keep `export`, blank lines before it and a comment
    after it."""
    found = _ASSIGNMENT.match(original)
    if found is None:
        return f"{line}\n"
    name = found["head"].split()[-1]
    return f"{found['head'].removesuffix(name)}{line}{found['tail']}"


def _join(bindings: Sequence[Binding], place: int, string: str) -> str:
    strings = [binding.original.string for binding in bindings]
    strings[place] = string
    return "".join(strings)


def _append(text: str, name: str, line: str) -> str:
    known = (each for part in sections().values() for each in part)
    comment = next((f"# {each.summary}\n" for each in known if each.name == name), "")
    before = text if not text or text.endswith("\n") else f"{text}\n"
    gap = "\n" if before else ""
    return f"{before}{gap}{comment}{line}\n"


def _write_atomically(path: Path, text: str) -> None:
    draft = path.with_name(f"{path.name}.{secrets.token_hex(6)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(descriptor)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def ensure_secret_key(settings: Settings, *, required: bool) -> Settings:
    """Return the settings with a `SECRET_KEY`.

    Raises:
        SettingsError: `SECRET_KEY` is not set, and `required`.
    """
    if settings.secret_key:
        return settings
    if required:
        raise SettingsError(
            "SECRET_KEY: it is not set; it signs links and hashes codes. griot init asks for all "
            "that a bot needs; griot doctor --fix makes this key and writes it to .env"
        )
    return settings.model_copy(update={"secret_key": secrets.token_urlsafe(32)})
