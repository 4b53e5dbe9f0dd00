"""The filter, run as the kernel runs it; what it does for real is tried in `test_attacks.py`."""

from __future__ import annotations

import struct

import pytest

from bot.sandbox.filter import REFUSED, assemble, is_known

ALLOWED, REFUSED_WITH_EPERM = 0x7FFF0000, 0x00050001
ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
OTHER_ARCH = 0x40000003
IOCTL = {"x86_64": 16, "aarch64": 29}
TIOCSTI, TIOCLINUX, TCGETS = 0x5412, 0x541C, 0x5401
every_machine = pytest.mark.parametrize("machine", sorted(ARCH))


def answer(program: bytes, arch: int, number: int, argument: int = 0) -> int:
    """What a program of seccomp says to a call with such a second argument."""
    facts = struct.pack("=IIQ6Q", number, arch, 0, 0, argument, 0, 0, 0, 0)
    lines = list(struct.iter_unpack("=HBBI", program))
    at, value = 0, 0
    while True:
        code, yes, no, given = lines[at]
        match code:
            case 0x20:
                (value,) = struct.unpack_from("=I", facts, given)
            case 0x15:
                at += yes if value == given else no
            case 0x35:
                at += yes if value >= given else no
            case 0x06:
                return given
            case _:
                raise AssertionError(f"an unknown instruction {code:#x}")
        at += 1


@every_machine
def test_it_refuses_what_is_listed_and_nothing_else(machine: str) -> None:
    program = assemble(machine)
    refused = {
        number
        for number in range(600)
        if answer(program, ARCH[machine], number) == REFUSED_WITH_EPERM
    }
    assert refused == set(REFUSED[machine].values())
    assert answer(program, ARCH[machine], 0) == ALLOWED


@every_machine
def test_another_numbering_of_the_calls_is_refused_as_a_whole(machine: str) -> None:
    program = assemble(machine)
    assert answer(program, OTHER_ARCH, 0) == REFUSED_WITH_EPERM
    assert answer(program, ARCH[machine], 0x40000000) == REFUSED_WITH_EPERM
    assert answer(program, ARCH[machine], 0xFFFFFFFF) == REFUSED_WITH_EPERM


@every_machine
def test_of_the_ioctls_only_those_that_type_into_terminals_are_refused(machine: str) -> None:
    program, ioctl = assemble(machine), IOCTL[machine]
    assert answer(program, ARCH[machine], ioctl, TCGETS) == ALLOWED
    for request in (TIOCSTI, TIOCLINUX, TIOCSTI | 0xFFFFFFFF00000000):
        assert answer(program, ARCH[machine], ioctl, request) == REFUSED_WITH_EPERM


def test_there_is_none_for_a_machine_that_nobody_has_looked_at() -> None:
    assert is_known("x86_64")
    assert not is_known("riscv64")
