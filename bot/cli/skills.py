"""`griot skills`: list the map of skills, with additions from a school's own folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.cli_runtime import load_settings
from bot.cli.output import Json, print_json, print_table, terminal_language

if TYPE_CHECKING:
    from bot.learning.skills.skill_map import Skill

app = typer.Typer(help="List the skills that are taught and practised.", no_args_is_help=True)
Subject = Annotated[str, typer.Option(help="Only this subject: maths, french, SVT …")]
Grade = Annotated[str, typer.Option(help="Only this grade: CP, 6e, Terminale …")]


@app.command("list")
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
