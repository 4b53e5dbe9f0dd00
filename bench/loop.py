"""The loop alone, side by side with what else one could use, in one run."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from bench.peers import PEERS, install
from bench.processes import MEASURED, output_of, serving
from bench.results import Result

CONCURRENCY = 50


@dataclass
class Contender:
    module: str
    python: Path
    turns: int
    options: tuple[str, ...] = ()
    samples: list[float] = field(default_factory=list[float])
    failed: bool = False

    def run(self, url: str) -> None:
        """Take one sample; a peer that fails is out of the race."""
        command = (url, str(self.turns), str(CONCURRENCY), *self.options)
        module = f"bench.contenders.{self.module}"
        try:
            printed = output_of(self.python, module, *command, cores=MEASURED)
        except subprocess.CalledProcessError as error:
            if self.module not in PEERS:
                raise
            print(f"{self.module} failed: exit {error.returncode}", file=sys.stderr)
            self.failed = True
            return
        self.samples.append(json.loads(printed)["cpu_ms_per_turn"])

    @property
    def cpu_ms(self) -> float:
        """The least of the samples: what else the machine does can only add to it."""
        return min(self.samples)


def bare() -> Contender:
    """Bare aiohttp: by its milliseconds one knows how fast this machine is just now."""
    return Contender("raw_aiohttp", Path(sys.executable), 400)


def measure(*, quick: bool) -> list[Result]:
    """CPU per turn of every contender; the contenders take turns, so noise meets all alike."""
    turns, slow_turns, rounds = (100, 50, 1) if quick else (400, 100, 3)
    ours = Path(sys.executable)
    griot = Contender("griot_loop", ours, turns)
    big = Contender("griot_loop", ours, turns, ("--big",))
    raw = bare()
    create = Contender("openai_create", ours, slow_turns)
    peers = [Contender(peer, python, slow_turns) for peer in PEERS if (python := install(peer))]
    with serving("bench.endpoint") as port:
        for _ in range(rounds):
            for contender in (*(griot, big, raw) * 3, create, *peers):
                if not contender.failed:
                    contender.run(f"http://127.0.0.1:{port}/v1")
    peers = [peer for peer in peers if peer.samples and not peer.failed]
    return [
        Result("loop.cpu_ms", griot.cpu_ms, "ms"),
        Result("loop.vs_raw_aiohttp", griot.cpu_ms / raw.cpu_ms, "times"),
        *_against(griot, peers),
        Result("loop.big_request_extra_ms", big.cpu_ms - griot.cpu_ms, "ms"),
        *(
            Result(f"loop.{contender.module}.cpu_ms", contender.cpu_ms, "ms")
            for contender in (raw, create, *peers)
        ),
    ]


def _against(griot: Contender, peers: list[Contender]) -> list[Result]:
    """How many times less than the fastest framework, if there is one to compare with."""
    if not peers:
        return []
    fastest = min(peer.cpu_ms for peer in peers)
    return [Result("loop.vs_fastest_framework", fastest / griot.cpu_ms, "times")]
