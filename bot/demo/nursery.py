"""Where the demo's gateways come from: a process that has imported all that they need, and forks.

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
    "adapters.telegram", "adapters.twilio_sms", "adapters.twilio_whatsapp", "bot.agent.model",
)  # fmt: skip
"""What a gateway imports only when its settings ask for it, as they do here."""


@dataclass(frozen=True, slots=True)
class Nursery:
    """A process to order gateways from. Both are file descriptors, for lines."""

    pid: int
    orders: int
    """Takes the settings of the gateways, once, as JSON. Closing it, or dying, ends them all."""
    news: int
    """Tells `up PID`, `killed PID`; its end is that of the nursery."""


def open_nursery() -> Nursery:
    """Fork it. There may be no thread and no event loop yet."""
    orders_out, orders = os.pipe()
    news, news_in = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(orders)
        os.close(news)
        _live(orders_out, news_in)
    os.close(orders_out)
    os.close(news_in)
    return Nursery(pid, orders, news)


def _live(orders: int, news: int) -> NoReturn:
    """A session of its own: Ctrl-C comes to the parent only, which ends everything in order."""
    code = 1
    try:
        os.setsid()
        code = _replace(orders, news)
    except BaseException:  # noqa: BLE001 (nothing of the parent's may run on here)
        traceback.print_exc()
    finally:
        os._exit(code)


def _replace(orders: int, news: int) -> int:
    """Fork a gateway, and another one whenever it is killed, until one ends by itself."""
    from bot.demo.gateway import live  # the parent goes on meanwhile

    for name in _IMPORTED_LATE:
        importlib.import_module(name)
    gc.freeze()  # what is imported is shared by all gateways as long as none looks through it
    with os.fdopen(os.dup(orders)) as lines:
        told = lines.readline()
    if not told:
        return 0
    values = msgspec.json.decode(told, type=dict[str, str])
    while True:
        pid = os.fork()
        if pid == 0:
            live(values, orders, news)
        _, status = os.waitpid(pid, 0)
        if os.WIFEXITED(status):
            return os.WEXITSTATUS(status)
        os.write(news, f"killed {pid}\n".encode())
