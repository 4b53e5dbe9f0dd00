"""Where call markup ends, found while it grows; every character is looked at once."""

from __future__ import annotations

import re
from functools import lru_cache

from bot.agent.rescue.openings import LONGEST_CLOSING, UNDECIDED, Opening, Sight, Undecided

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


class Braces:
    """Follows brackets outside of strings, from an opening one to where they are balanced."""

    def __init__(self) -> None:
        self._depth = 0
        self._quoted = False
        self.at = 0
        """Where to go on."""

    def follow(self, text: str, limit: int) -> bool:
        """Whether they are balanced at `self.at`; nothing from `limit` on is looked at."""
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


class Ending:
    """Finds the end of the span that began with `opening`. Ends are counted from its start."""

    def __init__(self, opening: Opening, *, single: bool) -> None:
        """
        Args:
            opening: how it began; its `end` is counted from the start of the span, too.
            single: one object is all; else several may follow each other.
        """
        self._closing = opening.closing
        self._single = single
        self._first = self._seen = self._followed = opening.end
        self._braces = Braces() if opening.braces else None
        self._balanced = False
        self.is_cut = False
        """The text ended before the span did."""

    def find(self, text: str, start: int, *, final: bool) -> int | None:
        """The end of the span that begins at `start`; None if it is still to come."""
        begin = start + max(self._first, self._seen - LONGEST_CLOSING)
        closing = self._closing.search(text, begin) if self._closing else None
        if self._braces:
            limit = closing.start() if closing else len(text)
            end = self._balanced_end(self._braces, text, start, limit, final=final)
            if end is not None:
                return end
        if closing:
            return closing.end() - start
        self._seen = len(text) - start
        self.is_cut = final
        return self._seen if final else None

    def forget(self) -> int:
        """How many characters from the start are not needed any more; they must be removed."""
        size = max(0, self._seen - LONGEST_CLOSING)
        if self._braces:
            size = min(size, self._followed)
        self._seen -= size
        self._followed -= size
        self._first = max(0, self._first - size)
        return size

    def _balanced_end(
        self, braces: Braces, text: str, start: int, limit: int, *, final: bool
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


class Beside:
    """Finds the end of the arguments that stand beside an element that names a tool: elements one
    after another, or one JSON object. Without any, the span ends where that element did."""

    def __init__(self, size: int) -> None:
        """
        Args:
            size: characters of the span so far, the naming element.
        """
        self._end = size
        self._argument: Ending | None = None
        self._may_be_object = True
        self._is_last = self._is_over = False
        self.is_cut = False
        """The text ended before the span did."""

    def find(self, text: str, start: int, *, final: bool) -> int | None:
        """The end of the span that begins at `start`; None if it is still to come."""
        while not self._is_over:
            if self._argument is None:
                sight = self._look(text, start + self._end, final=final)
                if isinstance(sight, Undecided):
                    return None
                if sight is None:
                    break
                self._argument = Ending(sight.from_start(start), single=True)
                self._may_be_object = False
                self._is_last = sight.braces
            end = self._argument.find(text, start, final=final)
            if end is None:
                return None
            self._end, self.is_cut, self._argument = end, self._argument.is_cut, None
            self._is_over = self._is_last
        return self._end

    def forget(self) -> int:
        """As `Ending.forget`."""
        if self._argument is None:
            return 0
        return self._argument.forget()

    def _look(self, text: str, at: int, *, final: bool) -> Sight:
        if argument := _ARGUMENT.match(text, at):
            return _find_argument(text, argument, final=final)
        if self._may_be_object and (found := _OBJECT.match(text, at)):
            return Opening("object", found.end(), braces=True)
        is_cut = _ARGUMENT_CUT.match(text, at) or (
            self._may_be_object and _OBJECT_CUT.match(text, at)
        )
        return UNDECIDED if is_cut and not final else None


def _find_argument(text: str, argument: re.Match[str], *, final: bool) -> Sight:
    name = argument["one"] or argument["key"] or argument["all"]
    if argument["rest"].endswith("/"):
        return Opening("tool", argument.end(), re.compile(""))
    if argument["one"] and "=" not in argument["rest"]:
        return None
    if argument["all"] and not _BODY.match(text, argument.end()):
        is_cut = not final and _BODY_CUT.match(text, argument.end())
        return UNDECIDED if is_cut else None
    return Opening("tool", argument.end(), _closing(name.lower()))


@lru_cache(maxsize=16)
def _closing(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"</{_NAMESPACE}(?:{name}|tool_calls?|function_calls?|tool|tool_use|function)\s{{0,8}}>",
        re.IGNORECASE,
    )
