from __future__ import annotations

import pytest

from bot.accounts.email_addresses import (
    MAX_RECIPIENTS,
    parse_address,
    parse_addresses,
    parse_operators,
    parse_sender,
)
from bot.errors import SettingsError, ToolFailed


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("awa@example.org", "awa@example.org"),
        (" Awa.Kone+ecole@Example.ORG ", "Awa.Kone+ecole@example.org"),
        ("o'brien@example.org", "o'brien@example.org"),
        ("awa@école.ci", "awa@xn--cole-9oa.ci"),
        ("awa@ＥＸＡＭＰＬＥ.org", "awa@example.org"),
        ("a@b.co", "a@b.co"),
    ],
)
def test_an_address_is_kept_in_one_form(written: str, kept: str) -> None:
    assert parse_address(written) == kept


@pytest.mark.parametrize(
    "written",
    [
        "",
        "awa",
        "@example.org",
        "awa@",
        "awa@localhost",
        "Awa <awa@example.org>",
        '"a b"@example.org',
        "awa@example.org, kofi@example.org",
        "awa@evil.org@example.org",
        "awa@example.org\r\nBcc: all@example.org",
        "awa\n@example.org",
        "awa@example.org\n",
        "awa@example.org\0",
        "awa(comment)@example.org",
        "awa@[127.0.0.1]",
        "awa@127.0.0.1",
        "awa@exa_mple.org",
        "awa@-example.org",
        "awa@example..org",
        ".awa@example.org",
        "awa.@example.org",
        "a..b@example.org",
        "élève@example.org",
        "a" * 65 + "@example.org",
        "awa@" + "a." * 125 + "org",
        "a b@example.org",
        "awa@exam ple.org",
        "awa@example.org>",
    ],
)
def test_what_is_no_plain_address_is_refused(written: str) -> None:
    with pytest.raises(ToolFailed):
        parse_address(written)


def test_each_address_counts_once() -> None:
    assert parse_addresses(["Awa@example.org", "awa@EXAMPLE.org", "kofi@example.org"]) == (
        "Awa@example.org",
        "kofi@example.org",
    )


def test_more_than_twenty_or_none_are_refused() -> None:
    many = [f"a{n}@example.org" for n in range(MAX_RECIPIENTS)]
    assert len(parse_addresses(many)) == MAX_RECIPIENTS
    with pytest.raises(ToolFailed, match="20"):
        parse_addresses([*many, "one@example.org"])
    with pytest.raises(ToolFailed, match="at least one"):
        parse_addresses([])


def test_the_sender_may_have_a_name() -> None:
    assert str(parse_sender("griot@example.org")) == "griot@example.org"
    named = parse_sender("Griot de l’École <griot@example.org>")
    assert (named.display_name, named.addr_spec) == ("Griot de l’École", "griot@example.org")
    with pytest.raises(SettingsError, match="MAIL_FROM"):
        parse_sender("Griot")


def test_operators_are_a_list() -> None:
    assert parse_operators("a@example.org, b@example.org,") == ("a@example.org", "b@example.org")
    with pytest.raises(SettingsError, match="OPERATOR_EMAIL"):
        parse_operators("a@example.org, nobody")
