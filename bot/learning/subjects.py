"""Fold the ways in which a model writes a school subject, and name a subject for a person."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache

from bot.i18n import say
from bot.typography import strip_accents, to_one_line

MAX_SUBJECT = 40
"""Most characters of a subject that is not in the list."""
QUIZZES = ""
"""The subject of quizzes and exercises without a skill, whose real subject is unknown."""
_WORDS: Mapping[str, str] = {
    "maths": "math mathematics mathematique mathematiques arithmetic arithmetique calcul algebra "
    "algebre geometry geometrie trigonometry trigonometrie statistics statistiques probabilites",
    "french": "francais french_language langue_francaise grammaire orthographe conjugaison "
    "dictee lecture expression_ecrite litterature_francaise",
    "english": "anglais english_language langue_anglaise lv1_anglais",
    "physics_chemistry": "physique_chimie physics_and_chemistry physique_et_chimie pc "
    "sciences_physiques physical_science physical_sciences",
    "physics": "physique",
    "chemistry": "chimie",
    "biology": "svt biologie sciences_de_la_vie_et_de_la_terre sciences_naturelles "
    "life_science life_sciences earth_science geologie geology",
    "science": "sciences science_and_technology sciences_et_technologie eveil",
    "history_geography": "histoire_geographie histoire_geo histoire_et_geographie hg "
    "history_and_geography",
    "history": "histoire",
    "geography": "geographie geo",
    "civics": "civic_education education_civique edhc ecm instruction_civique",
    "philosophy": "philosophie philo",
    "economics": "economy economie eco sciences_economiques ses",
    "accounting": "comptabilite",
    "computing": "informatique computer_science ict tic programmation programming coding",
    "spanish": "espagnol lv2_espagnol",
    "german": "allemand lv2_allemand",
    "arabic": "arabe",
    "arts": "art arts_plastiques dessin drawing music musique",
    "sport": "eps sports education_physique physical_education pe",
}
_JOINT: Mapping[str, str] = {"physics": "physics_chemistry", "chemistry": "physics_chemistry"}
"""Subjects that most schools teach as parts of one."""
_NOT_WORDS = re.compile(r"[^0-9a-z]+")
_TAIL = re.compile(r"[:(/,;–—]| - ")
"""A separator before a part of the subject: `Maths (fractions)`."""


def fold_subject(text: str) -> str:
    """Return a known subject such as `maths`, else the given words in lower case; perhaps empty.

    `Mathématiques`, `MATHS : fractions` and `algebra` are all `maths`.
    """
    line = to_one_line(text, 200)
    head = _TAIL.split(line, maxsplit=1)[0]
    known = _known()
    free = to_one_line(line.casefold(), MAX_SUBJECT)
    return known.get(_key(line)) or known.get(_key(head)) or free


def join_subject(subject: str, known: Collection[str]) -> str:
    """Return the known subject of which this one is a part, such as `physics_chemistry` of
    `physics`; else the subject itself."""
    joint = _JOINT.get(subject, "")
    return joint if subject not in known and joint in known else subject


def name_subject(language: str, subject: str) -> str:
    """Return a person's name for a subject from `fold_subject`; `QUIZZES` is named as exercises."""
    return _names(language).get(subject) or subject[:1].upper() + subject[1:]


def _key(line: str) -> str:
    """Return a line in lower case without accents, with words joined by `_`."""
    return _NOT_WORDS.sub("_", strip_accents(line).casefold()).strip("_")


@cache
def _known() -> Mapping[str, str]:
    pairs = {word: subject for subject, words in _WORDS.items() for word in words.split()}
    return pairs | {subject: subject for subject in _WORDS}


@cache
def _names(language: str) -> Mapping[str, str]:
    return {
        QUIZZES: say(language, "Exercises"),
        "maths": say(language, "Maths"),
        "french": say(language, "French"),
        "english": say(language, "English"),
        "physics_chemistry": say(language, "Physics and chemistry"),
        "physics": say(language, "Physics"),
        "chemistry": say(language, "Chemistry"),
        "biology": say(language, "Biology"),
        "science": say(language, "Science"),
        "history_geography": say(language, "History and geography"),
        "history": say(language, "History"),
        "geography": say(language, "Geography"),
        "civics": say(language, "Civics"),
        "philosophy": say(language, "Philosophy"),
        "economics": say(language, "Economics"),
        "accounting": say(language, "Accounting"),
        "computing": say(language, "Computing"),
        "spanish": say(language, "Spanish"),
        "german": say(language, "German"),
        "arabic": say(language, "Arabic"),
        "arts": say(language, "Arts"),
        "sport": say(language, "Sport"),
    }
