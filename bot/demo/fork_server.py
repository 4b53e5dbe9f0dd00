"""Fork the demo's gateways from a process that has imported all that they need.

As pre-forking servers do. A gateway that was killed is really gone, and the next one begins with
nothing but the database; but it is there in a fraction of a second, on slow machines as well.
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
    "adapters.telegram.adapter", "adapters.twilio.sms", "adapters.twilio.whatsapp",
    "bot.agent.model",
)  # fmt: skip
"""Modules that a gateway imports only when its settings ask for it, as they do here."""


@dataclass(frozen=True, slots=True)
class ForkServer:
    """A process that forks gateways, and two pipes to it with lines of text."""

    pid: int
    orders: int
    """Takes the settings of the gateways, once, as JSON. Closing it, or dying, ends them all."""
    news: int
    """Tells `up PID`, `killed PID`; ends when the fork server ends."""


def start_fork_server() -> ForkServer:
    """Fork the server. There may be no thread and no event loop yet."""
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
    """Serve in a session of its own: Ctrl-C comes to the parent only, which ends everything in
    order."""
    code = 1
    try:
        os.setsid()
        code = _fork_gateways(orders, news)
    except BaseException:  # noqa: BLE001 (nothing of the parent's may run on here)
        traceback.print_exc()
    finally:
        os._exit(code)


def _fork_gateways(orders: int, news: int) -> int:
    """Fork a gateway, and another one whenever it is killed, until one ends by itself."""
    from bot.demo.gateway import run_gateway  # the parent goes on meanwhile

    for name in _IMPORTED_LATE:
        importlib.import_module(name)
    gc.freeze()  # what is imported is shared by all gateways as long as none looks through it
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
