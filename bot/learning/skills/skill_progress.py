"""Describe a learner's skills for a person and for the model: by state, by skill, what is next."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.i18n import say
from bot.learning.skills.learner_model import KnownSkill, LearnerModel
from bot.learning.skills.mastery import (
    Learner,
    Proposal,
    State,
    fit_exercise,
    name_level,
    propose_exercise,
    propose_skills,
)
from bot.learning.skills.skill_map import Skill, SkillMap
from bot.learning.skills.skill_matching import Field
from bot.learning.subjects import name_subject
from bot.practice.catalogue import all_generators
from bot.practice.grades import GRADES

MOST_NEXT: Final = 3
"""How many skills are proposed at once."""
_ORDER: Final[Sequence[State]] = ("learning", "mastered", "new")
_MOST_TO_MODEL: Final = 290
"""Most characters of names in the model's summary; with the words around them at most 400."""


@dataclass(frozen=True, slots=True)
class SkillLine:
    """A skill as a person reads it."""

    id: str
    name: str
    grade: str
    state: State
    words: str
    """The state in the person's language."""
    share: int
    """The chance that it is known, in percent."""


@dataclass(frozen=True, slots=True)
class NextSkill:
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class SkillOverview:
    lines: tuple[SkillLine, ...] = ()
    """Skills being learnt first, then mastered, then new; in each group the best known first."""
    summary: str = ""
    """How many skills are in which state, on one line; empty: there are none."""
    level: str = ""
    """A sentence with the level in each subject of the placement; empty: there was none."""
    next: tuple[NextSkill, ...] = ()


NO_SKILLS: Final = SkillOverview()


def list_next(model: LearnerModel, limit: int = MOST_NEXT) -> list[Skill]:
    """Return the skills to learn next, the best first; none if the learner is unknown."""
    if model.learner is None:
        return []
    ids = _list_practicable()
    return propose_skills(model.skills, model.learner, practicable=ids, limit=limit)


def propose_practice(
    model: LearnerModel,
    recent: Sequence[bool] = (),
    avoid: Collection[str] = (),
    field: Field | None = None,
) -> Proposal | None:
    """Return the exercise to practise now: at the start of a series of the skill to learn next,
    then of the skill that fits best.

    Args:
        recent: results of the running series at the first try.
        avoid: skills not to choose if there are others.
        field: the subject or grade to choose from, also above the pupil's grade; None: any.
    """
    if model.learner is None:
        return None
    practicable = _list_practicable()
    if field is not None:
        chosen = {each for each in practicable if _is_within(model.skills, each, field)}
        learner = _lift_grade(model.learner, model.skills) if field.grade else model.learner
        return propose_exercise(model.skills, learner, chosen, recent=recent, avoid=avoid)
    if not recent:
        first = next((each for each in list_next(model, 1) if each.id in practicable), None)
        if first is not None:
            return fit_exercise(model.skills, model.learner, first)
    return propose_exercise(model.skills, model.learner, practicable, recent=recent, avoid=avoid)


def _is_within(skills: SkillMap, skill: str, field: Field) -> bool:
    return skill in skills.by_id and field.has(skills.by_id[skill])


def _lift_grade(learner: Learner, skills: SkillMap) -> Learner:
    """Return the learner as one of the last grade with the same levels, to whom any skill may be
    proposed."""
    subjects = {skill.subject for skill in skills.by_id.values()}
    levels = {subject: learner.level(subject) for subject in subjects}
    return replace(learner, grade=GRADES[-1], levels=levels)


def _list_practicable() -> set[str]:
    return {each.skill for each in all_generators()}


def make_skill_overview(language: str, model: LearnerModel) -> SkillOverview:
    """Return the overview of a learner's skills in the person's language."""
    known = sorted(model.known, key=lambda each: (_ORDER.index(each.state), -each.p))
    lines = tuple(
        SkillLine(
            each.skill.id,
            each.skill.name(language),
            each.skill.grade,
            each.state,
            name_skill_state(language, each.state),
            round(100 * each.p),
        )
        for each in known
    )
    following = tuple(NextSkill(each.id, each.name(language)) for each in list_next(model))
    level = _describe_level(language, model.learner) if model.learner else ""
    return SkillOverview(lines, _count_states(language, known), level, following)


def _describe_level(language: str, learner: Learner) -> str:
    """Return the level in each subject of a placement; empty: none was placed."""
    return " ".join(
        say(
            language,
            "Your level in {subject}: {grade}.",
            subject=name_subject(language, subject).lower(),
            grade=name_level(learner.levels[subject]),
        )
        for subject in sorted(learner.placed)
        if subject in learner.levels
    )


def name_skill_state(language: str, state: State) -> str:
    """Return a state's name in the person's language."""
    match state:
        case "new":
            return say(language, "to begin")
        case "learning":
            return say(language, "in progress")
        case "mastered":
            return say(language, "mastered")


def _count_states(language: str, known: Sequence[KnownSkill]) -> str:
    """Return the summary line: `3 mastered, 2 in progress`."""
    if not known:
        return ""
    mastered = sum(each.state == "mastered" for each in known)
    learning = sum(each.state == "learning" for each in known)
    return say(
        language,
        "{mastered} mastered, {learning} in progress",
        mastered=mastered,
        learning=learning,
    )


def describe_skills(language: str, overview: SkillOverview) -> list[str]:
    """Return paragraphs of markdown: the level of a placement, how many skills are in which state,
    and which come next."""
    paragraphs = [overview.level] if overview.level else []
    if overview.summary:
        paragraphs.append(say(language, "Skills: {summary}.", summary=overview.summary))
    if words := describe_next(language, overview):
        paragraphs.append(words)
    return paragraphs


def describe_next(language: str, overview: SkillOverview) -> str:
    """Return the skills to learn next and the command that begins one; empty: there are none."""
    if not overview.next:
        return ""
    names = [each.name for each in overview.next]
    mark = "\u202f; " if language == "fr" else "; "
    between = mark if any("," in name for name in names) else ", "
    return say(language, "Next: {skills}. /practice begins.", skills=between.join(names))


def summarise_for_model(language: str, model: LearnerModel) -> Mapping[str, str]:
    """Return the model's summary of a learner: levels, and names of skills, as many as fit.

    Values may be empty; together they have at most `_MOST_TO_MODEL` characters.
    """
    if model.learner is None or not (model.known or model.learner.levels):
        return {}
    levels = ", ".join(
        f"{name_subject(language, subject)} {name_level(place)}"
        for subject, place in model.learner.levels.items()
    )
    by_state: dict[State, list[str]] = {"learning": [], "mastered": [], "new": []}
    for each in sorted(model.known, key=lambda each: -each.skill.rank):
        by_state[each.state].append(each.skill.name(language))
    left = _MOST_TO_MODEL
    shown: dict[str, str] = {}
    following = [each.name(language) for each in list_next(model)]
    for key, names in (
        ("levels", [levels]),
        ("following", following),
        ("learning", by_state["learning"]),
        ("mastered", by_state["mastered"]),
    ):
        shown[key] = _join_fitting(filter(None, names), min(left, 110))
        left -= len(shown[key])
    return shown


def _join_fitting(names: Iterable[str], most: int) -> str:
    """Join the first names with commas, as many as fit in `most` characters."""
    text = ""
    for name in names:
        longer = f"{text}, {name}" if text else name
        if len(longer) > most:
            break
        text = longer
    return text
