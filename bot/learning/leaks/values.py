"""Find a value in a text of the tutor, and decide whether it is said as the solution. Pure.

A value that the pupil knows (it is in the statement or in the pupil's last message) is given away
only where it is said as the result. Any other value is given away wherever it is said, except small
numbers that count something else: steps, sides, terms of another example.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Final

from bot.learning.leaks.reading import (
    Literal,
    Reading,
    is_counted,
    is_in_line_of_points,
    list_literals,
    list_unit_names,
    read_value,
)
from bot.learning.leaks.said_computations import find_said_computation
from bot.learning.plain_notation import fold_accents
from bot.learning.time_patterns import asks_time, is_date_or_time
from bot.maths.exact.units import SINGLE_LETTERS, UNITS, find_unit

_FINE: Final = 100
"""The least number, without its decimal mark, that a measure in another unit may be rounded to."""
_UNIT: Final = re.compile(r" ?([a-zω°µμ]+(?:\^?[23])?(?:/[a-z]+(?:\^?[23])?)?)")
_REACH: Final = 70
"""Characters that are searched on each side of a value."""
_LONGEST_REACH: Final = 160
"""Characters on each side of a value by which it is decided, at most."""
_STRONG: Final = re.compile(
    r"(?:[=≈→⇒⇔>#]|\b(?:reponses?|resultats?|solutions?|answers?|results?"
    r"|corriges?)\b[^.!?\n=]{0,40}?"
    r"(?:\b(?:est|sont|is|are|etait|sera|donne|vaut|fait|de|que|c'est)\b|:|=)"
    r"|\b(?:obtien[st]|obtenir|trouve[sz]?|trouveras|trouver|tombe[sz]?|arrive[sz]?|reponds"
    r"|repondre|stops? (?:at|on)|arretes?(?: donc)? (?:sur|a)|arretes? (?:sur|a)"
    r"|get|find|finds|answer is|got|revient)\b(?: bien| donc| enfin| alors| finalement)?"
    r"(?: sur| a| au final)?|\b(?:c'est|it's|that's)(?: donc| bien| bel et bien| tout simplement"
    r"| exactement| encore| toujours| aussi)"
    r"|\b(?:conclusion|final|finalement|bingo|solution|reponse|resultat|answer)\b ?[:,-]"
    r"|\b(?:ecri[st]|mets|note|entoure|coche|choisis|prends|dis|tape|write|choose)\b(?: donc| juste"
    r"| bien)?"
    r"|\b(?:il|te|lui) reste(?: donc)?|\b(?:il y a|on (?:a|compte)) donc|\bso there are"
    r"|\b(?:affiche|displays?|renvoie|returns?|outputs?|prints?)(?: bien| alors| donc)?)"
    r"\s*(?:le nombre|le chiffre|la valeur|the number|le|la|the|donc|bien|alors|exactement|:)?"
    r"\s*[\"'(\[{\s:]*-?$"
)
_WEAK: Final = re.compile(
    r"\b(?:est|sont|is|are|c'est|it's|remplit|cas|donc|raison|alors)(?: de| bien| donc)?"
    r"[\s,:]*[\"'(]*-?$"
)
_CLAUSE_END: Final = re.compile(
    r"(?:[\s$]?(?:f(?:rancs?)?(?: ?cfa)?|fcfa)\b)?"
    r"[\"')\s]*(?:[.!;\n]|$|,(?! ?-?\d)|\b(?:qui|car|donc|which|because)\b)"
)
_EQUATION: Final = re.compile(
    r"(?:(?<![a-z])(?!(?:[a-z]\(-?[\d.,]+\)|[ev]\([a-z]\)) ?=)[a-z]\)?\s?[-+*/÷^(]"
    r"|[\d)] ?\)*(?<![a-z])[a-z](?![a-z]))"
    r"[^=a-z\n]*(?:(?<![a-z])[a-z](?![a-z'(]))?[^=a-z\n]*=\s*-?$"
)
"""A side that computes with a letter, followed by `=`: the number after it is no result yet."""
LABEL: Final = re.compile(
    r"\b(?:etapes?|exercices?|questions?|numeros?|no|pages?|chapitres?|indices?|exemples?|essais?"
    r"|astuces?|niveaux?|parties?|lignes?|colonnes?|cas|pistes?|methodes?|steps?|hints?|examples?"
    r"|exercises?|parts?|lines?|levels?|ways?|classes?|rangs?|lecons?|conseils?|regles?|fiches?"
    r"|annee|tables?(?: de| du| des| of)?|points?|jours?|semaines?|theoreme|propriete|figure"
    r"|tableau|tour)(?: n°| numero)? ?$|n° ?$|#$"
)
_MARKER: Final = re.compile(r"(?:^|\n) *(?:[-*] )?\(?$")
_MARKED: Final = re.compile(r"(?:[.)]|°\)|\s?[-:/])\s+\S|\s?\)\s*\S")
_GOES_ON: Final = re.compile(
    r"\s?[*/÷^](?! ?\*)\s?[\d(a-z√-]|\s?[-+]\s?(?!0(?![\d.,]))[\d(√]|[-+][a-z]\b"
    r"|\s[-+]\s[a-z](?![a-z])|[(√_]|\s[(√]\d"
)
_GOES_BACK: Final = re.compile(
    r"(?:[\w)%²]|\w\^\d)\s?[-+*/÷^]\s?\(*$|[*/÷^+]\s?\(*-?$|[_^]\(?-?$|√\(?$"
)
_TO_SIMPLIFY: Final = re.compile(r",? (?:et|puis|and|then|a|to) (?:simplif|redu|multipl|divi)")
_PLUS_SIGN: Final = re.compile(r"(?:^|(?<=[\n:=])) ?\+$")
_OTHERS = """
etapes? cotes? nombres? chiffres? termes? facteurs? facons? methodes? fois parties? choses?
questions? minutes? secondes? essais? tentatives? indices? exemples? colonnes? lignes? membres?
regles? astuces? pistes? phrases? mots? lettres? inconnues? equations? expressions? fractions?
operations? calculs? parentheses? points? sommets? angles? aretes? faces? paquets? groupes? parts?
cas manieres? options? solutions? racines? possibilites? moments? temps conditions? idees? morceaux?
rangs? zeros? decimales? triangles? rectangles? moyens? series? objets? tours? sens conseils?
remarques? raisons? sides? numbers? digits? terms? factors? ways? steps? things? times hints?
examples? words? groups? equal answers? ans? annees? bonds? bornes? branches? produits? additions?
multiplications? divisions? soustractions? details? types? formules? valeurs? quantites? nouvelles?
autres? memes? premiers? premieres? derniers? dernieres
"""
_COUNTED: Final = re.compile(
    r"\s(?:autres? |petite?s? |grande?s? |premier(?:e?s) |meme?s? |nouve\w+ |dernier(?:e?s) "
    r"|bonnes? "
    r"|other |more |same |equal )*(?:" + "|".join(_OTHERS.split()) + r")\b"
)
_NOUN: Final = re.compile(r"\s(?:(?:petit|grand|beaux|belle|gros|autre)\w* )?([a-z]{3,})\b")
_ALL: Final = re.compile(
    r"\s+(?:left|remain|restent|en tout|au total|in total|altogether|chacun|each)"
)
_NOW: Final = re.compile(r"\b(?:now|maintenant|desormais)\b[^.!?\n]{0,8}$")
_NOT_COUNTED = """
alors mais puis dans sans car donc est sont ensuite apres parce puisque comme pour avec plus moins
ainsi voila bravo tres pas jamais toujours bien sur sous vers dis its yes this was has thus ans nous
vous les des ces ses mes tes comes goes makes gives works fits follows
"""
_NO_NOUNS: Final = frozenset(_NOT_COUNTED.split())
"""Words after a number that are no noun counted by it, though they may end in `s`."""
_LETTERS: Final = re.compile(r"[abcdnpqtuvwxyz]{2,3}")
"""Letters of a product, such as `2ab`, unless they are a unit."""
_ORDINAL_ENDS: Final = ("eme", "nd", "nde", "er", "ere", "th", "st", "rd")
_OPERAND: Final = re.compile(
    r"\b(?:par|fois|ajout\w+|enlev\w+|retir\w+|soustra\w+|retranch\w+|multipli\w+|divis\w+"
    r"|addition\w+|puissance|exposant|by|add|subtract|times|minus|(?<=\w )plus|jusqu'a|jusqu'au"
    r"|a partir de|multiples? (?:de|of)|moitie de|double de|triple de|tiers de|quart de|paquets? de"
    r"|groupes? de|de \d+ en|de|compt\w+|en|carre de|racine de|inverse de|oppose de|avec|entre"
    r"|between|passe\w*|commenc\w+ (?:a|par)|pars de|au moins|au plus|egal a|autour de|proche de|at"
    r"|near|vers|towards?)\s*(?:encore |aussi |juste |another )?(?:les? |the )?$"
)
_TRIES: Final = re.compile(
    r"\b(?:essa[iy]\w*|test\w*|verifi\w+|try|check)\b(?: [a-z']+){0,2} (?:avec|with) $"
)
_COEFFICIENT: Final = re.compile(r"(?<![\w.,^/])(\d{1,4}) ?\*? ?[a-z](?![a-z])")
_SAID_AS: Final = re.compile(
    r"\b(?:est|sera|serait|etait|nombre|resultat|valeur|total|reponse|mesure|cote|longueur|is"
    r"|risque|chances?|proba\w*|probability|part|taux|rate)"
    r" (?:bien |donc )?de $"
)
_CHANGED: Final = re.compile(
    r"\b(?:augment\w+|hausse\w*|mont\w+|grimp\w+|baiss\w+|diminu\w+|reduc\w+|redui\w+|remise"
    r"|recul\w*|ristourne|(?:de|in)cre\w+|r[io]se\w*|f[ae]ll\w*|drop\w*|went (?:up|down)|discount)"
    r"(?: est| etait| is| was)?(?: bien| donc| exactement)?(?: de| of| by)? $"
)
"""Words before a percentage by which something changes."""
_BETWEEN: Final = re.compile(r"\b(?:entre|between) (?:[\d., -]+(?:et|and) )?$")
_RUN_BEFORE: Final = re.compile(r"(?:(?<![a-z])x(?= ?\d)|[-+*/÷=()\d., ^%√])*$")
_RUN_AFTER: Final = re.compile(r"(?:x(?= ?\d)|[-+*/÷=()\d, ^%√]|\.\d)*")
_PRODUCT: Final = re.compile(r"\s*\d+\s?\*\s?\d+(?:\s?\+\s?\d+)?\s*")
_LIST: Final = re.compile(r"\s?[,;]\s?-?\d|\s?(?:…|\.\.\.)")
_ALONE: Final = re.compile(r"\W*(?:\n|$)")
_PREFIX: Final = re.compile(r"(?:rep|sol|res|ans|cor|val|key|cle|result|final|x|out)[a-z]*[_-]?$")


def is_label_or_operand(before: str) -> bool:
    """Return whether what stands before a number makes it a label (`étape`) or a part of a
    computation (`entre`, `multiple de`), so that it is no result."""
    return bool(LABEL.search(before) or _OPERAND.search(before))


def counts_noun(after: str) -> bool:
    """Return whether what stands after a number is a noun that it counts: `2 essais`."""
    found = _NOUN.match(after)
    return bool(found and found[1].endswith(("s", "x")) and found[1] not in _NO_NOUNS)


class ValueSearch:
    """A search for one number, in any notation."""

    def __init__(self, solution: str, statement: Reading, unit: str) -> None:
        target = read_value(solution)
        if target is None:
            raise ValueError("The solution is no number.")
        rest = Reading(solution).plain[target.end :].strip(" .$")
        self._unit = UNITS.get(unit) or UNITS.get(rest) or (find_unit(unit) if unit else None)
        self._unit_names = {each for each in (fold_accents(unit.lower()), rest) if each}
        self._unit_names |= {name for each in self._unit_names for name in list_unit_names(each)}
        is_percent = "%" in self._unit_names or target.form[0] == "%"
        value = target.value
        self.value = value
        self._values, self._forms = (value,), {target.form}
        if is_percent:
            hundredths = round(value * 100, 9) if target.form[0] == "%" else value
            self._values = (hundredths, hundredths / 100)
            self._forms = {
                ("d", hundredths), ("%", hundredths), ("/", hundredths, 100.0),
            }  # fmt: skip
        self._statement = statement
        self._given = [each.value for each in statement.literals]
        self._given_forms = {
            each.form
            for each in statement.literals
            if not re.search(r"[a-z]_$", statement.plain[max(0, each.start - 2) : each.start])
            and (not self._is_close(each.value) or self._is_same_size(each, statement.plain))
        }
        self._converts = "scientifi" in statement.plain or any(
            self._is_close(each.value) and each.form not in self._forms
            for each in statement.literals
        )
        self._letters = {letter for form in statement.expressions for letter in form.letters}
        self._asks_mark = bool(re.search(r"\b(?:notes?|moyenne|marks?|average)\b", statement.plain))
        self._asks_part = bool(re.search(r"(?:nume|denomi)\w*at", statement.plain))
        self._is_endless = round(value, 6) != value
        self._asks_time = asks_time(statement.plain) or bool(
            self._unit and self._unit.dimensions == UNITS["h"].dimensions
        )

    def _is_close(self, value: float) -> bool:
        return any(math.isclose(value, each, rel_tol=1e-9, abs_tol=1e-12) for each in self._values)

    def matches(self, literal: Literal, plain: str) -> bool:
        """Return whether a number equals the solution, in any notation or unit."""
        if self._is_close(literal.value) or (literal.other and self._is_close(literal.other)):
            return not self._unit or self._is_same_size(literal, plain)
        if literal.form[0] == "/" and self._asks_part and self.value in literal.form[1:]:
            return True
        if self._asks_mark and literal.form == ("/", self.value, 20.0):
            return True
        if self._is_endless and literal.places >= 2:
            step = 10.0**-literal.places
            return abs(literal.value - self.value) < step * 0.999
        return bool(self._unit) and self.is_converted(literal, plain)

    def _find_unit(self, literal: Literal, plain: str) -> str:
        found = _UNIT.match(plain, literal.end)
        return found[1].replace("^2", "²").replace("^3", "³") if found else ""

    def _is_same_size(self, literal: Literal, plain: str) -> bool:
        """Return whether the unit after a number is no other unit of the solution's kind."""
        unit = find_unit(self._find_unit(literal, plain))
        own = self._unit
        return not (unit and own and unit.dimensions == own.dimensions and unit.size != own.size)

    def is_converted(self, literal: Literal, plain: str) -> bool:
        unit, own = find_unit(self._find_unit(literal, plain)), self._unit
        if not unit or not own or unit.dimensions != own.dimensions or unit.size == own.size:
            return False
        ratio = float(unit.size / own.size)
        is_exact = math.isclose(literal.value * ratio, self.value, rel_tol=1e-9)
        is_fine = literal.places and abs(literal.value) * 10**literal.places >= _FINE
        step = ratio * 0.5 * 10.0**-literal.places
        return is_exact or bool(is_fine and abs(literal.value * ratio - self.value) <= step)

    def find(self, reading: Reading) -> str | None:
        """Return the words that give the value away; None: no words do."""
        for literal in self.list_leaks(reading):
            return reading.cut(literal.start, literal.end)
        return self.find_computation(reading)

    def find_computation(self, reading: Reading) -> str | None:
        """Return a computation of the value that is said as the solution."""
        return find_said_computation(reading.plain, self._is_close, self._statement)

    def list_leaks(self, reading: Reading) -> Iterator[Literal]:
        """Yield each number that gives the value away."""
        for literal in self._list_matches(reading):
            if self.gives_away(literal, reading):
                yield literal

    def list_results(self, reading: Reading) -> Iterator[Literal]:
        """Yield each number that says the value as a result."""
        for literal in self._list_matches(reading):
            if self.is_result(literal, reading):
                yield literal

    def _list_matches(self, reading: Reading) -> Iterator[Literal]:
        """Yield each number that equals the solution, once for all in the same words."""
        plain, contexts = reading.plain, set[tuple[str, str]]()
        for literal in reading.literals:
            if not self.matches(literal, plain):
                continue
            words = (
                plain[max(0, literal.start - _LONGEST_REACH) : literal.end],
                plain[literal.start : literal.end + _LONGEST_REACH],
            )
            if words not in contexts:
                contexts.add(words)
                yield literal

    def gives_away(self, literal: Literal, reading: Reading) -> bool:
        """Return whether a number that equals the solution gives it away."""
        return self._is_leak(literal, reading) and (
            self._asks_time or not is_date_or_time(reading.plain, literal.start, literal.end)
        )

    def _is_leak(self, literal: Literal, reading: Reading) -> bool:
        if self._is_other_thing(literal, reading.plain):
            return False
        if literal.form not in self._forms and _TO_SIMPLIFY.match(reading.plain, literal.end):
            return False
        if literal.form in self._given_forms or literal.form in reading.known.forms:
            return self._is_known_result(literal, reading)
        if self._is_check(literal, reading.plain):
            return True
        if self._is_step(literal):
            return self.is_result(literal, reading)
        return not literal.is_small or self._is_small_result(literal, reading)

    def _is_other_thing(self, literal: Literal, plain: str) -> bool:
        """Return whether a number is a label or a coefficient, or the statement's value in another
        form than the asked one."""
        return (
            self._is_label(literal, plain)
            or self._is_coefficient(literal, plain)
            or self._names_coefficient(literal, plain)
            or bool(_BETWEEN.search(plain[max(0, literal.start - 30) : literal.start]))
            or (literal.is_small and self._counts_others(plain[literal.end :][:_REACH]))
            or (self._converts and literal.form not in self._forms and not self._is_other(literal))
        )

    def _is_other(self, literal: Literal) -> bool:
        """Return whether a decimal or percentage stands for the fraction that is asked: `0,75` for
        `Simplifie 9/12`, which would be graded as right."""
        kinds = {each.form[0] for each in self._statement.literals if self._is_close(each.value)}
        is_fraction = all(form[0] == "/" for form in self._forms)
        others = {"d", "%"} if is_fraction else {"%"}
        return literal.form[0] in others - kinds

    def _is_small_result(self, literal: Literal, reading: Reading) -> bool:
        before = reading.plain[max(0, literal.start - _REACH) : literal.start]
        if literal.form[0] == "%" and _CHANGED.search(before):
            return True
        return self.is_result(literal, reading) or not self._is_incidental(literal, reading)

    def _is_step(self, literal: Literal) -> bool:
        """Return whether a number is an uncomputed quotient of the statement's numbers."""
        parts = literal.form[1:]
        return literal.form[0] == "/" and literal.form not in self._forms and all(
            part in self._given for part in parts
        )  # fmt: skip

    def _is_label(self, literal: Literal, plain: str) -> bool:
        """Return whether a number labels a line, a step or an exercise."""
        before, after = plain[max(0, literal.start - 30) : literal.start], plain[literal.end :][:12]
        if literal.form[0] == "d" and LABEL.search(before):
            return literal.is_small or "table" not in before
        is_line = len(before) < 30 or "\n" in before
        is_marker = is_line and _MARKER.search(before if "\n" in before else f"\n{before}")
        is_marker = is_marker or is_in_line_of_points(literal, plain)
        return bool(literal.is_small and is_marker and _MARKED.match(after))

    def _is_coefficient(self, literal: Literal, plain: str) -> bool:
        """Return whether a letter is attached to a number: `12x`, `x_2`, `4e`, `u4`; a unit or a
        prefix such as `rep_` does not count."""
        after = re.match(r"[a-z]+|\(", plain[literal.end : literal.end + 12])
        before = re.search(
            r"[a-z]+[_^-]?\Z|[_^]\(?-?\Z", plain[max(0, literal.start - 12) : literal.start]
        )
        if before and not before[0].endswith("-"):
            return not _PREFIX.search(before[0]) or (before[0][-1] in "_^" and len(before[0]) < 4)
        if after is None:
            return False
        word = after[0]
        is_mark = len(word) == 1 or word in _ORDINAL_ENDS or bool(_LETTERS.fullmatch(word))
        return is_mark and word not in UNITS and word not in SINGLE_LETTERS

    def _names_coefficient(self, literal: Literal, plain: str) -> bool:
        """Return whether a number of the statement is assigned to a letter that the statement does
        not use: `a = 3`."""
        before = plain[max(0, literal.start - 8) : literal.start]
        letter = re.search(r"(?<![a-z?&])([a-z])\s*=\s*$", before)  # `?a=3` is a link
        if letter is None or letter[1] in self._letters:
            return False
        if re.search(rf"\b{letter[1].upper()}\b", self._statement.text):
            return False
        is_given = abs(literal.value) in map(abs, self._given)
        start = plain.rfind("\n", 0, literal.start) + 1
        is_line = re.fullmatch(r"\W*[abc] ?= ?", plain[start : literal.start][:20])
        return is_given or (letter[1] in "abc" and not (is_line and not self._letters))

    def _is_whole_side(self, literal: Literal, plain: str) -> bool:
        """Return whether a number is no operand of a computation."""
        after = plain[literal.end : literal.end + _REACH]
        unit = re.match(
            r"\s?(?!(?:et|ou|and|or)\b)(?:[a-z°]{1,9}(?:\^?[23])?(?:/[a-z]+)?)(?=\s[-+*/÷] ?\d)",
            after,
        )
        rest = after[unit.end() :] if unit else after
        before = _PLUS_SIGN.sub("", plain[max(0, literal.start - 12) : literal.start])
        return not _GOES_ON.match(rest) and not _GOES_BACK.search(before)

    def is_result(self, literal: Literal, reading: Reading) -> bool:
        plain = reading.plain
        if not self._is_whole_side(literal, plain):
            return False
        before = plain[max(0, literal.start - _REACH) : literal.start]
        if _EQUATION.search(before):
            return False
        is_said = _STRONG.search(before) or (
            _WEAK.search(before) and _CLAUSE_END.match(plain[literal.end : literal.end + 12])
        )
        return bool(is_said) or self._is_alone(literal, plain) or self._counts_asked(literal, plain)

    def _counts_asked(self, literal: Literal, plain: str) -> bool:
        """Return whether a number counts what the question asks for: `3 sachets` for how many
        sachets."""
        found = _NOUN.match(plain[literal.end : literal.end + 30])
        return bool(found and len(found[1]) > 3 and self._is_asked(found[1].rstrip("sx")))

    def _is_alone(self, literal: Literal, plain: str) -> bool:
        """Return whether a number stands alone in its line, with or without its unit."""
        line = plain[max(0, literal.start - 12) : literal.start].rpartition("\n")
        is_first = (line[1] or literal.start < 12) and not re.search(r"[\w?]", line[2])
        after = plain[literal.end : literal.end + 24].lstrip(" ")
        for unit in self._unit_names:
            after = after.removeprefix(unit)
        return bool(is_first and _ALONE.match(after))

    def _is_known_result(self, literal: Literal, reading: Reading) -> bool:
        """Return whether a number that the pupil knows is said as the result, and not merely
        repeated."""
        if not self.is_result(literal, reading):
            return self._is_check(literal, reading.plain, most=self._count_given())
        start = max(0, literal.start - 14)
        again = re.sub(r"[\s$]+", "", reading.plain[start : literal.end])[-9:]
        known = (self._statement.squeezed, reading.known.squeezed)
        is_again = any(again in each for each in known)
        if self._is_alone(literal, reading.plain):
            return sum(self._is_alone(each, reading.plain) for each in reading.literals[:50]) < 2
        return not is_again

    def _count_given(self) -> int:
        return sum(map(self._is_close, self._given))

    def _is_check(self, literal: Literal, plain: str, most: int = 0) -> bool:
        """Return whether a number is put into the statement, in an equality with the statement's
        numbers."""
        before = _RUN_BEFORE.search(plain[max(0, literal.start - 40) : literal.start])
        after = _RUN_AFTER.match(plain[literal.end : literal.end + 40])
        left, right = before[0] if before else "", after[0] if after else ""
        if re.search(r"(?<![a-z])[a-z]\s?$", plain[: literal.start - len(left)][-3:]):
            return False
        run = f"{left}{plain[literal.start : literal.end]}{right}"
        if run.count("=") != 1 or not re.search(r"\d ?=|= ?-?\(?\d", run):
            return False
        found = [each.value for each in list_literals(run)]
        others = [value for value in found if not self._is_close(value)]
        if self._is_root_product(literal, run, plain):
            return True
        if literal.is_small and any(
            _PRODUCT.fullmatch(side) and self._is_given(other)
            for side, other in (run.split("=")[::-1], run.split("="))
        ):
            return most == 0
        is_given = bool(others) and all(value in self._given for value in others)
        return is_given and len(found) > len(others) + most and len(found) >= 3

    def _is_root_product(self, literal: Literal, run: str, plain: str) -> bool:
        """Return whether an equality multiplies the value by a coefficient of the statement's
        unknown, as `3 * 7 = 21` does where `3x` stands; several such products in a line are a
        table."""
        factors = [set(map(float, each)) for each in re.findall(r"(\d+) ?\* ?(\d+) ?=", run)]
        found = [each - {self.value} for each in factors if self.value in each]
        start = plain.rfind("\n", 0, literal.start) + 1
        line = re.match(r"[^\n]*", plain[max(start, literal.start - 300) : literal.end + 300])
        for coefficient in _COEFFICIENT.findall(self._statement.plain) if found else ():
            others = re.findall(rf"(?<!\d){coefficient} ?\* ?(\d+) ?=", line[0] if line else "")
            is_alone = all(float(each) == literal.value for each in others)
            if {float(coefficient)} in found and is_alone:
                return True
        return False

    def _is_given(self, side: str) -> bool:
        """Return whether a side is just one whole number of the statement."""
        found = list(list_literals(side))
        return len(found) == 1 and found[0].value in self._given and side.strip(" ,.").isdigit()

    def _counts_others(self, after: str) -> bool:
        found, own = _COUNTED.match(after), self._unit
        written = found[0].split()[-1] if found else ""
        unit, noun = UNITS.get(written), written.rstrip("s")
        if not found or (unit and own and unit.dimensions == own.dimensions):
            return False
        return noun not in self._unit_names and not self._is_asked(noun)

    def _is_asked(self, noun: str) -> bool:
        asked = (
            r"\b(?:combien\b[^.?!\n]{0,30}? d(?:es? |')|nombre d\S+ |how many |number of )"
            + re.escape(noun)
        )
        return bool(re.search(asked, self._statement.plain))

    def _is_incidental(self, literal: Literal, reading: Reading) -> bool:
        """Return whether a small number is said for another reason than as the result."""
        plain = reading.plain
        before = plain[max(0, literal.start - _REACH) : literal.start]
        if not self._is_whole_side(literal, plain):
            return True
        if _LIST.match(plain[literal.end : literal.end + 6]) or is_counted(literal, plain):
            return True
        unit = "" if self._unit else self._find_unit(literal, plain)
        if find_unit(unit) and not re.search(rf"\b{re.escape(unit)}\b", self._statement.plain):
            return True  # a measure, of which the exercise has none
        if self._letters and _TRIES.search(before):
            return not _CLAUSE_END.match(plain[literal.end : literal.end + 12])
        if _EQUATION.search(before) or (_OPERAND.search(before) and not _SAID_AS.search(before)):
            return True
        return self._counts_nouns(literal, reading)

    def _counts_nouns(self, literal: Literal, reading: Reading) -> bool:
        """Return whether a number counts a noun that the statement does not contain."""
        found = _NOUN.match(reading.plain[literal.end : literal.end + 30])
        if found is None or found[1] in _NO_NOUNS or found[1].endswith("ment"):
            return False
        rest = reading.plain[literal.end + found.end() : literal.end + found.end() + 16]
        before = reading.plain[max(0, literal.start - 20) : literal.start]
        if (self._unit and found[1] in UNITS) or _ALL.match(rest) or _NOW.search(before):
            return False
        is_plural = found[1].endswith(("s", "x")) or abs(literal.value) < 2
        stem = found[1].rstrip("sx")
        line = reading.plain[max(0, literal.start - _REACH) : literal.start].rpartition("\n")[2]
        added = [float(each) for each in re.findall(rf"(\d+) {stem}[sx]?\b", line)]
        if len(added) > 1 and set(added) <= set(self._given):  # `8 mangues et 9 mangues, soit 17`
            return False
        return is_plural and found[1] not in self._unit_names and stem not in self._statement.plain
