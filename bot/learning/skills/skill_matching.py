"""Find the skill that a person's or a model's words mean, such as `addition de fractions`.

Words are compared without accents and by their first letters, so that `multiplication` is near to «
Multiplier par 10 ». Words that many skills have, such as `fractions`, mean the one nearest to the
pupil's grade; for words that no name has all of, a rare word counts more than a frequent one.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Final

from bot.i18n import fold
from bot.learning.skills.skill_map import Skill, SkillMap
from bot.learning.subjects import fold_subject, join_subject
from bot.practice.grades import RANKS, Grade, find_grade

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
_SHORTEST_STEM: Final = 4
_SHORTENED: Final = (4, 5)
"""Lengths of a shortened word: `trigo`, `proba`."""
_MOST_WORDS: Final = 12
"""Most telling words of a skill; more are a sentence."""
_TYPING_SLIP: Final = 0.85
"""Least likeness of a word with a slip of typing to the one that was meant."""
_SECOND_PLACE: Final = 2.5
"""Grades by which a skill is less near if it is about another operation first: « Additionner et
soustraire … » for `soustraction`."""
USUAL_GRADE: Final = "6e"
"""The grade of a person whose grade is unknown: first year of lower secondary."""
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
    theoreme theorem algebra algebre calcul calculate calculer conjugaison
    geometrie geometry grammaire grammar math mathematiques maths orthographe vocabulaire
"""
_NO_WORDS: Final = frozenset(_LITTLE_WORDS.split())
"""Words that do not distinguish skills."""
_PARTS = """
    algebra algebre arithmetic arithmetique calcul conjugaison dictee geometrie geometry grammaire
    lecture orthographe probabilites statistics statistiques trigonometrie trigonometry
"""
_PARTS_OF_SUBJECTS: Final = frozenset(_PARTS.split())
"""Words that `fold_subject` takes for a subject, of which they are a part."""
_OTHER_WORDS: Final[Mapping[str, str]] = {
    "conversion": "unites",
    "conversions": "unites",
    "convert": "units",
    "convertir": "unites",
    "factorial": "denombrement",
    "factorielle": "denombrement",
    "factorielles": "denombrement",
    "factorials": "denombrement",
    "permutations": "denombrement",
    "mental": "",
    "tense": "",
    "tenses": "",
    "times": "multiplication",
}
"""Words of pupils, each with the word that names of skills have; empty: none is needed."""
_TOPICS: Final[Mapping[str, tuple[str, str]]] = {
    "algebre": ("maths", "equation inequation developper factoriser expression"),
    "calcul": ("maths", "additionner soustraire multiplier diviser"),
    "conjugaison": ("french", "present imparfait futur passe conditionnel subjonctif imperatif"),
    "geometrie": (
        "maths",
        "triangle cercle rectangle angles aire perimetre pythagore thales symetrie volume point",
    ),
    "grammaire": ("french", "accord masculin pluriel adjectif complement phrase"),
    "grammar": (
        "english",
        "plural articles present past perfect comparatives superlatives prepositions conditional"
        " passive speech gerund pronouns possessive",
    ),
    "orthographe": ("french", "homophones accord pluriel"),
    "statistiques": ("maths", "moyenne mediane etendue diagramme"),
}
"""Parts of subjects: each with the subject, and words of which a skill of it has one."""
_CHEMISTRY: Final = """
    acide acides atomes avancement chimique chimie combustions concentration equilibres ions melange
    mole molecules oxydoreduction reaction solution
"""
"""Words of which a skill of chemistry has one, in the subject of physics and chemistry."""
_TOPICS_IN_ENGLISH: Final[Mapping[str, str]] = {
    "algebra": "algebre",
    "arithmetic": "calcul",
    "arithmetique": "calcul",
    "conjugation": "conjugaison",
    "geometry": "geometrie",
    "spelling": "orthographe",
    "stat": "statistiques",
    "statistics": "statistiques",
    "statistique": "statistiques",
    "stats": "statistiques",
}
_NAMED_PARTS: Final = frozenset((*_TOPICS_IN_ENGLISH, *_TOPICS))
_COMMON = """
    addition soustraction multiplication division subtraction probabilite geometrie conjugaison
    grammaire orthographe statistiques
"""
_COMMON_WORDS: Final = tuple(_COMMON.split())
"""Words of pupils that few names have, in which slips of typing are corrected, too."""


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
    ends: Mapping[str, tuple[Skill, ...]]
    """Skills by the part of their id after the subject."""
    aliases: Mapping[frozenset[str], tuple[Skill, ...]]
    """Skills by the words of their aliases, without the endings of the plural."""
    spellings: Sequence[_Spelling]
    """Each name, and each id without its subject."""
    words: Sequence[str]
    """Folded words, to correct slips of typing."""


@dataclass(frozen=True, slots=True)
class _Spelling:
    """A name or an id of a skill by the stems of its words."""

    skill: Skill
    stems: frozenset[str]
    first: str
    second: str
    """The stem after `et` or `and`; empty: there is none."""


@dataclass(frozen=True, slots=True)
class Field:
    """A subject, a grade, or both, which a person named in place of a skill."""

    subject: str
    """A name from `fold_subject`; empty: any."""
    grade: Grade | None
    part: str = ""
    """`physics` or `chemistry`, if that part of a joint subject was named."""

    def has(self, skill: Skill) -> bool:
        is_within = self.subject in ("", skill.subject) and self.grade in (None, skill.grade)
        return is_within and self.part in ("", _name_part(skill))


def _name_part(skill: Skill) -> str:
    """Return the part of physics and chemistry that a skill of theirs belongs to."""
    stems = set(map(_stem, _WORD.findall(fold(skill.name("fr")))))
    return "chemistry" if stems & set(map(_stem, _CHEMISTRY.split())) else "physics"


def find_named_skills(skills: SkillMap, text: str) -> Sequence[Skill]:
    """Return the skills with exactly this id or name, in either language, accents aside; else those
    whose id is this without its subject."""
    index, key = _index(skills), _key(text[:_LONGEST])
    return index.exact.get(key) or index.ends.get(key, ())


def find_field(skills: SkillMap, text: str) -> Field | None:
    """Return the subject, the grade or both that a text names, and nothing else: `CM2`, `anglais`,
    `maths 6e`. None: it names something else."""
    subjects = {skill.subject for skill in skills.by_id.values()}
    words = [
        word
        for word in _WORD.findall(fold(text[:_LONGEST]))
        if word not in _NO_WORDS or join_subject(fold_subject(word), subjects) in subjects
    ]
    for at in range(len(words) + 1):
        for one, other in ((words[:at], words[at:]), (words[at:], words[:at])):
            subject, grade = " ".join(one), find_grade(" ".join(other))
            named = "" if subject in _PARTS_OF_SUBJECTS else fold_subject(subject)
            known = join_subject(named, subjects)
            if (one or other) and (known in subjects or not one) and (grade or not other):
                return Field(known, grade, named if named != known else "")
    return None


def find_skills(skills: SkillMap, text: str, language: str = "", grade: str = "") -> list[Skill]:
    """Return the skills that a text means, the nearest first: those that it names, then those that
    it is about, as `find_named_skills` and `find_skills_about` say."""
    named = find_named_skills(skills, text)
    about = find_skills_about(skills, text, language, grade or USUAL_GRADE)
    return list(dict.fromkeys((*named, *about)))


def match_skill(
    skills: SkillMap, text: str, language: str, *, subject: str = "", grade: str = ""
) -> Skill | None:
    """Return the skill with this id or name, in either language, else the nearest that the text is
    about, else the most alike; None: none is near, or the text names a part of a subject.

    Args:
        text: an id, a name, or words in `language` or the other.
        subject: a name from `fold_subject`: only its skills are searched; empty: all.
        grade: the pupil's, one of `GRADES`, which decides between equally near skills; empty:
            unknown.
    """
    line = text[:_LONGEST]
    subject = join_subject(subject, {each.subject for each in skills.by_id.values()})
    same = [
        each
        for each in _index(skills).exact.get(_key(line), ())
        if not subject or each.subject == subject
    ]
    if same:
        return min(same, key=lambda each: _distance(each, grade))
    if _names_topic(skills, line):
        return None
    about = find_skills_about(skills, line, language, grade or USUAL_GRADE)
    of_subject = [each for each in about if not subject or each.subject == subject]
    if of_subject:
        return of_subject[0]
    ranked = _rank(skills, line, language, subject=subject, grade=grade)
    best = max(ranked, key=lambda each: each.alikeness, default=None)
    if best is None or best.alikeness < NEAR:
        return None
    crowd = [each for each in ranked if each.shared >= best.shared]
    if len(crowd) > _CROWD:
        return None
    as_near = [each.skill for each in crowd if each.alikeness >= best.alikeness - _CLOSE]
    return min(as_near, key=lambda each: (_distance(each, grade), each.rank))


def find_skills_about(
    skills: SkillMap, text: str, language: str = "", grade: str = ""
) -> list[Skill]:
    """Return all skills that have the words as an alias, then those whose name, in either language,
    or id has all the words that are not small ones, slips of typing corrected; or all skills of a
    part of a subject, such as `conjugaison`. Skills of the language that is foreign to the person
    come last; else those of the grade come first, then the nearest below it, then those above it.

    Args:
        text: a subject and a grade in it narrow the search: `fractions 6e`.
        language: the person's; empty: unknown.
        grade: the pupil's, one of `GRADES`; empty: unknown.
    """
    index, line = _index(skills), text[:_LONGEST].replace("%", " pourcentage ")
    subject, own_grade, words = _take_field(skills, line)
    if len(words) > _MOST_WORDS:
        return []
    grade = own_grade or grade
    corrected = _correct_words(index, words)
    near = _find_topic(index, corrected)
    if near is None:
        stems = frozenset(_complete(index, word) for word in corrected)
        near = _find_by_stems(index, stems)
    aliased = _find_by_alias(index, line, words)
    named = near
    near = dict.fromkeys(aliased, 0.0) | named

    def rate(skill: Skill) -> tuple[bool, bool, bool, float, int, bool]:
        is_foreign = skill.subject == {"fr": "english", "en": "french"}.get(language)
        is_ahead = skill.rank > RANKS.get(grade, skill.rank)
        further = near[skill] + _distance(skill, grade)
        is_other = skill not in named
        return skill not in aliased, is_foreign, is_ahead, further, skill.rank, is_other

    found = [skill for skill in near if not subject or skill.subject == subject]
    return sorted(found, key=rate)


def _names_topic(skills: SkillMap, text: str) -> bool:
    """Return whether a text names a part of a subject, such as `géométrie`, and nothing else."""
    _, _, words = _take_field(skills, text)
    corrected = _correct_words(_index(skills), words)
    return len(corrected) == 1 and corrected[0] in _TOPICS


def _take_field(skills: SkillMap, text: str) -> tuple[str, str, list[str]]:
    """Return a subject and a grade that are named in the text, perhaps empty, and its other words
    that are not small ones."""
    subjects = {skill.subject for skill in skills.by_id.values()}
    subject = grade = ""
    words: list[str] = []
    for word in _WORD.findall(fold(text)):
        named = "" if word in _PARTS_OF_SUBJECTS else fold_subject(word)
        known = join_subject(named, subjects)
        if found := find_grade(word):
            grade = found
        elif known in subjects:
            subject = known
        elif word in _PARTS_OF_SUBJECTS or word in _NAMED_PARTS or _is_telling(word):
            words.append(word)
    return subject, grade, words


def _correct_words(index: _Index, words: Sequence[str]) -> list[str]:
    """Return the words that names have for these, or the part of a subject that they name; beside
    other words a part of a subject tells nothing: `calcul d’aires`."""
    known = [each for word in words if (each := _OTHER_WORDS.get(word, word))]
    if len(known) == 1:
        return [_correct(index, _TOPICS_IN_ENGLISH.get(known[0], known[0]))]
    return [_correct(index, word) for word in known if _is_telling(word)]


def _correct(index: _Index, word: str) -> str:
    """Return the word that was meant with a slip of typing."""
    is_known = word in _TOPICS or _complete(index, word) in index.weights
    if is_known or len(word) <= _SHORTEST_STEM:
        return word
    return next(iter(get_close_matches(word, index.words, 1, _TYPING_SLIP)), word)


def _find_topic(index: _Index, words: Sequence[str]) -> dict[Skill, float] | None:
    """Return the skills of a part of a subject; None: the words name none."""
    if len(words) != 1 or words[0] not in _TOPICS:
        return None
    subject, named = _TOPICS[words[0]]
    stems = set(map(_stem, named.split()))
    return {
        each.skill: 0.0
        for each in index.spellings
        if each.skill.subject == subject and stems & each.stems
    }


def _find_by_alias(index: _Index, text: str, words: Sequence[str]) -> Sequence[Skill]:
    """Return the skills with an alias of all words of the text, else of those that tell something:
    `table de 7` has the alias « tables »."""
    for key in (_alias_key(text), _alias_key(" ".join(words))):
        if key in index.aliases:
            return index.aliases[key]
    return ()


def _alias_key(text: str) -> frozenset[str]:
    return frozenset(word.rstrip("sx") or word for word in _WORD.findall(fold(text)))


def _find_by_stems(index: _Index, stems: frozenset[str]) -> dict[Skill, float]:
    """Return the skills with a spelling that has all these stems, and how many grades each is
    farther since it is about something else first."""
    near: dict[Skill, float] = {}
    for each in index.spellings if stems else ():
        if stems <= each.stems:
            is_second = each.second in stems and each.first not in stems
            further = _SECOND_PLACE if is_second else 0.0
            near[each.skill] = min(further, near.get(each.skill, further))
    return near


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
    words = [_OTHER_WORDS.get(word) or word for word in _words(text)]
    stems = frozenset(_complete(index, word) for word in words)
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
    short = word.removesuffix("s")
    if stem in index.weights or len(short) not in _SHORTENED:
        return stem
    return min((known for known in index.weights if known.startswith(short)), default=stem)


def _distance(skill: Skill, grade: str) -> int:
    """Grades between the skill and the pupil; 0 if the pupil's is unknown."""
    return abs(skill.rank - RANKS[grade]) if grade in RANKS else 0


def _weigh(index: _Index, stems: Iterable[str]) -> float:
    return sum(index.weights.get(stem, index.unknown) for stem in stems)


def _key(text: str) -> str:
    return " ".join(_WORD.findall(fold(text)))


def _words(text: str) -> list[str]:
    """Return the folded words of a text, without small words and single figures."""
    return [word for word in _WORD.findall(fold(text)) if _is_telling(word)]


def _is_telling(word: str) -> bool:
    return word not in _NO_WORDS and not _FIGURE.fullmatch(word)


def _stem(word: str) -> str:
    """Return the beginning of a word that most words of its family share."""
    stem = word[:_STEM]
    while len(stem) > _SHORTEST_STEM and stem[-1] in "aeiousx":
        stem = stem[:-1]
    return stem if len(stem) > _SHORTEST_STEM else stem.removesuffix("s")


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
    ends: dict[str, tuple[Skill, ...]] = {}
    aliases: dict[frozenset[str], tuple[Skill, ...]] = {}
    spellings: list[_Spelling] = []
    words: set[str] = {*_COMMON_WORDS}
    for skill in skills.by_id.values():
        end = _key(skill.id.partition(".")[2])
        ends[end] = (*ends.get(end, ()), skill)
        for alias in skill.aliases:
            for asked in {_alias_key(alias), _alias_key(" ".join(_words(alias)))} - {frozenset()}:
                aliases[asked] = (*aliases.get(asked, ()), skill)
        for text in (skill.french, skill.english, end):
            spellings.append(_spell(skill, text))
            words.update(word for word in _words(text) if len(word) >= _SHORTEST_STEM)
    return _Index(
        exact, names, weights, math.log(1 + len(names)), ends, aliases, spellings, sorted(words)
    )


def _spell(skill: Skill, text: str) -> _Spelling:
    stems = [_stem(word) for word in _words(text)]
    after = re.search(r"\b(?:et|and) (\w+)", fold(text))
    return _Spelling(
        skill, frozenset(stems), stems[0] if stems else "", _stem(after[1]) if after else ""
    )
