"""Read the members of chains (expressions, sets, intervals, pairs) and their relations, and tell
which words and marks around a chain leave it complete, and which belong to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, TypeAlias
from unicodedata import category

import msgspec

from bot.maths.exact.expression import (
    Apply,
    Expr,
    Interval,
    Letter,
    Solutions,
    apply,
    find_letters,
    has_operation,
)
from bot.maths.reading.notation import Reader
from bot.maths.reading.number_words import fold
from bot.maths.reading.quantities import NotReadable
from bot.maths.reading.tokens import Token

# Words of chains ----------------------------------------------------------------------------------

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
OPERATORS: Final = ("re", "im", "det", "card", "dim", "deg")
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
    r"|moyenn|median|principal|enti[eè]r|r[ée]el|imaginaire|differen|egal|superieur|inferieur|proportion|loin|pres$|autour|puissance|arg"
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
_SHARED: Final = re.compile(
    r"(?:partage|coupe|repart|separe|divise)(?:es?|ies?|is?|s)?|shared|split|divided"
)
"""Participles after a number that is divided yet: `la moitié de 48, c'est 48 partagé en deux`."""
_SHARING: Final = re.compile(r"que? (?:l )?(?:on|tu|nous) (?:partag|coup|repart|separ|divis|/)")
"""The same with a pronoun: `48 qu'on partage`, `20 qu'on divise`."""
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
            return is_part or (is_of and follows in ("number", "unit")) or _is_shared(token, after)
        case "relation" | "name":
            is_factor = not token.is_spaced and not token.is_formula
            ends = token.is_weak or token.text == "≠"
            return is_factor if token.kind == "name" else not ends
        case _:
            return token.kind in ENDS


def _is_shared(token: Token, after: Sequence[Token]) -> bool:
    """Return whether a number is divided by the words after it."""
    words = " ".join(each.text for each in (token, *after[:5]) if each.text != "'")
    return bool(_SHARED.fullmatch(fold(token.text)) or _SHARING.match(fold(words)))


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


def ends_sum(tokens: Sequence[Token], at: int) -> bool:
    """Return whether an operator and a few words stand before a place: `500 + sauce`."""
    begin = at
    while (
        at
        and begin - at <= _MOST_LABELS
        and (tokens[at - 1].kind == "word" or tokens[at - 1].text == ":")
    ):
        at -= 1
    sign = tokens[at - 1] if at else None
    is_sign = sign is not None and sign.kind == "operator" and not sign.is_word
    return at < begin and is_sign and sign is not None and sign.text in ("+", "-", "*", "/")


_MOST_LABELS: Final = 4
"""Most words that name a term of a sum."""


# Members ------------------------------------------------------------------------------------------

Member: TypeAlias = Expr | Solutions
ARROWS: Final = ("→", "⟶", "->")
_ADVERBS: Final = frozenset(
    ["environ", "about", "approximately", "bien", "donc", "alors", "exactement", "exactly"]
)
"""Words between a relation and the value."""


_OF_FUNCTIONS: Final = frozenset(
    ("la", "les", "une", "fonction", "fonctions", "l", "'", "the", "function", "functions",
     "expression", "definie", "definies", "par", "forme")
)  # fmt: skip


class MemberReader(Reader):
    """A reader of chain members: expressions, sets, intervals, integrals."""

    def read_phrase(self) -> str:
        """Read words such as `la dérivée de` before a function; empty: there are none."""
        token = self.peek()
        if token.kind != "phrase" or token.text not in ("derivative", "primitive"):
            return ""
        self.at += 1
        self._skip_names()
        return token.text

    def _skip_names(self) -> None:
        """Skip what only says that a function follows: `la fonction`, `x ↦`."""
        while self.peek().text in _OF_FUNCTIONS or self.peek(1).text in ("↦", "⟼"):
            self.at += 1 if self.peek().text in _OF_FUNCTIONS else 2

    def find_relation(
        self, members: Sequence[Member], relations: Sequence[Token], phrase: str
    ) -> Token | None:
        """Take the next relation if the chain continues with it; else return None."""
        before = self.at
        if self.peek().text == "\n" and self.peek(1).kind == "relation":
            self.at += 1
        if phrase and self.peek().text in ("sur", "on") and self.peek(1).text in ("[", "]"):
            self._skip_domain()
        last = members[-1]
        is_computed = not relations and not isinstance(last, Solutions) and has_operation(last)
        if self.peek().text == "," and self.peek(1).is_word and is_computed:
            self.at += self.peek(1).kind == "relation"
        token = self.peek()
        is_difference = isinstance(last, Apply) and last.op == "-"
        if token.text == "rest" and (relations or not is_difference):  # a remainder, or a part
            self.at = before
            return None
        is_word_fine = not token.is_weak or phrase or self._takes_weak(members[-1], relations)
        if token.kind == "relation" and token.text != "≠" and is_word_fine:
            self.at += 1
            while self.peek().text in _ADVERBS and (token.is_word or self.peek().text == "environ"):
                self.at += 1
            if phrase:
                self._skip_names()
            return token
        self.at = before
        return self._take_arrow(last) if is_computed and not relations else None

    def _take_arrow(self, left: Member) -> Token | None:
        """Take the arrow of `4² → 16`, between a computation and a number that ends the clause;
        else return None."""
        arrow, value, after = self.peek(), self.peek(1), self.peek(2)
        if not isinstance(left, Apply) or left.op not in ("+", "-", "*", "^") or find_letters(left):
            return None
        is_number = value.kind == "number" and (not after.text or after.kind == "separator")
        if arrow.text not in ARROWS or not is_number:
            return None
        self.at += 1
        return msgspec.structs.replace(arrow, kind="relation", text="=")

    def _skip_domain(self) -> None:
        """Skip `sur ]0 ; +∞[` after a function."""
        before = self.at
        self.at += 1
        try:
            self._read_intervals()
        except NotReadable:
            self.at = before

    def _takes_weak(self, left: Member, relations: Sequence[Token]) -> bool:
        """Return whether a weak word such as `est` relates `left` to the next value: `left` is
        computed (`7 plus 8 est 15`) or the value is a part (`30 est 20 % de 150`), and no relation
        stands before."""
        if isinstance(left, Solutions) or relations:
            return False
        after, mark = self.peek(1), self.peek(2)
        is_part = after.kind == "phrase" or (after.kind == "number" and mark.text in ("%", "/"))
        return has_operation(left) or (is_part and not find_letters(left))

    def read_member(self) -> Member:
        token = self.peek()
        if token.text == "∅" or token.text == "{":
            return self._read_set()
        if token.kind in ("open", "close") and token.text in "[]" and token.text:
            before = self.at
            try:
                return self._read_intervals()
            except NotReadable:
                self.at = before
        if token.text == "(" and (pair := self._read_pair()):
            return Solutions(elements=(pair,))
        if token.text == "frac" and self._is_derivation():
            name = self.peek(7).text
            self.at += 10
            return apply("derive", self.read_sum(), Letter(name))
        return self.read_sum()

    def _read_set(self) -> Solutions:
        token = self.peek()
        self.at += 1
        if token.text == "∅":
            return Solutions()
        elements: list[tuple[Expr, ...]] = []
        while self.peek().text != "}":
            if elements and self.peek().text not in (";", ","):
                raise NotReadable("The set is not closed.")
            self.at += bool(elements)
            elements.append(self._read_element())
        self.at += 1
        return Solutions(elements=tuple(elements))

    def _read_element(self) -> tuple[Expr, ...]:
        """Read a number, or a pair in brackets."""
        pair = self._read_pair() if self.peek().text == "(" else None
        return pair or (self.read_sum(),)

    def _read_pair(self) -> tuple[Expr, ...] | None:
        """Read `(2 ; 3)`; None: no pair comes next."""
        before = self.at
        self.at += 1
        try:
            first = self.read_sum()
            if self.peek().text in (";", ","):
                self.at += 1
                second = self.read_sum()
                self.expect(")")
                return first, second
        except NotReadable:
            pass
        self.at = before
        return None

    def _read_intervals(self) -> Solutions:
        found = [self._read_interval()]
        while self.peek().text in ("∪", "U", "u") and self.peek(1).text in ("[", "]"):
            self.at += 1
            found.append(self._read_interval())
        return Solutions(intervals=tuple(found))

    def _read_interval(self) -> Interval:
        has_low = self.peek().text == "["
        self.at += 1
        low = self._read_bound()
        if self.peek().text not in (";", ","):
            raise NotReadable("This is no interval.")
        self.at += 1
        high = self._read_bound()
        closing = self.peek().text
        if closing not in ("[", "]"):
            raise NotReadable("The interval is not closed.")
        self.at += 1
        return Interval(low, high, has_low, closing == "]")

    def _read_bound(self) -> Expr | None:
        sign = 1 if self.peek().text in ("+", "-") else 0
        if self.peek(sign).text == "∞":
            self.at += sign + 1
            return None
        return self.read_sum()

    def _is_derivation(self) -> bool:
        """Return whether d/dx comes next."""
        texts = [self.peek(ahead).text for ahead in range(10)]
        return texts[:7] == ["frac", "(", "d", ")", "/", "(", "d"] and texts[8:] == [")", "end"]


def read_values(
    tokens: Sequence[Token], at: int, constants: frozenset[str] = frozenset("πe")
) -> tuple[list[Expr], int]:
    """Read constants one after another, as in `2 et 3`, `x = 2 ou x = 3` or `1 ; 2`; return them
    and the place after the last.

    Args:
        constants: letters that are numbers.
    """
    found: list[Expr] = []
    while at < len(tokens):
        reader = Reader(tokens, at=at)
        try:
            value = reader.read_sum()
            if isinstance(value, Letter) and value.name != "π" and reader.peek().text == "=":
                reader.at += 1
                value = reader.read_sum()
        except NotReadable:
            return found, at
        follows = reader.peek()
        if find_letters(value) - constants or (follows.kind == "name" and not follows.is_spaced):
            return found, at
        found.append(value)
        at = reader.at
        separators = 0
        while reader.peek(separators).text in ("et", "ou", "and", "or", ",", ";"):
            separators += 1
        if not separators:
            return found, at
        at += separators
    return found, at
