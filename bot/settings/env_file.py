"""Writing settings into a `.env` file that people edit too.

The same file is read by python-dotenv here, by `docker compose` and by systemd: a value is written
in a form that all three read alike.
"""

from __future__ import annotations

import io
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from dotenv import dotenv_values
from dotenv.parser import Binding, parse_stream

from bot.errors import SettingsError
from bot.settings.reference import sections

_PLAIN: Final = re.compile(r"[\w@%+=:,./?&*~-]*", re.ASCII)
"""What needs no quotes anywhere."""
_ASSIGNMENT: Final = re.compile(
    r"""(?P<head>\s*(?:export[^\S\r\n]+)?[^\s=]+)[^\S\r\n]*
        (?:=[^\S\r\n]*(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^\r\n]*?))?
        (?P<tail>(?:[^\S\r\n]+\#[^\r\n]*)?[^\S\r\n]*(?:\r?\n)?)\Z""",
    re.VERBOSE | re.DOTALL,
)


def read_env_file(path: Path) -> dict[str, str]:
    """Values by the names of the settings, in upper case; empty ones are left out.

    Raises:
        SettingsError: it is no text.
    """
    values = dotenv_values(stream=io.StringIO(_read(path)))
    return {name.upper(): value for name, value in values.items() if value}


def write_env_file(path: Path, values: Mapping[str, str]) -> None:
    """Set these values and leave everything else as it is: other values, comments, order.

    The file is replaced at once or not at all, and only its owner may read it afterwards. A value
    goes where its name stands already, even behind a `#`; else to the end, under its explanation.

    Args:
        values: by the names of the settings, in upper case.

    Raises:
        SettingsError: a value cannot be written so that it would be read again.
        OSError: the file cannot be written.
    """
    text = _read(path)
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


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", newline="") as file:  # line ends stay as they are
            return file.read()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: it is not UTF-8 text; save it as UTF-8") from None


def _quote(value: str) -> str:
    if _PLAIN.fullmatch(value):
        return value
    return f"'{value}'" if "'" not in value else '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'


def _replace(text: str, name: str, line: str) -> str | None:
    """The text with `line` where `name` is set, or where it is commented out; None: nowhere."""
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
    """`original` with another value; `export`, blank lines before it and a comment behind stay."""
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
