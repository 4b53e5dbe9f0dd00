"""Parse e-mail addresses: one, a list, `MAIL_FROM` and `OPERATOR_EMAIL`. No I/O."""

from __future__ import annotations

import re
from collections.abc import Iterable
from email.headerregistry import Address
from email.utils import parseaddr

import idna

from bot.errors import SettingsError, ToolFailed

MAX_RECIPIENTS = 20
"""The most addresses that one e-mail goes to."""
_MAX_ADDRESS = 254
"""Characters: a path has 256, with its angle brackets (RFC 5321, 4.5.3.1.3)."""
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


def parse_address(text: str) -> str:
    """Return the address, its domain in lower case and ASCII.

    Raises:
        ToolFailed: no e-mail can be sent to this address; the message says why.
    """
    shown = repr(text[:80])
    local, at, domain = text.strip(" ").rpartition("@")
    if not at or not _LOCAL.fullmatch(local) or len(local) > 64:
        raise ToolFailed(f"{shown} is no e-mail address: write it like name@example.org, alone.")
    try:
        ascii_domain = idna.encode(domain, uts46=True).decode()
    except (idna.IDNAError, UnicodeError):
        raise ToolFailed(f"{shown}: there is no such domain.") from None
    labels = ascii_domain.split(".")
    if len(labels) < 2 or labels[-1].isdigit() or not all(map(_LABEL.fullmatch, labels)):
        raise ToolFailed(f"{shown}: there is no such domain.")
    address = f"{local}@{ascii_domain}"
    if len(address) > _MAX_ADDRESS:
        raise ToolFailed(f"{shown} is too long for an e-mail address.")
    return address


def parse_addresses(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the addresses in their order, each once, at most `MAX_RECIPIENTS`. Raises
    `ToolFailed`."""
    found: dict[str, str] = {}
    for text in texts:
        address = parse_address(text)
        found.setdefault(address.casefold(), address)
    if not found:
        raise ToolFailed("to: name at least one address.")
    if len(found) > MAX_RECIPIENTS:
        raise ToolFailed(f"to: one e-mail goes to {MAX_RECIPIENTS} addresses at most.")
    return tuple(found.values())


def parse_sender(text: str) -> Address:
    """Parse `MAIL_FROM`: an address, or `Name <address>`. Raises `SettingsError`."""
    name, address = parseaddr(text) if "<" in text else ("", text)
    try:
        local, _, domain = parse_address(address).rpartition("@")
    except ToolFailed as error:
        raise SettingsError(f"MAIL_FROM: {error}") from None
    return Address("".join(c for c in name if c.isprintable()), local, domain)


def parse_operators(text: str) -> tuple[str, ...]:
    """Parse `OPERATOR_EMAIL`: addresses with commas between them. Raises `SettingsError`."""
    try:
        return parse_addresses(each for each in text.split(",") if each.strip())
    except ToolFailed as error:
        raise SettingsError(f"OPERATOR_EMAIL: {error}") from None
