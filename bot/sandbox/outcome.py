"""How a command ended, in words for the model."""

from __future__ import annotations

from bot.contracts import Outcome


def describe(outcome: Outcome) -> str:
    """At most 4,000 characters: how it ended on the first line, below it what it has said."""
    return f"{_end(outcome)}\n{outcome.output.rstrip() or '(no output)'}"


def _end(outcome: Outcome) -> str:
    match outcome.stopped:
        case "time":
            return f"stopped after {outcome.seconds:.0f} s: that was all the time it had"
        case "output":
            return "stopped: it said too much; let it say less"
        case "memory":
            return "stopped: there was too little memory left; let it use less"
        case "shutdown":
            return "stopped: the service restarts; it may be started again"
        case "lost":
            return "lost: what ran it came to a sudden end; it may be started again"
        case None:
            return f"exit status {outcome.status}"
