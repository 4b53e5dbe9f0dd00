"""Inspect the sandbox from inside, with a small script."""

from __future__ import annotations

import platform
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from bot.kernel.seccomp import has_filter_for
from bot.sandbox import bubblewrap
from bot.sandbox.bubblewrap import Limits
from bot.sandbox.command_run import Launcher
from bot.sandbox.sandboxed_process import NotStarted

_NAMESPACES: Final = ("user", "pid", "net", "ipc", "uts", "mnt")
_HIDDEN: Final = ("/etc/passwd", "/home", "/root", "/var", "/run", "/sys", "/boot", "/opt", "/data")
_INSIDE: Final = frozenset(map(Path, ("/", "/tmp", "/work", "/dev", "/proc")))  # noqa: S108
"""Folders that exist inside too, with other content."""
_OF_THE_SHELL: Final = frozenset({"PWD", "OLDPWD", "SHLVL", "_"})
_SECONDS: Final = 30.0
_ADVICE: Final = "(the kernel must let ordinary users make user namespaces)"
_EXPECTED: Final[dict[str, tuple[list[str], str]]] = {
    "uid": (["65534"], "commands run as the user {}"),
    "interface": (["lo:"], "commands have the network interfaces {}"),
    "sees": ([], "commands see {}"),
    "writes": ([], "commands can write to {}"),
    "NoNewPrivs": (["1"], "commands may gain privileges"),
    "Seccomp": (["2"], "commands may make any system call"),
    "nests": ([], "commands can make namespaces of their own"),
    "forks": ([], "commands may start any number of processes"),
}
"""Expected lines of the script, and the fault if there are others."""
_SCRIPT: Final = """
echo uid $EUID
for path in {paths}; do [[ -e $path ]] && echo sees $path; done
for path in / /usr /dev /proc/sys/kernel/core_pattern /proc/sysrq-trigger; do
  [[ -w $path ]] && echo writes $path
done
while read -r name _; do [[ $name == *: ]] && echo interface $name; done < /proc/net/dev
for file in /proc/[0-9]*/environ; do
  while IFS= read -r -d '' pair; do echo environ ${{pair%%=*}}; done < $file
done
while read -r name value; do
  case $name in Cap*) echo capability $value ;; NoNewPrivs:|Seccomp:) echo $name $value ;; esac
done < /proc/self/status
echo limits $(ulimit -v) $(ulimit -f) $(ulimit -t) $(ulimit -n) $(ulimit -c)
unshare --user true 2> /dev/null && echo nests yes
for namespace in $(readlink {namespaces}); do echo namespace $namespace; done
[[ $(ulimit -u) == unlimited ]] && echo forks freely
echo end reached
"""


async def inspect_sandbox(
    launcher: Launcher, limits: Limits, slot: int, hidden: Iterable[Path]
) -> str:
    """Return for operators why no sandbox can be made here; empty if one can.

    Args:
        slot: a slot that no command uses.
        hidden: paths that must not be visible from inside.
    """
    if obstacle := _find_obstacle(hidden):
        return obstacle
    unwatched = replace(limits, spare_memory=0)
    try:
        resolved = {path.resolve() for path in hidden} - _INSIDE
        paths = shlex.join([*_HIDDEN, *sorted(map(str, resolved))])
        namespaces = " ".join(f"/proc/self/ns/{name}" for name in _NAMESPACES)
        run = await launcher.try_launch(
            _SCRIPT.format(paths=paths, namespaces=namespaces), unwatched, slot, lambda _: None
        )
    except NotStarted as error:
        return f"{error} {_ADVICE}"
    outcome = await run.finish(_SECONDS)
    if outcome.stopped:
        return f"it was stopped: {outcome.stopped}"
    return find_fault(outcome.output, limits)


def _find_obstacle(hidden: Iterable[Path]) -> str:
    """Return for operators why no sandbox can be made on this machine at all; empty: try it."""
    if missing := bubblewrap.list_missing_programs():
        return (
            f"{', '.join(missing)} not found; install bubblewrap and util-linux "
            "(apt-get install bubblewrap util-linux)"
        )
    if not has_filter_for(platform.machine()):
        return f"no filter of system calls for {platform.machine()}"
    if exposed := [path for path in hidden if path.resolve().is_relative_to("/usr")]:
        return f"{exposed[0]} lies below /usr, which commands can read; move it elsewhere"
    return ""


def find_fault(said: str, limits: Limits) -> str:
    """Find a fault of the sandbox in the output of the script; empty: there is none."""
    facts: dict[str, list[str]] = defaultdict(list)
    for line in said.splitlines():
        name, _, value = line.partition(" ")
        facts[name.rstrip(":")].append(value)
    if facts["end"] != ["reached"]:
        first = said.strip().partition("\n")[0] or "it says nothing"
        return f"{first} {_ADVICE}"
    return next(_find_faults(facts, limits), "")


def _find_faults(facts: Mapping[str, list[str]], limits: Limits) -> Iterator[str]:
    for name, (expected, fault) in _EXPECTED.items():
        if facts[name] != expected:
            yield fault.format(", ".join(facts[name]))
    if more := set(facts["environ"]) - set(bubblewrap.ENVIRONMENT) - _OF_THE_SHELL:
        yield f"commands see {min(more)} in the environment"
    if {int(value, 16) for value in facts["capability"]} != {0}:
        yield "commands have capabilities"
    if facts["limits"] != [_show(limits)]:
        yield f"the limits of commands are not {_show(limits)}"
    yield from _find_shared_namespaces(facts["namespace"])


def _show(limits: Limits) -> str:
    """Return the limits as bash's `ulimit` prints them, with memory and files in KiB."""
    return (
        f"{limits.memory // 1024} {limits.file // 1024} {limits.cpu_seconds} {limits.open_files} 0"
    )


def _find_shared_namespaces(inside: list[str]) -> Iterator[str]:
    outside = {str(Path(f"/proc/self/ns/{name}").readlink()) for name in _NAMESPACES}
    if len(inside) != len(_NAMESPACES):
        yield "commands do not tell their namespaces"
    if shared := outside.intersection(inside):
        yield f"commands share {min(shared)} with the machine"
