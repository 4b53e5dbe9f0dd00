"""Addresses as strangers write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.net import is_public, read_literal
from tools._web import WebFailed, clean_text, parse_url

BAD_URLS = [
    "", " ", "example.com", "ftp://example.com/", "file:///etc/passwd", "file://127.0.0.1/etc",
    "gopher://127.0.0.1:70/_x", "dict://127.0.0.1:11211/stat", "data:text/html,hi",
    "javascript:alert(1)", "ldap://127.0.0.1/", "ws://example.com/", "view-source:http://a.com/",
    "jar:http://a.com!/x", "http:///x", "http://", "http:", "http:example.com", "http:/a.com/",
    "http://[::1/", "http://[1]/", "http://[]@/", "http://[::1].example.com/", "http://[::127.1]/",
    "http://example.com:99999/", "http://example.com:-1/", "http://example.com:80:80/",
    "http://user@example.com/", "http://user:word@example.com/", "http://:word@example.com/",
    "http://example.com\\@127.0.0.1/", "http://127.0.0.1\\@example.com/", "http:\\\\example.com",
    "http://127.0.0.%31/", "http://127.0.0.1%00.example.com/", "http://127.0.0.1%2eexample.com/",
    "http://127.0.0.1\0/", "http://exa mple.com/", "http://exam\ud800ple.com/",
    "http://a..example.com/", "http://.example.com/", "http://" + "a" * 64 + ".com/",
    "http://" + "a." * 150 + "com/", "http://256.256.256.256/", "http://1.2.3.4.5/",
    "http://0x.0.0.1/", "http://08.0.0.1/", "http://127.0.0.0x1ff/",
]  # fmt: skip


@pytest.mark.parametrize("address", BAD_URLS)
def test_what_is_no_address_of_a_page_is_refused_with_a_reason(address: str) -> None:
    with pytest.raises(WebFailed, match=r"address|Only|Addresses"):
        parse_url(address)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("http://exa\nmple.com/a", "http://example.com/a"),
        ("http://example.com/a#@127.0.0.1/", "http://example.com/a"),
        ("HTTPS://EXAMPLE.com:443/à la page", "https://example.com/%C3%A0%20la%20page"),
        ("http://example.com/%2e%2e/%2e%2e/x", "http://example.com/x"),
        ("http://Müller.example/", "http://xn--mller-kva.example/"),
        ("http://example.com:８０/", "http://example.com/"),
        ("http://1.1/", "http://1.0.0.1/"),
        ("http://[2606:4700:0:0::1111]/", "http://[2606:4700::1111]/"),
        ("http://xn--a.com/\ud800", "http://xn--a.com/"),
    ],
)
def test_what_readers_of_addresses_may_differ_about_is_gone(written: str, read: str) -> None:
    assert str(parse_url(written)) == read


_HOST = st.text("0123456789xXaf.:[]%①⓪。１２７localhst@\\/ \t\n\0", max_size=20)


@given(_HOST)
def test_no_host_is_read_as_a_private_address_and_kept(host: str) -> None:
    """Whatever passes is a name with a dot, or an address in the form in which it was judged."""
    try:
        url = parse_url(f"http://{host}/")
    except WebFailed:
        return
    kept = url.raw_host or ""
    literal = read_literal(kept)
    assert literal in {None, kept}
    assert literal or ("." in kept and not kept.rstrip(".").endswith(".localhost"))
    assert literal is None or isinstance(is_public(literal), bool)


def test_characters_that_only_do_harm_are_left_out() -> None:
    assert clean_text("a\0b\x1b[1m\r\nc\u202ed\ud800e\U000e0041f\x9b") == "ab[1m\ncdef"


def test_what_people_write_stays() -> None:
    text = "Où ? «\u202fIci\u202f» : 3\u00a0€\t😀👩\u200d🏫 مرحبا\u200f 漢\n"
    assert clean_text(text) == text
