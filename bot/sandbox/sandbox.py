"""Give tools a sandbox with a limited number of slots, closed if isolation fails: a small
script inspects it from inside."""

from __future__ import annotations

import asyncio
import platform
import shlex
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

import structlog

from bot.contracts.services import CommandResult
from bot.errors import ToolFailed
from bot.process_restrictions import has_filter_for
from bot.sandbox import bubblewrap
from bot.sandbox.background import Background, BackgroundEnd, BackgroundStart, OnEnd, OnStart
from bot.sandbox.bubblewrap import Limits
from bot.sandbox.command_run import CommandRun, Launcher
from bot.sandbox.sandboxed_process import NotStarted

log = structlog.get_logger()
T = TypeVar("T")
_FIRST_UID: Final = 64_000
"""Debian reserves 60,000 to 64,999 for packages and assigns few of them: Debian Policy, 9.2.2."""
_BACKGROUND_CPU_SECONDS: Final = 300
_MAX_COMMAND: Final = 100_000
"""Most bytes of a command; Linux accepts 131,071 in one argument."""
_INSPECT_AGAIN: Final = 60.0
"""Seconds after which a sandbox that could not be made is tried again."""


class Sandbox:
    """A `bot.contracts.services.Sandbox`.

    Args:
        on_start: called when a background command runs.
        on_end: called when a background command has ended.
        limits: limits of each command.
        slots: number of commands at a time, and as many again in the background.
        first_uid: if the bot is root, commands run as this user and those after it: one for each
            slot, and one more.
        hidden: paths that commands must not see, besides the current folder.
    """

    def __init__(
        self,
        on_start: OnStart,
        on_end: OnEnd,
        *,
        limits: Limits | None = None,
        slots: int = 4,
        first_uid: int = _FIRST_UID,
        hidden: Sequence[Path] = (),
    ) -> None:
        self._limits = limits or Limits()
        self._hidden = (Path.cwd(), *hidden)
        self._launcher = Launcher(first_uid)
        self._slots: asyncio.Queue[int] = asyncio.Queue()
        for slot in range(slots):
            self._slots.put_nowait(slot)
        others = list(range(slots, 2 * slots))
        self._background = Background(others, self._launch_in_background, on_start, on_end)
        self._inspection_slot = 2 * slots
        self._tasks: set[asyncio.Task[Any]] = set()
        self._inspecting = asyncio.Lock()
        self._reason: str | None = None
        self._inspected = 0.0

    async def why_closed(self) -> str:
        """Return for operators why no command can run here; empty if they can (checked once)."""
        async with self._inspecting:
            age = time.monotonic() - self._inspected
            if self._reason is None or (self._reason and age > _INSPECT_AGAIN):
                slot, hidden = self._inspection_slot, self._hidden
                reason = await self._detach(
                    inspect_sandbox(self._launcher, self._limits, slot, hidden)
                )
                if reason:
                    log.warning("sandbox_closed", reason=reason)
                self._reason = reason
                self._inspected = time.monotonic()
            return self._reason

    async def run(
        self, command: str, *, seconds: float, show: Callable[[str], None]
    ) -> CommandResult:
        """Run a command for at most `seconds`, of which a third may pass waiting for a slot.

        Cancelling the call stops the command.

        Raises:
            ToolFailed: no part of it ran.
        """
        _check(command)
        await self._check_open()
        return await self._detach(self._run(command, seconds, show))

    async def start(self, command: str, *, lane: str, key: str) -> str:
        """Run a command in the background for at most ten minutes, and return its id.

        Raises:
            ToolFailed: no part of it ran.
        """
        _check(command)
        await self._check_open()
        return await self._detach(self._background.start(command, lane=lane, key=key))

    async def close(self) -> None:
        """Stop all commands, and report the ends of those in the background."""
        self._launcher.stop()
        while self._tasks:
            await asyncio.wait(self._tasks)
        await self._background.close()

    async def _check_open(self) -> None:
        if await self.why_closed():
            raise ToolFailed(
                "No commands can be run here: the sandbox is closed. Work it out yourself, or say "
                "that it cannot be done here."
            )

    async def _detach(self, work: Coroutine[Any, Any, T]) -> T:
        """Await `work` in a task; if the caller is cancelled, cancel it and let it clean up."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()
            raise

    async def _run(
        self, command: str, seconds: float, show: Callable[[str], None]
    ) -> CommandResult:
        started = time.monotonic()
        try:
            async with asyncio.timeout(seconds / 3):
                slot = await self._slots.get()
        except TimeoutError:
            raise ToolFailed(
                "The sandbox is busy: too many commands run at present. Try again later."
            ) from None
        try:
            run = await self._launcher.launch(command, self._limits, slot, show)
            return await run.finish(seconds - (time.monotonic() - started))
        finally:
            self._slots.put_nowait(slot)

    async def _launch_in_background(self, command: str, slot: int) -> CommandRun:
        limits = replace(self._limits, cpu_seconds=_BACKGROUND_CPU_SECONDS)
        return await self._launcher.launch(command, limits, slot, lambda _: None)


async def probe_sandbox(hidden: Sequence[Path] = ()) -> str:
    """Return for operators why no command can run on this machine; empty if they can."""
    sandbox = Sandbox(_ignore_report, _ignore_report, hidden=hidden)
    try:
        return await sandbox.why_closed()
    finally:
        await sandbox.close()


def _check(command: str) -> None:
    if not command.strip():
        raise ToolFailed("The command is empty.")
    if "\0" in command or len(command.encode(errors="replace")) > _MAX_COMMAND:
        raise ToolFailed(f"A command has at most {_MAX_COMMAND:,} bytes, and no NUL among them.")


async def _ignore_report(_: BackgroundStart | BackgroundEnd) -> None: ...


# Inspection from inside --------------------------------------------------------------------------

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
