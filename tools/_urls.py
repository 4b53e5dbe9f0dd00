"""Addresses of pages as strangers write them, and what to make of the strangers' words."""

from __future__ import annotations

import re

from yarl import URL

from bot.addresses import WEB_PORTS, ends_in_a_number, is_private_name, read_literal
from bot.errors import ToolFailed

UNREADABLE = (ValueError, IndexError)
"""What `yarl.URL` raises at what is no address; IndexError at `http://[]@/`."""
_HOST = re.compile(r"(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?", re.IGNORECASE)
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
"""What no database takes, what turns lines around, what people do not see and models do."""


class WebFailed(ToolFailed):
    """It could not be had from the web."""


class PrivateTarget(WebFailed):
    """The address is not on the public internet: nobody may be asked to fetch it."""


def parse_url(address: str) -> URL:
    """The address of a web page, in its normal form and without its fragment.

    Raises:
        PrivateTarget: its very name is private (`localhost`, `printer.local`).
        WebFailed: it is no address of a page.
    """
    try:
        url = URL(address.strip()).with_fragment(None)
    except UNREADABLE:
        raise _invalid() from None
    if url.scheme not in {"http", "https"}:
        raise WebFailed("Only addresses that begin with http:// or https:// can be opened.")
    if url.raw_user is not None or url.raw_password is not None:
        raise WebFailed("Addresses with a user name or password in them are not opened.")
    return _settle_host(url)


def _settle_host(url: URL) -> URL:
    """The address with its host in the one form that every reader of addresses reads alike."""
    host = url.raw_host or ""
    if literal := read_literal(host):
        if "%" in literal:  # a zone: only what is near has one
            raise private_target()
        return url.with_host(literal)
    if not _HOST.fullmatch(host):
        raise _invalid()
    if is_private_name(host):
        raise private_target()
    if ends_in_a_number(host):
        raise _invalid()
    return url


def clean(text: str) -> str:
    """The text of strangers without characters that only do harm."""
    return _UNSEEN.sub("", text)


def _invalid() -> WebFailed:
    return WebFailed("This is not a valid address. Give it whole: https://…")


def private_target() -> PrivateTarget:
    return PrivateTarget("This address is not on the public internet; it cannot be opened.")


def closed_port(port: int) -> WebFailed:
    """Why a page on `port` is not opened, wherever it is."""
    ports = ", ".join(map(str, sorted(WEB_PORTS)))
    return WebFailed(
        f"Port {port} is not opened: pages are read on ports {ports} only. Try the address without "
        "the port, or another source."
    )
