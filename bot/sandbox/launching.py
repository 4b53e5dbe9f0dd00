"""Starting commands: as whom, and no more of them once the service stops."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from weakref import WeakSet

import structlog

from bot.errors import ToolFailed
from bot.sandbox.cell import Cell, NotStarted
from bot.sandbox.limits import Limits
from bot.sandbox.processes import tasks_of
from bot.sandbox.run import Run, is_memory_short

log = structlog.get_logger()


class Launcher:
    """Starts commands, each in a place of which nobody else makes use meanwhile.

    Args:
        first_uid: where we are root, the command in place n runs as the user `first_uid` + n.
    """

    def __init__(self, first_uid: int) -> None:
        self._first_uid = first_uid
        self._runs: WeakSet[Run] = WeakSet()
        self._is_closing = False

    async def launch(
        self, command: str, limits: Limits, place: int, show: Callable[[str], None]
    ) -> Run:
        """Start a command; whoever calls this has to `finish` the run.

        Raises:
            ToolFailed: nothing of it ran.
        """
        if self._is_closing or is_memory_short(limits):
            raise ToolFailed("No command can be run at present. Try again later.")
        try:
            run = await self.try_launch(command, limits, place, show)
        except NotStarted as error:
            log.warning("command_not_started", reason=str(error))
            raise ToolFailed("The command could not be started. Try again later.") from None
        if self._is_closing:  # meanwhile
            run.stop("shutdown")
        return run

    async def try_launch(
        self, command: str, limits: Limits, place: int, show: Callable[[str], None]
    ) -> Run:
        """Start a command, whatever the state of things.

        Raises:
            NotStarted: nothing of it ran; for operators.
        """
        said, uid = command.encode(errors="replace"), None
        if os.geteuid() == 0:
            uid = self._first_uid + place
        else:
            limits = await asyncio.to_thread(_beside_ours, limits)
        cell = await Cell.start(said, limits, uid)
        run = Run(cell, limits, show)
        self._runs.add(run)
        return run

    def stop(self) -> None:
        """Stop all that runs, and start nothing any more."""
        self._is_closing = True
        for run in list(self._runs):
            run.stop("shutdown")


def _beside_ours(limits: Limits) -> Limits:
    """The command runs as our own user: the kernel counts its processes and ours together."""
    return replace(limits, processes=limits.processes + tasks_of(os.geteuid()))
