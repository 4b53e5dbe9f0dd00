"""The frameworks that the loop is measured against, each in a venv of its own under `.bench/`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / ".bench"
PEERS: Mapping[str, tuple[str, ...]] = {
    "pydantic_ai": ("pydantic-ai-slim[openai]==2.68.0", "openai==3.52.0"),
    "openai_agents": ("openai-agents==0.24.0", "openai==3.52.0"),
    "agno": ("agno==3.1.10", "openai==3.52.0"),
}
"""Contender → what its venv holds."""


def install(peer: str) -> Path | None:
    """The Python of the peer's venv, made if need be; None if it cannot be installed."""
    folder = FOLDER / peer
    python = folder / "bin" / "python"
    installed = folder / "installed.txt"
    wanted = "\n".join(PEERS[peer])
    if installed.exists() and installed.read_text() == wanted:
        return python
    try:
        _uv("venv", "--clear", "--quiet", "--python", sys.executable, str(folder))
        _uv("pip", "install", "--quiet", "--python", str(python), *PEERS[peer])
    except subprocess.SubprocessError as error:
        print(f"{peer} is missing, it cannot be installed: {error}", file=sys.stderr)
        return None
    installed.write_text(wanted)
    return python


def _uv(*arguments: str) -> None:
    command = [sys.executable, "-m", "uv", *arguments]
    subprocess.run(command, check=True, timeout=600)
