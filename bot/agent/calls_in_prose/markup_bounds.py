"""Find where call markup begins and ends: tags, control tokens, words in brackets.

Starts are found in a bounded piece of text; `UNDECIDED` is returned where more of it is needed.
Ends are found while the text grows; every character is looked at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from bot.agent.calls_in_prose import MarkupKind

LONGEST_CLOSING = 96
"""Characters of the longest closing tag that is recognised."""
LONGEST_TAG = 400
_PIPE = "[|｜‖]"
_PIPES = "|｜‖"
TAGS: Final[dict[str, MarkupKind]] = {
    "tool_call": "call",
    "tool_calls": "call",
    "function_call": "call",
    "function_calls": "call",
    "invoke": "invoke",
    "tool_code": "tool_code",
    "tool": "tool",
    "tool_use": "tool",
    "function": "tool",
    "tool_input": "result",
    "tool_response": "result",
    "tool_result": "result",
    "function_results": "result",
    "parameter": "stray",
    "arg_key": "stray",
    "arg_value": "stray",
}
_SEQUENCES = frozenset(
    {"python_tag", "python_start", "tool_call", "tool_calls", "tool_call_start", "function_call"}
)
_SECTIONS = frozenset({"tool_call_begin"})
_WORDS: Final[dict[str, MarkupKind]] = {
    "[TOOL_CALL]": "bracket",
    "[TOOL_REQUEST]": "bracket",
    "[TOOL_CALLS]": "sequence",
    "[/TOOL_CALL]": "stray",
    "[/TOOL_CALLS]": "stray",
    "[/TOOL_REQUEST]": "stray",
    "[END_TOOL_REQUEST]": "stray",
}
_LONGEST_WORD = max(map(len, _WORDS))
_TAG = re.compile(
    rf"<(?P<slash>/?)(?P<dsml>{_PIPE}{{1,2}}DSML{_PIPE}{{1,2}})?(?:[A-Za-z][\w-]{{0,19}}:)?"
    r"(?P<name>[A-Za-z_]{2,20})(?=[\s>=/|])",
    re.IGNORECASE,
)
_TOKEN = re.compile(rf"<{_PIPE}{{1,2}}(?P<name>/?[\w▁.-]{{1,48}})(?:{_PIPE}{{1,2}})?>")
_HEAD = re.compile(rf"</?{_PIPE}{{0,2}}[\w▁./-]{{0,48}}(?:{_PIPE}{{0,2}}|:)[\w-]{{0,20}}\Z")
_REST = re.compile(rf"[^<>]{{0,{LONGEST_TAG}}}")
_CUT_REST = re.compile(r"[\s/|]*+(?:[\w:.-]*\s*(?:=.*)?)?\Z", re.DOTALL)
_SPACE = re.compile(r"\s{0,64}")
_PROSE = re.compile(
    r"[,.;!?)»]|[^\W\d_]\w{0,63}(?:[,;!?)'’]|\.(?:\s|\Z)|[ \t]{1,8}[^\s<{(\[:=]"
    r"|[ \t]{1,8}<(?!/|[ap]))"  # but arguments and parameters
)
_EVERYDAY = frozenset({"tool", "function", "invoke", "parameter"})
"""Words that pages about HTML or C++ have in such brackets too."""
_WORD_CUT = re.compile(r"[^\W\d_]\w{0,63}\.?[ \t]{0,8}\Z")
_SEQUENCE = re.compile(r"\s{0,64}(?:[A-Za-z_][\w.:-]{0,79}\s{0,8}(?:\[ARGS\]\s{0,8})?)?[{\[(]")
_SEQUENCE_CUT = re.compile(r"\s{0,64}(?:[A-Za-z_][\w.:-]{0,79}\s{0,8})?\Z")
_SECTION_END = re.compile(
    rf"<{_PIPE}{{1,2}}(?:tool[▁_]calls?(?:[▁_]section)?[▁_]end|end[▁_]of[▁_]sentence|im_end)"
    rf"{_PIPE}{{1,2}}>|(?=<{_PIPE}{{1,2}}tool[▁_]call[▁_]begin)"
)
_WORD_END = re.compile(r"\[(?:/TOOL_CALLS?|/TOOL_REQUEST|END_TOOL_REQUEST)\]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MarkupStart:
    """The beginning of markup, up to `end`."""

    kind: MarkupKind
    end: int
    closing: re.Pattern[str] | None = None
    """What ends it."""
    braces: bool = False
    """Balanced brackets end it too."""
    name: str = ""
    """Of the tool, where it is known already."""

    def from_start(self, start: int) -> MarkupStart:
        """Return the same with its end counted from `start`."""
        return replace(self, end=self.end - start)


class Undecided:
    """Says that more text is needed to tell."""


UNDECIDED: Final = Undecided()
MaybeStart = MarkupStart | Undecided | None


def find_tag(text: str, at: int, *, final: bool) -> MaybeStart:
    """Return the tag or control token that begins with the `<` at `at`."""
    if token := _TOKEN.match(text, at):
        return _token(token, final=final)
    if not (tag := _TAG.match(text, at)):
        return _find_cut_tag(text, at, final=final)
    kind = TAGS.get(tag["name"].lower())
    if kind is None:
        if not tag["dsml"]:
            return None
        kind = "stray"
    rest = _REST.match(text, tag.end())
    end = rest.end() if rest else tag.end()
    if text[end : end + 1] == ">":
        return _whole_tag(text, tag, kind, end + 1, final=final)
    is_cut = end == len(text) and end - tag.end() < LONGEST_TAG
    if is_cut and not final:
        return UNDECIDED
    is_dangling = is_cut and _CUT_REST.match(text, tag.end())
    return MarkupStart("stray", end if is_dangling else tag.end())


def find_word(text: str, at: int, *, final: bool) -> MaybeStart:
    """Return the word in brackets that begins with the `[` at `at`."""
    if text[at + 1 : at + 2] not in "/TtEe":
        return None
    piece = text[at : at + _LONGEST_WORD].upper()
    for word, kind in _WORDS.items():
        if piece.startswith(word):
            return _whole_word(text, at + len(word), kind, final=final)
    if any(word.startswith(piece) for word in _WORDS):
        if not final:
            return UNDECIDED
        return MarkupStart("stray", len(text)) if len(piece) > 4 else None
    return None


def _token(token: re.Match[str], *, final: bool) -> MarkupStart | Undecided:
    name = token["name"].replace("▁", "_").lower()
    if name in _SECTIONS:
        return MarkupStart("section", token.end(), _SECTION_END)
    if name in _SEQUENCES:
        return _sequence(token.string, token.end(), final=final)
    return MarkupStart("stray", token.end())


def _sequence(text: str, end: int, *, final: bool) -> MarkupStart | Undecided:
    if _SEQUENCE.match(text, end):
        return MarkupStart("sequence", end, braces=True)
    is_cut = not final and _SEQUENCE_CUT.match(text, end)
    return UNDECIDED if is_cut else MarkupStart("stray", end)


def _whole_tag(
    text: str, tag: re.Match[str], kind: MarkupKind, end: int, *, final: bool
) -> MaybeStart:
    inside = text[tag.end() : end - 1]
    everyday = tag["name"].lower() in _EVERYDAY and not inside and not tag["dsml"]
    if kind == "stray" and everyday and not tag["slash"]:
        return None
    if tag["slash"] or inside.startswith("|") or kind == "stray":
        return MarkupStart("stray", end)
    if tag["dsml"]:
        kind = "dsml" if kind == "invoke" else "stray"
    if kind == "stray" or (inside.endswith("/") and not inside.strip(" /")):
        return MarkupStart("stray", end)
    if inside.endswith("/") and "=" in inside:
        return MarkupStart(kind, end, re.compile(""))
    closing = _CLOSINGS[tag["name"].lower()]
    if "=" in inside or kind == "dsml":
        return MarkupStart(kind, end, closing)
    sight = _with_body(text, MarkupStart(kind, end, closing), final=final)
    is_mention = isinstance(sight, MarkupStart) and sight.kind == "stray" and everyday
    return None if is_mention and _is_prose(text, end) else sight


def _is_prose(text: str, at: int) -> bool:
    """Return whether words follow, not other markup."""
    space = _SPACE.match(text, at)
    return _PROSE.match(text, space.end() if space else at) is not None


def _whole_word(text: str, end: int, kind: MarkupKind, *, final: bool) -> MarkupStart | Undecided:
    if kind == "stray":
        return MarkupStart("stray", end)
    if kind == "sequence":
        return _sequence(text, end, final=final)
    return _with_body(text, MarkupStart(kind, end, _WORD_END), final=final)


def _with_body(text: str, opening: MarkupStart, *, final: bool) -> MarkupStart | Undecided:
    """Tell from what follows whether something is inside, or the markup is only mentioned."""
    space = _SPACE.match(text, opening.end)
    body = space.end() if space else opening.end
    if body == len(text):
        return MarkupStart("stray", opening.end) if final else UNDECIDED
    if text[body] in "{[":
        return _with_braces(text, opening, body, final=final)
    if text[body] == "<":
        return _with_tag(text, opening, body, final=final)
    if not final and _WORD_CUT.match(text, body):
        return UNDECIDED
    if _PROSE.match(text, body):
        return MarkupStart("stray", opening.end)
    return opening


def _with_braces(
    text: str, opening: MarkupStart, body: int, *, final: bool
) -> MarkupStart | Undecided:
    piece = text[body : body + _LONGEST_WORD].upper()
    if any(piece.startswith(word) for word in _WORDS):
        return MarkupStart("stray", opening.end)
    if not final and any(word.startswith(piece) for word in _WORDS):
        return UNDECIDED
    return replace(opening, braces=True)


def _with_tag(
    text: str, opening: MarkupStart, body: int, *, final: bool
) -> MarkupStart | Undecided:
    """Treat a tag around other call markup as a wrapper: only the inner markup counts."""
    if text[body + 1 : body + 2] in _PIPES and body + 1 < len(text):
        return MarkupStart("stray", opening.end)
    if tag := _TAG.match(text, body):
        kind = TAGS.get(tag["name"].lower())
        is_wrapper = bool(tag["slash"]) or kind in ("call", "invoke", "tool", "tool_code")
        return MarkupStart("stray", opening.end) if is_wrapper else opening
    if _HEAD.match(text, body) and not final:
        return UNDECIDED
    return opening


def _find_cut_tag(text: str, at: int, *, final: bool) -> MaybeStart:
    if not (head := _HEAD.match(text, at)):
        return None
    stem = head[0][1:].lstrip("/")
    is_token = stem[:1] in _PIPES and stem != ""
    name = stem.rpartition(":")[2].lower()
    is_name = any(one.startswith(name) for one in TAGS)
    if final:
        is_dangling = is_token or (is_name and (len(name) > 2 or ":" in stem))
        return MarkupStart("stray", len(text)) if is_dangling else None
    may_be_namespace = ":" not in stem and len(stem) <= 20
    return UNDECIDED if is_token or is_name or may_be_namespace else None


_OUTSIDE = re.compile(r"[\"{}\[\]()]")
_INSIDE = re.compile(r"[\"\\]")
_MORE = re.compile(r"\s{0,64}(?:[,;]\s{0,64})?(?=\{|\[(?!/?(?:END_)?TOOL_))", re.IGNORECASE)
_MORE_CUT = re.compile(
    r"\s{0,64}(?:[,;]\s{0,64})?(?:\[[/A-Z_]{0,16}|<(?:/[\w:|｜‖-]{0,64})?)?\Z", re.IGNORECASE
)
_NAMESPACE = r"(?:[A-Za-z][\w-]{0,19}:)?"
NAMING = re.compile(
    rf"<{_NAMESPACE}[A-Za-z_]{{2,20}}\s{{0,8}}>\s{{0,64}}([A-Za-z_][\w.:-]{{0,79}})\s{{0,64}}"
    r"</[^<>]{2,60}>"
)
"""An element that holds the name of a tool and nothing else: `<tool>web_search</tool>`."""
_ARGUMENT = re.compile(
    rf"\s{{0,64}}<{_NAMESPACE}(?:(?P<one>parameter|param|argument|arg)(?=[\s=])"
    r"|(?P<key>arg_key|arg_value)(?=>)|(?P<all>parameters|params|arguments|args)(?=>))"
    r"(?P<rest>[^<>]{0,400})>",
    re.IGNORECASE,
)
_ARGUMENT_CUT = re.compile(
    r"\s{0,64}(?:<(?:[A-Za-z][\w-]{0,19}:?[A-Za-z_]{0,20}"
    rf"|{_NAMESPACE}(?:parameter|param|argument|arg)[\s=][^<>]{{0,400}})?)?\Z",
    re.IGNORECASE,
)
_BODY = re.compile(r"\s{0,64}[{<\[]")
_BODY_CUT = re.compile(r"\s{0,64}\Z")
_OBJECT = re.compile(r"\s{0,64}(?=\{\s{0,20}[\"'“”}])")
_OBJECT_CUT = re.compile(r"\s{0,64}\{\s{0,20}\Z")


class BracketCounter:
    """Follows brackets outside of strings, from an opening one to where they are balanced."""

    def __init__(self) -> None:
        self._depth = 0
        self._quoted = False
        self.at = 0
        """Where to go on."""

    def follow(self, text: str, limit: int) -> bool:
        """Return whether they are balanced at `self.at`; nothing from `limit` on is looked at."""
        while self.at < limit:
            pattern = _INSIDE if self._quoted else _OUTSIDE
            if not (found := pattern.search(text, self.at, limit)):
                self.at = limit
            elif not self._pass(found[0], found.end(), limit):
                return False
            elif self._depth == 0 and not self._quoted:
                return True
        return False

    def _pass(self, char: str, end: int, limit: int) -> bool:
        """Step over `char`; False if what follows a backslash is still to come."""
        self.at = end
        if char == "\\":
            if end == limit:
                self.at = end - 1
                return False
            self.at = end + 1
        elif char == '"':
            self._quoted = not self._quoted
        else:
            self._depth += 1 if char in "{[(" else -1
        return True


class MarkupEnd:
    """Finds the end of the span that began with `opening`. Ends are counted from its start."""

    def __init__(self, opening: MarkupStart, *, single: bool) -> None:
        """
        Args:
            opening: how it began; its `end` is counted from the start of the span, too.
            single: one object is all; else several may follow each other.
        """
        self._closing = opening.closing
        self._single = single
        self._first = self._searched = self._followed = opening.end
        self._braces = BracketCounter() if opening.braces else None
        self._balanced = False
        self.is_cut = False
        """The text ended before the span did."""

    def find(self, text: str, start: int, *, final: bool) -> int | None:
        """Return the end of the span that begins at `start`; None if it is still to come."""
        begin = start + max(self._first, self._searched - LONGEST_CLOSING)
        closing = self._closing.search(text, begin) if self._closing else None
        if self._braces:
            limit = closing.start() if closing else len(text)
            end = self._balanced_end(self._braces, text, start, limit, final=final)
            if end is not None:
                return end
        if closing:
            return closing.end() - start
        self._searched = len(text) - start
        self.is_cut = final
        return self._searched if final else None

    def forget(self) -> int:
        """Return how many characters from the start are not needed any more; they must be
        removed."""
        size = max(0, self._searched - LONGEST_CLOSING)
        if self._braces:
            size = min(size, self._followed)
        self._searched -= size
        self._followed -= size
        self._first = max(0, self._first - size)
        return size

    def _balanced_end(
        self, braces: BracketCounter, text: str, start: int, limit: int, *, final: bool
    ) -> int | None:
        braces.at = start + self._followed
        while self._balanced or braces.follow(text, limit):
            self._balanced = True
            self._followed = braces.at - start
            if self._single:
                return self._followed
            if not final and _MORE_CUT.match(text, braces.at):
                return None
            more = _MORE.match(text, braces.at)
            if more is None or more.end() >= limit:
                is_closed = limit < len(text) and not text[braces.at : limit].strip()
                return None if is_closed else self._followed
            braces.at = more.end()
            self._balanced = False
        self._followed = max(self._followed, braces.at - start)
        return None


class ArgumentsEnd:
    """Finds the end of the arguments that follow an element that names a tool: elements one after
    another, or one JSON object. Without any, the span ends where that element did."""

    def __init__(self, size: int) -> None:
        """
        Args:
            size: characters of the span so far, the naming element.
        """
        self._end = size
        self._argument: MarkupEnd | None = None
        self._may_be_object = True
        self._is_last = self._is_over = False
        self.is_cut = False
        """The text ended before the span did."""

    def find(self, text: str, start: int, *, final: bool) -> int | None:
        """Return the end of the span that begins at `start`; None if it is still to come."""
        while not self._is_over:
            if self._argument is None:
                sight = self._look(text, start + self._end, final=final)
                if isinstance(sight, Undecided):
                    return None
                if sight is None:
                    break
                self._argument = MarkupEnd(sight.from_start(start), single=True)
                self._may_be_object = False
                self._is_last = sight.braces
            end = self._argument.find(text, start, final=final)
            if end is None:
                return None
            self._end, self.is_cut, self._argument = end, self._argument.is_cut, None
            self._is_over = self._is_last
        return self._end

    def forget(self) -> int:
        """Do the same as `MarkupEnd.forget`."""
        if self._argument is None:
            return 0
        return self._argument.forget()

    def _look(self, text: str, at: int, *, final: bool) -> MaybeStart:
        if argument := _ARGUMENT.match(text, at):
            return _find_argument(text, argument, final=final)
        if self._may_be_object and (found := _OBJECT.match(text, at)):
            return MarkupStart("object", found.end(), braces=True)
        is_cut = _ARGUMENT_CUT.match(text, at) or (
            self._may_be_object and _OBJECT_CUT.match(text, at)
        )
        return UNDECIDED if is_cut and not final else None


def _find_argument(text: str, argument: re.Match[str], *, final: bool) -> MaybeStart:
    name = argument["one"] or argument["key"] or argument["all"]
    if argument["rest"].endswith("/"):
        return MarkupStart("tool", argument.end(), re.compile(""))
    if argument["one"] and "=" not in argument["rest"]:
        return None
    if argument["all"] and not _BODY.match(text, argument.end()):
        is_cut = not final and _BODY_CUT.match(text, argument.end())
        return UNDECIDED if is_cut else None
    return MarkupStart("tool", argument.end(), _closing(name.lower()))


@lru_cache(maxsize=16)
def _closing(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"</{_NAMESPACE}(?:{name}|tool_calls?|function_calls?|tool|tool_use|function)\s{{0,8}}>",
        re.IGNORECASE,
    )


_CLOSINGS = {
    name: re.compile(
        rf"</(?:{_PIPE}{{1,2}}DSML{_PIPE}{{1,2}})?(?:[A-Za-z][\w-]{{0,19}}:)?"
        rf"(?:{name}|tool_calls?|function_calls?)\s{{0,8}}>",
        re.IGNORECASE,
    )
    for name in TAGS
}
