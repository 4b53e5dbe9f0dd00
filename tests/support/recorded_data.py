"""Where the recorded provider payloads and specifications lie: beside the repository."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
