"""Inspect the model's messages before they are sent; have the model rewrite a wrong one."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from typing import Final, TypeGuard, cast

import structlog
from pydantic import BaseModel, ValidationError

from bot.agent.turn import Turn
from bot.contracts.services import GivenExercise
from bot.contracts.tools import AnyTool
from bot.contracts.turn import Correction, Objection, ObjectionKind
from bot.errors import ToolFailed
from bot.messages.transcript import AssistantMessage

MOST_CORRECTIONS: Final = 2
"""How often the model is asked to rewrite its messages, in one turn."""
_MOST_OF_A_KIND: Final[dict[ObjectionKind, int]] = {"maths": MOST_CORRECTIONS, "leak": 1}
_MOST_SHOWN = 8
_LONGEST_QUOTE = 300
_MOST_ROWS = 100
"""Rows that are read of a table."""
_NUMBER: Final = re.compile(r"[-\u2212]?\d{1,9}(?:[.,]\d{1,6})?")
_AMONG: Final = "parmi"
"""Stands before the choices of a question when they are inspected: none is said as an answer."""
_OWN_ANSWER: Final = re.compile(
    r"\b(?:vraie?s?|faux|fausses?|true|false)\b|(?<!\w)(?-i:[A-F])(?![\w'’])"
    r"|\b(?:premi[eè]re?|deuxi[eè]me|seconde?|troisi[eè]me|quatri[eè]me|derni[eè]re?|first|third"
    r"|fourth|last) (?:r[eé]ponse|option|proposition|answer|choice|one)\b",
    re.IGNORECASE,
)
"""Words by which an explanation names the answer to its own question; other open questions may have
the same letter or verdict."""
_UNFINISHED: Final = re.compile(r"(?:(?![.!?…]\s).)*\w[^\w.!?…\n]*\Z")
"""The end of a text without a mark at its end, from the beginning of its sentence or line."""
log = structlog.get_logger()


async def review_reply(
    turn: Turn, *, asked: Sequence[GivenExercise] = (), is_last: bool = False
) -> str:
    """Inspect the turn's newest message, if it is the model's.

    A message that still has objections after the last allowed correction is repaired and passes.
    The decision is the same when it is repeated after a crash.

    Args:
        asked: what the message's calls ask the person: its text may not give that away.
        is_last: True: the model is not asked again.

    Returns:
        The reason why the model has to answer again, or an empty text. The reason is already in the
            turn's messages, unless the message has tool calls: then the caller gives it as their
            result.

    Raises:
        LeaseLost: the turn belongs to another process by now.
    """
    reply = turn.messages[-1]
    if not isinstance(reply, AssistantMessage):
        return ""
    text = reply.text.strip()
    objections = await _inspect(turn, text) if text else ()
    if text and not objections and (before := find_unfinished(turn.prose[:-1])):
        text = before + text  # `7 × 8 =` before a call, and `54.` after it
        objections = await _inspect(turn, text)
    spoilers = turn.guardrail.find_given_away(asked, text) if text else ()
    objections = objections or spoilers
    if not objections:
        await turn.gate.release()
        return ""
    kind, quote = objections[0].kind, objections[0].quote[:_LONGEST_QUOTE]
    log.info("answer_corrected", lane=turn.lane, kind=kind, corrections=len(turn.corrections))
    if is_last or not _may_ask_again(turn, objections):
        repaired = "" if spoilers else await turn.guardrail.repair(text)
        await turn.gate.drop(repaired)
        await _correct(turn, Correction(kind, quote, repaired, ""))
        return ""
    await turn.gate.drop()
    note = _write_note("Your message was not sent", objections)
    await _correct(turn, Correction(kind, quote, "", "" if reply.tool_calls else note))
    return note


def find_unfinished(texts: Sequence[str]) -> str:
    """Return the sentence in which the last of a turn's texts breaks off, as the next one may go on
    with it; empty: it is finished."""
    found = _UNFINISHED.search(texts[-1][-_LONGEST_QUOTE:]) if texts else None
    return f"{found[0].lstrip()} " if found else ""


async def review_arguments(tool: AnyTool, arguments: BaseModel, turn: Turn) -> BaseModel:
    """Inspect the texts and numbers in a tool's arguments; return the arguments that it may run
    with.

    Raises:
        ToolFailed: there are objections. After `MOST_CORRECTIONS` refusals the arguments are
            repaired and returned instead, unless they leak a secret or no longer fit.
    """
    await turn.guardrail.prepare(turn.outgoing)
    given = arguments.model_dump()
    objections = await turn.guardrail.inspect("\n\n".join(_list_texts(given)))
    objections = objections or await find_leaks(turn, "\n".join(_list_rows(given)))
    objections = objections or await _find_errors(turn, "\n\n".join(_list_tables(given)))
    if not objections:
        return arguments
    turn.refused_words += 1
    leaks = any(objection.kind == "leak" for objection in objections)
    if leaks or turn.refused_words <= MOST_CORRECTIONS:
        raise ToolFailed(_write_note(f"{tool.name} was not run", objections))
    repaired = await _repair_texts(given, turn)
    try:
        return tool.arguments.model_validate(repaired)
    except ValidationError:  # the words in place of what is left out made a text too long
        raise ToolFailed(_write_note(f"{tool.name} was not run", objections)) from None


async def review_questions(tool: AnyTool, arguments: BaseModel, turn: Turn) -> None:
    """Raise `ToolFailed` if a tool's question gives away the answer of an earlier question."""
    await turn.guardrail.prepare(turn.outgoing)
    if not turn.guardrail.keeps_secrets:
        return
    texts = list(_list_texts(arguments.model_dump(include=set(tool.read_at_once))))
    choices = list(_list_texts(arguments.model_dump(include=set(tool.offered_at_once))))
    if choices:
        texts.append(f"{_AMONG} {' ; '.join(choices)} …")
    if not any(turn.guardrail.is_open(each, choices) for each in texts):  # else its own answer
        later = _list_texts(arguments.model_dump(include=set(tool.read_later)))
        texts += [_OWN_ANSWER.sub("…", text) for text in later]
    if leaks := await find_leaks(turn, "\n\n".join(texts)):
        raise ToolFailed(_write_note(f"{tool.name} was not run", leaks))


def review_asked(tool: AnyTool, asked: GivenExercise, turn: Turn, made: Sequence[object]) -> None:
    """Raise `ToolFailed` if the turn's texts, or what its calls make, give away the solution of
    what a tool is about to ask.

    Args:
        made: the arguments of the calls before it that make something to read.
    """
    texts = [*turn.prose, *("\n\n".join(_list_texts(each)) for each in made)]
    found = (turn.guardrail.find_given_away([asked], text) for text in texts)
    if spoilers := next(filter(None, found), ()):
        what = f"{tool.name} was not run: earlier in this turn you gave its solution away"
        note = _write_note(what, spoilers).rpartition("\n")[0]
        raise ToolFailed(f"{note}\nAsk something else.")


async def find_leaks(turn: Turn, text: str) -> Sequence[Objection]:
    """Return the objections to a text that gives an answer away; its mathematics may be wrong."""
    if not text or not turn.guardrail.keeps_secrets:
        return ()
    objections = await turn.guardrail.inspect(text)
    return [objection for objection in objections if objection.kind == "leak"]


async def _find_errors(turn: Turn, text: str) -> Sequence[Objection]:
    """Return the objections to the mathematics of tables, which may give an answer away: a number
    alone is no answer to what the person asked."""
    objections = await turn.guardrail.inspect(text) if text else ()
    return [each for each in objections if each.kind == "maths" and not _is_mark(each.quote)]


async def _inspect(turn: Turn, text: str) -> Sequence[Objection]:
    try:
        return await turn.guardrail.inspect(text)
    except asyncio.CancelledError:
        turn.prose.pop()  # not inspected, so not shown but for its beginning
        turn.broken_off = turn.gate.shown.strip()
        raise


async def _correct(turn: Turn, correction: Correction) -> None:
    turn.add_correction(correction)
    await turn.journal.corrected(correction)


def _may_ask_again(turn: Turn, objections: Sequence[Objection]) -> bool:
    kinds: set[ObjectionKind] = {objection.kind for objection in objections}
    return (
        turn.can_call_model
        and turn.usage.usd < turn.limits.usd
        and turn.seconds_left > 0
        and len(turn.corrections) < MOST_CORRECTIONS
        and all(turn.corrections.count(kind) < _MOST_OF_A_KIND[kind] for kind in kinds)
    )


def _write_note(what: str, objections: Sequence[Objection]) -> str:
    """Write the note that tells the model what to correct.

    Args:
        what: what did not happen, without a full stop.
    """
    listed = "\n".join(
        f"- “{each.quote[:_LONGEST_QUOTE]}”: {each.reason}" for each in objections[:_MOST_SHOWN]
    )
    return (
        f"{what}: a check of it found this.\n{listed}\n"
        "Say all of it again, put right, and no word about this check."
    )


def _list_texts(value: object, *, is_item: bool = False) -> Iterator[str]:
    """Yield all texts in the arguments, in order, without the letters and numbers in tables and
    the letters by which parts, such as sheets and the axes of a chart, are named."""
    match value:
        case str():
            # A sheet shows the result of a formula.
            yield f"computed {value[1:]}" if value.startswith("=") else value
        case dict():
            for each in cast("dict[str, object]", value).values():
                if not (is_item and _is_letter(each)):
                    yield from _list_texts(each, is_item=isinstance(each, dict))
        case list() | tuple():
            yield from _list_items(cast("Sequence[object]", value))
        case _:
            pass


def _list_items(items: Sequence[object]) -> Iterator[str]:
    is_labels = sum(map(_is_letter, items)) > 1
    for each in items:
        if _is_row(each):
            yield from (cell for cell in _list_texts(each) if not _is_mark(cell))
        elif not (is_labels and _is_letter(each)):
            yield from _list_texts(each, is_item=True)


def _list_rows(value: object) -> Iterator[str]:
    """Yield each list that has numbers or single letters as a line: `["Total", 12, 56]` as
    `Total : 12 ; 56 …`, `["Answer", "A"]` as `Answer : A`.

    The dots say that a small number is one of many; a list of one number has none. In a list of
    lists, a table, numbers may be texts.
    """
    match value:
        case dict():
            values = list(cast("dict[str, object]", value).values())
            texts = [each for each in values if isinstance(each, str)]
            if len(texts) > 1 and any(map(_is_letter, texts)):
                yield _write_row(texts)
            for each in values:
                yield from _list_rows(each)
        case list() | tuple():
            cells = cast("Sequence[object]", value)
            if any(map(_is_number, cells)):
                yield _write_row(cells)
            for each in cells:
                if _is_row(each) and any(map(_is_text_mark, each)):
                    yield _write_row([_read_cell(cell) for cell in each])
                else:
                    yield from _list_rows(each)
        case _:
            pass


def _list_tables(value: object) -> Iterator[str]:
    """Yield each table in Markdown. Its first row has the headers, unless another list of the same
    part has one for each column."""
    match value:
        case dict():
            parts = list(cast("dict[str, object]", value).values())
            for part in parts:
                rows = _read_rows(part)
                heads = [_read_heads(each, len(rows[0])) for each in parts] if rows else []
                yield from _write_table([*filter(None, heads), *rows][:_MOST_ROWS])
                if not rows:
                    yield from _list_tables(part)
        case list() | tuple():
            for each in cast("Sequence[object]", value):
                yield from _list_tables(each)
        case _:
            pass


def _read_rows(value: object) -> list[Sequence[object]]:
    """Return the rows of a table; none: the value is no table."""
    rows = cast("Sequence[object]", value) if isinstance(value, list | tuple) else ()
    return list(filter(_is_row, rows)) if rows and all(map(_is_row, rows)) else []


def _read_heads(value: object, count: int) -> list[object]:
    """Return the first text of each member of a list, if it has so many; they may be headers."""
    members = cast("Sequence[object]", value) if isinstance(value, list | tuple) else ()
    if len(members) != count or any(map(_is_row, members)):
        return []
    return [next(_list_texts(each), "") for each in members]


def _write_table(rows: Sequence[Sequence[object]]) -> Iterator[str]:
    if len(rows) < 2:
        return
    lines = [f"| {' | '.join(_write_cell(cell) for cell in row)} |" for row in rows]
    yield "\n".join((lines[0], f"|{'---|' * len(rows[0])}", *lines[1:]))


def _write_cell(cell: object) -> str:
    text = f"{cell:.15g}" if _is_number(cell) else str(cell or "")
    return " ".join(text.replace("|", " ").split())[:_LONGEST_QUOTE]


def _is_row(value: object) -> TypeGuard[Sequence[object]]:
    """Return whether a member of a list is the row of a table: itself a list of two cells or
    more."""
    if not isinstance(value, list | tuple):
        return False
    cells = cast("Sequence[object]", value)
    return len(cells) > 1 and not any(isinstance(each, list | tuple | dict) for each in cells)


def _is_letter(value: object) -> bool:
    return isinstance(value, str) and len(value.strip()) == 1 and value.strip().isalpha()


def _is_mark(text: str) -> bool:
    return _is_letter(text) or _NUMBER.fullmatch(text.strip()) is not None


def _is_text_mark(value: object) -> bool:
    return isinstance(value, str) and _is_mark(value)


def _read_cell(cell: object) -> object:
    """Return the number that a cell has as a text; else the cell itself."""
    if isinstance(cell, str) and _NUMBER.fullmatch(cell.strip()):
        return float(cell.strip().replace(",", ".").replace("\u2212", "-"))
    return cell


def _write_row(cells: Sequence[object]) -> str:
    row = ""
    for cell in cells:
        if _is_number(cell):
            row += f"{cell:.15g} ; "
        elif isinstance(cell, str):
            row += f"{cell} : "
    row = row.removesuffix(" ; ").removesuffix(" : ")
    return f"{row} …" if len(cells) > 1 and any(map(_is_number, cells)) else row


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


async def _repair_texts(value: object, turn: Turn) -> object:
    """Return the arguments with each text that has objections repaired."""
    match value:
        case str() if await turn.guardrail.inspect(value):
            return await turn.guardrail.repair(value)
        case dict():
            items = cast("dict[str, object]", value).items()
            return {key: await _repair_texts(each, turn) for key, each in items}
        case list() | tuple():
            return [await _repair_texts(each, turn) for each in cast("Sequence[object]", value)]
        case _:
            return value
