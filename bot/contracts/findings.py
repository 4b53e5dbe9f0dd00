"""What `griot doctor` has found, one thing at a time, and whom it asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at, and what came of it."""

    level: Literal["ok", "warning", "error"]
    name: str
    message: str
    advice: str = ""
    """What to do; empty when all is well."""
    reason: Literal["", "missing", "unanswered"] = ""
    """Why it is not ok, where that matters: nothing is set, or a provider gave no answer."""


class CheckedProvider(Protocol):
    """A provider that can be asked whether it knows us."""

    title: str
    """As people know it: `Telegram`."""

    async def check(self) -> Sequence[Finding]:
        """Ask the provider what it says of our settings. Nothing is sent, bought or changed.

        Raises `ConnectionError` or `DeliveryError`: it gave no answer, or none that says anything
        of our settings; the message says what was seen, and nothing of the request.
        """
        ...


def summarize_findings(findings: Iterable[Finding]) -> str:
    """Return one line of figures: `12 fine, 1 warning, 1 missing`; what is wrong is named only if
    there is any."""
    kinds = Counter(
        "missing" if item.level == "error" and item.reason == "missing" else item.level
        for item in findings
    )
    warnings = f"{kinds['warning']} warning{'' if kinds['warning'] == 1 else 's'}"
    wrong = [f"{kinds['error']} wrong"] if kinds["error"] else []
    return ", ".join([f"{kinds['ok']} fine", warnings, f"{kinds['missing']} missing", *wrong])
