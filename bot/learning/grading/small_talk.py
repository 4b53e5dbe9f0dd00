"""Recognise messages that are no answer to an exercise: greetings, thanks, waiting. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from bot.i18n import fold
from bot.learning.grading.answer_readings import leave_courtesy
from bot.learning.grading.everyday_talk import tells_state

_WORDS: Final = frozenset(
    "bonjour bonsoir salut slt bjr cc coucou hello hi hey wesh merci mrc mci thanks thank thx ok "  # noqa: SIM905
    "okay oki dac accord oui ouais ui non nn nan yes yeah yep no nope hm hmm euh heu uh um mdr "
    "ptdr lol xd "
    "bof svp stp please pls pardon desole desolee sorry super cool zut mince oups genial parfait "
    "revoir bye jsp idk wow minute attends wait patience solution reponse answer help aide".split()
)
"""Words that are no answer by themselves."""
_FILLERS: Final = frozenset(
    "ah oh eh ha mais alors donc bon et tres beaucoup so and you a au d bien la le the oui non "  # noqa: SIM905
    "tout toi vous nuit soir soiree journee bonne monsieur madame mr mme maitre maitresse prof "
    "griot sir miss teacher mon ma my".split()
)
"""Words that may stand around them."""
_WAIT: Final = (
    r"(?:(?:attends?|wait|encore|juste|just|give me|laisse moi|dans|in) )*"
    r"(?:une?|a|one|deux|two|trois|three|cinq|five|dix|ten|\d{1,2}) ?(?:petite?s? )?"
    r"(?:minutes?|min|mn|secondes?|seconds?|sec|instants?|moments?)"
    r"(?: (?:stp|svp|please|pls|merci))*"
)
_PHRASES: Final = re.compile(
    rf"{_WAIT}"
    r"|(?:(?:c est|it s|it is|trop|tres|vraiment|too|so|very|pas) )+"
    r"(?:dur|difficile|facile|complique|long|hard|difficult|easy|boring|bon|compris|note)"
    r"(?: (?:pour moi|for me|ca|this))?"
    r"|je (?:donne|jette) ma langue aux? chats?|(?:j )?abandonne|i give up|je passe|i pass"
    r"|attends?(?: (?:un peu|moi|stp|svp))*|hold on|wait (?:a bit|please|for me)"
    r"|je (?:reflechis|cherche|lis|relis|regarde|calcule|compte)(?: encore| bien)?|j y pense"
    r"|laisse moi [a-z ]{1,30}|let me [a-z ]{1,30}|je vais [a-z ]{1,30}|i m thinking|i am thinking"
    r"|(?:donne|dis|montre|give|tell|show)(?: moi| me| nous)?(?: (?:la|the|juste|just|donc))*"
    r"(?: (?:reponse|solution|answer))?(?: (?:stp|svp|please))*"
    r"|(?:un |une |an |encore un )?(?:autre|another)(?: one| exercice| exercise| question)?"
    r"|next(?: one)?|suivante?"
    r"|(?:je |j )?(?:ne |n )?(?:l |le |la |m en |me |en )?(?:connais|sais|vois|comprends|trouve"
    r"|souviens|rappelle|peux|veux)(?: (?:pas|plus|rien))(?: [a-z ]{1,20})?"
    r"|i (?:do not|don t|dont|can t|cannot|can not) (?:know|remember|see|want|understand|find)"
    r"(?: [a-z ]{1,20})?"
    r"|c est (?:gentil|cool|super|bien|sympa|parfait|clair|noble)|it s (?:nice|clear|kind)"
    r"|(?:aucune|pas d|no) (?:idee|idea)|j ai (?:tout )?oublie(?: [a-z ]{1,20})?|i forgot(?: it)?"
    r"|ca (?:va|marche)(?: (?:bien|et toi))*|got it|i see|bien recu|il faut quoi|bonne nuit"
    r"|(?:x?ptdr+|m+d+r+|lo+l|(?:ha|he|hi|ah|eh|hé){2,}h?)"
)

_GREETING: Final = r"(?:bonjour|bonsoir|salut|hello|hi|hey|coucou)\W+"
_TELLS_TIME: Final = re.compile(
    rf"^(?:{_GREETING})?(?:(?:il|on|nous) (?:est|sommes)|we are|it is|it's|aujourd'hui|today)\b"
    rf"[^=]*\d|^{_GREETING}\d{{1,2}}\W*$"
)
"""`Il est 4 heures`, `Salut, on est le 2`, and `Bonjour 2`."""
_EMOJI: Final = ("So", "Cs", "Cf", "Sk", "Mn")
"""Unicode categories of emoji and of what joins them."""


def is_small_talk(text: str) -> bool:
    """Return whether a short message is a greeting, a thank-you, a yes or no, a laugh, a request
    for the answer, or words of a person who waits or does not know; or has only emoji and
    punctuation."""
    if is_mute(text):
        return True
    if leave_courtesy(text) != text and is_small_talk(leave_courtesy(text)):
        return True
    plain = re.sub(r"[\W_]+", " ", fold(text.replace("’", "'"))).strip()
    words = plain.split()
    if len(words) <= 6 and _WORDS.intersection(words) and _WORDS.union(_FILLERS).issuperset(words):
        return True
    return _PHRASES.fullmatch(plain) is not None


def is_waiting(text: str) -> bool:
    """Return whether a person asks to wait: `deux minutes`, `attends une seconde`."""
    return re.fullmatch(_WAIT, re.sub(r"[\W_]+", " ", fold(text)).strip()) is not None


def tells_time(text: str) -> bool:
    """Return whether a person tells the time or the date, or greets with a bare number."""
    return _TELLS_TIME.search(fold(text.replace("’", "'"))) is not None


def is_mute(text: str) -> bool:
    """Return whether a text has only emoji and punctuation, and no sign of mathematics."""
    return all(
        each.isspace() or each in ".,;:!?…'\"()-" or unicodedata.category(each) in _EMOJI
        for each in text
    )


def asks_small_talk(solutions: Sequence[str]) -> bool:
    """Return whether a solution is one of these words itself, `oui`, `bonjour`, or a sentence that
    people also say of themselves: `j'ai faim`."""
    return any(is_small_talk(each) or tells_state(each) for each in solutions)
