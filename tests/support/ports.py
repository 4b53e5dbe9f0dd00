"""Ports for servers that are told theirs: nobody else takes one between its choice and its use.

The system hands out ports from 32768 on (16000 on some) to outgoing connections, so one that was
free a moment ago may be such a connection's now; these lie below. Each worker of a test run has its
own share of them. Browsers refuse 10080.
"""

from __future__ import annotations

import os
import random
import socket
from collections import deque
from contextlib import suppress

_FIRST = 10_100
_SHARE = 700
_SHARES = 8
_given: deque[int] = deque(maxlen=100)


def free_port() -> int:
    """A port of this machine that nothing listens on, and that was not given lately."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    lowest = _FIRST + worker % _SHARES * _SHARE
    for port in random.sample(range(lowest, lowest + _SHARE), _SHARE):
        if port not in _given and _is_free(port):
            _given.append(port)
            return port
    raise RuntimeError(f"no port is free from {lowest} to {lowest + _SHARE - 1}")


def _is_free(port: int) -> bool:
    with socket.socket() as probe, suppress(OSError):
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))
        return True
    return False
