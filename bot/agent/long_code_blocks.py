"""Take long code blocks out of an answer while it streams, to send them as files. Pure.

A block is a fenced code block of https://spec.commonmark.org/0.31.2/#fenced-code-blocks. A block
behind a list marker or indented by more than three spaces stays in the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field

MOST_LINES = 30
"""Most lines of a code block that is still shown in the text."""
LONGEST_NAME = 80
"""Characters of a file's name."""
_LONGEST_HINT = 500  # characters in which a file's name is looked for
_LANGUAGES = """
    adb,ada asm,assembly,nasm bat,batch,cmd c h clj,clojure cpp,c++,cxx hpp cs,csharp,c# css csv
    dart diff,patch dockerfile ex,elixir erl,erlang f90,fortran fs,fsharp,f# go,golang graphql
    groovy hs,haskell html,htm,xhtml ini,conf java js,javascript,node,mjs json,jsonc,json5 jsx
    jl,julia kt,kotlin,kts less lisp,elisp lua m,matlab,objectivec,objective-c,objc md,markdown
    mk,makefile,make ml,ocaml nim pas,pascal,delphi php pl,perl prolog proto,protobuf
    ps1,powershell py,python,python3,py3,ipython r rb,ruby rs,rust sass scala scm,scheme scss
    sh,bash,shell,zsh,console sol,solidity sql,mysql,postgresql,sqlite,plsql svelte svg swift
    tex,latex tf,terraform,hcl toml ts,typescript tsv tsx txt,text,plaintext typ,typst v,verilog
    vb,vba,vbnet,vb.net vhdl vue xml,xsl yaml,yml zig
"""
"""The names of each language, comma-separated; the first is the extension of its files."""
EXTENSIONS = {
    word: words.split(",")[0] for words in _LANGUAGES.split() for word in words.split(",")
}
"""Extension, without a dot, by the word after a fence in lower case."""
_SEGMENT = re.compile(r"[^\n]*+\n|[^\n]++")
_UNDECIDED = re.compile(r" {0,3}(?:`{0,2}|~{0,2})")
"""The beginning of a line that may still become a fence."""
_FENCE = re.compile(r"( {0,3})(`{3,}+|~{3,}+)([^\n]*+)\n?")
_LISTED_FENCE = re.compile(r"( *+(?:(?:[-*+]|\d{1,9}[.)]) {1,4}+)++)(`{3,}+|~{3,}+)([^\n]*+)\n?")
_LANGUAGE = re.compile(r"[{.\s]*([\w+#.-]*)")
_KEYED = re.compile(r"""\b(?:title|file_?name|file|name)\s?=\s?(?:"([^"]*)"|'([^']*)'|([^\s}]+))""")
_BETWEEN_WORDS = re.compile(r"""[\s:{}()"'`,=]+""")
_COMMENT = re.compile(
    r"\s{0,9}(?:#|//|--|;|%|/\*|<!--|\(\*|REM )\s{0,9}(?:(?:[Ff]ile(?:name)?|[Ff]ichier)\s?:\s?)?"
    r"([\w./\\-]{1,200})\s{0,9}(?:\*/|-->|\*\))?\s{0,9}"
)
_EXTENSION = re.compile(r"(?<=.)\.([A-Za-z]\w{0,9})$")
_WITHOUT_EXTENSION = frozenset({"dockerfile", "makefile", "procfile", "gemfile"})


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A code block that becomes a file."""

    filename: str
    """Without folder, printable, at most `LONGEST_NAME` characters, unique in the answer."""
    language: str
    """The first word after the fence, in lower case; if that is a file's name, its extension."""
    code: str
    """Its lines without the fence and the fence's indentation; each ends with a newline."""


def extract_long_blocks(text: str, say: Callable[[str], str]) -> tuple[str, list[CodeFile]]:
    """Return `text` with each long code block replaced by `say(filename)`, and those blocks."""
    blocks = LongBlockExtractor(say)
    shown = blocks.feed(text) + blocks.close()
    return shown, blocks.found


class LongBlockExtractor:
    """Takes code blocks of more than `MOST_LINES` lines out of a streamed answer.

    Text outside blocks is returned at once, except the start of a line that may be a fence. A short
    block is returned unchanged when it ends; a long one is replaced by `say(filename)`. The result
    does not depend on how the text is cut into pieces.
    """

    def __init__(self, say: Callable[[str], str]) -> None:
        self.found: list[CodeFile] = []
        """The long blocks that have ended, in order."""
        self._say = say
        self._names = _UniqueNames()
        self._line: list[str] = []
        """The pieces of the unfinished line."""
        self._is_shown = False
        """Whether the unfinished line is known to be no fence, and is returned as it comes."""
        self._opening: _Opening | None = None
        self._fenced: _OpenBlock | None = None
        self._listed: _ListBlock | None = None

    def feed(self, piece: str) -> str:
        """Take a piece of the answer; return what may be shown now."""
        if self._is_shown and self._fenced is None and "\n" not in piece:
            self._line.append(piece)  # in the middle of a line of text, as nearly always
            return piece
        return "".join([self._take(segment) for segment in _SEGMENT.findall(piece)])

    def close(self) -> str:
        """End the answer, and with it an open block; return the rest that may be shown."""
        fenced, is_shown, line = self._fenced, self._is_shown, self._end_line()
        if fenced is None:
            return "" if is_shown else line
        if not line.strip() or _is_closing(line, fenced.fence):
            return self._leave(fenced, line)
        return self._take_code(fenced, line) + self._leave(fenced, "")

    def _take(self, segment: str) -> str:
        """Return what may be shown of a segment: a line, or a part of one."""
        self._line.append(segment)
        is_whole = segment.endswith("\n")
        if self._fenced is not None:
            return self._take_code(self._fenced, self._end_line()) if is_whole else ""
        shown = segment if self._is_shown else self._decide(segment)
        if is_whole:
            self._follow(self._end_line(), is_fence=self._opening is not None)
            self._opening = None
        return shown

    def _end_line(self) -> str:
        line = "".join(self._line)
        self._line.clear()
        self._is_shown = False
        return line

    def _decide(self, segment: str) -> str:
        """Return the line so far once it is clear that it opens no block, else nothing."""
        if self._opening is None:
            so_far = "".join(self._line)
            if _UNDECIDED.fullmatch(so_far):
                return ""
            self._opening = self._begin(so_far)
            segment = so_far.lstrip(" ")
        if self._opening is not None and self._opening.accepts(segment):
            return ""
        self._opening = None
        self._is_shown = True
        return "".join(self._line)

    def _begin(self, line: str) -> _Opening | None:
        found = _FENCE.match(line)
        if found is None or (self._listed and len(found[1]) >= self._listed.indentation):
            return None
        return _Opening(found[2][0])

    def _follow(self, line: str, *, is_fence: bool) -> None:
        """Note whether a whole line outside blocks opens or ends a block."""
        found = _FENCE.fullmatch(line) if is_fence else None
        if found is not None:
            self._listed = None
            self._fenced = _OpenBlock(found[2], len(found[1]), found[3][:_LONGEST_HINT], [line])
        elif self._listed is None or self._listed.is_closed_by(line):
            self._listed = _read_listed(line)

    def _take_code(self, fenced: _OpenBlock, line: str) -> str:
        if _is_closing(line, fenced.fence):
            return self._leave(fenced, line)
        fenced.add(line)
        if len(fenced.code) <= MOST_LINES or fenced.filename:
            return ""
        fenced.shown.clear()
        fenced.filename = self._names.choose(fenced.info, fenced.code[0])
        return self._say(fenced.filename)

    def _leave(self, fenced: _OpenBlock, closing: str) -> str:
        """End a block; return all of a short one, or the line ending of a long one."""
        self._fenced = None
        if not fenced.filename:
            return "".join(fenced.shown) + closing
        code = "".join([f"{line}\n" for line in fenced.code])
        self.found.append(CodeFile(fenced.filename, _language(fenced.info), code))
        return closing[len(closing.rstrip("\r\n")) :]


@dataclass(slots=True)
class _Opening:
    """A line that begins with a fence; a backtick further on would make it inline code."""

    mark: str
    is_fence_over: bool = False

    def accepts(self, piece: str) -> bool:
        """Return whether the line, going on with `piece`, may still open a block."""
        if not self.is_fence_over:
            piece = piece.lstrip(self.mark)
            self.is_fence_over = bool(piece)
        return self.mark == "~" or "`" not in piece


@dataclass(slots=True)
class _OpenBlock:
    """The fenced code block that is being read."""

    fence: str
    indentation: int
    info: str
    shown: list[str]
    """Its lines as written, as long as it is short."""
    code: list[str] = field(default_factory=list[str])
    filename: str = ""
    """Set once the block is long."""

    def add(self, line: str) -> None:
        start = min(self.indentation, _indentation(line))
        self.code.append(line[start:].rstrip("\r\n"))
        if not self.filename:
            self.shown.append(line)


@dataclass(frozen=True, slots=True)
class _ListBlock:
    """A block behind a list marker. It stays in the text, but its end must not be taken for the
    start of another block."""

    fence: str
    indentation: int

    def is_closed_by(self, line: str) -> bool:
        is_outside = _indentation(line) < self.indentation and not line.isspace()
        return is_outside or _is_closing(line.strip(), self.fence)


def _read_listed(line: str) -> _ListBlock | None:
    found = _LISTED_FENCE.fullmatch(line)
    if found is None or (found[2][0] == "`" and "`" in found[3]):
        return None
    return _ListBlock(found[2], len(found[1]))


def _is_closing(line: str, fence: str) -> bool:
    found = _FENCE.fullmatch(line)
    return found is not None and found[2].startswith(fence) and not found[3].strip()


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


class _UniqueNames:
    """Chooses unique names for the files of one answer."""

    def __init__(self) -> None:
        self._unnamed = 0
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}

    def choose(self, info: str, first_line: str) -> str:
        extension = EXTENSIONS.get(_language(info), "txt")
        name = _clean(_name_in_info(info) or _name_in_comment(first_line), extension)
        if not name:
            self._unnamed += 1
            name = f"code-{self._unnamed}.{extension}"
        numbered, key = name, name.casefold()
        while numbered.casefold() in self._taken:
            self._numbers[key] = self._numbers.get(key, 1) + 1
            numbered = _end_stem(name, f"-{self._numbers[key]}")
        self._taken.add(numbered.casefold())
        return numbered


def _language(info: str) -> str:
    found = _LANGUAGE.match(info)
    word = found[1].lower() if found else ""
    return word.rpartition(".")[2] if _is_filename(word) else word


def _name_in_info(info: str) -> str:
    """Find the name in `python title="x.py"`, `python x.py`, `python:x.py` or `x.py`."""
    if found := _KEYED.search(info):
        return found[1] or found[2] or found[3] or ""
    return next(filter(_is_filename, _BETWEEN_WORDS.split(info)), "")


def _name_in_comment(line: str) -> str:
    found = _COMMENT.fullmatch(line[:_LONGEST_HINT])
    return found[1] if found and _is_filename(found[1]) else ""


def _is_filename(word: str) -> bool:
    found = _EXTENSION.search(word)
    return found is not None and found[1].lower() in EXTENSIONS


def _clean(name: str, extension: str) -> str:
    """Return a safe file name, with `extension` if it has none; empty if no character is safe."""
    name = unicodedata.normalize("NFC", re.split(r"[/\\]", name)[-1])
    name = "".join(char for char in name if char.isprintable() and char not in '<>:"|?*')
    name = " ".join(name.split()).strip(". ")
    if name and not _EXTENSION.search(name) and name.lower() not in _WITHOUT_EXTENSION:
        name = f"{name}.{extension}"
    return _end_stem(name, "")


def _end_stem(name: str, ending: str) -> str:
    """Return `name` with `ending` before its extension; the stem is cut to keep `LONGEST_NAME`."""
    found = _EXTENSION.search(name)
    stem, extension = (name[: found.start()], found[0]) if found else (name, "")
    return stem[: LONGEST_NAME - len(ending) - len(extension)].rstrip(". ") + ending + extension
