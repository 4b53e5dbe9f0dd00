"""`griot tools`, `griot models`, `griot skills`: list what this installation has to work with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.cli_runtime import Json, load_settings, print_json, print_table, terminal_language

if TYPE_CHECKING:
    from bot.learning.skills.skill_map import Skill
    from bot.settings import Settings

_OPTIONAL_ROLES = ("utility", "vision", "transcribe", "embed", "answer")


def tools(as_json: Json = False) -> None:
    """List the tools with their modes, effects and time limits."""
    from tools import TOOLS

    disabled = load_settings().disabled_tools
    rows: list[dict[str, Any]] = [
        {
            "name": tool.name,
            "modes": sorted(tool.modes),
            "effect": tool.effect,
            "timeout": tool.timeout,
            "disabled": tool.name in disabled,
            "description": tool.spec.description,
        }
        for tool in TOOLS
    ]
    if as_json:
        print_json(rows)
        return
    columns = ("name", "modes", "effect", "seconds", "", "description")
    print_table(columns, [_tool_cells(row) for row in rows])


def _tool_cells(row: dict[str, Any]) -> tuple[object, ...]:
    first_sentence = row["description"].partition(". ")[0]
    off = "disabled" if row["disabled"] else ""
    seconds = f"{row['timeout']:g}"
    return row["name"], " ".join(row["modes"]), row["effect"], seconds, off, first_sentence


def models(as_json: Json = False) -> None:
    """List the configured models, their abilities and prices."""
    rows = [*_models(load_settings())]
    if as_json:
        print_json(rows)
        return
    print_table(list(rows[0]), [list(row.values()) for row in rows])


def _models(settings: Settings) -> Iterator[dict[str, Any]]:
    """Yield the primary model, its fallbacks in order, then the models for special tasks."""
    scripted = settings.debug_mock_responses is not None
    url, has_key = settings.openai_base_url, bool(settings.openai_api_key)
    primary = "scripted" if scripted else url
    yield _model(settings, "primary", settings.model, primary, has_key=has_key)
    for number, other in enumerate(settings.model_fallbacks, 1):
        role, key = f"fallback {number}", bool(other.api_key)
        yield _model(settings, role, other.model, other.base_url, has_key=key)
    for role in _OPTIONAL_ROLES:
        if model := getattr(settings, f"{role}_model"):
            yield _model(settings, role, model, url, has_key=has_key)


def _model(
    settings: Settings, role: str, model: str, base_url: str, *, has_key: bool
) -> dict[str, Any]:
    from bot.agent.model_facts import find_model_facts

    return {
        "role": role,
        "model": model,
        "base_url": re.sub(r"//[^/@]*@", "//", base_url),
        "has_key": has_key,
        **asdict(find_model_facts(model, settings.model_capabilities)),
    }


# The map of skills -------------------------------------------------------------------------------

skills_app = typer.Typer(
    help="List the skills that are taught and practised.", no_args_is_help=True
)
Subject = Annotated[str, typer.Option(help="Only this subject: maths, french, SVT …")]
Grade = Annotated[str, typer.Option(help="Only this grade: CP, 6e, Terminale …")]


@skills_app.command("list")
def list_skills(subject: Subject = "", grade: Grade = "", as_json: Json = False) -> None:
    """List the skills, their grades, and which have exercises."""
    from bot.learning.skills.skill_map import load_skills
    from bot.practice.catalogue import find_generator

    skills = [*load_skills(load_settings().curriculum).by_id.values()]
    skills = _of_grade(_of_subject(skills, subject), grade)
    if as_json:
        print_json(
            [
                {
                    "id": skill.id,
                    "subject": skill.subject,
                    "grade": skill.grade,
                    "names": {"fr": skill.french, "en": skill.english},
                    "prerequisites": skill.prerequisites,
                    "practice": find_generator(skill.id) is not None,
                }
                for skill in skills
            ]
        )
        return
    language = terminal_language()
    rows = [
        (skill.id, skill.grade, "yes" if find_generator(skill.id) else "", skill.name(language))
        for skill in skills
    ]
    print_table(("id", "grade", "practice", "name"), rows)


def _of_subject(skills: list[Skill], subject: str) -> list[Skill]:
    from bot.learning.subjects import fold_subject, join_subject

    if not subject:
        return skills
    known = sorted({skill.subject for skill in skills})
    folded = join_subject(fold_subject(subject), known)
    if folded not in known:
        raise typer.BadParameter(
            f"no skill is of {subject!r}; the subjects are {', '.join(known)}",
            param_hint="--subject",
        )
    return [skill for skill in skills if skill.subject == folded]


def _of_grade(skills: list[Skill], grade: str) -> list[Skill]:
    from bot.practice.grades import GRADES, find_grade

    if not grade:
        return skills
    found = find_grade(grade)
    if found is None:
        raise typer.BadParameter(
            f"{grade!r} is no grade; the grades are {', '.join(GRADES)}", param_hint="--grade"
        )
    return [skill for skill in skills if skill.grade == found]
