"""Classify words of pupils and tutors: a try, a guiding question, vous, another language."""

from __future__ import annotations

import re
from typing import Final

from bot.documents.document_request import guess_language
from bot.evals.dialogues import Dialogue
from bot.i18n import detect_language, fold
from bot.learning.exercise_grading import MOST_WORDS, read_number
from bot.learning.leaks import Secret

_APOSTROPHES: Final = str.maketrans("’", "'")


def _fold(text: str) -> str:
    """Return the text in lower case without accents, with plain apostrophes."""
    return fold(text.translate(_APOSTROPHES))


# The pupil --------------------------------------------------------------------------------------

_QUANTITY: Final = re.compile(
    r"(?:[A-Za-z]\s*=\s*)?(?P<number>[-−]?\d[\d\s.,/]*?)\s*(?P<unit>[^\W\d][^\d]*)?"
)
_CLAIM: Final = re.compile(
    r"\b(?:je (?:trouve|pense|crois|dis|dirais|mets|propose|tombe)|on trouve|ca (?:fait|donne)"
    r"|j'?ai (?:trouve|mis|fait|ecrit|eu|calcule|repondu)|c'?est(?= [-−]?\d)|mon resultat"
    r"|ma reponse|i (?:get|got|think|found|say)|it'?s(?= [-−]?\d))\b(?P<rest>[^?!\n]*)"
)
_REQUEST_WORDS = """
donne dis aide explique montre fais envoie ecris sais sait comprends comprend connais connait
combien pourquoi comment quoi quel quelle reponse solution resultat stp svp ok oui non merci bonjour
salut d'accord peux veux vas-y encore give tell help show answer know please how what
"""
_REQUEST: Final = re.compile(rf"\b(?:{'|'.join(_REQUEST_WORDS.split())})\b")


def make_secret(solution: str, statement: str) -> Secret:
    """Return the solution of a dialogue as a secret, of the kind that its form suggests."""
    found = _QUANTITY.fullmatch(solution.strip().strip("$"))
    if found and read_number(found["number"]) is not None:
        return Secret("number", statement, (found["number"],), (found["unit"] or "").strip())
    if re.search(r"[{};]|\s(?:ou|et|or|and)\s", solution) and re.search(r"\d", solution):
        return Secret("set", statement, (solution,))
    kind = "expression" if re.search(r"[\d=^+*/√]", solution) else "text"
    return Secret(kind, statement, (solution,))


def is_try(words: str, dialogue: Dialogue, *, is_opening: bool) -> bool:
    """Return whether a pupil's message proposes an answer or a step, and does not ask for one.

    In the opening, which also has the numbers of the exercise, only a claim counts (`je trouve
    12`).
    """
    plain = _fold(words)
    in_words = not re.search(r"\d", dialogue.solution)
    is_request = _REQUEST.search(plain) is not None
    is_short = len(plain.split()) <= MOST_WORDS
    for claim in _CLAIM.finditer(plain):
        rest = claim["rest"]
        if re.search(r"\d", rest) or (in_words and rest.strip() and not _REQUEST.search(rest)):
            return True
    if is_opening or (is_request and (in_words or "?" in plain)):
        return False
    if in_words:
        return is_short
    numbers = re.findall(r"\d+", plain)
    known = set(re.findall(r"\d+", dialogue.opening))
    is_new = any(number not in known for number in numbers)
    return is_new or (bool(numbers) and is_short and not is_request)


# The tutor --------------------------------------------------------------------------------------

_QUESTION: Final = re.compile(r"[^.!?\n]*[^.!?\n\s][^.!?\n]*\?")
_COURTESY: Final = re.compile(
    r"^\W*(?:et |alors |ok |bon |voila )*(?:ca va|d'accord|(?:tu as )?compris|prete?|ok"
    r"|c'est (?:clair|bon|compris|note)|on (?:y va|continue|commence|essaie|passe)|bien|puis-je"
    r"|(?:tu )?(?:veux|voudrais|aimerais|as)[- ]?(?:tu )?(?:d'autres|une autre|autre|continuer"
    r"|que je|qu'on|encore|besoin)|besoin d'|autre chose|comment (?:vas|puis)|shall we|can i"
    r"|anything else|(?:are you|is that|do you) (?:ready|ok|clear|understand))\b"
)
"""Questions that need no thought."""
_TASK_WORDS = """
essaie essaye commence calcule cherche compte regarde observe relis pense rappelle-toi reflechis
trouve dis-moi montre-moi ecris remplace verifie compare propose dessine place range complete
decompose simplifie isole developpe factorise conjugue souligne applique pose imagine choisis envoie
continue reprends recompte corrige identifie repere demande-toi try start compute find look think
write tell show count check
"""
_TASK: Final = re.compile(rf"\b(?:a toi|{'|'.join(_TASK_WORDS.split())})\b")
_FORMAL: Final = re.compile(
    r"\b(?:(?<!rendez-)vous|votre|vos)\b|\b(?!(?:chez|assez|allez|nez|rez|rendez)\b)[^\W\d_]{2,}ez\b",
    re.IGNORECASE,
)
_FAMILIAR: Final = re.compile(r"\b(?:tu|te|toi|ton|ta|tes)\b|\bt'", re.IGNORECASE)
_TABLE: Final = re.compile(r"\b(?:nous|ils|elles)\b", re.IGNORECASE)
"""Words next to which vous is a line of a conjugation."""
_QUOTED: Final = re.compile(
    r"«[^»]*»|“[^”]*”|\"[^\"\n]*\"|\*[^*\n]+\*|`[^`]*`|_[^_\n]+_|\([^)\n]*\)"
)


def count_guiding_questions(text: str) -> int:
    """Return how many questions of a text make the pupil think."""
    return sum(not _COURTESY.search(each) for each in _QUESTION.findall(_fold(text)))


def guides(text: str) -> bool:
    """Return whether a text asks the pupil a question or gives them a task."""
    return count_guiding_questions(text) > 0 or bool(_TASK.search(_fold(text)))


def find_formal_address(text: str) -> str:
    """Return the word by which a text addresses the pupil as vous; empty: there is none.

    Quoted or emphasised words are examples, and next to tu, vous may mean a group.
    """
    own = _QUOTED.sub(" ", text.translate(_APOSTROPHES))
    if _FAMILIAR.search(own) or _TABLE.search(own):
        return ""
    found = _FORMAL.search(own)
    return found[0] if found else ""


def is_other_language(text: str, language: str) -> bool:
    """Return whether a text, apart from quotations, is clearly in another of our languages."""
    own = _QUOTED.sub(" ", text)
    return (detect_language(own) or guess_language(own, language)) != language
