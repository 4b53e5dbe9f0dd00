"""Split Markdown into sentences of mathematical tokens, and mark those that the writer disowns.

A formula keeps its place in its sentence. Code, addresses of links and struck-out text are breaks.
A sentence is disowned if it quotes, asks, or speaks of a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import msgspec
from markdown_it.token import Token as MarkdownToken

from bot.markdown import make_parser
from bot.maths.reading.disowned import ATTRIBUTED, CONFIRMED_QUOTE, REFUSED, disowns, is_denied
from bot.maths.reading.formula_tokens import tokenize_formula
from bot.maths.reading.number_words import fold
from bot.maths.reading.prepared_markdown import prepare_markdown
from bot.maths.reading.tokens import Token, join_words, pair_bars, tokenize

_NEGATED: Final = re.compile(r"\bn(?:e|')\s?est (?:pas|plus)\b|\bis(?:n't| not)\b")
_NEVER: Final = re.compile(
    r"\W*(?:(?:donc|alors|or|mais|ainsi|so|and),? )*(?:(?:l'|cette |the |this )?equation )?"
    r"(?:il n'y a|(?:elle )?n'a|aucune|pas de|ce n'est jamais|n'est jamais|no|it has no|there is no"
    r"|s ?= ?∅|l'ensemble des solutions est vide|(?:c'est|ce qui est|cela est|this is|that is)"
    r" (?:donc |bien |toujours )?(?:impossible|absurde|absurd))\b"
)
"""Words that an equation has no solution."""
_CONFIRMED: Final = re.compile(
    r"\W*(?:(?:oui|bravo|super|parfait|yes|great|bien)\W+)?(?:c'est|that's|that is|this is)"
    r" (?:tout a fait |bien |absolument )?(?:juste|exact|correct|right)\W*"
)
_ANNOUNCED: Final = re.compile(
    r"\b(?:(?:right|correct) (?:answer|result) is|la bonne reponse est) (\d+)"
)
"""The right answer, after an error that is only quoted."""
_EXCLUDED: Final = re.compile(
    r"\b(?:divisibles?|multiples?|diviseurs?|paire?s?|impaire?s?|premiere?s?|divisors?|factors?|even"
    r"|odd|prime)\b"
)
"""Properties of whole numbers: a sentence that concludes that a number lacks one affirms what it
computes before."""
_COMPUTATION: Final = re.compile(
    r"\W*(?:calcul|operation|multiplication|addition|soustraction|division|expression|solution"
    r"|demarche|computation|calculation)s?\W*|\s*[×+]\s*"
)
_RESULT: Final = re.compile(
    r"\W*(?:resultat|reponse|valeur|produit|somme|total|difference|quotient|result|answer|value)s?\W*"
    r"|\W*=\W*"
)
"""Heads of two columns of a table, in which each line is an equality."""
_NUMBER: Final = re.compile(r"[-−–$ ]*\d[\d\s.,$]*")
_RIDDLE: Final = re.compile(
    r"\b(?:vrai(?: ou |, | ?/ ?)faux|true(?: or |, | ?/ ?)false"
    r"|v ?/ ?f(?= ?:|\s*$)|(?:un|une) seule? (?:est|calcul\w*|egalite\w*)[^.?]* fau\w+"
    r"|(?:trouve|cherche|repere)\w* (?:l'|les |une |la )?(?:erreurs?|fautes?|intrus)"
    r"|ou est (?:l'erreur|la faute)|(?:which|one) (?:one )?(?:of them )?is (?:wrong|false)"
    r"|(?:find|spot) the (?:mistake|error)"
    r"|(?:laquelle|lesquelles|lequel|lesquels|quelle (?:egalite|reponse|affirmation|proposition)s?"
    r"|quelle est (?:la|l')|which (?:one|of (?:these|them)|statement|answer|is))\b[^.?!]*"
    r"\b(?:vraie?s?|justes?|exacte?s?|correcte?s?|bonnes?|true|right)"
    r"|(?:choisis|coche|entoure|selectionne|souligne|circle|tick|choose|pick)[szr]? (?:la|les|the)"
    r" (?:seules? )?(?:bonnes?|justes?|right|correct|true))\b"
)
"""Words that announce statements of which some are wrong on purpose."""
_ANSWERED: Final = re.compile(
    r"^[»”\s]*(?:(?:→|->|=>|⇒)|(?:la )?(?:bonne )?reponse ?:?|answer ?:?|c'est)?\s*\**"
    r"(?:(?P<true>vraie?|true)|fau(?:x|sse)|false)\b(?=[^\w]*(?:$|[.!,:;]|car\b|because\b))"
)
"""The answer to `Vrai ou faux ?`."""
_SOLVED: Final = re.compile(
    r"\W*(?:la |the )?(?:bonne |right |correct )?(?:reponse|answer|correction|solution)s?\b"
)
"""The beginning of the answer to a choice."""
_IGNORED: Final = "\ufffc"
"""A character that replaces text that is not read: code, pictures, struck-out words."""
_PARSER: Final = make_parser()


@dataclass(slots=True, eq=False)
class Sentence:
    """One sentence, line or cell."""

    tokens: list[Token]
    source: str
    """The text of its block; the places of tokens refer to it."""
    text: str
    """Its words, without accents and capitals."""
    is_disowned: bool
    block: int
    """The number of its paragraph, cell or list item."""
    section: int
    """The number of its section between headings."""

    def quote(self, start: int = 0, end: int | None = None) -> str:
        """Return the source of its tokens from one place to another, which is not included."""
        tokens = self.tokens[start:end]
        return self.source[tokens[0].start : tokens[-1].end] if tokens else ""


@dataclass(slots=True)
class _Block:
    parts: list[str] = field(default_factory=list[str])
    formulas: list[tuple[int, int, str]] = field(default_factory=list[tuple[int, int, str]])
    """Start, end and LaTeX of each formula."""
    length: int = 0

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def add_formula(self, latex: str, mark: str) -> None:
        start = self.length
        latex = latex.replace("’", "'")  # the mark of a derivative
        self.add(f"{mark}{latex}{mark}")
        self.formulas.append((start, self.length, latex))

    def equate(self, result: _Block) -> _Block:
        """Return one block of this computation, an equals sign and its result; only the result, if
        this is no computation."""
        written = self.text.rstrip().removesuffix("=")  # `12 mm x 2 000 =`
        if "=" in written or "=" in result.text or _NUMBER.fullmatch(written):
            return result
        sign = " " if len(written) < len(self.text.rstrip()) else " = "
        joined = _Block([*self.parts, sign], [*self.formulas], self.length + len(sign))
        for start, end, latex in result.formulas:
            joined.formulas.append((start + joined.length, end + joined.length, latex))
        joined.add(result.text)
        return joined

    @property
    def text(self) -> str:
        return "".join(self.parts)


def read_sentences(markdown: str) -> list[Sentence]:
    """Return all sentences of a text, in order."""
    sentences: list[Sentence] = []
    carried = _Carried()
    prepared = prepare_markdown(markdown)
    for number, block in enumerate(_read_blocks(prepared, carried)):
        is_disowned = is_last_disowned = carried.is_disowned()
        is_last_riddle = False
        source = block.text
        split = (
            each
            for each in _split(_tokenize(source, tuple(block.formulas)))
            if not source[each[0].start : each[-1].end].isspace()  # the end of a line
        )
        for tokens, denies in (part for each in split for part in _split_denial(each, source)):
            text = _write_text(tokens, source)
            said = text
            if is_last_riddle and (answer := _ANSWERED.match(text)):
                is_last_disowned = is_last_riddle = False
                said = text[answer.end() :]
                if answer["true"] and _states_one(sentences[-1]):
                    sentences[-1].is_disowned = is_disowned or disowns(sentences[-1].text)
            elif is_last_riddle and (CONFIRMED_QUOTE.search(text) or _SOLVED.match(text)):
                is_last_disowned = is_last_riddle = False
            is_riddle = bool(_RIDDLE.search(text))
            found = is_last_disowned or is_disowned or denies or is_riddle or disowns(said)
            is_last_riddle |= is_riddle
            if sentences and sentences[-1].block == number:
                _judge_again(sentences[-1], text)
            elif sentences and _NEVER.match(text) and _ends_with_numbers(sentences[-1].tokens):
                sentences[-1].is_disowned = True
            sentences.append(Sentence(tokens, source, text, found, number, carried.section))
            is_last_disowned = found and (is_last_riddle or text.rstrip().endswith(":"))
        carried.leave(source)
    return sentences


def _judge_again(sentence: Sentence, after: str) -> None:
    """Mark a sentence that the next one denies, or that it confirms: `Tu as écrit 7 × 8 = 56.
    C'est exact.`"""
    right, ends = _ANNOUNCED.search(after), re.findall(r"\d+", sentence.text)[-1:]
    is_corrected = right is not None and "=" in sentence.text and [right[1]] != ends
    is_unsolvable = _NEVER.match(after) and _ends_with_numbers(sentence.tokens)
    if is_denied(sentence.text, after) or is_corrected or is_unsolvable:
        sentence.is_disowned = True
    elif _CONFIRMED.fullmatch(after) and not disowns(ATTRIBUTED.sub(" ", sentence.text)):
        sentence.is_disowned = False


def _ends_with_numbers(tokens: Sequence[Token]) -> bool:
    """Return whether a sentence ends with `5 = 8`, the end of an equation without solution."""
    ending = [token for token in tokens if token.kind != "separator"][-5:]
    if ending and ending[-1].text in ("!", "?"):
        ending = ending[:-1]
    texts = [token.kind if token.kind == "number" else token.text for token in ending]
    is_plain = texts[-3:] in (["number", "=", "number"], ["=", "-", "number"])
    before = ending[-4] if len(ending) > 3 else None
    return is_plain and (before is None or before.text in "-:" or before.kind != "operator")


def _states_one(sentence: Sentence) -> bool:
    """Return whether a sentence has one relation, which `vrai` after it confirms."""
    return sum(token.kind == "relation" for token in sentence.tokens) == 1


def _split_denial(tokens: list[Token], source: str) -> list[tuple[list[Token], bool]]:
    """Split a sentence that denies and affirms; return its parts, and whether each denies:
    `19 n'est pas pair, car 19 = 2 × 9 + 1`."""
    text = _write_text(tokens, source)
    if found := _CORRECTS.search(text) or _ADDS_DENIAL.search(text):
        is_first = found.re is _CORRECTS
        place = tokens[0].start + (found.end() - 1 if is_first else found.start())
        one = [each for each in tokens if each.end <= place]
        other = [each for each in tokens if each.start >= place + is_first]
        return [(one, is_first), (other, not is_first)] if one and other else [(tokens, False)]
    if cut := _find_objection(tokens, text):
        return [(tokens[:cut], True), (tokens[cut:], False)]
    cut = _find_word(tokens, _REASONS)
    if cut and _NO_FACTOR.search(text) and not disowns(_write_text(tokens[:cut], source)):
        return [(tokens[:cut], False), (tokens[cut:], True)]
    if not _NEGATED.search(text):
        return [(tokens, False)]
    if cut:
        return [(tokens[: cut + 1], True), (tokens[cut + 1 :], False)]
    return _split_exclusion(tokens, source)


def _find_objection(tokens: Sequence[Token], text: str) -> int:
    """Return where a sentence objects to the formula that it refuses or quotes: `Tu as écrit x = 5,
    mais 2 × 5 + 3 = 13`; 0: nowhere."""
    if REFUSED.search(text):
        return _find_word(tokens, _CONTRASTS)
    cut = _find_word(tokens, _OBJECTIONS) if ATTRIBUTED.search(text) else 0
    return cut if any(token.text == "=" for token in tokens[cut:]) else 0


def _split_exclusion(tokens: list[Token], source: str) -> list[tuple[list[Token], bool]]:
    """Split a sentence whose conclusion denies a property: `1 + 9 = 10, donc 19 n'est pas …`."""
    if cut := _find_word(tokens, _CONCLUSIONS) or _find_word(tokens, _ADDITIONS):
        before, after = (_write_text(part, source) for part in (tokens[:cut], tokens[cut:]))
        if _EXCLUDED.search(after) and not _NEGATED.search(before):
            return [(tokens[:cut], False), (tokens[cut:], True)]
    return [(tokens, False)]


def _find_word(tokens: Sequence[Token], words: Sequence[str]) -> int:
    """Return the place of the first of some words within a sentence; 0: there is none."""
    places = (at for at, token in enumerate(tokens) if token.text in words)
    return next((at for at in places if at and at + 1 < len(tokens)), 0)


_NO_FACTOR: Final = re.compile(
    r"\b(?:premiere?s?|prime)\b.*\b(?:ne (?:peut|peuvent|se divise\w*)|n'(?:a|ont) pas|cannot|can't"
    r"|has no|not divisible)\b"
)
"""A number is prime because it lacks divisors."""
_CORRECTS: Final = re.compile(
    r"(?:\bmais (?:c'est|cela est)|[»”] (?:est|is)) (?:faux|inexact|incorrect|wrong) ?:(?= .*=)"
)
_ADDS_DENIAL: Final = re.compile(
    r"(?<=\d), (?:(?:et|mais|or|and|but) )?(?:ce |cela |that |it )?(?:n'est|is) (?:pas"
    r"|not) -?\d[\d ,.]*\W*$"
)
"""The end of a sentence that tells what its result is not: `= 553, et ce n'est pas 403`."""
_REASONS: Final = ("car", "puisque", "because", "since")
_CONTRASTS: Final = ("mais", "but", "car", "puisque", "because", "since")
_OBJECTIONS: Final = ("mais", "but")
_ADDITIONS: Final = ("et", "and")
_CONCLUSIONS: Final = ("donc", "so", "therefore", "ainsi")


def _write_text(tokens: Sequence[Token], source: str) -> str:
    """Return the words of tokens, without accents and capitals."""
    return fold(source[tokens[0].start : tokens[-1].end])


class _Carried:
    """The effect of earlier blocks on the next: `Erreurs fréquentes :` on the list after it."""

    def __init__(self) -> None:
        self.section = 0
        self._is_heading = self._is_head = False
        self._has_text = False
        """Whether there was a block that is no heading."""
        self._disowned_section = -1
        self._disowned_list = False
        self._columns: list[bool] = []
        self._heads: list[str] = []
        self._column = self._quotes = self._lists = 0

    def enter(self, kind: str) -> None:
        """Note the next token of the Markdown tree."""
        self._quotes += (kind == "blockquote_open") - (kind == "blockquote_close")
        self._lists += kind.endswith("list_open") - kind.endswith("list_close")
        if kind.endswith("list_close") and self._lists == 0:
            self._disowned_list = False
        if kind in ("heading_open", "hr") and self._has_text:
            self.section += 1
        self._is_heading = kind == "heading_open" or (self._is_heading and kind == "inline")
        self._enter_table(kind)

    def _enter_table(self, kind: str) -> None:
        if kind == "thead_open":
            self._columns, self._heads, self._is_head = [], [], True
        elif kind == "table_close":
            self._columns, self._heads = [], []
        elif kind == "thead_close":
            self._is_head = False
        elif kind == "tr_open":
            self._column = 0
        elif kind in ("th_close", "td_close"):
            self._column += 1

    def is_result(self) -> bool:
        """Return whether the next cell has the result of the one before."""
        heads = [] if self._is_head else self._heads[max(0, self._column - 1) : self._column + 1]
        is_pair = len(heads) == 2
        return is_pair and bool(_COMPUTATION.fullmatch(heads[0]) and _RESULT.fullmatch(heads[1]))

    def is_disowned(self) -> bool:
        """Return whether the next block is disowned by its heading, list, column or quotation."""
        in_column = not self._is_head and any(self._columns[self._column : self._column + 1])
        in_section = self._disowned_section == self.section
        return self._quotes > 0 or self._disowned_list or in_section or in_column

    def leave(self, text: str) -> None:
        """Note the text of a block that was read."""
        self._has_text |= not self._is_heading
        if self._disowned_list and self._lists == 0:
            self._disowned_list = False
        if self._is_head:
            self._heads.append(fold(text))
            self._columns.append(disowns(self._heads[-1]))
        elif self._is_heading:
            self._disowned_section = self.section if disowns(fold(text)) else -1
        elif _RIDDLE.search(folded := fold(text)) or (
            text.rstrip().endswith(":") and disowns(folded)
        ):
            self._disowned_list = True


def _read_blocks(markdown: str, carried: _Carried) -> Iterator[_Block]:
    before = _Block()
    for token in _PARSER.parse(markdown):
        carried.enter(token.type)
        if block := _read_block(token):
            yield before.equate(block) if carried.is_result() else block
            before = block


def _read_block(token: MarkdownToken) -> _Block | None:
    block = _Block()
    if token.type == "inline":
        _add_inline(block, token.children or [])
    elif token.type == "maths_block":
        block.add_formula(token.content, "$$")
    return block if block.length else None


def _add_inline(block: _Block, children: Sequence[MarkdownToken]) -> None:
    struck = 0
    for at, token in enumerate(children):
        struck += (token.type == "s_open") - (token.type == "s_close")
        if struck or token.type in ("code_inline", "image", "s_close"):
            block.add(_IGNORED)
        elif token.type == "maths":
            block.add_formula(token.content, token.markup)
        elif token.type in ("softbreak", "hardbreak"):
            block.add("\n")
        elif token.type == "text":
            block.add(token.content)
        elif token.markup == "*" and _is_product(block, children[at + 1 : at + 2]):
            block.add("*")


def _is_product(block: _Block, after: Sequence[MarkdownToken]) -> bool:
    """Return whether a star that Markdown takes for emphasis stands between two values."""
    before = block.parts[-1][-1:] if block.parts else ""
    following = after[0].content[:1] if after else ""
    return bool(re.match(r"[\w)]", before) and re.match(r"[\w(]", following))


@lru_cache(maxsize=64)
def _tokenize(text: str, formulas: tuple[tuple[int, int, str], ...]) -> Sequence[Token]:
    """Return the tokens of text and formulas, in order. Cached, because a streamed text is read
    repeatedly."""
    tokens, at = list[Token](), 0
    for start, end, latex in formulas:
        tokens += tokenize(text[at:start], start=at)
        found = tokenize_formula(latex, start, end)
        if found and text[start - 1 : start].isspace():
            found[0] = msgspec.structs.replace(found[0], is_spaced=True)
        tokens += found
        at = end
    tokens += tokenize(text[at:], start=at)
    return join_words(pair_bars(_settle_marks(_settle_blanks(tokens))))


def _settle_blanks(tokens: list[Token]) -> list[Token]:
    """Return the tokens, with question marks that stand for a number as breaks: `? + 8 = 15`."""
    return [
        msgspec.structs.replace(token, kind="break") if _is_blank(tokens, at) else token
        for at, token in enumerate(tokens)
    ]


def _is_blank(tokens: Sequence[Token], at: int) -> bool:
    before, after = tokens[max(0, at - 1) : at], tokens[at + 1 : at + 2]
    if tokens[at].text != "?" or not after:
        return False
    begins = (
        not before or before[0].text in (*"\n+-*/:=(.!", "donc", "so") or before[0].kind == "break"
    )
    return begins and (after[0].kind == "relation" or after[0].text in ("+", "-", "*", "/"))


def _settle_marks(tokens: list[Token]) -> list[Token]:
    """Return the tokens, with marks read as decimal marks if another number of the text, or `…`
    after it, shows that they are."""
    decimal = {
        mark
        for token in tokens
        for mark in ",."
        if token.places not in (0, 3) and mark in token.text and token.kind == "number"
    }
    return [
        msgspec.structs.replace(token, other=None)
        if token.other is not None and (decimal & set(token.text) or after.text == "…")
        else token
        for token, after in zip(tokens, [*tokens[1:], *tokens[-1:]], strict=True)
    ]


def _split(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Split tokens into sentences and lines; a line that begins with a relation continues."""
    start = 0
    for at, token in enumerate(tokens):
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        is_choice = token.text == "?" and any(
            each.text in ("ou", "or") for each in tokens[start:at]
        )
        before = tokens[at - 1] if at > start else None
        if is_choice or _is_end(before, token, after):
            yield _join_answer(tokens[start : at + 1])
            start = at + 1
    if start < len(tokens):
        yield _join_answer(tokens[start:])


def _join_answer(sentence: Sequence[Token]) -> list[Token]:
    """Return the sentence without the mark of a question that it answers itself: `8 × 7 ? C'est
    56.`"""
    *others, last = sentence
    return [*(each for each in others if each.text != "?" or each.kind == "break"), last]


def _is_end(before: Token | None, token: Token, after: Token | None) -> bool:
    if token.kind == "separator":
        if token.text == "\n":
            return after is not None and after.kind != "relation" and not token.is_formula
        is_last = after is None or after.is_spaced or after.text == "\n"
        is_answered = after is not None and after.kind == "relation"
        return (token.text == "?" and not is_answered) or (token.text == "." and is_last)
    is_call = token.text == "!" and token.kind == "operator"
    is_cry = before is not None and before.kind == "word" and len(before.text) > 1  # `Bravo ! 5`
    return is_call and after is not None and after.is_spaced and (is_cry or after.kind == "word")
