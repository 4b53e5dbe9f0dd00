"""Choose what is practised, and draw its exercises, none twice in a series."""

from __future__ import annotations

import re
from dataclasses import replace as with_changes
from itertools import islice
from operator import attrgetter
from typing import Final

from msgspec.structs import replace

from bot.i18n import say
from bot.learning.new_exercise import NewExercise, exercise_of_item
from bot.learning.skills.mastery import Proposal, is_hard
from bot.learning.skills.skill_map import Skill, SkillMap, installed_skills
from bot.learning.skills.skill_matching import (
    USUAL_GRADE,
    Field,
    find_skills,
    suggest_skills,
)
from bot.maths.reading.number_words import words_to_number
from bot.messages.incoming import Person
from bot.practice.catalogue import all_generators, find_generator
from bot.practice.generator import Generator, seed_of
from bot.practice.grades import find_grade

_MOST_NEAR: Final = 3
"""Most skills that are proposed in place of one without exercises."""
_MOST_DRAWS: Final = 12
"""Draws for an item that was not asked before; some generators have few items."""

_NUMBER: Final = r"(?:[0-9]{1,2}|[a-z]{2,6})\b"
_TABLE: Final = re.compile(
    rf"\btables? (?:de multiplication )?(?:de |du |des |par |of |x ?|× ?)?(?P<after>{_NUMBER})"
    rf"|\b(?P<before>{_NUMBER})(?:-| )?times tables?\b"
)
_EASY_TABLES: Final = "maths.tables-2-5-10"
_OTHER_TABLES: Final = "maths.multiplication-tables"

_PLEASE: Final = (
    r"(?:s'?il (?:te|vous) pla[iî]t|svp|stp|please|pls|merci|thanks|thank you|monsieur|madame"
    r"|maintenant|now)"
)
_POLITE_START: Final = re.compile(rf"^(?:(?:{_PLEASE}|bonjour|salut|hello|hi)\b[\s,.!]*)+", re.I)
_POLITE_END: Final = re.compile(rf"(?:[\s,.!]+{_PLEASE})+[\s.!]*$", re.I)
_REQUEST: Final = re.compile(
    r"^(?:(?:(?:je|j'|on|moi je|i|we)\s*(?:veux|voudrais|veut|aimerais|dois|peux|vais|souhaite"
    r"|ai envie|ai besoin|want|need|would like|'d like|have|can)(?: bien)?(?: (?:de|d'|to))?\s*"
    r"|(?:est-ce qu'on peut|on peut|peut-on|can (?:we|i)|let's|let us) )"
    r"(?:(?:me |m'|m'y )?(?:entra[iî]ner|exercer|travailler|r[ée]viser|pratiquer|faire|apprendre"
    r"|avoir|bosser|am[ée]liorer|practi[sc]e|work|revise|learn|do|train|have|get|improve)\b)?"
    r"|(?:donne|propose|fais)[- ](?:moi|nous)\b|give me\b)\s*"
    r"(?:(?:des?|un|une|quelques|some|an?) (?:petits? )?"
    r"(?:exercices?|exos?|questions?|exercises?)\b\s*)?"
    r"(?:(?:sur|on|about|en|avec|with|of|de|[àa]) |d')?",
    re.IGNORECASE,
)
"""Words with which a person asks for practice before they name a skill."""


def draw(
    generator: Generator,
    seed: str,
    difficulty: int,
    left: int,
    language: str,
    drawn: tuple[int, ...] = (),
    wanted: str = "",
    last: str = "",
) -> NewExercise:
    """Return an exercise of the generator, the same for the same arguments.

    Args:
        left: exercises that follow it in its series.
        drawn: marks of the items of the series so far, as its last exercise has them; it differs
            from these as long as the generator has others.
        wanted: what the person asked for; if that is a times table, the exercise is about it.
        last: the solution of the exercise before it; a number does not come twice in a row as long
            as the generator has others.
    """
    table = find_table(wanted)
    seeds = (seed, *(f"{seed}#{number}" for number in range(1, _MOST_DRAWS)))
    items = (_make(generator, each, difficulty, left, language, table) for each in seeds)
    new = next(items)
    for item in items:
        if _mark(new) not in drawn and not _repeats(new, last):
            break
        if _mark(new) in drawn or _mark(item) not in drawn:
            new = item
    within = wanted if table else ""
    return with_changes(new, body=replace(new.body, drawn=(*drawn, _mark(new)), within=within))


def _make(
    generator: Generator, seed: str, difficulty: int, left: int, language: str, table: int = 0
) -> NewExercise:
    number = seed_of(seed)
    item = generator.make(number, difficulty=difficulty, language=language, table=table)
    new = exercise_of_item(item, left_after=left)
    return with_changes(new, body=replace(new.body, seed=number))


def _repeats(new: NewExercise, last: str) -> bool:
    """Return whether a number is the solution as it was of the exercise before; two options that
    take turns would tell more."""
    has_options = len(new.body.options) > 2 or not new.body.options
    return bool(last) and has_options and any(map(str.isdigit, last)) and new.body.solution == last


def _mark(new: NewExercise) -> int:
    """Return a number by which to know the same item again."""
    parts = (new.statement, *sorted(new.body.options), *new.body.solutions)
    return seed_of("\n".join(parts))


def draw_proposed(
    proposal: Proposal,
    seed: str,
    left: int,
    language: str,
    drawn: tuple[int, ...],
    recent: tuple[bool, ...],
    within: str,
    last: str = "",
) -> NewExercise:
    """Return the proposed exercise, after a worked example of its skill if one is proposed.

    Args:
        recent: for each exercise of the series so far, whether it went well.
        within: the subject or grade that the series keeps to; empty: all.
        last: the solution of the exercise before it.

    Raises:
        ValueError: the skill has no generator.
    """
    generator = find_generator(proposal.skill.id)
    if generator is None:
        raise ValueError(f"{proposal.skill.id} has no generator")
    new = draw(generator, seed, proposal.difficulty, left, language, drawn, last=last)
    body = replace(new.body, recent=recent, example=proposal.example, within=within)
    statement = new.statement
    if proposal.example:
        example = _make(generator, f"{seed}/example", proposal.difficulty, 0, language)
        head = say(language, "An example first:")
        lines = "\n".join(f"- {step}" for step in example.body.steps)
        mine = say(language, "And now you:")
        statement = f"{head} {example.statement}\n\n{lines}\n\n{mine} {statement}"
    return NewExercise(new.kind, statement, body, new.skill, new.difficulty, left)


def draw_again(lost: NewExercise, recent: tuple[bool, ...], language: str) -> NewExercise | None:
    """Return an exercise once more whose solution had to be shown; None: its series goes well
    enough, or it came twice already.

    Args:
        recent: as for `draw_proposed`, with its own result.
    """
    body, generator = lost.body, find_generator(lost.skill)
    if body.again or not generator or not is_hard(recent):
        return None
    item = generator.make(body.seed, difficulty=lost.difficulty, language=language)
    new = exercise_of_item(item, left_after=lost.left_after - 1)
    kept = replace(new.body, seed=body.seed, drawn=body.drawn, within=body.within)
    head = say(language, "The same once more, on your own:")
    return with_changes(
        new,
        statement=f"{head} {new.statement}",
        body=replace(kept, recent=recent, again=True),
    )


def leave_request(text: str) -> str:
    """Return what a person asks to practise without the words that ask for it: `les fractions` for
    `je veux travailler les fractions s'il te plaît`."""
    line = _POLITE_END.sub("", _POLITE_START.sub("", " ".join(text.replace("’", "'").split())))
    return _REQUEST.sub("", line).strip(" .!,") if _REQUEST.match(line) else line


def find_wanted(wanted: str, person: Person) -> Generator | None:
    """Return the generator of the skill with this id or name; else, of the skills about it, the one
    nearest to the person's grade: of one subject, as a word of another means something else there,
    such as `conditionnel`."""
    if table := find_table(wanted):
        return find_generator(_EASY_TABLES if table in (2, 5, 10) else _OTHER_TABLES)
    grade = find_grade(person.grade) or ""
    skills = find_skills(installed_skills(), wanted, person.language, grade)
    found = (find_generator(each.id) for each in skills if each.subject == skills[0].subject)
    return next(filter(None, found), None)


def find_table(wanted: str) -> int:
    """Return the times table from 2 to 12 that these words name, `la table de 7`; 0: none."""
    found = _TABLE.search(" ".join(wanted.lower().split()))
    named = (found["after"] or found["before"]) if found else ""
    number = int(named) if named.isdecimal() else int(words_to_number(named) or 0)
    return number if number in range(2, 13) else 0


def suggest_near(wanted: str, person: Person) -> list[Skill]:
    """Return the skills with exercises that have something in common with these words; then those
    that lead to the skill which the words mean, or follow from it."""
    skills, grade = installed_skills(), find_grade(person.grade) or ""
    meant = find_skills(skills, wanted, person.language, grade)[:1]
    subjects = {each.subject for each in meant or skills.by_id.values()}
    if not meant:
        subjects.discard({"fr": "english", "en": "french"}.get(person.language, ""))
    alike = suggest_skills(skills, wanted, person.language, grade=grade, limit=20)
    near = dict.fromkeys((*alike, *(linked for each in meant for linked in _link(skills, each))))
    fit = (each for each in near if each.subject in subjects and find_generator(each.id))
    return list(islice(fit, _MOST_NEAR))


def _link(skills: SkillMap, skill: Skill) -> list[Skill]:
    """Return the skills that prerequisites link with this one, the fewest links first, and of these
    what it needs before what needs it."""
    found = {skill.id: skill}
    last = [skill]
    while last:
        ids = {each.id for each in last}
        before = (skills.by_id[name] for each in last for name in each.prerequisites)
        after = (each for each in skills.by_id.values() if ids.intersection(each.prerequisites))
        last = [each for each in dict.fromkeys((*before, *after)) if each.id not in found]
        found.update((each.id, each) for each in last)
    return list(found.values())[1:]


def propose_any(person: Person, key: str, field: Field | None) -> Generator | None:
    """Return the generator of a skill of the subject or grade that was named, chosen by the key: of
    the person's grade if that one has exercises, and of mathematics unless another subject was
    named."""
    skills = installed_skills().by_id
    every = [
        each
        for each in sorted(all_generators(), key=attrgetter("skill"))
        if field is None or (each.skill in skills and field.has(skills[each.skill]))
    ]
    grade = find_grade(person.grade) or USUAL_GRADE
    own = [each for each in every if each.grade == grade] or every
    own = [each for each in own if each.skill.startswith("maths.")] or own
    return own[seed_of(key) % len(own)] if own else None
