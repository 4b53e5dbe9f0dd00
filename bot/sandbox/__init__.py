"""A sandbox for the shell commands of models: no network, no files of ours, nothing left behind.

A command runs as a user of its own in bubblewrap (`command_line.py`), in our hands from before its
first instruction to its end (`cell.py`), and whatever it takes too much of ends it (`run.py`).
Where such a sandbox cannot be made (`inspection.py`) no command runs at all.
"""

from __future__ import annotations

from bot.sandbox.background import BackgroundEnd, BackgroundStart
from bot.sandbox.limits import Limits
from bot.sandbox.outcome import describe
from bot.sandbox.sandbox import Sandbox, probe

__all__ = ["BackgroundEnd", "BackgroundStart", "Limits", "Sandbox", "describe", "probe"]
