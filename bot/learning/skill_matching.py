"""Find the skill that a person's or a model's words mean, such as `addition de fractions`.

Words are compared without accents and by their first letters, so that `multiplication` is near to «
Multiplier par 10 ». A rare word counts more than a frequent one, and words that fit many skills
alike, such as `fractions`, mean none of them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from bot.i18n import fold
from bot.learning.grades import RANKS
from bot.learning.skill_map import Skill, SkillMap

NEAR: Final = 0.5
"""Least alikeness, from 0 to 1, at which words mean a skill."""
_ALIKE: Final = 0.25
"""Least alikeness of a suggested skill."""
_CROWD: Final = 5
"""Most skills that may share the same words; if more do, the words name a topic and no skill."""
_CLOSE: Final = 0.1
"""Names whose alikeness differs by at most this count as equally near."""
_STEM: Final = 6
"""First letters of a word that are compared."""
_SHORTENED: Final = (4, 5)
"""Lengths of a shortened word: `trigo`, `proba`."""
_LONGEST: Final = 200
_PER_GRADE: Final = 0.05
"""Alikeness that a found skill loses for each grade between it and the pupil's."""
_OTHER_LANGUAGE: Final = 0.9
_WORD = re.compile(r"[^\W_]+")
_FIGURE = re.compile(r"[0-9]")
_LITTLE_WORDS = """
    a au aux avec d dans de des du en et est l la le les ou par pour sur un une
    an and at by for from in is of on or the to with
    cours exercice exercices exercise exercises lecon lesson practice quiz revise reviser
    theoreme theorem algebra algebre arithmetic arithmetique calcul calculate calculer conjugaison
    geometrie geometry grammaire grammar math mathematiques maths orthographe vocabulaire
"""
_NO_WORDS: Final = frozenset(_LITTLE_WORDS.split())
"""Words that do not distinguish skills."""


@dataclass(frozen=True, slots=True)
class _Index:
    """The names of a map's skills, by the stems of their words."""

    exact: Mapping[str, tuple[Skill, ...]]
    """Skills by id and by folded name."""
    names: Sequence[tuple[Skill, str, frozenset[str]]]
    """Each name: its skill, language and stems."""
    weights: Mapping[str, float]
    unknown: float
    """The weight of a stem that no name has."""


def find_named_skills(skills: SkillMap, text: str) -> Sequence[Skill]:
    """Return the skills with exactly this id or name, in either language, accents aside."""
    return _index(skills).exact.get(_key(text[:_LONGEST]), ())


def match_skill(
    skills: SkillMap, text: str, language: str, *, subject: str = "", grade: str = ""
) -> Skill | None:
    """Return the skill with this id or name, in either language, else the most alike; None: none is
    near.

    Args:
        text: an id, a name, or words in `language` or the other.
        subject: a name from `fold_subject`: only its skills are searched; empty: all.
        grade: the pupil's, one of `GRADES`, which decides between equally near skills; empty:
            unknown.
    """
    line = text[:_LONGEST]
    same = [
        each
        for each in _index(skills).exact.get(_key(line), ())
        if not subject or each.subject == subject
    ]
    if same:
        return min(same, key=lambda each: _distance(each, grade))
    ranked = _rank(skills, line, language, subject=subject, grade=grade)
    best = max(ranked, key=lambda each: each.alikeness, default=None)
    if best is None or best.alikeness < NEAR:
        return None
    crowd = [each for each in ranked if each.shared >= best.shared]
    if len(crowd) > _CROWD:
        return None
    as_near = [each.skill for each in crowd if each.alikeness >= best.alikeness - _CLOSE]
    return min(as_near, key=lambda each: (_distance(each, grade), each.rank))


def find_skills_about(skills: SkillMap, text: str, grade: str = "") -> list[Skill]:
    """Return all skills whose name, in either language, has all the words that are not small ones:
    the nearest to the grade first, then the easiest.

    Args:
        grade: the pupil's, one of `GRADES`; empty: unknown.
    """
    index = _index(skills)
    stems = frozenset(_complete(index, word) for word in _words(text[:_LONGEST]))
    if not stems:
        return []
    found = {skill.id: skill for skill, _, named in index.names if stems <= named}
    return sorted(found.values(), key=lambda each: (_distance(each, grade), each.rank))


def suggest_skills(
    skills: SkillMap, text: str, language: str, *, grade: str = "", limit: int = 3
) -> list[Skill]:
    """Return at most `limit` skills that share a word with the text, the most alike first."""
    ranked = _rank(skills, text[:_LONGEST], language, subject="", grade=grade)
    return [each.skill for each in ranked if each.alikeness >= _ALIKE][:limit]


@dataclass(frozen=True, slots=True)
class _Candidate:
    skill: Skill
    alikeness: float
    """From 0 to 1."""
    shared: frozenset[str]
    """Stems that the words and the skill's name have in common."""


def _rank(
    skills: SkillMap, text: str, language: str, *, subject: str, grade: str
) -> list[_Candidate]:
    """Return all skills that share a stem with the text, the most alike and nearest to the grade
    first."""
    index = _index(skills)
    stems = frozenset(_complete(index, word) for word in _words(text))
    asked = _weigh(index, stems)
    best: dict[str, _Candidate] = {}
    for skill, spoken, named in index.names:
        shared = stems & named
        if not shared or (subject and skill.subject != subject):
            continue
        weight = _weigh(index, shared)
        alikeness = weight / asked / 2 + weight / (asked + _weigh(index, named))
        alikeness *= 1.0 if spoken == language else _OTHER_LANGUAGE
        known = best.get(skill.id)
        if known is None or alikeness > known.alikeness:
            best[skill.id] = _Candidate(skill, alikeness, shared)

    def order(each: _Candidate) -> tuple[float, int]:
        return _PER_GRADE * _distance(each.skill, grade) - each.alikeness, each.skill.rank

    return sorted(best.values(), key=order)


def _complete(index: _Index, word: str) -> str:
    """Return the word's stem, or for a shortened word the stem of a name that begins with it."""
    stem = _stem(word)
    if stem in index.weights or len(word) not in _SHORTENED:
        return stem
    return min((known for known in index.weights if known.startswith(stem)), default=stem)


def _distance(skill: Skill, grade: str) -> int:
    """Grades between the skill and the pupil; 0 if the pupil's is unknown."""
    return abs(skill.rank - RANKS[grade]) if grade in RANKS else 0


def _weigh(index: _Index, stems: Iterable[str]) -> float:
    return sum(index.weights.get(stem, index.unknown) for stem in stems)


def _key(text: str) -> str:
    return " ".join(_WORD.findall(fold(text)))


def _words(text: str) -> list[str]:
    """Return the folded words of a text, without small words and single figures."""
    words = _WORD.findall(fold(text))
    return [word for word in words if word not in _NO_WORDS and not _FIGURE.fullmatch(word)]


def _stem(word: str) -> str:
    """Return the beginning of a word that most words of its family share."""
    return word[:_STEM].rstrip("aeiousx") or word


@lru_cache(maxsize=4)
def _index(skills: SkillMap) -> _Index:
    exact: dict[str, tuple[Skill, ...]] = {}
    names: list[tuple[Skill, str, frozenset[str]]] = []
    for skill in skills.by_id.values():
        for key in {_key(skill.id), _key(skill.french), _key(skill.english)}:
            exact[key] = (*exact.get(key, ()), skill)
        for language in ("fr", "en"):
            stems = frozenset(map(_stem, _words(skill.name(language))))
            names.append((skill, language, stems))
    found = Counter(stem for _, _, stems in names for stem in stems)
    weights = {stem: math.log(1 + len(names) / number) for stem, number in found.items()}
    return _Index(exact, names, weights, math.log(1 + len(names)))
