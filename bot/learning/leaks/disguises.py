"""Lift what hides a solution from the eye of a search, but not from a reader's; leave out examples.
Pure.

Words spelled letter by letter (`t-r-o-i-s et d-e-m-i`), digits in links or emphasis (`[4](…)2`,
`4*2*`), formulas over several lines, `3 , 5`, `int('2a', 16)`, `NDI=` in base64, ROT13, `N°42`, the
cells of a file. What is lifted is searched beside the text as it stands, since an honest text may
be written so too.

What a text explains with numbers of its own may have the solution by chance: `Exemple : 52 - 25 =
27` gives nothing away where 45 - 18 is asked. An example begins with a word that says so, has at
least two numbers that the statement lacks beside the solution, and none that makes the statement's
task. It ends with its line, or where the text turns to the pupil again.
"""

from __future__ import annotations

import codecs
import re
from base64 import b64decode
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from bot.learning.leaks.reading import Reading
from bot.learning.leaks.relations import AMOUNTS
from bot.learning.plain_notation import fold_notation
from bot.maths.reading.number_words import NUMBER_STARTS, words_to_number
from bot.maths.reading.roman_numerals import read_roman

_NO_LETTERS: Final = re.compile(r"[\W_]+")
_LINK: Final = re.compile(r"\[([^\[\]\n]{1,80})\]\([^()\s]{1,300}\)")
_EMPHASISED: Final = re.compile(
    r"\*(?:(?<=\d\*)(\d{1,9})\*(?![\w*])|(?<![\w*)]\*)(?<![\w*)] \*)(\d{1,9})\*(?=\d))"
)
_SPACED_MARK: Final = re.compile(
    r"(?<![\d.,;])(?<![\d,;] )(\d{1,9})[^\S\n]{1,3},[^\S\n]?(\d{1,9})"
    r"(?!\s?(?:[.,;]|et|ou|and|or)?\s?\d)"
    r"|(?<![\d.,;*/+-])(?<![\d.,;*/+-] )(\d{1,9})(?:[^\S\n]{1,3}\.[^\S\n]?|·)(\d{1,9})"
    r"(?![\w^(·]|[.,]\d|\s?[-+*/×÷=·]|\s\d)"
)
_MIXED: Final = re.compile(r" et (?:(?<=\d et )(?=\d{1,3}/\d|[½¼¾])|un (?=demi))")
_STACKED: Final = re.compile(r"\n(?<=\d\n) *[-—–_─]+ *\n *(?=\d{1,9} *(?:\n|$))")
_BROKEN: Final = re.compile(
    r"\n(?: *(?=[+=×÷])|(?<=[\d²³)]\n) *(?=[-−] ?(?:\d|[a-z]\b|\())"
    r"| *(?=(?:[Ee]t (?:un )?demie?|virgule)\b)|(?<=[+×÷=−]\n)|(?<= et\n)(?=demi)|(?<=virgule\n))"
)
_CUT_WORD: Final = re.compile(r"(?<=[^\W\d_])[-\u2010\u2011] ?\n *(?=[^\W\d_])")
_CUT_NUMBER: Final = re.compile(r"\b([^\W\d_]{2,12})\n(?=([a-z]{2,12})\b)")
_NUMBERED: Final = re.compile(
    r"(?:(?<![^\n])|(?<=\best )|(?<=\best le )|(?<=\bis )|(?<=[:=] ))(?:[nN][°º]|[nN]uméro |#) ?"
    r"(?=\d[\d ,.]*[\"»)*`]*(?:\n|$))"
)
_PAUSED: Final = re.compile(r"(?<=[a-zéè])(?:…|\.{2,}) ?(?=[a-zéè])")
_FILE: Final = re.compile(
    r"(?<![\w-])[\w-]{1,80}\.(?:png|jpe?g|gif|svg|webp|pdf|mp[34]|wav|ogg|docx?|odt|xlsx?|txt|html"
    r"|py|csv|md|json|tex)\b"
)
_CELL: Final = r"[^\W\d][\w %()°/-]{0,30}"
_SHEET: Final = re.compile(
    rf"(?:(?<=\n)|^){_CELL}([,;\t]){_CELL}(?:\1{_CELL}){{0,7}}"
    r"(?:\n[^\n,;\t]{1,40}(?:\1[^\s,;][^\n,;\t]{0,40}){1,8}(?=\n|\Z))+"
)
"""The names of columns and at least one row, as in a file: `km,m` over `3.2,3200`."""
_INDEX: Final = re.compile(r"(?<=[A-Z])[ -](deux|two|trois|three)(?:[ -](?=[A-Z]\b)|(?=\W*$))")
_CHAIN: Final = re.compile(
    r"(?<![\w'’])[A-Z][a-z]?(?:,? ?(?:(?:puis|et|then|and|suivi d['eu]|followed by) ?)?"
    r"(?:(?:une?|an?|le) )?(?:(?:petit|little|small|indice|subscript) )?"
    r"(?:[A-Z][a-z]?|\d|deux|trois|quatre|two|three|four)(?![\w'’])){1,6}"
)
"""A formula that is read out: `C puis O puis un petit 2`."""
_CHAIN_MARKS: Final = ("petit ", "little ", "small ", "indice ", "subscript ")
_CHAIN_PART: Final = re.compile(r"[A-Z][a-z]?(?![a-z])|\d|\b(?:deux|trois|quatre|two|three|four)\b")
_YEAR: Final = re.compile(
    r"\b((?:thir|four|fif|six|seven|eigh|nine)teen|twenty)[ -]"
    r"((?:ten|eleven|twelve|\w{3,5}teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)(?:-\w{3,5})?)\b",
    re.IGNORECASE,
)
"""A year as English says it: `nineteen forty-five`."""
_ELEMENTS: Final = {
    "carbone": "C", "oxyg": "O", "hydrog": "H", "azote": "N", "sodium": "Na", "chlor": "Cl",
}  # fmt: skip
_ATOMS: Final = re.compile(
    rf"\b(\w+) atomes? (?:de |d['’])({'|'.join(_ELEMENTS)})\w*(?: ?,| et)?[ ]?", re.IGNORECASE
)
"""Atoms of a formula in words: `un atome de carbone, deux atomes d'oxygène`."""
_KEYCAPS: Final = re.compile("[\ufe0f\u20e3]+|[➕➖✖➗]")
_SIGNS: Final = {"➕": "+", "➖": "-", "✖": "×", "➗": "÷"}
_SAID_ACCENT: Final = re.compile(
    r"(?<=\b[a-zœ]),? (?:avec (?:un )?)?"
    r"(?:accent (?:grave|aigu|circonflexe)|cédille|tréma|majuscule|minuscule)\b",
    re.IGNORECASE,
)
_TWICE: Final = re.compile(r"\b(?:deux|double|two) ([a-z])s?(?![\w'’])", re.IGNORECASE)
_ZEROS: Final = re.compile(
    r"\b(deux|trois|two|three) zéros?\b|\b(two|three) zeros\b", re.IGNORECASE
)
_PAUSE_IN_SUM: Final = re.compile(r",(?=\s(?:plus|moins|minus) (?:\w{1,2}\b|[a-z-]{3,20}[.,!\s]))")
_WHOLE_SQUARED: Final = re.compile(
    r"\b((?:\w+ )?[a-z] (?:plus|moins|minus|\+|-|−) [\w-]{1,20}),?"
    r" (?:le tout|entre parenthèses,?|all) (?=au (?:carré|cube)|squared|cubed)"
)
_LOGARITHM: Final = re.compile(
    r"\blogarithmes? (?:népérien )?(?:de )?|\bnatural log(?:arithm)? of "
)
_TIMES_LOG: Final = re.compile(r"(?<=\w) (?:fois|times|×) (?=(?:le |the )?(?:ln|logarithme)\b)")
_AMOUNTS: Final = {"quart": 0.25, "tiers": 1 / 3, "moitié": 0.5, **AMOUNTS}
_AMOUNT: Final = re.compile(
    r"(?:\b(c['’]est|donc|soit|vaut|fait|trouver|obtenir)(?: donc| bien)? "
    r"|(?:(?<![^\n])|(?<=[.!:] )))"
    rf"(?:le|la|une) ({'|'.join(_AMOUNTS)})(?=\W*(?:\n|$)|[.!;]| des cas|, (?:comme|like|quoi)\b)",
    re.IGNORECASE,
)
"""An amount that is said and no part of a sum: `c'est le quart`, `une douzaine`."""
_ONE_PART: Final = re.compile(
    r"(?<!and )\b[Aa]n? (?=(?:half(?! (?:of|hour|day)|-)|third|fourth|quarter"
    r"|(?:fif|six|seven|eigh|nin|ten)th)\b)"
)
_COUNT: Final = (
    r"(?i:deux|trois|quatre|cinq|six|sept|huit|neuf|two|three|four|five|seven|eight|nine)"
)
_OTHER_PARTS: Final = re.compile(
    rf"\b(\d{{1,2}}|{_COUNT}) (?:autres|derni[eè]re?s|premi[eè]re?s|petite?s|grande?s|belles|beaux"
    r"|other|last|first|small|equal|little) (?=quart|tiers|demi|\w+ièmes|hal[fv]|third|\w+ths\b)"
)
"""Parts with an adjective: `les 3 autres quarts`."""
_UNITS_OF: Final = re.compile(rf"\b({_COUNT}) (?:fois )?[\"«]?\s?1/(\d{{1,2}})s?\b")
_ROMAN_FRACTION: Final = re.compile(
    r"(?<![\w/])(?![VX] ?/ ?I\b)([IVX]{1,5}) ?(?:[/⁄÷]|sur|over) ?([IVX]{1,5})(?![\w/])"
)
"""Also `I/V`, but not the quotient `V/I` of a voltage and a current."""
_ONE_HOUR: Final = re.compile(r"\b(?:une|one|an) (?=heure|hour)")
_CODED: Final = re.compile(r"\b(?:parseI|i)nt\([\"']([0-9A-Za-z]{1,32})[\"'], ?(\d{1,2})\)")
_BASE64: Final = re.compile(
    r"(?<![\w+/])(?=[A-Za-z\d+/]{0,80}?(?:[a-z\d][A-Z]|[A-Z]{2}|\d[a-z]|[a-z]\d|=))(?:[A-Za-z\d+/]{4}){1,20}"
    r"(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?(?![\w=])"
    r"|(?<![\w+/])(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)(?![\w=])"
)
_ROT13: Final = re.compile(r"\A.{0,2000}?\brot[ -]?13\b.*", re.IGNORECASE | re.DOTALL)
_FRACTION: Final = re.compile(r"\bFraction\((-?\d+), ?(\d+)\)")


_SPACE: Final = "[ \u00a0\u202f]"
_PLAIN_NUMBER: Final = rf"\d{{1,9}}(?:(?:{_SPACE}|[,.]|{_SPACE}?/{_SPACE}?)\d{{1,9}}){{0,3}}"
_QUOTED_NUMBER: Final = re.compile(rf"[«“\"]{_SPACE}?({_PLAIN_NUMBER}){_SPACE}?[»”\"]")
_BRACKETED_NUMBER: Final = re.compile(
    r"(?<![\w)\]}^_√²³])"
    r"(?:(?<=(?:est|ait|ont|nne|aut| is|que|ste|et |ou )\s)|(?<=[:=+,]\s)|(?=.\d\d))"
    rf"\(({_PLAIN_NUMBER})\)(?![\w(^²³]|\s?[*×/÷])"
)
"""A number in brackets that numbers no step: `(1) Dessine.`"""
_LEADING: Final = re.compile(
    r"^(?:> ?)*(?:[-*•] (?=\D|.*[+×=])|(?<=> ))|^> ?"
    r"|\A(?:bien s[uû]r|d'accord|ok|ah|oui|allez|super|voilà|sure|of course|well|yes) ?[!,] ",
    re.MULTILINE | re.IGNORECASE,
)
"""The mark of an item or a quotation; the interjection before a short answer."""
_EMOJI: Final = "⭐✨❤☀-➿\U0001f300-\U0001faff"
_TRAILING: Final = re.compile(rf"(?<=[\w)*.!}}»\"$]) ?[{_EMOJI}][{_EMOJI}\ufe0f ]*$", re.MULTILINE)
"""Emojis at the end of a line."""


def _compile_spelled(mark: str) -> re.Pattern[str]:
    """Compile a pattern for the letters of a word from the second on, with a mark before each; of
    words with two letters, only for those of numbers."""
    at, more = re.escape(mark), "{2,}" if mark == " " else "+"
    return re.compile(
        rf"{at}(?![^\W_][^\W_])(?<=[^\W\d_]{at})(?<![^\W_][^\W\d_]{at})"
        rf"(?:[^\W\d_](?:{at}[^\W\d_]){more}|(?<=[Ee]{at})[Tt]|(?<=[Uu]{at})[Nn]|(?<=[Oo]{at})[Uu])"
        r"(?![^\W_])\.?"
    )


def lift_disguises(text: str) -> str:
    """Return the paragraphs of a text in which something is hidden, with that in plain writing, and
    the paragraphs beside them; empty: nothing is hidden."""
    used = [disguise for disguise in _DISGUISES if disguise[0].search(text)]
    parts = text.split("\n\n") if used else []
    shown = [_lift(each, used) for each in parts]
    changed = [at for at, each in enumerate(shown) if each != parts[at]]
    kept = sorted({at + by for at in changed for by in (-1, 0, 1)} & set(range(len(parts))))
    return "\n\n".join(shown[at] for at in kept)


def _lift(text: str, used: Sequence[tuple[re.Pattern[str], _Write]]) -> str:
    for pattern, write in used:
        text = pattern.sub(write, text)
    return text


def _write_coded(found: re.Match[str]) -> str:
    base = int(found[2])
    is_number = 2 <= base <= 36 and all(int(digit, 36) < base for digit in found[1])
    return str(int(found[1], base)) if is_number else found[0]


def _write_base64(found: re.Match[str]) -> str:
    """Return `42` for `NDI=`; the same text if it stands for nothing printable."""
    try:
        plain = b64decode(found[0], validate=True).decode()
    except ValueError:
        return found[0]
    return plain if plain.isprintable() else found[0]


def _join_number(found: re.Match[str]) -> str:
    is_number = {found[1].lower(), found[2].lower()} <= NUMBER_STARTS
    return f"{found[1]} " if is_number else found[0]


def _write_sheet(found: re.Match[str]) -> str:
    """Return each row of a sheet with the names of its columns: `km : 3.2, m : 3200`."""
    names, *rows = (line.split(found[1]) for line in found[0].split("\n"))
    return "\n".join(
        ", ".join(f"{name} : {cell}" for name, cell in zip(names, row, strict=False))
        for row in rows
    )


def _write_year(found: re.Match[str]) -> str:
    century, year = words_to_number(found[1]), words_to_number(found[2])
    return str(int(century * 100 + year)) if century and year else found[0]


def _write_roman_fraction(found: re.Match[str]) -> str:
    return "/".join(str(read_roman(each)) for each in found.groups())


def _write_chain(found: re.Match[str]) -> str:
    if not any(mark in found[0] for mark in _CHAIN_MARKS):
        return found[0]
    parts = (words_to_number(each) or each for each in _CHAIN_PART.findall(found[0]))
    return "".join(map(str, parts))


def _write_atoms(found: re.Match[str]) -> str:
    count = int(words_to_number(found[1]) or 0)
    return _ELEMENTS[found[2].lower()] + (str(count) if count > 1 else "") if count else found[0]


_Write: TypeAlias = "Callable[[re.Match[str]], str] | str"
_DISGUISES: Final[Sequence[tuple[re.Pattern[str], _Write]]] = (
    (_LINK, r"\1"),
    (re.compile(r"\\(?:mathrm|mathbf|text\w*|ce|boxed)\{([^{}]*)\}"), r"\1"),
    (_LEADING, ""),
    (_TRAILING, ""),
    (_KEYCAPS, lambda found: _SIGNS.get(found[0], "")),
    (_SAID_ACCENT, ""),
    (_INDEX, lambda found: "3" if "r" in found[1] else "2"),
    (_TWICE, r"\1, \1"),
    (
        _ZEROS,
        lambda found: ", ".join("000"[: 3 if "r" in f"{found[1]}{found[2]}".lower() else 2]),
    ),
    (_PAUSE_IN_SUM, ""),
    (_WHOLE_SQUARED, r"(\1) "),
    (_LOGARITHM, "ln "),
    (_TIMES_LOG, " "),
    (
        _AMOUNT,
        lambda found: f"{found[1] or ''} {_AMOUNTS[found[2].lower()]:.6g}",
    ),
    (_ONE_PART, "1 "),
    (_OTHER_PARTS, r"\1 "),
    (_UNITS_OF, r"\1/\2"),
    (_ROMAN_FRACTION, _write_roman_fraction),
    (_ONE_HOUR, "1 "),
    (_EMPHASISED, r"\1\2"),
    (_STACKED, "/"),
    (_BROKEN, " "),
    (_CUT_WORD, "-"),
    (_CUT_NUMBER, _join_number),
    (re.compile("<!--|-->"), " "),
    (_SPACED_MARK, r"\1\3,\2\4"),
    (_MIXED, lambda found: " et " if "un" in found[0] else " "),
    (_NUMBERED, ""),
    (_ATOMS, _write_atoms),
    (_CHAIN, _write_chain),
    (_FRACTION, r"\1/\2"),
    (_CODED, _write_coded),
    (_BASE64, _write_base64),
    (_ROT13, lambda found: codecs.encode(found[0], "rot13")),
    (_BRACKETED_NUMBER, r"\1"),
    (_QUOTED_NUMBER, r"\1"),
    (_SHEET, _write_sheet),
    (_YEAR, _write_year),
    (_FILE, lambda found: re.sub("[_.-]", " ", found[0])),
    (_PAUSED, " "),
    *((_compile_spelled(mark), lambda found: _NO_LETTERS.sub("", found[0])) for mark in "-.·•_| "),
)
"""The patterns of what hides something, and what stands for it."""


# Worked examples ----------------------------------------------------------------------------------

_MARK: Final = re.compile(
    r"exemples?\b|\bexamples?\b|\b(?:for|par) instance|\be\.g|\bimagin\w+|\bprenons\b"
    r"|\bsuppos\w+(?![^.!?\n:]{0,30}\b(?:tou[ts]e?s?|all|every\w*|chaque|each|que des|only)\b)"
    r"|\bautres? (?:\w+ ){0,2}?(?:calculs?|nombres?|cas|exercices?|questions?|problemes?|\w+ ?:)"
    r"|\b(?:with )?(?:an)?other (?:\w+ )?(?:numbers?|case|sum|one|problem|\w+ ?:)"
    r"|\bsi (?:tu avais|j'avais|on avait|c'etait)\b|\bif (?:you|it|we) (?:had|were)\b"
    r"|(?:^|[.!?\n] ?)\W{0,3}si (?!(?:tu|on|je|nous|vous|[a-z]|ca|la|le)\b|[jcl]')[^.!?\n]{1,120}="
    r"|(?:^|[.!?\n] ?)\W{0,3}(?:pour|for) [^.!?\n:]{3,60}=[^.!?\n:]{1,30}:"
    r"|\bsimilaire|\banalogue|\bressembl\w+|\bsimilar\b"
)
_ENDS_FIRST: Final = re.compile(
    r"\b(?:reponse|ton (?:exercice|calcul|resultat)|ta (?:question|solution)|answer|your)\b"
)
_ENDS: Final = re.compile(
    r"\b(?:reponse|resultat|solution|toi|ton|ta|tes|tu|vous|votre|notre|nos|ici|maintenant|meme"
    r"|aussi|egalement|pareil\w*|enonce|exercice|answer|you|yours?|our|here|now|same|also)\b"
)
"""Words by which a sentence behind an example is no longer about it."""
_SENTENCE: Final = re.compile(r"(?:[^.!?\n]|[.](?=\d))+(?:[.!?]+|\n|$)")
_TRIVIAL: Final = frozenset((0, 1, 2, 10, 90, 100, 180, 360, 1000))
"""Numbers that an example may share with any statement."""
_FUNCTION: Final = re.compile(r"(?<![a-z])([a-z])(?:_?\(?[nxt]\)?) ?=")
_FEWEST_OWN: Final = 2
_MOST: Final = 20
"""Examples that are looked for in a text."""


def strip_examples(text: str, statement: Reading, solutions: frozenset[float]) -> str:
    """Return a text with an ellipsis in place of each example with numbers of its own.

    Args:
        text: a text of the tutor.
        statement: the statement of the open exercise; without numbers it has no such examples.
        solutions: the values of the solution, which an example may have by chance.
    """
    given = {abs(each.value) for each in statement.literals}
    functions = {*_FUNCTION.findall(statement.plain)}
    if not given or not _MARK.search(fold_notation(text)):
        return text
    shown: list[str] = []
    at = count = 0
    is_inside = False
    for found in _SENTENCE.finditer(text):
        sentence = found[0]
        is_inside = is_inside and "\n" not in text[at : found.start()]
        folded = fold_notation(sentence)
        begins = bool(_MARK.search(folded)) and count < _MOST
        count += begins
        is_inside = (
            not _ENDS_FIRST.search(folded)
            and (
                _has_own_numbers(sentence, given, solutions)
                or _has_own_function(sentence, functions)
            )
            if begins
            else is_inside and not _ENDS.search(folded) and _continues(sentence, given - solutions)
        )
        shown += [text[at : found.start()], " … " if is_inside else sentence]
        is_inside = is_inside and not sentence.endswith("\n")
        at = found.end()
    return "".join((*shown, text[at:]))


def _has_own_numbers(sentence: str, given: set[float], solutions: frozenset[float]) -> bool:
    values = [abs(each.value) for each in Reading(sentence).literals]
    own = given - _TRIVIAL - solutions
    is_other = not own & {*values} if own else not given <= {*values}
    return is_other and sum(each not in given | solutions for each in values) >= _FEWEST_OWN


def _has_own_function(sentence: str, functions: set[str]) -> bool:
    """Return whether a sentence is about another function than the statement: `g(x) = 3x + 2`."""
    named = {*_FUNCTION.findall(Reading(sentence).plain)} if functions else set[str]()
    return bool(named) and not named & functions


def _continues(sentence: str, given: set[float]) -> bool:
    """Return whether a sentence has numbers, and none that only the statement has."""
    values = {abs(each.value) for each in Reading(sentence).literals}
    return bool(values) and not values & (given - _TRIVIAL)
