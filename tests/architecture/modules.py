"""The modules of the product as their source says: names, lengths, imports."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Module:
    name: str
    """Dotted, such as `bot.gateway.lanes`."""
    path: Path
    source: str

    @property
    def room(self) -> str:
        """The package that a newcomer opens first: `bot.gateway`, `adapters.telegram`, `tools`."""
        return ".".join(self.name.split(".")[:2]) if "." in self.name else self.name

    @property
    def lines(self) -> int:
        return self.source.count("\n")


def read_modules(root: Path = ROOT) -> dict[str, Module]:
    """All modules of `bot`, `adapters` and `tools` below `root`, by name; migrations apart."""
    found: dict[str, Module] = {}
    for top in ("bot", "adapters", "tools"):
        for path in sorted((root / top).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            if "migrations" in parts:
                continue
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = Module(name, path, path.read_text(encoding="utf-8"))
    return found


def find_importers(modules: Mapping[str, Module]) -> dict[str, set[str]]:
    """For each module those that import it, or a name from it."""
    importers: dict[str, set[str]] = defaultdict(set)
    for module in modules.values():
        for node in ast.walk(ast.parse(module.source)):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    importers[whole if whole in modules else node.module].add(module.name)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    importers[alias.name].add(module.name)
    return importers
