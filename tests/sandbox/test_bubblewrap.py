from __future__ import annotations

import pytest

from bot.sandbox import bubblewrap
from bot.sandbox.bubblewrap import InheritedFiles, Limits, compose_command, list_missing_programs

ENDS = InheritedFiles(status=7, filter=8)


def words(uid: int | None = 64_000) -> list[str | bytes]:
    return compose_command(b"rm -rf / ; $(reboot)", Limits(), uid, ENDS)


def test_the_command_is_one_word_and_the_last() -> None:
    assert words()[-1] == b"rm -rf / ; $(reboot)"
    assert all(isinstance(word, str) for word in words()[:-1])


def test_root_becomes_somebody_else_before_anything_else() -> None:
    first = words()[:5]
    assert str(first[0]).endswith("/setpriv")
    assert first[1:] == [
        *("--reuid=64000", "--regid=64000", "--clear-groups", "--no-new-privs"),
    ]


def test_who_is_not_root_stays_who_they_are_and_gains_nothing() -> None:
    assert words(None)[1:3] == ["--no-new-privs", "--"]


@pytest.mark.parametrize(
    "word",
    [
        *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"),
        *("--new-session", "--clearenv", "--cap-drop", "--seccomp", "--as=536870912"),
        *("--nproc=48", "--fsize=33554432", "--cpu=20:21", "--nofile=128", "--core=0"),
    ],
)
def test_what_shuts_it_in_is_there(word: str) -> None:
    assert word in words()


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    # What is installed is a fact of the machine: there is nothing to pass in.
    monkeypatch.setattr(bubblewrap, "PROGRAMS", ("sh", "no-such-program"))
    assert list_missing_programs() == ["no-such-program"]
