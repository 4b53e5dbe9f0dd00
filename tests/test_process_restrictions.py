"""The filter, run as the kernel runs it; what it does for real is tried in `test_attacks.py`."""

from __future__ import annotations

import struct

import pytest

from bot.process_restrictions import (
    CLONE,
    CLONE3,
    IOCTL,
    PRLIMIT,
    REFUSED,
    REFUSED_WHEN_ALONE,
    assemble_filter,
    has_filter_for,
)

ALLOWED, REFUSED_WITH_EPERM, UNKNOWN = 0x7FFF0000, 0x00050001, 0x00050000 | 38
ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
OTHER_ARCH = 0x40000003
TIOCSTI, TIOCLINUX, TCGETS = 0x5412, 0x541C, 0x5401
every_machine = pytest.mark.parametrize("machine", sorted(ARCH))


def answer(program: bytes, arch: int, number: int, argument: int = 0, first: int = 0) -> int:
    """What a program of seccomp says to a call with such a second argument."""
    facts = struct.pack("=IIQ6Q", number, arch, 0, first, argument, 0, 0, 0, 0)
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
            case 0x45:
                at += yes if value & given else no
            case 0x54:
                value &= given
            case 0x06:
                return given
            case _:
                raise AssertionError(f"an unknown instruction {code:#x}")
        at += 1


@every_machine
def test_it_refuses_what_is_listed_and_nothing_else(machine: str) -> None:
    program = assemble_filter(machine)
    refused = {
        number
        for number in range(600)
        if answer(program, ARCH[machine], number, first=1) == REFUSED_WITH_EPERM
    }
    assert refused == set(REFUSED[machine].values())
    assert answer(program, ARCH[machine], 0) == ALLOWED


@every_machine
def test_sockets_outside_of_network_namespaces_are_refused(machine: str) -> None:
    program, socket = assemble_filter(machine), REFUSED_WHEN_ALONE[machine]["socket"]
    families = [n for n in range(50) if answer(program, ARCH[machine], socket, 1, n) == ALLOWED]
    assert families == [1, 2, 10, 16]  # not 38 (AF_ALG) or 40 (AF_VSOCK)


@every_machine
def test_a_process_that_works_alone_is_refused_more(machine: str) -> None:
    program = assemble_filter(machine, alone=True)
    refused = {
        number
        for number in range(600)
        if answer(program, ARCH[machine], number) == REFUSED_WITH_EPERM
    }
    assert refused == {*REFUSED[machine].values(), *REFUSED_WHEN_ALONE[machine].values()}


@every_machine
def test_it_may_set_limits_for_itself_only_and_begin_threads_but_no_namespace(machine: str) -> None:
    def ask(number: int, first: int) -> int:
        return answer(assemble_filter(machine, alone=True), ARCH[machine], number, first=first)

    assert ask(PRLIMIT[machine], 0) == ALLOWED
    assert ask(PRLIMIT[machine], 4711) == REFUSED_WITH_EPERM
    assert ask(CLONE[machine], 0x003D0F00) == ALLOWED  # as pthread_create calls it
    assert ask(CLONE[machine], 17) == ALLOWED  # as fork does
    for flag in (0x80, 0x20000, *(1 << bit for bit in range(25, 31))):
        assert ask(CLONE[machine], 17 | flag) == REFUSED_WITH_EPERM
    assert ask(CLONE3, 0) == UNKNOWN
    assert answer(assemble_filter(machine), ARCH[machine], CLONE3) == ALLOWED


@every_machine
def test_with_the_network_it_has_the_sockets_of_the_internet(machine: str) -> None:
    program = assemble_filter(machine, alone=True, online=True)
    socket, pair = (REFUSED_WHEN_ALONE[machine][name] for name in ("socket", "socketpair"))
    allowed = [n for n in range(50) if answer(program, ARCH[machine], socket, 1, n) == ALLOWED]
    assert allowed == [2, 10, 16]
    assert answer(program, ARCH[machine], pair, 1 | 0o2000000, 1) == ALLOWED
    assert answer(program, ARCH[machine], pair, 2, 1) == REFUSED_WITH_EPERM
    assert (
        answer(program, ARCH[machine], REFUSED_WHEN_ALONE[machine]["execve"]) == REFUSED_WITH_EPERM
    )


@every_machine
def test_another_numbering_of_the_calls_is_refused_as_a_whole(machine: str) -> None:
    program = assemble_filter(machine)
    assert answer(program, OTHER_ARCH, 0) == REFUSED_WITH_EPERM
    assert answer(program, ARCH[machine], 0x40000000) == REFUSED_WITH_EPERM
    assert answer(program, ARCH[machine], 0xFFFFFFFF) == REFUSED_WITH_EPERM


@every_machine
def test_of_the_ioctls_only_those_that_type_into_terminals_are_refused(machine: str) -> None:
    program, ioctl = assemble_filter(machine), IOCTL[machine]
    assert answer(program, ARCH[machine], ioctl, TCGETS) == ALLOWED
    for request in (TIOCSTI, TIOCLINUX, TIOCSTI | 0xFFFFFFFF00000000):
        assert answer(program, ARCH[machine], ioctl, request) == REFUSED_WITH_EPERM


def test_there_is_none_for_a_machine_that_nobody_has_looked_at() -> None:
    assert has_filter_for("x86_64")
    assert not has_filter_for("riscv64")
