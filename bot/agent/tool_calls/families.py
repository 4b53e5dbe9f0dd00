"""The families of tool calls and thoughts that models write as prose, one row each.

A row says how the markup opens, what closes it and where it counts. The patterns ignore case.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Mark = Literal["call", "thought", "answer", "header", "stray"]
"""thought: opens a thought; answer: closes it; header: closes an open one; stray: has no
content."""
Place = Literal["any", "json", "line", "list", "block", "announced", "start", "thought"]
"""any: outside of code; json: where JSON may be a call; line: where `json` holds and at the
beginning of a line, or anywhere for a model without native calls; list: where `line` holds and
after a sentence; block: a code block, for a model without native calls; announced: such a block
after the name of a tool; start: before any text of the answer; thought: only within a thought."""
Sign = Literal["proof", "known", "shape"]
"""The signs of a call: keys that only calls have, a known tool, a name with arguments."""
Trait = Literal["brackets", "no brackets", "last", "bare", "wrong"]
"""brackets: balanced brackets end it; no brackets: they never do; last: it is a call only at the
end of the answer, or a thought only if it is closed; bare: it opens with the name of a tool, so
text is held back only while it may be one; wrong: the model is answered that this form is wrong."""
END: Final = "¶"
"""Stands for the end of the whole text in an opening."""


@dataclass(frozen=True, slots=True)
class Family:
    """How the calls of one family are written."""

    dialect: str
    """The dialect: of those in one answer, the first in the table with a readable call counts."""
    opening: str
    """Its group `name` is the tool; `known` is a name that must be known; `first` is such a name in
    the body. The arguments begin at `body`, or after the match. It matches only if the text after
    it tells the markup from a mention, and so that more text cannot change the match."""
    closing: str = ""
    """The end of the body, with `{tag}` and `{run}` for groups of the opening. A body that begins
    with a bracket also ends where that bracket is closed."""
    more: str = ""
    """The text after such an end with which the body goes on nevertheless."""
    mark: Mark = "call"
    place: Place = "any"
    signs: tuple[Sign, ...] = ()
    """The markup is a call only with one of these. Empty: it always is a call."""
    traits: tuple[Trait, ...] = ()


NAME: Final = r"[A-Za-z_][\w.:/-]{0,79}"
_PIPES = "[|｜‖]{1,2}"
_SPELLING = rf"(?:\s?{_PIPES}\s?DSML\s?{_PIPES}\s?|[a-z][\w-]{{0,19}}:|longcat_)?"
_M3 = r"(?:\]<\]minimax\[>\[)?"
_OPEN = rf"{_M3}<{_SPELLING}"
_CLOSE = rf"{_M3}</{_SPELLING}"
_WRAPPERS = "tool_calls?|function_calls?|toolcall"
_RESULTS = "tool_input|tool_response|tool_result|function_results"
_THINK = "think|thinking|seed:think|mm:think|thought|reasoning"
_TAGS = f"{_WRAPPERS}|{_RESULTS}|tool_code|tool_use|arg_key|arg_value|answer"
_TAG_END = rf"{_CLOSE}(?:{{tag}}|{_WRAPPERS})\s{{0,8}}>"
_NAMED = (
    rf"(?:\s{{0,8}}(?:[^<>]{{0,200}}\s)?(?:name|tool)\s?=\s?[\"'](?P<name>{NAME})[\"'][^<>]{{0,300}}"
    rf"|\s?=\s?[\"']?(?P<name>{NAME})[\"']?\s?)"
)
_INSIDE = rf"(?=\s{{0,64}}(?:[<{{\[\]`\"]|{END})|[^<>]{{0,400}}</)"
_BODY = (
    rf"(?=\s{{0,64}}(?:```\w{{0,20}}\s{{0,20}})?(?:[{{\[\"“]|<(?:tool_|function_)?name>"
    rf"|{NAME}(?:[(\[]|\s{{0,64}}(?:\{{|<(?:/|\w{{0,20}}[:_]?(?:arg|param|tool_))))))"
)
_BRACKET = r"\[TOOL_(?:CALL|REQUEST)\]"
_BRACKET_END = r"\[(?:/TOOL_CALLS?|/TOOL_REQUEST|END_TOOL_REQUEST)\]"
_TOKEN = rf"<(?:{_PIPES})?/?[\w▁.-]{{1,48}}{_PIPES}>"
_TOKEN_END = rf"(?={_TOKEN}|<end_function_call>|\[/?TOOL_CALLS\]|</s>)"
_HEADER = r"<\|(?:start|channel|constrain)\|>[^<>]{0,80}"
_MESSAGE_END = r"(?=<\|(?:end|return|call|start|channel)\|>)"
_ARGUMENT = (
    rf"{_OPEN}(?:(?:parameter|param|argument|arg)(?:\s[^<>]{{0,200}})?=[^<>]{{1,400}}>|arg_key>"
    r"|(?:parameters|params|arguments|args)>\s{0,64}[{<\[])"
)
_ARGUMENT_END = rf"{_CLOSE}(?:param(?:eter)?s?|arg(?:ument)?s?|arg_value)\s{{0,8}}>|/>"
_MORE = r"(?<=[}\])])\s{0,64}(?:[,;]\s{0,64})?(?=\{|\[\s{0,8}\{|call:)"
_QUOTE = "[\"'“”]"
_RUN = r"(?P<run>`{3,}|~{3,})"
_RUN_END = r"(?:\n[ \t>]{0,20}|(?<=[}\]][ \t]{0,8})){run}"
_INFO = r"[^\n`]{0,100}\n\s{0,64}"
_ACTION = (
    rf"Action:[ \t]{{0,8}}[\"'`\[]?(?P<name>{NAME})[\"'`\]]?[ \t]{{0,8}}\r?\n\s{{0,8}}"
    r"Action Input:[ \t]{0,8}"
)
THOUGHT_END: Final = (
    rf"</(?:{_THINK})>|\[/THINK\]|<\|END_THINKING\|>|<channel\|>|◁/think▷"
    r"|<\|close\|>think<\|sep\|>|\[BEGIN FINAL RESPONSE\]"
)


def _object(keys: str, named: str = "") -> str:
    """Return the pattern of JSON whose first key is one of `keys`, or of a tool's name, `named`."""
    head = rf"(?:\[\s{{0,20}})?\{{\s{{0,20}}{_QUOTE}"
    keyed = rf"(?:{keys}){_QUOTE}\s{{0,8}}:"
    name_key = rf"(?:name|tool|tool_name|function){_QUOTE}\s{{0,8}}:\s{{0,20}}"
    by_name = rf"|{name_key}(?:\{{|{_QUOTE}{named}{_QUOTE})" if named else ""
    return rf"(?={head}(?:{keyed}{by_name}))"


def _element(dialect: str, tags: str) -> tuple[Family, ...]:
    """Return the rows of XML elements that hold a call."""
    tag = rf"{_OPEN}(?P<tag>{tags})"
    name_only = rf"{tag}\s{{0,8}}>\s{{0,64}}(?P<name>{NAME})\s{{0,64}}</[^<>]{{2,60}}>"
    arguments = rf"(?=\s{{0,64}}(?:{_ARGUMENT}|\{{\s{{0,20}}[\"'“”}}]))"
    return (
        Family(dialect, rf"{tag}{_NAMED}/>", "(?<=/>)"),
        Family(dialect, rf"{tag}{_NAMED}>{_INSIDE}", _TAG_END),
        Family(dialect, name_only + arguments, _ARGUMENT_END, rf"\s{{0,64}}(?={_ARGUMENT})"),
        Family(dialect, rf"{tag}(?:\s[^<>]{{0,200}})?>{_BODY}", _TAG_END, _MORE),
    )


def _fence(dialect: str, info: str, *signs: Sign, place: Place = "block") -> Family:
    """Return the row of a code block that is a call."""
    is_wrong: tuple[Trait, ...] = ("wrong",) if dialect == "wrong_fence" else ()
    traits: tuple[Trait, ...] = ("no brackets", *is_wrong)
    return Family(dialect, _RUN + info, _RUN_END, place=place, signs=signs, traits=traits)


def _plain(mark: Mark, opening: str, place: Place = "any", *traits: Trait) -> Family:
    """Return the row of markup without a body."""
    return Family("", opening, mark=mark, place=place, traits=traits)


_OTHER_KEYS = "action|thought|arguments|parameters|type|id"
FAMILIES: Final = (
    _fence("fence", rf"[ \t]{{0,8}}(?:[\w+-]{{1,20}}[ \t]+)?(?P<known>{NAME})(?=[\s{{\[`])"),
    Family("bracket", rf"{_BRACKET}{_BODY}", _BRACKET_END, _MORE),
    Family("bracket", rf"{_BRACKET}(?=\s{{0,8}}(?P<known>{NAME})\s{{0,8}}\n)", _BRACKET_END),
    # Hermes, Qwen, GLM, MiniMax, Seed, Hunyuan, LongCat, DeepSeek DSML
    *_element("tag", rf"invoke|{_WRAPPERS}"),
    # Kimi K3
    Family(
        "tag",
        rf"<\|open\|>call\s[^<>]{{0,80}}?tool=\"(?P<name>{NAME})\"[^<>]{{0,80}}<\|sep\|>",
        r"<\|close\|>call<\|sep\|>",
    ),
    # DeepSeek V3, Kimi K2
    Family(
        "tag",
        rf"<{_PIPES}tool[_▁]call[_▁]begin{_PIPES}>\s{{0,8}}(?:function{_TOKEN}\s{{0,8}})?"
        rf"(?P<name>{NAME})\s{{0,8}}(?:{_TOKEN}\s{{0,8}})?(?:```\w{{0,20}}\s{{0,8}})?"
        rf"(?=[{{\[]|<{_PIPES}tool[_▁]calls?[_▁](?:end|begin))",
        rf"(?=<{_PIPES}(?:tool[▁_]calls?(?:[▁_]section)?[▁_](?:end|begin)|end[▁_]of[▁_]sentence"
        rf"|im_end){_PIPES}>)",
        traits=("no brackets",),
    ),
    # Mistral
    Family(
        "tag",
        rf"\[TOOL_CALLS\]\s{{0,64}}(?P<name>{NAME})\s{{0,8}}(?:\[CALL_ID\]\w{{1,40}}\s?)?"
        r"(?:\[ARGS\]\s{0,8})?(?=\{)",
        _TOKEN_END,
    ),
    # JSON, name{…} or name(…) after a token: Llama, Granite, LFM, Gemma, Cohere, GigaChat
    Family(
        "tag",
        rf"(?:<{_PIPES}(?:python_tag|python_start|tool_calls?|tool_call_start|function_call"
        rf"|tools_prefix|start_action)(?:{_PIPES})?>|<\|action_start\|>\s?(?:<\|plugin\|>)?"
        r"|<\|message_sep\|>\s{0,8}function call<\|role_sep\|>|<start_function_call>"
        rf"|\[TOOL_CALLS\])(?=\s{{0,64}}(?:[{{\[(]|{NAME}\s{{0,8}}[{{(]))",
        _TOKEN_END,
        _MORE,
        traits=("brackets",),
    ),
    # gpt-oss; also with its tokens stripped
    Family(
        "harmony",
        rf"(?:{_HEADER}){{0,4}}<\|(?:start|channel)\|>[^<>]{{0,60}}?to=functions\.(?P<name>{NAME})"
        rf"[^<>]{{0,40}}(?:{_HEADER}){{0,4}}<\|message\|>",
        _MESSAGE_END,
    ),
    Family(
        "harmony",
        rf"(?:assistant)?(?:commentary|analysis)?\s?to=functions\.(?P<name>{NAME})"
        rf"(?:(?:{_HEADER}){{1,4}}<\|message\|>|\s?(?:code|json)?\s?(?=\{{))",
        _MESSAGE_END,
        place="start",
    ),
    Family(
        "harmony",
        rf"assistantcommentary\s?to=functions\.(?P<name>{NAME})\s?(?:code|json)?\s?(?=\{{)",
        place="thought",
    ),
    *_element("tool_code", "tool_code"),
    *_element("pseudo_xml", "tool|tool_use|function"),
    # <web_search><query>…</query></web_search>
    Family(
        "pseudo_xml",
        rf"{_OPEN}(?P<tag>(?P<known>{NAME}))>(?=\s{{0,64}}[<{{])",
        rf"{_CLOSE}{{tag}}>",
        traits=("no brackets", "bare"),
    ),
    # results that the model made up
    Family(
        "result",
        rf"{_OPEN}(?P<tag>{_RESULTS})(?:\s[^<>]{{0,200}})?>(?=\s{{0,64}}[{{\[\"]|[^<>]{{0,400}}</)",
        _TAG_END,
    ),
    Family(
        "result",
        rf"<{_PIPES}tool[_▁]outputs[_▁]begin{_PIPES}>(?=\s{{0,8}}<{_PIPES}tool[_▁]output)",
        rf"<{_PIPES}tool[_▁]outputs[_▁]end{_PIPES}>",
    ),
    # bare JSON; Llama separates several by semicolons
    Family(
        "json",
        _object(rf"tool_calls|{_OTHER_KEYS}", NAME),
        more=r"\s{0,8};\s{0,8}(?=\{)",
        place="line",
        signs=("proof", "known", "shape"),
    ),
    Family("json", _object("tool_calls|action|thought"), place="json", signs=("proof",)),
    Family("json", r"functools(?=\[\s{0,8}\{)", place="start", signs=("known",)),
    _fence("json", _INFO + _object("tool_calls")),
    # the whole answer is a call
    Family("python", rf"(?=\[(?P<first>{NAME})\()", place="list", traits=("last", "bare")),
    Family(
        "python",
        rf"(?=\[Call(?:ed|ing) (?:function|tool):? \"?(?P<known>{NAME})\"?(?: with args: ?)?"
        r"(?P<body>)[({])",
        place="list",
        traits=("last",),
    ),
    Family(
        "python",
        rf"(?P<known>{NAME}(?:\.call)?)(?:\s{{0,2}}(?=\{{)|(?=\())",
        place="start",
        traits=("last", "bare"),
    ),
    Family("python", rf"call:(?P<known>{NAME})\s?(?=\{{)", place="thought"),
    # ReAct
    Family("react", rf"{_ACTION}(?=\{{)", place="line"),
    Family("react", rf"{_ACTION}(?=[^\s{{])", r"(?=\r?\n)", place="line", traits=("no brackets",)),
    Family(
        "react",
        rf"Action:\s{{0,8}}{_RUN}\w{{0,10}}\n\s{{0,8}}(?=\[\s{{0,8}}\{{)",
        _RUN_END,
        place="line",
    ),
    _fence("react", _INFO + _object("action|thought"), "proof"),
    _fence("wrong_fence", _INFO + _object(_OTHER_KEYS, rf"(?P<known>{NAME})"), "known"),
    _fence("wrong_fence", _INFO + r"(?=\{)", place="announced"),
    _fence(
        "wrong_fence",
        r"(?:tool_code|tool_calls?|tool|function_call)\s{0,8}\n\s{0,64}"
        rf"(?=(?:print\s?\(\s?(?P<known>{NAME})|(?!print)(?P<known>{NAME}))\()",
    ),
    # thoughts
    _plain(
        "thought",
        rf"<(?:{_THINK})>|\[THINK\]|<\|START_THINKING\|>|◁think▷|<\|open\|>think<\|sep\|>"
        rf"|(?:{_HEADER}){{0,3}}<\|channel\|>analysis[^<>]{{0,40}}(?:{_HEADER})?<\|message\|>"
        rf"|<\|channel>(?:thought(?:\n|(?=<))|(?=[\s\S]{{8}}|[\s\S]{{0,7}}{END}))",
    ),
    _plain(
        "thought",
        r"(?-i:analysis(?=[A-Z])|thought\n|Here(?: i|')s my thought process:)",
        "start",
        "last",
    ),
    _plain("answer", THOUGHT_END),
    _plain("answer", r"assistant(?:final|commentary)|Here(?: i|')s my response:", "thought"),
    _plain("header", rf"(?:{_HEADER}){{1,5}}<\|message\|>|<\|(?:end|return|call)\|>"),
    # remains of markup, and markup that is only mentioned
    _plain("stray", r"<\|(?:open|close)\|>[\w =\"]{1,80}<\|sep\|>"),
    _plain("stray", rf"<{_PIPES}tool[_▁]call[_▁]begin{_PIPES}>\s{{0,8}}function{_TOKEN}"),
    _plain("stray", r"<\|message_sep\|>\s{0,8}function call<\|role_sep\|>"),
    _plain("stray", rf"{_OPEN}(?:{_WRAPPERS})>\s{{0,64}}(?P<known>{NAME})\s{{0,64}}{END}"),
    _plain(
        "stray",
        rf"{_CLOSE}(?:{_TAGS}|invoke|tool|function|parameter)\s{{0,8}}>"
        rf"|{_OPEN}(?:{_TAGS})(?:\s[^<>]{{0,300}})?/?>"
        rf"|{_OPEN}(?:invoke|tool|function|parameter)[^<>=]{{0,80}}=[^<>]{{0,300}}>"
        rf"|{_OPEN}(?:invoke|tool|function)(?:\s?/>|>(?=\s{{0,64}}(?:<|{END})))"
        rf"|<(?:{_PIPES}/?[\w▁.-]{{1,48}}(?:{_PIPES})?|(?:tool_call|tool_response)\|)>"
        r"|</s>|<SPECIAL_\d\d>|<(?:start|end)_function_call>|<tool_sep>|\]<\]minimax\[>\["
        r"|\[(?:/?TOOL_CALLS?|/?TOOL_REQUEST|END_TOOL_REQUEST)\]",
    ),
)
