"""`griot eval`: measure a model as a tutor, as a table and as JSON."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import structlog
import typer

from bot.cli.cli_runtime import Json, load_settings, one_line, print_json, print_table, run, warn
from bot.errors import SettingsError

if TYPE_CHECKING:
    from bot.evals.dialogues import Dialogue
    from bot.evals.judging import Verdict
    from bot.evals.playing import Variant
    from bot.settings import Settings

_COUNTED = "direct_solutions guiding_questions wrong_statements leaks stopped messages usd"
_COUNTS: Final = _COUNTED.split()
_COLUMNS: Final = ("dialogue", "passed", *(name.partition("_")[0] for name in _COUNTS))

Files = Annotated[
    list[Path] | None,
    typer.Argument(metavar="FILE…", help="Files of dialogues; else the forty that Griot has."),
]
Compare = Annotated[
    str,
    typer.Option(metavar="NAME", help="Another model, or a folder of prompts, to play with too."),
]


def evaluate(files: Files = None, *, as_json: Json = False, compare: Compare = "") -> None:
    """Play dialogues with the model as a tutor; exit 1 if one failed."""
    from bot.evals.dialogues import UnreadableDialogues, read_dialogues
    from bot.evals.playing import Variant

    settings = load_settings()
    try:
        dialogues = read_dialogues(files or [])
    except UnreadableDialogues as error:
        warn(str(error))
        raise typer.Exit(2) from None
    _check_model(settings)
    variants = [Variant(settings)]
    if compare:
        variants.append(_read_variant(settings, compare))
    if settings.log_level != "debug":  # a failed turn is in the report
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("critical"))
    first, *others = [run(_evaluate(variant, dialogues)) for variant in variants]
    if as_json:
        compared = [{"name": compare, **_report(verdicts)} for verdicts in others]
        print_json(_report(first) | ({"compared": compared[0]} if compared else {}))
    else:
        _print_table(first)
        for verdicts in others:
            typer.echo(f"\n{one_line(compare)}\n")
            _print_table(verdicts)
    if not all(verdict.passed for verdicts in (first, *others) for verdict in verdicts):
        raise typer.Exit(1)


def _check_model(settings: Settings) -> None:
    """Raise `SettingsError` if there is no model to ask."""
    from bot.checks.settings import check_model

    for item in check_model(settings):
        if item.level == "error":
            raise SettingsError(f"{item.name}: {item.message}. Set it up with: griot init")


def _read_variant(settings: Settings, name: str) -> Variant:
    """Return the same settings with the prompts of a folder, or with another model."""
    from bot.agent.prompts.system_prompt import list_prompts
    from bot.evals.playing import Variant

    folder = Path(name)
    if folder.is_dir():
        if not list_prompts(folder):
            raise typer.BadParameter(
                f"{name} has no prompt of Griot's, such as fr/child.md",
                param_hint="'--compare'",
            )
        return Variant(settings, prompts=folder)
    if name.startswith((".", "/", "~")) or name.endswith("/"):
        raise typer.BadParameter(f"there is no folder {name}", param_hint="'--compare'")
    return Variant(settings.model_copy(update={"model": name}))


async def _evaluate(variant: Variant, dialogues: Sequence[Dialogue]) -> list[Verdict]:
    """Play all dialogues and judge each; return the verdicts in the order of the dialogues."""
    from bot.evals.judging import judge_dialogue
    from bot.evals.playing import Exchange, play_dialogues
    from bot.isolated_worker.worker import WarmWorker
    from bot.maths.checker import PROGRAM, MathsChecker

    worker = WarmWorker(PROGRAM)
    checker = MathsChecker(worker.ask)
    verdicts: dict[str, Verdict] = {}

    async def judge(dialogue: Dialogue, exchanges: Sequence[Exchange]) -> None:
        verdict = await judge_dialogue(dialogue, exchanges, checker)
        verdicts[dialogue.name] = verdict
        if sys.stderr.isatty():
            state = "passed" if verdict.passed else "failed"
            warn(f"{len(verdicts)}/{len(dialogues)} {dialogue.name}: {state}")

    try:
        await play_dialogues(variant, dialogues, judge)
    finally:
        await worker.close()
    return [verdicts[dialogue.name] for dialogue in dialogues]


def _report(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    sums = {name: sum(getattr(verdict, name) for verdict in verdicts) for name in _COUNTS}
    passed = sum(verdict.passed for verdict in verdicts)
    totals = {"dialogues": len(verdicts), "passed": passed, "failed": len(verdicts) - passed}
    return {
        "dialogues": verdicts,
        "totals": totals | sums | {"usd": round(sums["usd"], 6)},
    }


def _print_table(verdicts: Sequence[Verdict]) -> None:
    """Print the counts of each dialogue and in total, and why dialogues failed."""
    total = _report(verdicts)["totals"]
    rows = [
        (each.name, "yes" if each.passed else "NO", *(getattr(each, name) for name in _COUNTS))
        for each in verdicts
    ]
    passed = f"{total['passed']}/{total['dialogues']}"
    rows.append(("total", passed, *(total[name] for name in _COUNTS)))
    print_table(_COLUMNS, [(*counts, f"{usd:.6f}") for *counts, usd in rows])
    for verdict in verdicts:
        for failure in verdict.failures:
            typer.echo(one_line(f"{verdict.name}: {failure}"))
