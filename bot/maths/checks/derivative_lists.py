"""Read lists of derivatives and primitives, and sentences that go on with them.

`Primitives usuelles : de x² : x³/3`, `primitive de cos x → sin x`, `La dérivée de x² est 2x. Celle
de x³ est 3x².`, `Pour sin(2x), c'est 2cos(2x).`
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from bot.maths.checks.chain_checks import make_derivative
from bot.maths.exact.algebra_questions import Check, Identity, Statement
from bot.maths.exact.expression import Apply, Expr, Letter, Solutions, free_letters, walk
from bot.maths.reading.chain_members import ARROWS, MemberReader
from bot.maths.reading.prose import Sentence
from bot.maths.reading.quantities import NotReadable
from bot.maths.reading.tokens import Token

_PRIMITIVE: Final = re.compile(r"\b(?:primitives?|antiderivatives?)\b")
_DERIVATIVE: Final = re.compile(r"\b(?:derivees?|derive[rz]?|derivons|derivatives?)\b")
_OTHER: Final = re.compile(r"\b(?:limites?|limits?|images?|equations?|racines?|integrales?)\b")
_NOUNS: Final = frozenset(
    ("primitive", "primitives", "antiderivative", "derivee", "derivees", "derivative")
)
_OF: Final = ("de", "of", "d")
_THOSE: Final = ("celle", "celles", "that")
_LIST_MARKS: Final = (":", *ARROWS, "↦", "⟼", "=>", "⇒")
_FILLERS: Final = frozenset(
    (",", "la", "sa", "une", "the", "its", "derivee", "primitive", "derivative", "on", "cela", "ca")
)
_VERBS: Final = ("obtient", "trouve", "donne", "obtiens", "gives", "get")
_ENDS: Final = frozenset(("sur", "car", "on", "pour", "avec", "si", "et", "for", "if", "and", "("))
_RULED: Final = ("^", "sin", "cos", "tan", "ln", "exp", "sqrt", "/")


class DerivativeLists:
    """What the text before a sentence says it lists: derivatives, primitives, or neither."""

    def __init__(self) -> None:
        self._said = ""
        self._said_block = -1
        """The operation that the paragraph speaks of, and the paragraph."""
        self._listed = ""
        self._list_block = -1
        """The operation of a list, and the last paragraph that belongs to it."""

    def read(self, sentence: Sentence) -> Iterator[Statement]:
        """Yield the derivatives and primitives that a sentence states without an equals sign."""
        own = _find_operation(sentence.text)
        if own is None:
            self._said = self._listed = ""
            return
        if own:
            self._said, self._said_block = own, sentence.block
        if self._listed and sentence.block > self._list_block + 1:
            self._listed = ""
        if not own and not self._listed and self._said_block != sentence.block:
            return
        found = list(self._find(sentence, own))
        if own and (sentence.text.rstrip().endswith(":") or _is_title(sentence.tokens)):
            self._listed, self._list_block = own, sentence.block
        elif found and self._listed:
            self._list_block = sentence.block
        if not sentence.is_disowned:
            yield from found

    def _find(self, sentence: Sentence, own: str) -> Iterator[Statement]:
        tokens, at = sentence.tokens, 0
        said = self._said if self._said_block == sentence.block else ""
        is_clear = not _OTHER.search(sentence.text)
        while at < len(tokens):
            operation, start, marks = "", at, _LIST_MARKS
            texts = [token.text for token in tokens[at : at + 2]]
            if texts[0] in _NOUNS and texts[1:] and texts[1] in _OF:
                is_primitive = bool(_PRIMITIVE.match(texts[0]))
                operation, start = "primitive" if is_primitive else "derivative", at + 2
                marks = (*_LIST_MARKS, "=")
            elif texts[0] in _THOSE and texts[1:] and texts[1] in _OF and is_clear:
                operation, start, marks = said, at + 2, (*_LIST_MARKS, "=")
            elif texts[0] in ("pour", "for") and at == 0 and is_clear:
                operation, start, marks = own or said, 1, ("=", *_VERBS)
            elif tokens[at].kind == "phrase" and texts[0] in ("derivative", "primitive"):
                operation, start = texts[0], at + 1
            elif self._listed and at == 0:
                operation, start = self._listed, int(texts[0] in _OF)
            statement, end = _read_pair(sentence, start, operation, marks)
            if statement:
                yield statement
            at = max(end, at + 1)


def _find_operation(text: str) -> str | None:
    """Return which operation words speak of; empty: of none; None: of both."""
    is_primitive, is_derivative = _PRIMITIVE.search(text), _DERIVATIVE.search(text)
    if is_primitive and is_derivative:
        return None
    return "primitive" if is_primitive else "derivative" if is_derivative else ""


def _is_title(tokens: Sequence[Token]) -> bool:
    """Return whether a sentence has only words: `Dérivées usuelles`."""
    return all(
        token.kind in ("word", "separator", "break") or token.text == ":" for token in tokens
    )


def _read_pair(
    sentence: Sentence, start: int, operation: str, marks: Sequence[str]
) -> tuple[Statement | None, int]:
    """Read a function, one of some marks and what it is derived or integrated to; return the
    statement (or None), and the place after it."""
    if not operation:
        return None, start
    tokens = sentence.tokens
    reader = MemberReader(tokens, frozenset(("colon",)), start)
    is_case = ":" not in marks
    try:
        function = reader.read_member()
        while is_case and reader.peek().text in _FILLERS:
            reader.at += 1
        mark = reader.peek()
        if mark.text not in marks or (is_case and mark.text == "=" and not mark.is_word):
            return None, start
        reader.at += 1
        result = reader.read_member()
    except NotReadable:
        return None, start
    end = reader.at
    if isinstance(function, Solutions) or isinstance(result, Solutions):
        return None, start
    if not _ends(tokens, end) or not _may_state(function, result, is_case=is_case):
        return None, start
    text = sentence.source[tokens[start].start : tokens[end - 1].end]
    checks = list(make_derivative(function, result, is_primitive=operation == "primitive"))
    readings: list[list[Check]] = [list(checks)]
    if is_case:  # `Pour x² - 1, c'est (x - 1)(x + 1)`
        readings.append([Identity(function, result, "claimed")])
    return (Statement(text, readings), end) if checks else (None, start)


def _ends(tokens: Sequence[Token], at: int) -> bool:
    after = tokens[at] if at < len(tokens) else None
    return after is None or after.kind == "separator" or (after.is_spaced and after.text in _ENDS)


def _may_state(function: Expr, result: Expr, *, is_case: bool) -> bool:
    """Return whether a function and what stands for its derivative have letters that may be those
    of functions."""
    if isinstance(function, Letter) or not free_letters(function):
        return False
    if "∞" in {node.name for node in walk(result) if isinstance(node, Letter)}:
        return False
    has_power = any(isinstance(node, Apply) and node.op in _RULED for node in walk(function))
    return bool(free_letters(result)) or not (has_power and is_case)
