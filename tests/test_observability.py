"""What operators read of Griot is what it tells: dashboard and alerts, and the log's fields."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from bot.observability import Metrics

ROOT = Path(__file__).parents[1]
OTHERS = {"griot_credits_check"}
"""Told by a job of the operator's, as the rule says."""
PARTS = ("_bucket", "_sum", "_count")
LEVELS = {"debug", "info", "warning", "error", "exception"}
LOGGING = (ROOT / "docs" / "logging.md").read_text()


def exported() -> dict[str, set[str]]:
    """The labels of every metric, by its name as it is exported."""
    metrics = Metrics()
    names = re.findall(r"^# TYPE (griot_\w+)", metrics.render().decode(), re.MULTILINE)
    labels: dict[str, set[str]] = {}
    for collector in metrics._registry._collector_to_names:
        for name in names:
            if name in metrics._registry._collector_to_names[collector]:
                labels[name] = set(getattr(collector, "_labelnames", ()))
    return labels


def expressions() -> Iterator[str]:
    dashboard = json.loads((ROOT / "ops" / "grafana" / "griot.json").read_text())
    for panel in dashboard["panels"]:
        yield from (target["expr"] for target in panel.get("targets", ()))
    alerts = yaml.safe_load((ROOT / "ops" / "alerts.yaml").read_text())
    yield from (rule["expr"] for group in alerts["groups"] for rule in group["rules"])


def whole(name: str) -> str:
    return next((name.removesuffix(part) for part in PARTS if name.endswith(part)), name)


@pytest.mark.parametrize("expression", list(expressions()))
def test_dashboard_and_alerts_ask_for_what_is_exported(expression: str) -> None:
    known = exported()
    names = {whole(name) for name in re.findall(r"griot_\w+", expression)} - OTHERS
    assert names <= set(known)
    labels = set().union(*(known[name] for name in names)) | {"le"}
    for grouped in re.findall(r"by \(([^)]*)\)", expression):
        assert {label.strip() for label in grouped.split(",")} <= labels
    if names:
        selected = re.findall(r"(\w+)\s*=~?\"", expression)
        assert set(selected) <= labels


def test_every_metric_is_shown() -> None:
    shown = {whole(name) for text in expressions() for name in re.findall(r"griot_\w+", text)}
    assert set(exported()) - shown == {"griot_reminder_seconds"}


def logged() -> Iterator[tuple[str, str, set[str]]]:
    """Level, event and fields of each line that the code can log; `bind` has no event."""
    for folder in ("bot", "adapters", "tools"):
        for file in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Call) and (level := level_of(node.func)):
                    first = node.args[0] if node.args else None
                    event = first.value if isinstance(first, ast.Constant) else ""
                    yield level, str(event), {each.arg for each in node.keywords if each.arg}


def level_of(function: ast.expr) -> str:
    if isinstance(function, ast.Name) and function.id == "bind":
        return "bind"
    is_log = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)
    if is_log and function.value.id in {"log", "_log"} and function.attr in LEVELS:
        return function.attr
    return ""


def named_in(section: str) -> set[str]:
    text = LOGGING.partition(f"## {section}")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_every_field_of_the_log_is_described_and_no_other() -> None:
    added = {"not_logged"}  # by the processor that leaves repeated lines out
    assert named_in("Fields") == added.union(*(fields for _, _, fields in logged()))


def test_every_error_of_the_log_says_what_to_do_and_is_there() -> None:
    named = named_in("Events to act on")
    errors = {event for level, event, _ in logged() if level in {"error", "exception"} and event}
    code = "\n".join(file.read_text() for file in (ROOT / "bot").rglob("*.py"))
    code += "\n".join(file.read_text() for file in (ROOT / "adapters").rglob("*.py"))
    assert errors - named == set()
    assert {event for event in named if f'"{event}"' not in code} == set()
