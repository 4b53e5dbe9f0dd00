"""An MCP server that misbehaves, one way a run: a program that speaks over stdin and stdout.

It uses the standard library only, so that it starts at once. `python mcp_server_hostile.py WAY`;
the ways stand in `WAYS`. Until it misbehaves it is a correct server with one tool, `echo`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

ECHO = {"name": "echo", "inputSchema": {"type": "object"}}
Answer = dict[str, Any]


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def reply(request: Answer, result: object) -> None:
    write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}) + "\n")


def greet(request: Answer) -> None:
    reply(
        request,
        {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "hostile", "version": "1"},
        },
    )


def list_tools(request: Answer) -> None:
    reply(request, {"tools": [ECHO]})


def echo(request: Answer) -> None:
    text = json.dumps(request["params"].get("arguments"))
    reply(request, {"content": [{"type": "text", "text": text}]})


def hang(request: Answer) -> None:
    """Say nothing to this one, and go on."""


def refuse(request: Answer) -> None:
    error = {"code": -32603, "message": "secret internals"}
    write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}) + "\n")


def die(request: Answer) -> None:
    os._exit(1)


def stop_reading(request: Answer) -> None:
    list_tools(request)
    time.sleep(600)


def write_line_without_end(request: Answer) -> None:
    while True:
        write("x" * 65_536)


def give_100_megabytes(request: Answer) -> None:
    write(f'{{"jsonrpc":"2.0","id":{request["id"]},"result":{{"content":[{{"text":"')
    for _ in range(100):
        write("x" * 1024 * 1024)
    write('"}]}}\n')


def notify_without_end(request: Answer) -> None:
    """Answer, then notify for ever."""
    echo(request)
    changed = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'
    noise = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}\n'
    while True:
        write((changed + noise) * 500)


def ask_without_end(request: Answer) -> None:
    """Answer, then ask for ever, and never listen."""
    echo(request)
    while True:
        write('{"jsonrpc":"2.0","id":"a","method":"ping"}\n' * 1_000)


def babble_without_end(request: Answer) -> None:
    """Answer what was not asked, for ever."""
    while True:
        write('{"jsonrpc":"2.0","id":123456,"result":{}}\n' * 100)


def write_rubbish_first(request: Answer) -> None:
    for line in (
        "not json\n\n\x00\n[]\nnull\n12\n\r\n{}",
        "[" * 100_000,
        "{" + '"a":{' * 9_000,
        '{"id":true}\n{"id":1e400}\n{"id":[],"method":3}',
        f'{{"id":"{"9" * 5_000}","result":{{}}}}',
        f'{{"id":{request["id"] + 1},"result":{{}}}}',
        f'{{"method":"{"m" * 9_000}"}}',
    ):
        write(line + "\n")
    sys.stdout.buffer.write(b"\xff\xfe{}\n")
    echo(request)


def answer_with_a_list(request: Answer) -> None:
    reply(request, [1, 2])


def list_odd_tools(request: Answer) -> None:
    good = {"type": "object"}
    reply(
        request,
        {
            "tools": [
                {"name": "array", "inputSchema": {"type": "array"}},
                {"name": "large", "inputSchema": {"type": "object", "x": "y" * 17_000}},
                {"name": "properties", "inputSchema": {"type": "object", "properties": ["a"]}},
                {"name": "none"},
                {"name": "", "inputSchema": good},
                "text",
                {"name": "né.." + "x" * 100, "inputSchema": good},
                {"name": "né,," + "x" * 100, "inputSchema": good},
                {"name": "good", "inputSchema": good, "annotations": None, "description": None},
            ]
        },
    )


def list_without_end(request: Answer) -> None:
    cursor = int((request.get("params") or {}).get("cursor", "0"))
    tools = [{**ECHO, "name": f"t{cursor}_{n}"} for n in range(20)]
    reply(request, {"tools": tools, "nextCursor": str(cursor + 1)})


def list_empty_pages(request: Answer) -> None:
    """One tool, and then pages without any, for ever."""
    first = not request.get("params")
    reply(request, {"tools": [ECHO] if first else [], "nextCursor": "more"})


def scream(request: Answer) -> None:
    """List the tools, and write to stderr for ever meanwhile."""

    def run() -> None:
        while True:
            os.write(2, b"E" * 65_536)

    threading.Thread(target=run, daemon=True).start()
    list_tools(request)


def cling(request: Answer) -> None:
    """Ignore all polite ways of being told to go, and so does a child."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    tool = {**ECHO, "description": f"{os.getpid()} {child.pid}"}
    reply(request, {"tools": [tool]})


WAYS: dict[str, dict[str, Callable[[Answer], None]]] = {
    "hang in initialize": {"initialize": hang},
    "hang in list": {"tools/list": hang},
    "babble in list": {"tools/list": babble_without_end},
    "hang in call": {"tools/call": hang},
    "refuse": {"initialize": refuse},
    "refuse call": {"tools/call": refuse},
    "die in initialize": {"initialize": die},
    "die in call": {"tools/call": die},
    "stop reading": {"tools/list": stop_reading},
    "line without end": {"tools/call": write_line_without_end},
    "100 megabytes": {"tools/call": give_100_megabytes},
    "notify without end": {"tools/call": notify_without_end},
    "ask without end": {"tools/call": ask_without_end},
    "rubbish first": {"tools/call": write_rubbish_first},
    "answer with a list": {"tools/call": answer_with_a_list},
    "odd tools": {"tools/list": list_odd_tools},
    "list without end": {"tools/list": list_without_end},
    "empty pages": {"tools/list": list_empty_pages},
    "scream": {"tools/list": scream},
    "cling": {"tools/list": cling},
}


def main(way: str) -> None:
    usual = {"initialize": greet, "tools/list": list_tools, "tools/call": echo}
    answers = usual | WAYS[way]
    for line in sys.stdin:
        request: Answer = json.loads(line)
        if request.get("method") in answers:
            answers[request["method"]](request)
    while way == "cling":
        time.sleep(1)


if __name__ == "__main__":
    main(sys.argv[1])
