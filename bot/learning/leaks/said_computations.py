"""Find a computation that is said as the solution: only its result is left to write. Pure.

`C'est 51 × 2`, `x = 3²` and a message that is nothing but `100 + 2` give 102 and 9 away; `27 ÷ 3`
in an explanation, or `x = 27 ÷ 3`, is a step, which leaves the pupil something to do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from bot.learning.expression_shape import list_forms, read_form
from bot.learning.leaks.reading import Reading

_COMPUTATION: Final = r"-?[\d(√](?:[\d ,+*/÷()^√-]|[.](?=\d)){1,60}"
_SAID: Final = re.compile(
    r"(?:\b(?:reponse|resultat|solution|total|answer|result)\b"
    r"(?: est| is| sera|:| :|=| =){1,2}(?: donc)?"
    r"|(?:^|[.!?:;\n])(?!\W{0,4}\w ?[).:])[^\d.!?:;\n]{0,40}"
    r"\b(?:c'est|(?:ca|cela) =|it's)(?: juste| simplement| donc| just| comme"
    r"| pareil que| like)?"
    r"|\b(?:trouve[sz]?|tombe[rsz]? sur|obtien\w{1,3}|il (?:te |lui )?reste|il suffit de faire)"
    r"|(?:(?<![\w)*/+^÷(-])(?<![\w)*/+^÷-] )|(?<=\bet )|(?<=\band )"
    r"|(?<=\bdonc )|(?<=\balors )|(?<=\bso )"
    r"|(?<=angle )|(?<=cote )|(?<=longueur )|(?<=segment )|(?<=side ))"
    r"(?:[a-z](?:_?\d)?|[a-z]{2}) ?(?:=| vaut| est))\s*"
    rf"({_COMPUTATION})(?![\w=])(?! ?[=<>])"
)
_PRINTS: Final = ("print", "puts", "echo", "return", "log(", "computed")
_PRINTED: Final = re.compile(
    rf"\b(?:printf?|puts|echo|return|console\.log|computed)[( ] ?({_COMPUTATION})(?![\w=])"
)
"""`computed` stands before the formula of a sheet, whose result its cell shows."""
_CALL: Final = re.compile(
    r"\b(?:eval\( ?[\"'`]([^\"'`\n]{1,60})[\"'`]"
    r"|(f?sum|somme|(?:math\.)?prod|produit|product|pow|puissance)"
    r"\( ?[\[({]?([\d., ;-]{3,60})[\])}]?"
    rf"|(?:str|int|float|number)\(({_COMPUTATION})) ?\)"
)
"""A call in code or in a table's formula: `eval('40+2')`, `sum([40, 2])`, `=SOMME(40;2)`."""
_CALLS: Final = {"f": "+", "s": "+", "m": "*", "p": "*"}
_EXPANDED: Final = re.compile(
    r"(?<![\w.,^=(√])(?<![-+*/÷^=,] )(\d+(?: \d{3})*) ?((?!et\b)[a-z]{1,3})?"
    r"(?: (?:pour|for) [^.,;!?\n+]{1,20})?[.,;]? ?(?:\+|plus|et encore|and another"
    r"|(?:et |and )?(?:ajoute[sz]?(?: encore)?|add)|(?:puis|then|et|and)(?: de| d'| of)?) ?"
    r"(\d+)(?: ?([a-z]{1,3})\b)?(?![\d.,]*\d| ?[-+*/÷^(]| ?[a-z]?\b ?=)"
)
"""A number in parts that need no carrying: `60 + 3`, `400 Wh + 20 Wh`."""
_ADDED: Final = re.compile(
    r"\b(?:ajoute[rsz]?|additionne[rsz]?|add) (\d+) (?:a|et|to|and) (\d+)(?!\w|[.,]\d)"
)
_CONCLUDED: Final = re.compile(
    rf"(?<![\w.,^(√])(?<![-+*/÷^] )({_COMPUTATION}?)[ ,.!]*(?:et )?"
    r"(?:voila|(?:tu n'as|il n'y a) plus rien a|le tour est joue|nothing (?:else|more|left)"
    r"|c'est (?:tout|fini|termine|regle|le |la |l'|ta |ton |en )|(?:le|ton) resultat est"
    r"|that's (?:it|all)|(?:est|is) (?:la |le |ta |ton |the |your )?(?:bonne |right )?"
    r"(?:reponse|resultat|solution|answer|result)\b)"
)
_NAMED: Final = re.compile(r"c'est (?:le |la |l'|en )$")
"""The end of a computation whose meaning is told: with the statement's numbers it is a step."""
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)?")
_ALONE: Final = re.compile(rf"[^\w(√-]*({_COMPUTATION})(?:[a-z]{{1,5}}[²³]?)?\W*")
_POWER_OF_TEN: Final = re.compile(r"[\d.,]+ ?\* ?10 ?\^ ?\(?-?\d+\)?")
_OPERATION: Final = re.compile(r"[+*/÷^√]|[\d)] ?-")
_UNKNOWN: Final = re.compile(r"(?:[a-z](?:_?\d)?|[a-z]{2}) ?(?:=| vaut| est)")
_LONGEST: Final = 80


def find_said_computation(
    plain: str, is_solution: Callable[[float], bool], statement: Reading
) -> str | None:
    """Return a computation that is said as the solution, or is a text of its own; None: there is
    none.

    A computation of the statement, in digits or words, does not count, unless a cell of a sheet
    computes it.
    """
    written = _CALL.sub(_write_call, plain) if "(" in plain else plain
    written = _ADDED.sub(r"\1 + \2", written)
    given: set[object] | None = None
    for each in _list_said(written):
        form = read_form(each[1].rstrip(" ,.")) if _OPERATION.search(each[1]) else None
        if (
            form is None
            or form.letters
            or _POWER_OF_TEN.fullmatch(each[1].strip(" .,"))
            or not is_solution(form.values[0])
        ):
            continue
        if given is None:
            given = {shape.shape for _, _, shape in list_forms(statement.plain)}
        is_step = "÷" in each[1] and _UNKNOWN.match(each[0]) and not _ALONE.fullmatch(written)
        is_step = is_step or (_NAMED.search(each[0]) and _has_all(statement, each[1]))
        is_computed = each[0].startswith("computed")
        if (is_computed or form.shape not in given) and not is_step:
            return each[0]
    return _find_expanded(written, is_solution, statement)


def _has_all(statement: Reading, computation: str) -> bool:
    """Return whether all numbers of a computation are the statement's."""
    numbers = {float(each.replace(",", ".")) for each in _NUMBER.findall(computation)}
    return numbers <= statement.values


def _list_said(written: str) -> Iterator[re.Match[str]]:
    """Yield the computations that a text says as the answer, prints, ends with, or is."""
    yield from _SAID.finditer(written)
    if any(each in written for each in _PRINTS):
        yield from _PRINTED.finditer(written)
    yield from _CONCLUDED.finditer(written)
    if len(written) < _LONGEST and (alone := _ALONE.fullmatch(written)):
        yield alone


def _find_expanded(
    written: str, is_solution: Callable[[float], bool], statement: Reading
) -> str | None:
    """Return the solution as a number of tens, hundreds or more and a rest, which is only written
    down; one of an example does not count, nor one of a value of the statement."""
    given = statement.values
    if any(map(is_solution, given)):
        return None
    for found in _EXPANDED.finditer(written):
        one, other = sorted((int(found[1].replace(" ", "")), int(found[3])), reverse=True)
        is_split = other and one % 10 ** len(str(other)) == 0 and {one, other} - given
        is_alike = found[2] in (None, found[4])
        before = written[max(0, found.start() - 40) : found.start()]
        if is_split and is_alike and is_solution(one + other) and "exemple" not in before:
            return found[0]
    return None


def _write_call(found: re.Match[str]) -> str:
    """Return the computation that a call does, as one that is printed."""
    evaluated, name, listed, converted = found.groups()
    if not name:
        return f"print ({evaluated or converted})"
    sign = "^" if name.startswith(("pow", "puis")) else _CALLS[name[0]]
    numbers = re.split(r" ?; ?" if ";" in listed else r" ?, ?", listed.strip(" ,;"))
    return f"print ({sign.join(numbers)})"
