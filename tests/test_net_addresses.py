"""What is the public internet, and what only looks like it."""

from __future__ import annotations

import pytest

from bot.net import ends_in_a_number, is_private_name, is_public, is_public_website, read_literal

PRIVATE_ADDRESSES = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200",
    "100.127.255.255", "127.0.0.1", "127.255.255.254", "168.63.129.16", "169.254.169.254",
    "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.31.196.1",
    "192.52.193.1", "192.88.99.1", "192.168.1.1", "192.175.48.1", "198.18.0.1", "198.19.255.255",
    "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
    "255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8",
    "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "100::1", "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:2::1", "2001:10::1", "2001:20::1",
    "2001:db8::1", "2002:7f00:1::", "2620:4f:8000::1", "3fff::1", "5f00::1", "fc00::1",
    "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1",
]  # fmt: skip
PUBLIC_ADDRESSES = [
    "1.1.1.1", "8.8.8.8", "11.0.0.1", "52.217.1.1", "100.63.255.255", "100.128.0.1", "172.15.0.1",
    "172.32.0.1", "192.0.1.1", "192.88.98.255", "198.17.0.1", "198.20.0.1", "223.255.255.255",
    "2606:4700:4700::1111", "2001:4860:4860::8888", "2a00:1450:4007:80e::200e", "2a05:d018::1",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE_ADDRESSES)
def test_an_address_outside_the_public_internet_is_known_as_such(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC_ADDRESSES)
def test_a_public_address_is_open(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("port", [80, 443, 8080, 8443])
def test_websites_live_on_four_ports(port: int) -> None:
    assert is_public_website("1.1.1.1", port)
    assert not is_public_website("127.0.0.1", port)


@pytest.mark.parametrize("port", [0, 21, 22, 25, 81, 3306, 5432, 6379, 8000, 9200, 11211, 65535])
def test_no_other_port_is_open_to_strangers(port: int) -> None:
    assert not is_public_website("1.1.1.1", port)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.0.0.1.", "127.0.0.1..", "127.1", "127.0.1", "2130706433", "0x7f000001",
        "0x7f.1", "0X7F.0x0.0.1", "017700000001", "0177.0.0.1", "0177.0x0.0.1", "127.00000.0.1",
    ],
)  # fmt: skip
def test_an_address_is_read_in_every_form_that_resolvers_take(host: str) -> None:
    assert read_literal(host) == "127.0.0.1"


@pytest.mark.parametrize("host", ["", ".", "example.com", "127.0.0.1\0", "1.2.3.4.5", "é", "[::1]"])
def test_what_spells_no_address_is_none(host: str) -> None:
    assert read_literal(host) is None


@pytest.mark.parametrize(
    "host", ["256.256.256.256", "0x.0.0.1", "08.1", "1.2.3.4.5", "127.0.0.0x1ff", "a.1", "a.0xfF."]
)
def test_a_name_that_ends_in_a_number_is_known_as_such(host: str) -> None:
    assert ends_in_a_number(host)


@pytest.mark.parametrize("host", ["example.com", "1.2.3.4.example", "example.c0", "a.0xg", ""])
def test_other_names_do_not(host: str) -> None:
    assert not ends_in_a_number(host)


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "LOCALHOST.", "a.localhost", "printer.local", "redis", "nas.home.arpa",
        "metadata.google.internal", "router.lan", "db.corp", "a.private.",
    ],
)  # fmt: skip
def test_a_name_for_a_local_network_is_known_as_such(host: str) -> None:
    assert is_private_name(host)


@pytest.mark.parametrize("host", ["example.com", "local.example.com", "notlocal.example"])
def test_a_name_of_the_public_internet_is_not(host: str) -> None:
    assert not is_private_name(host)
