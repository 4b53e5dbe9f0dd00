"""Fork the demo's gateways from a process that has imported all the modules they need.

It works like a pre-forking server. A gateway that was killed is really gone, and the next one has
only the database to start from; but it is up in a fraction of a second, even on slow machines.
"""

from __future__ import annotations

import gc
import importlib
import os
import traceback
from dataclasses import dataclass
from typing import Final, NoReturn

import msgspec

_IMPORTED_LATE: Final = (
    "adapters.telegram.adapter", "adapters.twilio.adapter",
    "bot.agent.model_endpoints",
)  # fmt: skip
"""Modules that a gateway imports only if its settings ask for them, as the demo's do."""


@dataclass(frozen=True, slots=True)
class ForkServer:
    """A process that forks gateways, and two pipes to it with lines of text."""

    pid: int
    orders: int
    """Takes the gateways' settings, once, as JSON. Closing it, even by dying, ends them all."""
    news: int
    """Brings lines `up PID` and `killed PID`; ends when the fork server ends."""


def start_fork_server() -> ForkServer:
    """Fork the server. There must be no thread and no event loop yet."""
    orders_out, orders = os.pipe()
    news, news_in = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(orders)
        os.close(news)
        _run_fork_server(orders_out, news_in)
    os.close(orders_out)
    os.close(news_in)
    return ForkServer(pid, orders, news)


def _run_fork_server(orders: int, news: int) -> NoReturn:
    """Serve in a session of its own, so that Ctrl-C reaches only the parent, which ends everything
    in order."""
    code = 1
    try:
        os.setsid()
        code = _fork_gateways(orders, news)
    except BaseException:  # noqa: BLE001 (no code of the parent may run on here)
        traceback.print_exc()
    finally:
        os._exit(code)


def _fork_gateways(orders: int, news: int) -> int:
    """Fork a gateway, and another after each kill; return the exit code of one that exits."""
    from bot.demo.gateway import run_gateway  # imported here, while the parent goes on

    for name in _IMPORTED_LATE:
        importlib.import_module(name)
    gc.freeze()  # memory of imported objects stays shared unless the collector writes to it
    with os.fdopen(os.dup(orders)) as lines:
        line = lines.readline()
    if not line:
        return 0
    values = msgspec.json.decode(line, type=dict[str, str])
    while True:
        pid = os.fork()
        if pid == 0:
            run_gateway(values, orders, news)
        _, status = os.waitpid(pid, 0)
        if os.WIFEXITED(status):
            return os.WEXITSTATUS(status)
        os.write(news, f"killed {pid}\n".encode())
