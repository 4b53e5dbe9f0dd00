"""`griot doctor`: explain every missing or wrong setting at once."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot import settings as environment
from bot.cli.cli_runtime import ENV_FILE, Json, one_line, print_json, run, warn
from bot.errors import GriotError, SettingsError
from bot.observability import configure_logging

if TYPE_CHECKING:
    from bot.contracts.channels import Finding
    from bot.settings import Settings


Offline = Annotated[bool, typer.Option("--offline", help="Do not contact any provider.")]
Fix = Annotated[
    bool,
    typer.Option("--fix", help="Repair first: missing secrets, Telegram's webhook, tables."),
]


def doctor(as_json: Json = False, offline: Offline = False, fix: Fix = False) -> None:
    """Explain what is missing or wrong, and what to do.

    Griot asks each configured provider whether it accepts your keys; it sends no message. Exit code
    1 means that something is an error, 0 that nothing is; a provider that does not answer is only a
    warning. With --offline, it checks settings, database, files, isolated worker, sandbox and the
    commands of MCP_SERVERS alone.
    """
    configure_logging("error", json=False)
    if fix:
        run(_mend(offline=offline, quietly=as_json))
    findings = run(_examine(offline=offline))
    if as_json:
        print_json(findings)
    else:
        for item in findings:
            typer.echo(one_line(f"{item.level.upper()} {item.name}: {item.message}"))
            if item.advice:
                typer.echo(f"    {one_line(item.advice)}")
        typer.echo(_summarize(findings))
    if any(item.level == "error" for item in findings):
        raise typer.Exit(1)


def _summarize(findings: Iterable[Finding]) -> str:
    """Return one line of figures: `12 fine, 1 warning, 1 missing`, with the count of what is wrong
    only if it is not 0."""
    kinds = Counter(
        "missing" if item.level == "error" and item.missing else item.level for item in findings
    )
    warnings = f"{kinds['warning']} warning{'' if kinds['warning'] == 1 else 's'}"
    wrong = [f"{kinds['error']} wrong"] if kinds["error"] else []
    return ", ".join([f"{kinds['ok']} fine", warnings, f"{kinds['missing']} missing", *wrong])


async def _mend(*, offline: bool, quietly: bool) -> None:
    from bot.cli.diagnostics import repair_settings

    settings, _ = _read_settings()
    try:
        async for name, done in repair_settings(settings, offline=offline):
            typer.echo(f"MENDED {name}: {done}", err=quietly)
    except (GriotError, OSError) as error:
        warn(f"not everything could be mended: {error}")


async def _examine(*, offline: bool) -> list[Finding]:
    from bot.checks.services import probe_services
    from bot.checks.settings import check_settings
    from bot.contracts.channels import Finding

    settings, findings = _read_settings()
    wrong = {item.name for item in findings}
    for line in environment.unknown(env_file=ENV_FILE):
        name, _, message = line.partition(": ")
        problem, _, hint = message.partition("; ")
        findings.append(Finding("warning", name, problem, hint or "correct or remove it"))
    findings += _check_env_file(ENV_FILE)
    others = [*check_settings(settings), *await probe_services(settings, offline=offline)]
    return findings + [
        item
        for item in others
        if item.name not in wrong and not (item.missing and wrong.issuperset(item.missing))
    ]


def _check_env_file(file: Path) -> list[Finding]:
    """Return a warning if everybody on this machine can read the file, which holds keys."""
    from bot.contracts.channels import Finding

    if not file.exists() or not file.stat().st_mode & stat.S_IROTH:
        return []
    message = "everybody on this machine can read it, and it holds keys"
    return [Finding("warning", file.name, message, f"chmod 600 {file.name}")]


def _read_settings() -> tuple[Settings, list[Finding]]:
    """Return the settings without the invalid ones, and an error for each of these."""
    from bot.contracts.channels import Finding

    try:
        return environment.load(env_file=ENV_FILE), []
    except SettingsError as error:
        lines = [line.partition(": ") for line in str(error).splitlines()]
    wrong = {name for name, _, _ in lines}
    findings: list[Finding] = []
    for name, _, message in lines:
        problem, _, hint = message.partition("; ")
        findings.append(Finding("error", name, problem, hint or "correct it, or leave it out"))
    left = {name: value for name, value in os.environ.items() if name.upper() not in wrong}
    # An empty value counts as unset, and overrides the one in the file.
    unset = {spelling: "" for name in wrong for spelling in (name, name.lower())}
    return environment.load(left | unset, ENV_FILE), findings
