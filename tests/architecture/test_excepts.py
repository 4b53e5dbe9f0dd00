"""Each clause that catches every exception has a reason, which is listed here."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from tests.architecture.modules import Module, read_modules

NOTHING_IS_LOST = "the work is stored: it is logged and tried again, and the loop goes on"
CLEANS_UP = "it cleans up, and raises the error again"
FORKED = "a forked child must not run its parent's code: it prints the error and exits"
REASONS = {
    "bot.billing.refunds": [CLEANS_UP],
    "bot.demo.fork_server": [FORKED],
    "bot.demo.gateway": [FORKED],
    "bot.documents.typesetter": [CLEANS_UP],
    "bot.gateway.commands.router": ["a command that fails is given up, and the person is told"],
    "bot.gateway.delivery.sender": ["whether it was sent is not known, and is stored so"],
    "bot.gateway.runner": [NOTHING_IS_LOST],
    "bot.gateway.scheduler.review_nudges": [NOTHING_IS_LOST] * 3,
    "bot.gateway.scheduler.reminders": [NOTHING_IS_LOST, NOTHING_IS_LOST],
    "bot.gateway.turns.run": [
        "a turn that fails is tried again or given up, and the person told",
        "it is raised again",
    ],
    "bot.gateway.worker": [NOTHING_IS_LOST],
    "bot.gateway.scheduler.scheduler": [NOTHING_IS_LOST, NOTHING_IS_LOST],
    "bot.server": ["a channel that cannot be reached is asked again, and stops no other"],
    "bot.settings.loading": [CLEANS_UP],
    "bot.storage.postgres": [CLEANS_UP, CLEANS_UP, CLEANS_UP],
    "bot.storage.sqlite": ["another thread's task gets the error, as it is"],
    "bot.web.completion_response": ["a stream that has begun can only end with an error event"],
    "bot.web.app": ["no answer shows what is inside; the error is logged"],
    "bot.web.turn_streams": ["a stream that has begun can only end with an error event"],
    "bot.agent.toolbox": ["a broken tool gives the model a result that says so"],
}


def count_blind_excepts(modules: Mapping[str, Module]) -> Counter[str]:
    """Count by module the clauses that catch `Exception`, `BaseException` or everything."""
    found: Counter[str] = Counter()
    for module in modules.values():
        for node in ast.walk(ast.parse(module.source)):
            if isinstance(node, ast.ExceptHandler) and (
                node.type is None or ast.unparse(node.type) in {"Exception", "BaseException"}
            ):
                found[module.name] += 1
    return found


def test_each_blind_except_has_a_reason() -> None:
    assert count_blind_excepts(read_modules()) == Counter(
        {name: len(reasons) for name, reasons in REASONS.items()}
    )


def test_planted_blind_excepts_are_found(tmp_path: Path) -> None:
    path = tmp_path / "bot" / "blind.py"
    path.parent.mkdir()
    path.write_text("try:\n    x()\nexcept Exception:\n    pass\nexcept:\n    pass\n")
    assert count_blind_excepts(read_modules(tmp_path)) == {"bot.blind": 2}
