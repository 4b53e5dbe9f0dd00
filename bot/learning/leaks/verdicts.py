"""Find a verdict on what is asked to be true or false, in other words than `vrai` and `faux`. Pure.

`Non, il ne l'est pas`, `91 n'est pas premier`, `cette phrase dit la vérité`, `l'énoncé se trompe`,
and a counterexample: `un trapèze isocèle aussi, et ce n'est pas un rectangle`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from bot.learning.leaks.reading import SENTENCE_WITH_END
from bot.learning.leaks.words import VERDICTS
from bot.learning.plain_notation import fold_letters

if TYPE_CHECKING:
    from bot.learning.leaks.reading import Reading

_CLAIM_WORD: Final = re.compile(r"[a-z]{4,}|-?\d+")
_NO_CLAIM: Final = re.compile("vrai|faux|true|false|toujours|always|nombre|tou[st]e?s?|every|each")
_BECAUSE: Final = r"(?:car|parce|puisque|because|since)\b"
_NO_REASON: Final = (
    r"(?! (?:pas )?(?:important|possible|utile|temps|time|good|useful|ta|ton|your|encore))"
)
"""What begins a remark on the pupil's work: `Oui, il est important de lire`."""
_AFFIRMS: Final = re.compile(
    r"\W*(?:(?:eh|ben|mais|oh) )*"
    r"(?:oui|yes|bien sur|en effet|effectivement|indeed|of course|absolument|tout a fait)\b"
    rf"[ ,:]+(?P<so>{_BECAUSE}|(?:c'en est|c'est le cas"
    r"|(?:il|elle)s? (?:l'est|le sont|en (?:est|sont))"
    rf"|it (?:is|does)|they (?:are|do))\b{_NO_REASON})?"
)
_DENIES: Final = re.compile(
    r"\W*(?:(?:eh|ben|mais|oh) )*(?:non|no|nope|pas du tout)\b[ ,:]+"
    rf"(?P<so>{_BECAUSE}|ce n'(?:en )?est pas (?:le cas|une?\b)|(?:(?:il|elle)s?|it|they|that) "
    rf"(?:n'|ne (?:l')?)?(?!faut|suffi|sert|reste|manque|te|takes|depends)\w{{2,}}\b{_NO_REASON})?"
)
_IT: Final = re.compile(r"\W*(?:(?:non|nope?|oui|yes)\W+)?(?:(?:il|elle)s?|it|they|he|she)\b")
_NEGATES: Final = re.compile(
    r"\b(?:n'|ne )(?:(?:en|y|les?|la|lui|se) |[ls]')?\w+ (?:pas|jamais)\b"
    r"(?! (?:forcement|toujours|tou[st]|necessairement|encore))"
    r"|\b(?:is|are|does|do|has|have|can)(?: not|n't)\b"
)
_ASSERTS: Final = re.compile(
    r"\b(?:bien|donc|so|therefore|toujours|forcement|always|indeed|tou[st]e?s?|every|all)\b"
)
_NOT: Final = re.compile(r"\b(?:pas|jamais|not|never)\b|n't\b")
_ASKS: Final = re.compile(r"\b(?:si|est-ce|if|whether|pourquoi|why)\b|vrai ou|true or")
_OPPOSES: Final = re.compile(
    r"\bc'est (?:juste |tout |plutot |exactement )*(?:le contraire|l'inverse)\b(?! d)"
    r"|\bother way (?:a?round|about)\b|(?:\bnot|n't) hold\b"
)


_SUBJECT: Final = (
    r"(?:\b(?:cette|la|ta|notre|this|that|the|our) (?:phrase|affirmation|proposition|statement"
    r"|sentence|claim)|\bl'(?:enonce|affirmation)|\bcet enonce|\bon peut (?:lui )?faire confiance a"
    r" (?:cette|la|l'|ce) ?\w+)(?: de l'exercice| de l'enonce)?,? (?:elle |il |it )?"
)
_RIGHT: Final = re.compile(
    _SUBJECT + r"(?:bien |donc |toujours |indeed |really |always |simply )*"
    r"(?:dit(?: bien| donc| toujours| toute)? (?:la verite|vrai|juste)|ne (?:se trompe|ment) pas"
    r"|a (?:bien |donc |tout a fait |parfaitement |entierement )?raison"
    r"|tient (?:la route|debout|bon)"
    r"|est (?:bien |donc )?(?:verifiee|confirmee|veridique)|tells? the truth|speaks the truth|holds"
    r"|is (?:quite |indeed |perfectly )?(?:right|accurate)|got it right"
    r"|(?:is not|isn't) (?:wrong|lying))\b"
)
_WRONG: Final = re.compile(
    _SUBJECT + r"(?:donc |bien |simply |really |just )*"
    r"(?:se trompe|ment\b|a (?:donc |bien )?tort|exagere"
    r"|dit (?:donc |bien )?(?:une? (?:betise|mensonge|erreur)|n'importe quoi)"
    r"|ne (?:dit|tient|fonctionne|marche) pas|n'a pas raison"
    r"|est (?:donc |bien )?(?:erronee?|mensongere|inexacte)"
    r"|n'est (?:donc )?pas (?:verifiee|confirmee)"
    r"|contient une erreur|is (?:simply |just )?(?:wrong|mistaken|lying|a lie|an? error|inaccurate)"
    r"|(?:is not|isn't) (?:right|accurate)|lies\b|(?:got|gets|has) it wrong|fails"
    r"|(?:does not|doesn't) (?:hold|tell|work))"
)
_UNDECIDED: Final = re.compile(
    r"\b(?:si|s'il|s'ils|est-ce|if|whether|when|quand|lorsque|pour|pourquoi|why|verifi\w*|check"
    r"|cherch\w*|trouv\w*|find|imagin\w*|suppos\w*|demande\w*|montre[rz]?|prouve[rz]?|show|prove|peut-etre|maybe"
    r"|perhaps|existe-t-il|connais\w*|penses?|think|pens\w*|dessine\w*|draw|possible|ou non"
    r"|or not)\b"
)
"""Words of a sentence that leaves the verdict to the pupil."""
_SEEKS: Final = re.compile(
    r"\W*(?:cherche|trouve|donne|dessine|imagine|pense a|find|draw|give|think of|look for)\b"
)
_PREDICATE: Final = re.compile(
    r"\b(?:est|sont|is|are) (?:(?:forcement|toujours|necessairement|obligatoirement|aussi|tous"
    r"|toutes|always|necessarily|also|all) )*(?:(?:une?|des|an?) )?([a-z]{4,})"
    r"[^,;:.]{0,20}[.!]?\s*$"
)
_OPPOSED: Final = re.compile(
    r"\b(?:aussi|pourtant|mais|et|alors que|cependant|or|contre-exemple|also|too|but|yet|and|though"
    r"|however|counterexample)\b"
)


class VerdictSearch:
    """A search for a sentence that affirms or denies what is asked to be true or false."""

    def __init__(self, options: Sequence[str], right: str, statement: str) -> None:
        verdict = fold_letters(right).strip(" .")
        self._is_asked = verdict in VERDICTS and len(options) == 2
        self._is_true = verdict in ("vrai", "true")
        words = _CLAIM_WORD.findall(fold_letters(statement))
        self._claim = [each for each in words if not _NO_CLAIM.fullmatch(each)]
        self._says = _RIGHT if self._is_true else _WRONG
        self._denied = None if self._is_true else _compile_denied(fold_letters(statement))

    def find(self, reading: Reading) -> str | None:
        for found in SENTENCE_WITH_END.finditer(reading.folded) if self._is_asked else ():
            if not found[0].endswith("?") and self._tells(found[0]):
                return found[0]
        return None

    def _tells(self, sentence: str) -> bool:
        opening = (_AFFIRMS if self._is_true else _DENIES).match(sentence)
        if opening and opening["so"]:
            return True
        if not self._is_true and _OPPOSES.search(sentence):
            return True
        if self._says_verdict(sentence):
            return True
        is_it = _IT.match(sentence)
        claim = self._claim[1:] if is_it else self._claim
        missing = [each for each in claim if each[: max(4, len(each) - 2)] not in sentence]
        most = (len(claim) - 1) // (2 if opening or is_it else 3)
        if len(missing) > most or any(map(str.isdigit, missing)) or _ASKS.search(sentence):
            return False
        if not self._is_true:
            return bool(_NEGATES.search(sentence)) and not _SEEKS.match(sentence)
        return bool(opening or _ASSERTS.search(sentence)) and not _NOT.search(sentence)

    def _says_verdict(self, sentence: str) -> bool:
        """Return whether a sentence says that the statement is right or wrong, or denies of an
        example what the statement says."""
        is_said = self._says.search(sentence) or (
            self._denied and _OPPOSED.search(sentence) and self._denied.search(sentence)
        )
        return bool(is_said) and not _UNDECIDED.search(sentence)


def _compile_denied(statement: str) -> re.Pattern[str] | None:
    """Compile a pattern for the denial of what a statement says of its subject; None: it ends with
    no noun or adjective."""
    found = _PREDICATE.search(statement)
    if found is None:
        return None
    stem = found[1].rstrip("sx")
    return re.compile(
        r"(?<!qui )(?<!that )\b(?:(?:n'est|ne sont|n'etait)(?: donc| pourtant| toutefois)? pas"
        rf"|(?:is|are|was)(?: not|n't)) (?:(?:une?|des|de|an?) |d')?{stem}"
    )
