"""The families of tool calls and thoughts that models write as prose, one row each.

A row says how the markup opens, what closes it and where it counts. The patterns ignore case. In
them, `«…»` stands for a fragment below, `\\s*` for at most 64 blanks (so that reading takes linear
time), and `¶` for the end of the whole text. The parser looks for markup only where a character of
its `_TRIGGER` stands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final, Literal

Mark = Literal["call", "thought", "answer", "header", "stray"]
"""thought: opens a thought; answer: closes it; header: closes an open one; stray: has no
content."""
Place = Literal["any", "json", "line", "list", "block", "announced", "start", "thought"]
"""any: outside of code; json: where JSON may be a call; line: where `json` holds and at the
beginning of a line, or anywhere for a model without native calls; list: where `line` holds and
after a sentence; block: a code block, for a model without native calls; announced: such a block
after the name of a tool; start: before any text of the answer; thought: only within a thought."""
Proof = Literal["none", "keys", "known", "shape"]
"""What makes markup a call. keys: keys that only calls have; known: these or a known tool; shape:
both, or a name with arguments."""
Trait = Literal["last", "bare", "wrong"]
"""last: it is a call only at the end of the answer, or a thought only if it is closed; bare: it
opens with the name of a tool, so text is held back only while it may be one; wrong: the model is
answered that this form is wrong."""
Ending = Literal["either", "bracket", "closing"]
"""What ends the body of a call. bracket: balanced brackets or the closing; either: the same, but
brackets only if the body begins with one or has no closing; closing: the closing alone."""


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
    """The end of the body, with `{tag}` and `{run}` for groups of the opening."""
    more: str = ""
    """The text after such an end with which the body goes on nevertheless."""
    mark: Mark = "call"
    place: Place = "any"
    ending: Ending = "either"
    proof: Proof = "none"
    traits: tuple[Trait, ...] = ()


NAME: Final = r"[A-Za-z_][\w.:/-]{0,79}"
_FRAGMENTS: Final = {
    "name": f"(?P<name>{NAME})",
    "known": f"(?P<known>{NAME})",
    "first": f"(?P<first>{NAME})",
    "any name": NAME,
    "pipes": "[|｜‖]{1,2}",
    "quote": "[\"'“”]",
    # XML elements; DeepSeek and MiniMax write their tags with a prefix
    "open": r"(?:\]<\]minimax\[>\[)?<«prefix»",
    "close": r"(?:\]<\]minimax\[>\[)?</«prefix»",
    "prefix": r"(?:\s?«pipes»\s?DSML\s?«pipes»\s?|[a-z][\w-]{0,19}:|longcat_)?",
    "wrapper": "(?:tool_calls?|function_calls?|toolcall)",
    "result": "(?:tool_input|tool_response|tool_result|function_results)",
    "think": "(?:think|thinking|seed:think|mm:think|thought|reasoning)",
    "attributes": r"(?:\s[^<>]{0,300})?",
    "named": r"(?:\s*(?:[^<>]{0,200}\s)?(?:name|tool)\s?=\s?[\"']«name»[\"'][^<>]{0,300}"
    r"|\s?=\s?[\"']?«name»[\"']?\s?)",
    "inside": r"(?=\s*(?:[<{\[\]`\"]|¶)|[^<>]{0,400}</)",
    "body": r"(?=\s*(?:```\w{0,20}\s*)?(?:[{\[\"“]|<(?:tool_|function_)?name>"
    r"|«any name»(?:[(\[]|\s*(?:\{|<(?:/|\w{0,20}[:_]?(?:arg|param|tool_))))))",
    "argument": r"«open»(?:(?:parameter|param|argument|arg)«attributes»=[^<>]{1,400}>|arg_key>"
    r"|(?:parameters|params|arguments|args)>\s*[{<\[])",
    "argument end": r"«close»(?:param(?:eter)?s?|arg(?:ument)?s?|arg_value)\s*>|/>",
    "tag end": r"«close»(?:{tag}|«wrapper»)\s*>",
    # special tokens
    "token": r"<(?:«pipes»)?/?[\w▁.-]{1,48}«pipes»>",
    "token end": r"(?=«token»|<end_function_call>|\[/?TOOL_CALLS\]|</s>)",
    "call begin": r"<«pipes»tool[_▁]call[_▁]begin«pipes»>\s*",
    "call edge": "<«pipes»tool[_▁]calls?[_▁](?:end|begin)",
    "call end": r"(?=<«pipes»(?:tool[▁_]calls?(?:[▁_]section)?[▁_](?:end|begin)"
    r"|end[▁_]of[▁_]sentence|im_end)«pipes»>)",
    "header": r"<\|(?:start|channel|constrain)\|>[^<>]{0,80}",
    "message end": r"(?=<\|(?:end|return|call|start|channel)\|>)",
    "bracket end": r"\[(?:/TOOL_CALLS?|/TOOL_REQUEST|END_TOOL_REQUEST)\]",
    # JSON and code blocks
    "more": r"(?<=[}\])])\s*(?:[,;]\s*)?(?=\{|\[\s*\{|call:)",
    "object": r"(?:\[\s*)?\{\s*«quote»",
    "name key": r"(?:name|tool|tool_name|function)«quote»\s*:\s*",
    "run": r"(?P<run>`{3,}|~{3,})",
    "run end": r"(?:\n[ \t>]{0,20}|(?<=[}\]][ \t]{0,8})){run}",
    "info": r"[^\n`]{0,100}\n\s*",
    "action": r"Action:[ \t]{0,8}[\"'`\[]?«name»[\"'`\]]?[ \t]{0,8}\r?\n\s*Action Input:[ \t]{0,8}",
}
_OTHER_KEYS = "action|thought|arguments|parameters|type|id"
_TAG_KINDS = "«wrapper»|«result»|tool_code|tool_use|arg_key|arg_value|answer"
THOUGHT_END: Final = (
    r"</«think»>|\[/THINK\]|<\|END_THINKING\|>|<channel\|>|◁/think▷"
    r"|<\|close\|>think<\|sep\|>|\[BEGIN FINAL RESPONSE\]"
)


def expand_pattern(pattern: str) -> str:
    """Return a pattern of the table as a regular expression, but for `¶`."""
    while "«" in pattern:
        pattern = re.sub("«(.*?)»", lambda fragment: _FRAGMENTS[fragment[1]], pattern)
    return pattern.replace(r"\s*", r"\s{0,64}")


def _object(keys: str, named: str = "") -> str:
    """Return the pattern of JSON whose first key is one of `keys`, or of a tool's name, `named`."""
    by_name = rf"|«name key»(?:\{{|«quote»{named}«quote»)" if named else ""
    return rf"(?=«object»(?:(?:{keys})«quote»\s*:{by_name}))"


def _element(dialect: str, tags: str) -> tuple[Family, ...]:
    """Return the rows of XML elements that hold a call."""
    tag = f"«open»(?P<tag>{tags})"
    by_text = tag + r"\s*>\s*«name»\s*</[^<>]{2,60}>(?=\s*(?:«argument»|\{\s*[\"'“”}]))"
    return (
        Family(dialect, f"{tag}«named»/>", "(?<=/>)"),
        Family(dialect, f"{tag}«named»>«inside»", "«tag end»"),
        Family(dialect, by_text, "«argument end»", r"\s*(?=«argument»)"),
        Family(dialect, f"{tag}«attributes»>«body»", "«tag end»", "«more»"),
    )


def _fence(dialect: str, info: str, proof: Proof = "none", place: Place = "block") -> Family:
    """Return the row of a code block that is a call."""
    traits: tuple[Trait, ...] = ("wrong",) if dialect == "wrong_fence" else ()
    fence = Family(dialect, f"«run»{info}", "«run end»", place=place, proof=proof)
    return replace(fence, ending="closing", traits=traits)


def _plain(mark: Mark, opening: str, place: Place = "any", *traits: Trait) -> Family:
    """Return the row of markup without a body."""
    return Family("", opening, mark=mark, place=place, traits=traits)


FAMILIES: Final = (
    _fence("fence", r"[ \t]{0,8}(?:[\w+-]{1,20}[ \t]+)?«known»(?=[\s{\[`])"),
    Family("bracket", r"\[TOOL_(?:CALL|REQUEST)\]«body»", "«bracket end»", "«more»"),
    Family("bracket", r"\[TOOL_(?:CALL|REQUEST)\](?=\s*«known»\s*\n)", "«bracket end»"),
    # Hermes, Qwen, GLM, MiniMax, Seed, Hunyuan, LongCat, DeepSeek DSML
    *_element("tag", "invoke|«wrapper»"),
    # Kimi K3
    Family(
        "tag",
        r"<\|open\|>call\s[^<>]{0,80}?tool=\"«name»\"[^<>]{0,80}<\|sep\|>",
        r"<\|close\|>call<\|sep\|>",
    ),
    # DeepSeek V3, Kimi K2
    Family(
        "tag",
        r"«call begin»(?:function«token»\s*)?«name»\s*(?:(?!«call edge»)«token»\s*)?"
        r"(?:```\w{0,20}\s*)?(?=[{\[]|«call edge»)",
        "«call end»",
        ending="closing",
    ),
    # Mistral
    Family(
        "tag",
        r"\[TOOL_CALLS\]\s*«name»\s*(?:\[CALL_ID\]\w{1,40}\s?)?(?:\[ARGS\]\s*)?(?=\{)",
        "«token end»",
    ),
    # JSON, name{…} or name(…) after a token: Llama, Granite, LFM, Gemma, Cohere, GigaChat
    Family(
        "tag",
        r"(?:<«pipes»(?:python_tag|python_start|tool_calls?|tool_call_start|function_call"
        r"|tools_prefix|start_action)(?:«pipes»)?>|<\|action_start\|>\s?(?:<\|plugin\|>)?"
        r"|<\|message_sep\|>\s*function call<\|role_sep\|>|<start_function_call>"
        r"|\[TOOL_CALLS\])(?=\s*(?:[{\[(]|«any name»\s*[{(]))",
        "«token end»",
        "«more»",
        ending="bracket",
    ),
    # gpt-oss; also with its tokens stripped
    Family(
        "harmony",
        r"(?:«header»){0,4}<\|(?:start|channel)\|>[^<>]{0,60}?to=functions\.«name»"
        r"[^<>]{0,40}(?:«header»){0,4}<\|message\|>",
        "«message end»",
    ),
    Family(
        "harmony",
        r"(?:assistant)?(?:commentary|analysis)?\s?to=functions\.«name»"
        r"(?:(?:«header»){1,4}<\|message\|>|\s?(?:code|json)?\s?(?=\{))",
        "«message end»",
        place="start",
    ),
    *_element("tool_code", "tool_code"),
    *_element("pseudo_xml", "tool|tool_use|function"),
    # <web_search><query>…</query></web_search>
    Family(
        "pseudo_xml",
        r"«open»(?P<tag>«known»)>(?=\s*[<{])",
        "«close»{tag}>",
        ending="closing",
        traits=("bare",),
    ),
    # results that the model made up
    Family(
        "result", r"«open»(?P<tag>«result»)«attributes»>(?=\s*[{\[\"]|[^<>]{0,400}</)", "«tag end»"
    ),
    Family(
        "result",
        r"<«pipes»tool[_▁]outputs[_▁]begin«pipes»>(?=\s*<«pipes»tool[_▁]output)",
        "<«pipes»tool[_▁]outputs[_▁]end«pipes»>",
    ),
    # bare JSON; Llama separates several by semicolons
    Family(
        "json",
        _object(f"tool_calls|{_OTHER_KEYS}", "«any name»"),
        more=r"\s*;\s*(?=\{)",
        place="line",
        proof="shape",
    ),
    Family("json", _object("tool_calls|action|thought"), place="json", proof="keys"),
    Family("json", r"functools(?=\[\s*\{)", place="start", proof="known"),
    _fence("json", "«info»" + _object("tool_calls")),
    # the whole answer is a call
    Family("python", r"(?=\[«first»\()", place="list", traits=("last", "bare")),
    Family(
        "python",
        r"(?=\[Call(?:ed|ing) (?:function|tool):? \"?«known»\"?(?: with args: ?)?(?P<body>)[({])",
        place="list",
        traits=("last",),
    ),
    Family(
        "python",
        r"(?P<known>«any name»(?:\.call)?)(?:\s{0,2}(?=\{)|(?=\())",
        place="start",
        traits=("last", "bare"),
    ),
    Family("python", r"call:«known»\s?(?=\{)", place="thought"),
    # ReAct
    Family("react", r"«action»(?=\{)", place="line"),
    Family("react", r"«action»(?=[^\s{])", r"(?=\r?\n)", place="line", ending="closing"),
    Family("react", r"Action:\s*«run»\w{0,10}\n\s*(?=\[\s*\{)", "«run end»", place="line"),
    _fence("react", "«info»" + _object("action|thought"), "keys"),
    _fence("wrong_fence", "«info»" + _object(_OTHER_KEYS, "«known»"), "known"),
    _fence("wrong_fence", r"«info»(?=\{)", place="announced"),
    _fence(
        "wrong_fence",
        r"(?:tool_code|tool_calls?|tool|function_call)\s*\n\s*"
        r"(?=(?:print\s?\(\s?«known»|(?!print)«known»)\()",
    ),
    # thoughts
    _plain(
        "thought",
        r"<«think»>(?=[^<]|<[\s\S]|<?¶)|\[THINK\]|<\|START_THINKING\|>|◁think▷|<\|open\|>think<\|sep\|>"
        r"|(?:«header»){0,3}<\|channel\|>analysis[^<>]{0,40}(?:«header»)?<\|message\|>"
        r"|<\|channel>(?:thought(?:\n|(?=<))|(?=[\s\S]{8}|[\s\S]{0,7}¶))",
    ),
    _plain(
        "thought",
        r"(?-i:analysis(?=[A-Z])|thought\n|Here(?: i|')s my thought process:)",
        "start",
        "last",
    ),
    _plain("answer", THOUGHT_END),
    _plain("answer", r"assistant(?:final|commentary)|Here(?: i|')s my response:", "thought"),
    _plain("header", r"(?:«header»){1,5}<\|message\|>|<\|(?:end|return|call)\|>"),
    # remains of markup, and markup that is only mentioned
    _plain("stray", r"<\|(?:open|close)\|>[\w =\"]{1,80}<\|sep\|>"),
    _plain("stray", "«call begin»function«token»"),
    _plain("stray", r"«open»«wrapper»>\s*«known»\s*¶"),
    _plain(
        "stray",
        rf"«close»(?:{_TAG_KINDS}|invoke|tool|function|parameter)\s*>"
        rf"|«open»(?:{_TAG_KINDS})«attributes»/?>"
        r"|«open»(?:invoke|tool|function|parameter)[^<>=]{0,80}=[^<>]{0,300}>"
        r"|«open»(?:invoke|tool|function)(?:\s?/>|>(?=\s*(?:<|¶)))"
        r"|<(?:«pipes»/?[\w▁.-]{1,48}(?:«pipes»)?|(?:tool_call|tool_response)\|)>"
        r"|</s>|<SPECIAL_\d\d>|<(?:start|end)_function_call>|<tool_sep>|\]<\]minimax\[>\["
        r"|\[(?:/?TOOL_CALLS?|/?TOOL_REQUEST|END_TOOL_REQUEST)\]",
    ),
)
