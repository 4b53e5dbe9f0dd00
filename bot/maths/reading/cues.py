"""Read the words around a statement that decide its meaning: equation, supposition, step; and those
of a whole sentence: a scale, a rounding, a count of solutions.

Texts here are folded: without accents and capitals.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from bot.maths.exact.algebra_questions import Strength
from bot.maths.exact.expression import Apply, Letter, Num, Solutions, free_letters, walk
from bot.maths.reading.chains import Chain
from bot.maths.reading.number_words import fold
from bot.maths.reading.prose import Sentence
from bot.maths.reading.vocabulary import SO

# In a sentence ------------------------------------------------------------------------------------

_NEW: Final = re.compile(
    r"\b(?:exemples?|exercices?|examples?|exercises?|soit l'equation|resou\w*|resol\w*|solve"
    r"|solving|on considere|considerons|consider|cas (?:plus )?simple|semblable|similaire|simpler"
    r"|similar)\b"
)
_TASK: Final = re.compile(
    r"^\W*(?:\w+ :? ?){0,3}(?:(?:comment|how (?:do|can|to|would) ?\w*) (?:peut-on |on |we |you )?"
    r"(?:resou|resol|factoris|developp|calcul|trouv|determin|deriv|etudi|simplif|solve|factor|expand"
    r"|find|differentiate|compute)"
    r"|(?:quel(?:le)?s? (?:est|sont)|what (?:is|are)|what's|find|cherchons) (?:les? |la |l'|the )?"
    r"(?:\w+ ){0,2}?(?:solution|racine|derivee|domaine|ensemble|image|antecedent|limite|primitive"
    r"|signe|variation|roots?|derivative|domain|range|limit))"
)
"""The beginning of a question that gives a task with the equation or function in it."""
_SCALE: Final = re.compile(r"\b(?:echelle|carte|plan|scale|map|represent\w*|maquette)\b")
_NEGATIVES: Final = re.compile(r"\b(?:pour|si|quand|lorsque|for|if|when) \$?[a-z] ?(?:<|≤|<=) ?0")
_SCORE: Final = re.compile(
    r"\b(?:scores?|matchs?|match|victoires?|defaites?|nul|but|buts|goals?|penalt\w+|wins?|draw)\b"
)
_GRADES: Final = re.compile(
    r"\b(?:notes?|points?|baremes?|copies?|devoirs?|interros?|bravo|obtenu|obtiens|eu|marks?|grades?"
    r"|scored?|test|quiz|total)\b"
)
_COUNT: Final = re.compile(
    r"\b(?:(?:n'(?:a|admet|possede) (?:donc |alors )?(?P<none>aucune|pas de)"
    r"|(?:a|admet|possede|has) (?:donc |alors |exactement |exactly )*"
    r"(?:(?P<one>(?:une )?seule|une? unique|pour (?:seule|unique)|exactement une|a single|a unique"
    r"|one)"
    r"|(?P<two>deux|two)|(?P<three>trois|three)|(?P<no>no)))"
    r"(?: distinct| real| reelles?| distinctes?)? solutions?)\b"
    r"(?! (?:confondu|entier|positi|negati|compl))"
)
_COUNTS: Final = {"none": 0, "no": 0, "one": 1, "two": 2, "three": 3}
_NARROWED: Final = re.compile(
    r"\b(?:complexes?|entiers?|entieres?|positi\w+|negati\w+|dans [cnz]|sur|intervalle|longueur"
    r"|distance|age|mesure|si|if|quand|lorsqu\w+|when|peut|can|may)\b|[ℕℤℚℂ<>≤≥\[\]]"
)
"""Words that exclude some real solutions, or restrict the statement to one case."""
_DONC: Final = re.compile(rf"\b{SO}\b")
_OF_EQUATION: Final = re.compile(r"^ *(?:l'|cette |th(?:e|is) )equation\b")
_CASES_OF: Final = re.compile(
    r"\b(?:sinon|otherwise)\b|\bcases\b|\b(?:si|if|lorsque) \$?[a-z]\$? ?(?:[<>≤≥≠=∈]|\\[lgni])"
)
_ROUNDED: Final = re.compile(
    r"\barrondi\w*|\barrondir\b|\bround\w*|\bto the nearest\b|\bto \d+ (?:d\.?p|decimal|s\.?f)"
    r"|\b(?:dixieme|centieme|millieme|unite|centime|franc|\d) pres\b|valeurs? approchees?"
)


@lru_cache(maxsize=64)
def says(pattern: re.Pattern[str], text: str) -> bool:
    """Return whether a text has these words. What was found last is kept: a sentence is asked for
    each of its equations."""
    return bool(pattern.search(text))


def asks_task(sentence: Sentence) -> bool:
    """Return whether a sentence asks to do something with what it gives: `comment résoudre 2x + 3 =
    7 ?`, `quelle est la dérivée de f(x) = x² ?`"""
    return sentence.tokens[-1].text == "?" and says(_TASK, sentence.text)


def is_piecewise(sentence: Sentence) -> bool:
    """Return whether a sentence defines a function by cases: `f(x) = 1/x si x > 0 et x² sinon`."""
    return says(_CASES_OF, sentence.text)


@lru_cache(maxsize=4)
def find_named_letters(sentence: Sentence) -> frozenset[str]:
    """Return the letters to which a sentence gives a value: h in `10h/2 = 24, h = 4,8`. What was
    found last is kept, as in `says`."""
    tokens = sentence.tokens
    return frozenset(
        token.text
        for at, token in enumerate(tokens[:-1])
        if token.kind == "name"
        and tokens[at + 1].text == "="
        and (at == 0 or tokens[at - 1].kind not in ("number", "operator", "power", "close"))
    )


def find_count(sentence: Sentence) -> tuple[int, int] | None:
    """Return how many real solutions a sentence states, and the place of this in its text; None: it
    states no number."""
    found = _COUNT.search(sentence.text)
    if not found or _NARROWED.search(sentence.text):
        return None
    if found["one"] and found["one"].startswith("pour") and _NARROWED.search(fold(sentence.source)):
        return None
    return _COUNTS[found.lastgroup or ""], found.start()


def concludes(sentence: Sentence, section: str) -> bool:
    """Return whether a sentence with a number of solutions is about the equation before it, and not
    about one of several cases of its section."""
    if _DONC.search(sentence.text):
        return True
    numbers = {found.lastgroup for found in _COUNT.finditer(section)}
    return len(numbers) == 1 and says(_OF_EQUATION, sentence.text)


def is_scale(sentence: Sentence) -> bool:
    """Return whether units stand for other units, as on a map."""
    return says(_SCALE, sentence.text)


def is_rounded(sentence: Sentence, previous: Sentence | None) -> bool:
    """Return whether the words say that a result is rounded: `(arrondi au centime)`."""
    before = previous.text if previous and previous.block == sentence.block else ""
    return says(_ROUNDED, sentence.text) or says(_ROUNDED, before)


def is_of_negatives(sentence: Sentence) -> bool:
    """Return whether a sentence is about negative values of a letter: `pour x < 0`."""
    return says(_NEGATIVES, sentence.text)


def is_score(sentence: Sentence) -> bool:
    """Return whether a sentence is about a match, in which `2-0` is no difference."""
    return says(_SCORE, sentence.text)


def is_graded(sentence: Sentence) -> bool:
    """Return whether a sentence is about marks: `Ta note : 4 + 3 = 7/10`."""
    return says(_GRADES, sentence.text)


def begins_anew(sentence: Sentence) -> bool:
    """Return whether another exercise begins."""
    return says(_NEW, sentence.text)


# Around a statement -------------------------------------------------------------------------------

_IDENTITY: Final = re.compile(
    r"\b(?:developp|factoris|canonique|redui|simplif|identite|expand|factor|pour tout|quel que soit"
    r"|for all|(?:forme|expression|quantite) conjugu|meme denominateur|common denominator"
    r"|distribu|remarquable|regroup|s'ecri)"
)
_SOLVING: Final = re.compile(
    r"\b(?:resou|resol|equation|inequation|solution|solve|solving|racines?\b(?! carree)|roots?\b"
    r"|systeme|inconnue|trouve[rz]? [xyz]\b|find [xyz]\b|unknown)|[⇔⟺]|<=>"
)
_EQUATION: Final = re.compile(
    rf"{_SOLVING.pattern}"
    r"|(?<![\d²³)}+*/−-] )\b[xyzt]\s?=\s?[-−]?"
    r"(?:\\d?frac|\d+(?:[.,]\d+)?\s?(?:[.;,$)\n]|$|\b(?:ou|et|or|and)\b))"
)
_LINK: Final = re.compile(
    r"\b(?:donc|alors|d'ou|ainsi|soit|c'est-a-dire|on obtient|il vient|ce qui donne|so|then"
    r"|therefore|hence|thus|gives?|soustra\w+|divis\w+|ajout\w+|additionn\w+|retranch\w+"
    r"|enlev\w+|isol\w+|regroup\w+|redui\w+|simplif\w+|multipli\w+|developp\w+|factoris\w+"
    r"|subtract\w*|add|adding|dividing|both sides|membres?|obtien\w+|equivaut|revient|donne"
    r"|devient|we get|you get|condui\w+ a|mene\w* a|aboutit a|(?:tombe|arrive)\w* (?:sur|a)"
    r"|en (?:tire|deduit)|leads? to|transpos\w+|rassembl\w+|collect\w*"
    r"|(?:d'un|du|dans le|de l'autre) (?:meme )?cote|(?:on|one|the same) (?:one )?side"
    r"|(?:on|tu|we|you) (?:pass|met|fai[st] passer|move|bring)\w*(?: \S+){1,4}?"
    r" (?:a|to the) (?:gauche|droite|left|right))\b"
    r"|\b(?:etape|ligne|step|line) \d{1,2} ?: ?$"
    r"|[→⇒⟹⇔⟺]|=>|->"
)
_REACH: Final = 400
"""Characters before an equality that are searched for such words."""
_IMPLIES: Final = ("⇒", "⟹", "⇔", "⟺")
"""Arrows that link two equations of one formula."""
_CASES: Final = frozenset(("ou", "or", "et", "and", ","))
_EQUIVALENT: Final = frozenset(("equivaut", "equivalent", "equivalente", "revient"))
_BINDING: Final = re.compile(
    r"(?:\b(?:pour|si|quand|lorsque|lorsqu'on|when|if|for|let|posons|pose|pren\w+|avec"
    r"|with|rempla\w+|substitu\w+|test\w*|essa\w+|try|plug\w*|(?<!')où|where|choisis\w*|take|put|set"
    r"|valeur|value|point|abscisse|en|at|say|disons|suppose|partir de|interdites?"
    r"|(?<!équivaut )(?<!revient )(?<!équivalente )(?<!équivalent )(?<!conduit )"
    r"(?<!mène )(?<!aboutit )(?<!arrive )à)"
    r"\b(?:\s(?:que|par exemple|that|on a|aussi|donc|maintenant|au contraire"
    r"|en revanche|plutôt|ensuite|now|instead))?[\s,]*"
    r"|\()$"
)
_BOUND: Final = re.compile(
    r"(?:\b[a-z] ?= ?(?:[-−] ?)?[\d/.](?: ?[\d/.]){0,11}(?: ?\$)?"
    r"(?:(?: ?,)? ?(?:et|and|puis|then|ou|or|ensuite)\b| ?,) ?\$?)+$"
)
"""Values before another one: `avec x = 8 et y = 2`, `essaie x = 1, puis x = 2`."""
_CONDITIONS: Final = re.compile(
    r"\bconditions?\b|\b(?:domaine|ensemble) de (?:definition|validite)|\bdomain\b"
    r"|\bvaleurs? interdite|\bil faut \$?[xyt]\$? ?[<>≥≤≠]"
)
_PARTIAL: Final = re.compile(r"\b(?:ln|log|sqrt|racine carree|logarithm\w*)\b|√|\\(?:ln|log|sqrt)")
"""Functions that are not defined everywhere."""
_PRIMITIVE: Final = re.compile(r"\bprimitive|antiderivative|integral")
_CASE: Final = re.compile(r"\b(?:pour|si|quand|lorsqu\w*|avec|vaut|valant|when|if|for|with|is)\b")
"""Words that may give an unknown its value."""
_SYSTEM: Final = re.compile(r"\b(?:systeme|system|simultaneous)")


class Cues:
    """The words of a question and of the sections of its answer."""

    def __init__(self, asked: Sequence[Sentence], answered: Sequence[Sentence]) -> None:
        self._question = " ".join(sentence.text for sentence in asked)
        self._is_single = sum(bool(sentence.text.strip()) for sentence in answered) == 1
        self._sections: dict[int, str] = {}
        for sentence in answered:
            known = self._sections.get(sentence.section, self._question)
            self._sections[sentence.section] = f"{known} {sentence.text}"

    def get_section(self, sentence: Sentence) -> str:
        """Return the words of the sentence's section and of the question."""
        return self._sections.get(sentence.section, self._question)

    def has_system(self, sentence: Sentence) -> bool:
        """Return whether the sentence's section speaks of a system of equations."""
        return says(_SYSTEM, self.get_section(sentence))

    def has_solving(self, sentence: Sentence) -> bool:
        """Return whether the sentence's section speaks of an equation to solve."""
        return says(_SOLVING, self.get_section(sentence))

    def has_equation(self, sentence: Sentence) -> bool:
        """Return whether the sentence's section speaks of an equation to solve, or gives a value to
        an unknown."""
        return says(_EQUATION, self.get_section(sentence))

    def has_condition(self, sentence: Sentence) -> bool:
        """Return whether the sentence's section excludes values in which its equation has no
        meaning: `ln(x - 1) = …, condition : x > 1`."""
        section = self.get_section(sentence)
        return says(_CONDITIONS, section) and says(_PARTIAL, section)

    def is_whole_answer(self, chain: Chain, sentence: Sentence) -> bool:
        """Return whether an equality is all that is said, and no question is known."""
        return self._is_single and not self._question and is_whole(chain, sentence)

    def has_primitive(self, sentence: Sentence) -> bool:
        return says(_PRIMITIVE, self.get_section(sentence))

    def find_strength(
        self, chain: Chain, at: int, sentence: Sentence, previous: Sentence | None
    ) -> Strength:
        """Return how the equality of letters between the member `at` and the next is meant."""
        first = chain.members[0]
        is_named = isinstance(first, Letter) or (isinstance(first, Apply) and first.op == "call")
        is_next = (is_named and at > 0) or _continues_equality(chain, sentence)
        if is_next and chain.relations[0].text == "=":
            is_same = self._keeps_letters(chain, at, sentence)
            return "claimed" if is_same else "equation"
        if _is_sought(chain, sentence) or _keeps_all_letters(chain):
            return "equation" if _is_sought(chain, sentence) else "claimed"
        around = sentence.text
        if previous and previous.block == sentence.block:
            around = f"{previous.text} {around}"
        has_equation = self.has_equation(sentence)
        is_led = previous is not None and _leads_to(previous, sentence)
        if _IDENTITY.search(around) or is_led:
            may_claim = _has_quotient(chain, at) if is_led else _shares_letters(chain, at)
            return "claimed" if may_claim and not has_equation else "plain"
        if has_equation:
            return "equation"
        if _is_quantified(chain, sentence) or _IDENTITY.search(self._question):
            return "claimed"
        return "equation" if _has_condition(chain, sentence) else "plain"

    def _keeps_letters(self, chain: Chain, at: int, sentence: Sentence) -> bool:
        """Return whether no letter of a member is replaced in the next one, by a definition that
        may stand elsewhere: `v_{n+1} = 0,5 u_n - 4 = 0,5 v_n`."""
        one, other = chain.members[at], chain.members[at + 1]
        if isinstance(one, Solutions) or isinstance(other, Solutions):
            return True
        lost, found = (
            free_letters(one) - free_letters(other),
            free_letters(other) - free_letters(one),
        )
        section = self.get_section(sentence)
        return not found and not any(_gives(letter, section) for letter in lost)


def _continues_equality(chain: Chain, sentence: Sentence) -> bool:
    """Return whether an equals sign stands before a chain, after a name that is no member: `y' = (x
    - 1)/x² = …`."""
    before = sentence.tokens[chain.start - 1] if chain.start else None
    return before is not None and before.text == "=" and not before.is_word


def _leads_to(previous: Sentence, sentence: Sentence) -> bool:
    """Return whether a displayed formula stands just after a paragraph that ends with words of an
    identity, and not of an equation."""
    is_displayed = sentence.source.startswith("$$") and sentence.tokens[0].is_formula
    is_next = is_displayed and previous.block == sentence.block - 1
    is_meant = is_next and bool(_IDENTITY.search(previous.text))
    return is_meant and not _MEMBERS.search(previous.text)


_MEMBERS: Final = re.compile(r"\b(?:membres?|both sides|equations?|inequations?|isol\w+)\b")


def _has_quotient(chain: Chain, at: int) -> bool:
    """Return whether two members have the same letters, and one has a fraction or root of them."""
    one, other = chain.members[at], chain.members[at + 1]
    if isinstance(one, Solutions) or isinstance(other, Solutions):
        return False
    nodes = [node for side in (one, other) for node in walk(side) if isinstance(node, Apply)]
    has_quotient = any(
        (node.op == "/" and free_letters(node.args[1]))
        or (node.op == "sqrt" and free_letters(node))
        for node in nodes
    )
    return has_quotient and free_letters(one) == free_letters(other)


def _shares_letters(chain: Chain, at: int) -> bool:
    """Return whether no two letters of two members are each in only one of them, as in the formula
    `a² + b² = c²`."""
    one, other = chain.members[at], chain.members[at + 1]
    if isinstance(one, Solutions) or isinstance(other, Solutions):
        return True
    letters = free_letters(one), free_letters(other)
    return letters[0] <= letters[1] or letters[1] <= letters[0]


def _keeps_all_letters(chain: Chain) -> bool:
    """Return whether a chain has three or more members with the same letters, which is a
    computation and no equation: `(6h + h²)/h = 6 + h = …`."""
    letters = [free_letters(each) for each in chain.sides]
    is_long = len(letters) > 2 and not isinstance(chain.members[0], Letter)
    is_same = is_long and bool(letters[0]) and len({*map(frozenset, letters)}) == 1
    return is_same and chain.is_written_with("=")


def _is_sought(chain: Chain, sentence: Sentence) -> bool:
    """Return whether the words before an equality ask for the values with which it holds."""
    length = sentence.tokens[chain.start].start - sentence.tokens[0].start
    return bool(_SOUGHT.search(sentence.text[: max(0, length)][-30:]))


_SOUGHT: Final = re.compile(r"\b(?:tel(?:le)?s? qu(?:e|'on ait)|such that|cherch\w+|a-t-on)\W*$")


def _is_quantified(chain: Chain, sentence: Sentence) -> bool:
    """Return whether a sentence says that an equality holds for all values of its letter, and not
    that it is equivalent to another: `pour x ≠ 0, (x² + 4x)/x = x + 4`."""
    first, last = sentence.tokens[chain.start], sentence.tokens[chain.end - 1]
    begin = sentence.tokens[0].start
    before = sentence.text[: max(0, first.start - begin)]
    after = fold(sentence.source[last.end : last.end + 40])
    return bool(_QUANTIFIED.search(before[-80:])) and not _GOES_ON.match(after)


def _has_condition(chain: Chain, sentence: Sentence) -> bool:
    """Return whether the words after an equality say for which values it holds: `n + n = n²
    seulement si n = 2`."""
    end = sentence.tokens[chain.end - 1].end
    return bool(_CONDITION.match(fold(sentence.source[end : end + 40])))


_CONDITION: Final = re.compile(
    r"[\s$),]*(?:seulement|uniquement|si\b|ssi\b|n'est vrai|quand|lorsqu|pour \$?[a-z]\$? ?="
    r"|when\b|only\b|if\b)"
)
_QUANTIFIED: Final = re.compile(
    r"\b(?:pour|for)(?: (?:tous?|toute?s?|all|every))? (?:(?:reels?|nombres?|entiers?|real) )*"
    r"\$?[a-z] ?(?:\\neq?|≠|>|\\geq?|≥|\$? ?non nul|\$? ?different)[^=]{0,30}$"
)
_GOES_ON: Final = re.compile(
    r"\W*(?:equivaut|revient|devient|donne|donc|si et|ssi|implique|a pour|admet|n'a|si et seulement"
    r"|signifie|est equivalent|se resout|se ramene|means|gives|[⇔⟺⇒])"
)


def _gives(letter: str, section: str) -> bool:
    """Return whether a text gives a letter a meaning: `L = 3l`, `où h vaut 5`."""
    name = re.escape(fold(letter).partition("_")[0])
    return bool(
        re.search(rf"(?<![a-z\\]){name}(?:_\S{{1,6}})?\$? ?(?:=|≈|:|vaut|est|mesure)", section)
    )


def is_rewriting(chain: Chain, at: int, sentence: Sentence) -> bool:
    """Return whether the members up to `at` are forms of one expression of x, and the last one a
    number: `A = 3x + 2x = 5x = 5`."""
    first, *members, last = chain.members
    is_named = isinstance(first, Letter) and len(first.name) == 1 and first.name.isupper()
    forms = members if is_named else [first, *members]
    if len(chain.members) < 4 or at != len(chain.members) - 2 or _CASE.search(sentence.text):
        return False
    letters = [free_letters(each) for each in forms if not isinstance(each, Solutions)]
    is_of_one = letters[0] in ({"x"}, {"y"}) and letters.count(letters[0]) == len(forms)
    return chain.is_written_with("=") and is_of_one and isinstance(last, Num) and last.value != 0


def ends_about(chain: Chain, sentence: Sentence) -> bool:
    """Return whether `environ` stands after the last value of a chain: `= 3,70 environ`."""
    after = sentence.tokens[chain.end : chain.end + 2]
    is_last = len(after) < 2 or after[1].kind not in ("number", "name")
    return bool(after) and after[0].text in ("environ", "approximately", "approx") and is_last


def is_step(sentence: Sentence) -> bool:
    """Return whether a sentence draws a conclusion."""
    return bool(_LINK.search(sentence.text))


def is_linked(chain: Chain, sentence: Sentence) -> bool:
    """Return whether the text says that an equation follows from the one before it."""
    if is_supposed(chain, sentence):
        return False
    start = sentence.tokens[chain.start]
    length = start.start - sentence.tokens[0].start
    if begins_after_value(chain, sentence):
        return False
    if _LINK.search(sentence.text[max(0, length - _REACH) : max(0, length)]):
        return True
    before = sentence.tokens[: chain.start] if start.is_formula else []
    is_next = bool(before) and before[-1].text in _IMPLIES
    return is_next or any(token.text == "\n" for token in before)


def begins_after_value(chain: Chain, sentence: Sentence) -> bool:
    """Return whether an equation or inequality begins anew after a solution and a semicolon: `2x =
    8 donc x = 4 ; 3x = 21`, `-3 < x < 3 ; x² ≥ 4`."""
    tokens = sentence.tokens[max(0, chain.start - 20) : chain.start]
    before = [token.text for token in tokens]
    if before[-1:] != [";"] or isinstance(chain.members[0], Letter):
        return False
    signs = [at for at, text in enumerate(before) if text in _SIGNS]
    value = before[signs[-1] + 1 : -1] if signs else []
    is_solution = bool(signs) and signs[-1] > 0 and before[signs[-1] - 1] in _UNKNOWNS
    if is_solution and before[signs[-1]] in _ORDERS and signs[-1] > 1:  # no `2x < 8`
        lead = tokens[signs[-1] - 2]
        is_solution = lead.text == "à" or lead.kind not in ("number", "operator", "name")
    return (
        is_solution
        and bool(value)
        and not any(text.isalpha() and text not in ("frac", "end") for text in value)
    )


_ORDERS: Final = ("<", ">", "≤", "≥")
_SIGNS: Final = ("=", "≈", *_ORDERS)
_UNKNOWNS: Final = frozenset("xyztn")


def is_impossible(chain: Chain, sentence: Sentence) -> bool:
    """Return whether an equality of numbers is only asked (`on veut savoir si 2³ = 3²`) or denied
    (`mais pas 6 = 4 × 2`), or one of two plain numbers stands for an equation without solution: `si
    tu trouves 0 = 5`, `2 = 5, donc il n'y a pas de solution`."""
    are_plain = len(chain.members) == 2 and all(
        isinstance(each, Num) and not each.is_decimal for each in chain.members
    )
    is_sign = chain.relations[0].text == "=" and not chain.relations[0].is_word
    before = sentence.source[sentence.tokens[0].start : sentence.tokens[chain.start].start]
    if _WHETHER.search(before.lower()):
        return True
    return are_plain and is_sign and bool(_WITHOUT.search(sentence.text))


_WHETHER: Final = re.compile(
    r"\b(?:savoir|voir|vérifi\w+|demand\w+|regard\w+|test\w+|know|see|check|ask|wonder)"
    r" (?:si|if|whether)[\s$(]*$"
    r"|\b(?:mais|et|surtout|but) (?:non|pas|jamais|not)[\s$(]*$"
)
_WITHOUT: Final = re.compile(
    r"\bsi (?:jamais )?(?:tu|on|vous|l'on|je|elles?|ils?) |\bsolutions?\b|panique|inquiet"
    r"|\bif (?:you|we) |\bensemble vide\b|∅"
)


def follows(chain: Chain, sentence: Sentence) -> bool:
    """Return whether the text says that an equation follows, and it is neither another equation nor
    a second case."""
    before = get_word_before(chain, sentence)
    is_other = before in ("ou", "or", "et", "and", ",", "equation", "l", "the")
    is_other |= is_alternative(chain, sentence)
    return (
        is_linked(chain, sentence)
        and not is_other
        and not is_supposed(chain, sentence)
        and not begins_anew(sentence)
    )


def is_alternative(chain: Chain, sentence: Sentence) -> bool:
    """Return whether an equation is the second of two: `soit x - 1 = 0, soit x + 2 = 0`."""
    before = [token.text for token in sentence.tokens[: chain.start]]
    if before[-1:] != ["soit"] or before.count("soit") < 2:
        return before[-1:] in (["ou"], ["or"])
    first = before.index("soit")
    lead = sentence.tokens[first - 1] if first else None
    return lead is None or lead.kind == "word" or lead.text == ":"


def is_equivalent(chain: Chain, sentence: Sentence) -> bool:
    """Return whether the words or the sign just before an equation say that it has the same
    solutions as the one before it, and it is no case of several."""
    words = [token.text for token in sentence.tokens]
    before, after = words[: chain.start], words[chain.end : chain.end + 1]
    is_case = bool(_CASES & {*after}) or "≠" in words
    is_meant = before[-1:] == ["à"] and bool(_EQUIVALENT & {*before[-3:]})
    verb = sentence.tokens[chain.start - 1] if chain.start else None
    if verb is not None and verb.kind == "relation" and verb.is_weak:
        is_meant |= fold(sentence.source[verb.start : verb.end]).endswith("ecrit")
    return not is_case and (is_meant or bool({*before[-1:]} & {"⇔", "⟺", "<=>"}))


def solves_directly(chain: Chain, sentence: Sentence) -> bool:
    """Return whether the word or sign just before a chain says that it solves the equation before
    it: `donc z = 2i ou z = -2i`."""
    before = get_word_before(chain, sentence)
    return before in ("donc", "alors", "ou", "so", "then", "or") or before in _IMPLIES


def get_word_before(chain: Chain, sentence: Sentence) -> str:
    """Return the word or sign before a chain; empty where the sentence begins with it."""
    return sentence.tokens[chain.start - 1].text if chain.start else ""


def is_second(chain: Chain, sentence: Sentence) -> bool:
    """Return whether `ou` or the like joins a value to one before: `x = 2i ou x = -2i`."""
    before = [token.text for token in sentence.tokens[: chain.start][-3:]]
    concludes = before[-1:] == ["ou"] and bool({"d", "D"} & {*before})
    concludes |= before[-1:] == [","] and bool(_CONCLUDES & {*before[-2:-1]})
    return bool(_CASES & {*before[-1:]}) and not concludes


_CONCLUDES: Final = frozenset(
    ("ainsi", "donc", "alors", "finalement", "enfin", "conclusion", "so", "therefore", "hence",
     "thus", "finally")
)  # fmt: skip


def is_whole(chain: Chain, sentence: Sentence) -> bool:
    """Return whether a chain is the whole sentence."""
    return chain.start == 0 and chain.end >= len(sentence.tokens) - 1


def is_supposed(chain: Chain, sentence: Sentence) -> bool:
    """Return whether words before `x = 3` suppose it, or a colon after it begins its case."""
    before = sentence.source[sentence.tokens[0].start : sentence.tokens[chain.start].start]
    after = sentence.tokens[chain.end] if chain.end < len(sentence.tokens) else None
    is_case = after is not None and after.text == ":"
    lead = _BOUND.sub("", before[-60:].lower())
    return is_case or any(
        _BINDING.search(each.rstrip("$ ")) for each in (lead, before[-60:].lower())
    )
