"""How call markup begins: tags, control tokens, words in brackets.

Everything here looks at a bounded piece of text, and says `UNDECIDED` where more of it is needed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from bot.agent.rescue.written import Kind

LONGEST_CLOSING = 96
"""Characters of the longest closing tag that is recognised."""
LONGEST_TAG = 400
_PIPE = "[|｜‖]"
_PIPES = "|｜‖"
TAGS: Final[dict[str, Kind]] = {
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
_WORDS: Final[dict[str, Kind]] = {
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
class Opening:
    """The beginning of markup, up to `end`."""

    kind: Kind
    end: int
    closing: re.Pattern[str] | None = None
    """What ends it."""
    braces: bool = False
    """Balanced brackets end it too."""
    name: str = ""
    """Of the tool, where it is known already."""

    def from_start(self, start: int) -> Opening:
        """The same with its end counted from `start`."""
        return replace(self, end=self.end - start)


class Undecided:
    """More text is needed to tell."""


UNDECIDED: Final = Undecided()
Sight = Opening | Undecided | None


def find_tag(text: str, at: int, *, final: bool) -> Sight:
    """The tag or control token that begins with the `<` at `at`."""
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
    return Opening("stray", end if is_dangling else tag.end())


def find_word(text: str, at: int, *, final: bool) -> Sight:
    """The word in brackets that begins with the `[` at `at`."""
    if text[at + 1 : at + 2] not in "/TtEe":
        return None
    piece = text[at : at + _LONGEST_WORD].upper()
    for word, kind in _WORDS.items():
        if piece.startswith(word):
            return _whole_word(text, at + len(word), kind, final=final)
    if any(word.startswith(piece) for word in _WORDS):
        if not final:
            return UNDECIDED
        return Opening("stray", len(text)) if len(piece) > 4 else None
    return None


def _token(token: re.Match[str], *, final: bool) -> Opening | Undecided:
    name = token["name"].replace("▁", "_").lower()
    if name in _SECTIONS:
        return Opening("section", token.end(), _SECTION_END)
    if name in _SEQUENCES:
        return _sequence(token.string, token.end(), final=final)
    return Opening("stray", token.end())


def _sequence(text: str, end: int, *, final: bool) -> Opening | Undecided:
    if _SEQUENCE.match(text, end):
        return Opening("sequence", end, braces=True)
    is_cut = not final and _SEQUENCE_CUT.match(text, end)
    return UNDECIDED if is_cut else Opening("stray", end)


def _whole_tag(text: str, tag: re.Match[str], kind: Kind, end: int, *, final: bool) -> Sight:
    inside = text[tag.end() : end - 1]
    everyday = tag["name"].lower() in _EVERYDAY and not inside and not tag["dsml"]
    if kind == "stray" and everyday and not tag["slash"]:
        return None
    if tag["slash"] or inside.startswith("|") or kind == "stray":
        return Opening("stray", end)
    if tag["dsml"]:
        kind = "dsml" if kind == "invoke" else "stray"
    if kind == "stray" or (inside.endswith("/") and not inside.strip(" /")):
        return Opening("stray", end)
    if inside.endswith("/") and "=" in inside:
        return Opening(kind, end, re.compile(""))
    closing = _CLOSINGS[tag["name"].lower()]
    if "=" in inside or kind == "dsml":
        return Opening(kind, end, closing)
    sight = _with_body(text, Opening(kind, end, closing), final=final)
    is_mention = isinstance(sight, Opening) and sight.kind == "stray" and everyday
    return None if is_mention and _is_prose(text, end) else sight


def _is_prose(text: str, at: int) -> bool:
    """Whether words follow, not other markup."""
    space = _SPACE.match(text, at)
    return _PROSE.match(text, space.end() if space else at) is not None


def _whole_word(text: str, end: int, kind: Kind, *, final: bool) -> Opening | Undecided:
    if kind == "stray":
        return Opening("stray", end)
    if kind == "sequence":
        return _sequence(text, end, final=final)
    return _with_body(text, Opening(kind, end, _WORD_END), final=final)


def _with_body(text: str, opening: Opening, *, final: bool) -> Opening | Undecided:
    """Tell from what follows whether something is inside, or the markup is only mentioned."""
    space = _SPACE.match(text, opening.end)
    body = space.end() if space else opening.end
    if body == len(text):
        return Opening("stray", opening.end) if final else UNDECIDED
    if text[body] in "{[":
        return _with_braces(text, opening, body, final=final)
    if text[body] == "<":
        return _with_tag(text, opening, body, final=final)
    if not final and _WORD_CUT.match(text, body):
        return UNDECIDED
    if _PROSE.match(text, body):
        return Opening("stray", opening.end)
    return opening


def _with_braces(text: str, opening: Opening, body: int, *, final: bool) -> Opening | Undecided:
    piece = text[body : body + _LONGEST_WORD].upper()
    if any(piece.startswith(word) for word in _WORDS):
        return Opening("stray", opening.end)
    if not final and any(word.startswith(piece) for word in _WORDS):
        return UNDECIDED
    return replace(opening, braces=True)


def _with_tag(text: str, opening: Opening, body: int, *, final: bool) -> Opening | Undecided:
    """A tag around other call markup is a wrapper: it goes, and they speak for themselves."""
    if text[body + 1 : body + 2] in _PIPES and body + 1 < len(text):
        return Opening("stray", opening.end)
    if tag := _TAG.match(text, body):
        kind = TAGS.get(tag["name"].lower())
        is_wrapper = bool(tag["slash"]) or kind in ("call", "invoke", "tool", "tool_code")
        return Opening("stray", opening.end) if is_wrapper else opening
    if _HEAD.match(text, body) and not final:
        return UNDECIDED
    return opening


def _find_cut_tag(text: str, at: int, *, final: bool) -> Sight:
    if not (head := _HEAD.match(text, at)):
        return None
    stem = head[0][1:].lstrip("/")
    is_token = stem[:1] in _PIPES and stem != ""
    name = stem.rpartition(":")[2].lower()
    is_name = any(one.startswith(name) for one in TAGS)
    if final:
        is_dangling = is_token or (is_name and (len(name) > 2 or ":" in stem))
        return Opening("stray", len(text)) if is_dangling else None
    may_be_namespace = ":" not in stem and len(stem) <= 20
    return UNDECIDED if is_token or is_name or may_be_namespace else None


_CLOSINGS = {
    name: re.compile(
        rf"</(?:{_PIPE}{{1,2}}DSML{_PIPE}{{1,2}})?(?:[A-Za-z][\w-]{{0,19}}:)?"
        rf"(?:{name}|tool_calls?|function_calls?)\s{{0,8}}>",
        re.IGNORECASE,
    )
    for name in TAGS
}
