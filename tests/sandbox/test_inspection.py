"""Each thing that may be wrong with a sandbox closes it, and is told to the operator."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.sandbox.bubblewrap import Limits
from bot.sandbox.sandbox import find_fault

SOUND = """\
uid 65534
interface lo:
environ PATH
environ HOME
environ LANG
environ PWD
environ SHLVL
environ _
capability 0000000000000000
capability 0000000000000000
NoNewPrivs: 1
Seccomp: 2
limits 524288 32768 20 128 0
namespace user:[1]
namespace pid:[2]
namespace net:[3]
namespace ipc:[4]
namespace uts:[5]
namespace mnt:[6]
end reached
"""


def test_a_sound_one_is_open() -> None:
    assert find_fault(SOUND, Limits()) == ""


@pytest.mark.parametrize(
    ("right", "wrong", "reason"),
    [
        ("uid 65534", "uid 0", "as the user 0"),
        ("interface lo:", "interface lo:\ninterface eth0:", "interfaces lo:, eth0:"),
        ("environ LANG", "environ SECRET_KEY", "SECRET_KEY in the environment"),
        ("end", "sees /etc/passwd\nend", "see /etc/passwd"),
        ("end", "writes /usr\nend", "write to /usr"),
        ("end", "nests yes\nend", "namespaces of their own"),
        ("end", "forks freely\nend", "any number of processes"),
        ("capability 0000000000000000", "capability 0000000000200000", "capabilities"),
        ("NoNewPrivs: 1", "NoNewPrivs: 0", "gain privileges"),
        ("Seccomp: 2", "Seccomp: 0", "any system call"),
        ("limits 524288", "limits unlimited", "limits of commands are not 524288"),
        ("namespace net:[3]\n", "", "do not tell their namespaces"),
        ("end reached", "", "make user namespaces"),
        (SOUND, "bwrap: No permissions to create new namespace\n", "bwrap: No permissions"),
        (SOUND, "", "it says nothing"),
    ],
    ids=lambda value: value.partition("\n")[0][:30] or "nothing",
)
def test_anything_else_closes_it(right: str, wrong: str, reason: str) -> None:
    assert right in SOUND
    assert reason in find_fault(SOUND.replace(right, wrong), Limits())


@pytest.mark.parametrize("name", ["user", "pid", "net", "ipc", "uts", "mnt"])
def test_a_namespace_that_is_the_machines_closes_it(name: str) -> None:
    ours = str(Path(f"/proc/self/ns/{name}").readlink())
    lines = [
        f"namespace {ours}" if line.startswith(f"namespace {name}") else line
        for line in SOUND.splitlines()
    ]
    assert find_fault("\n".join(lines), Limits()) == f"commands share {ours} with the machine"
