"""Tell which words and marks around a chain leave it complete, and which belong to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from unicodedata import category

from bot.maths.reading.tokens import Token

_SAFE_WORDS = """
donc alors soit que car et ou so then that also ainsi puis because and or but mais thus hence
known therefore voici calcul resultat reponse total exemple verification oui non bravo effet yes
like comme obtient trouve calcule avons avoir a ai as facile retenir sais
"""
SAFE: Final = frozenset((*_SAFE_WORDS.split(), "c est a dire"))
"""Words after which a single number may begin a statement."""
_BINDING_WORDS = """
de d of du des entre sur over between than jusqu à
"""
PREPOSITIONS: Final = frozenset(_BINDING_WORDS.split())
OPERATORS: Final = ("arg", "re", "im", "det", "card", "dim", "deg")
"""Words that belong to the letter after them."""
WORDS_OF_A_LETTER: Final = frozenset("aàyAÀ")
_RESULT_WORDS = """
resultat calcul valeur total somme prix cout aire perimetre volume operation addition produit
multiplication soustraction division result value egalite exemple effet irreductible simplifiee
decimale canonique factorisee developpee reduite pars repars partons partir partant souviens
"""
RESULTS: Final = frozenset(_RESULT_WORDS.split())
"""Words after which `de` introduces the computation itself."""

_SUBJECT_WORDS = """
on tu nous vous je il elle est sont sera ete etre
"""
SUBJECTS: Final = frozenset(("", *_SUBJECT_WORDS.split()))
"""Words before `multiplie par` that are no factor."""
LEADS: Final = frozenset(
    ["conduit", "mène", "amène", "aboutit", "arrive", "arrives", "tombe", "tombes", "leads"]
)
"""Verbs that lead to the next equation: `on tombe sur x = 3`."""
CHANGES: Final = frozenset(
    ["passe", "passent", "monte", "montent", "descend", "descendent", "tombe", "revient", "arrive"]
)
"""Verbs after which `à` introduces the new value."""
OPERATING: Final = re.compile(
    r"cel(?:ui|le)|ceux|moiti|doubl|tripl|quadrupl|tiers|quart|demi|\w+iemes?$|racine|carre|cube"
    r"|invers|oppos|conjugu|absolu"
    r"|complement|logarithm|deriv|primitiv|limit|integral|image|antecedent|multipl|divis|plus|moins"
    r"|retir|enlev|soustra|ot[eé]|ajout|addition|reste|parti|fraction|sinus|cosinus|tangent|expon"
    r"|moyenn|median|differen|egal|superieur|inferieur|proportion|loin|pres$|autour|puissance|arg"
    r"|numerat|denominat|module|pgcd|ppcm|opposite|half|twice|double|square|third|quarter|minus|times"
)
"""Beginnings of words that do something with the value after them."""
_LOOSE_MARKS: Final = frozenset(
    ["→", "⇒", "⟹", "⇔", "⟺", "=>", "->", "<=>", "∴", "•", "«", "»", "“", "”", '"', "\ufe0f"]
)
"""Arrows and quotation marks, and what makes an emoji of the sign before."""
_NO_EMOJIS: Final = frozenset("□▢◻☐⬜▭°")
"""Symbols that stand for a number, or belong to one."""


def is_loose_mark(text: str) -> bool:
    """Return whether a chain beside this sign is complete: arrows, quotation marks, emojis."""
    is_emoji = len(text) == 1 and category(text) == "So" and text not in _NO_EMOJIS
    is_skin_tone = "\U0001f3fb" <= text <= "\U0001f3ff"
    return is_emoji or is_skin_tone or text in _LOOSE_MARKS


_PART: Final = re.compile(r"demis?|tiers|quarts?|\w+iemes?|halves|thirds|quarters|\w+ths")
"""Nouns after a number that make a fraction of it: `3 huitièmes`."""
ENDS: Final = ("power", "function", "number", "phrase", "unit")


def cuts(token: Token, after: Sequence[Token]) -> bool:
    """Return whether the token after a chain may belong to its last member."""
    follows = after[0].kind if after else ""
    match token.kind:
        case "operator":
            return token.text not in ("!", "'", ":")
        case "break":
            return token.text == "…" or (not token.is_spaced and not is_loose_mark(token.text))
        case "open":
            return not token.is_spaced
        case "word":
            is_of = token.text in ("de", "of", "sur", "out", "pour")
            is_part = not token.is_spaced or _PART.fullmatch(token.text) is not None
            return is_part or (is_of and follows in ("number", "unit"))
        case "relation" | "name":
            is_factor = not token.is_spaced and not token.is_formula
            ends = token.is_weak or token.text == "≠"
            return is_factor if token.kind == "name" else not ends
        case _:
            return token.kind in ENDS


def skip_label(tokens: Sequence[Token], at: int) -> int:
    """Count the tokens of a label's number and colon before a computation: two in `exercice 7 : 3(x
    + 2) = 18`, else 0."""
    if _names_line(tokens, at):
        return 4
    if at == 0 or at + 3 >= len(tokens) or tokens[at + 1].text != ":":
        return 0
    number, first, second = tokens[at], tokens[at + 2], tokens[at + 3]
    is_label = number.kind == "number" and _LABEL.fullmatch(tokens[at - 1].text)
    is_alone = first.kind == "number" and second.kind in ("relation", "separator")
    return 2 if is_label and not number.places and not is_alone else 0


def _names_line(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a whole number in brackets and a colon name a line: `dans (1) : 4 + y
    = 13`."""
    shown = [token.text for token in tokens[at : at + 4]]
    is_bracketed = len(shown) == 4 and (shown[0], shown[2], shown[3]) == ("(", ")", ":")
    is_alone = at == 0 or tokens[at - 1].kind == "word"
    number = tokens[at + 1] if is_bracketed else None
    return is_alone and number is not None and number.kind == "number" and not number.places


_LABEL: Final = re.compile(
    r"(?:exercices?|questions?|etapes?|exemples?|activites?|partie|chapitre|page|numero|no|cas|lecon"
    r"|problemes?|methode|regle|fiche|serie|exercise|step|example|part|problem|case"
    r"|lignes?|line|row|colonnes?|egalite|equation|inequation|expression|fonction|jour|semaine|day"
    r"|week|groupe|group|equipe|team|figure|niveau|level|tour|round|point|calcul|essai|candidat)"
)
