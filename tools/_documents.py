"""Deliver generated documents: run the program that makes one, store its file and send it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec
from pydantic import BaseModel, WithJsonSchema

from bot.contracts.services import ToolContext
from bot.documents.document_request import decode_document
from bot.documents.images import ImageLoader
from bot.errors import ToolFailed
from bot.files.names import clean_name
from tools._web import WebFetcher, check_given

_SECONDS = 40.0
"""Time limit for the program that makes a document."""


async def deliver_document(
    context: ToolContext,
    *,
    program: str,
    request: msgspec.Struct,
    filename: str,
    ending: str,
    mime_type: str,
    notes: tuple[str, ...] = (),
) -> str:
    """Have a document made, save it in the person's library and send it; return what the model is
    shown.

    Args:
        program: the dotted name of a module whose `serve(request)` returns `Document(…).encode()`.
        request: sent to the program as JSON.
        filename: the name that the model chose; it is cleaned here.
        ending: the extension with its dot, `.xlsx`.
        notes: notes for the model, besides those of the program.

    Returns:
        JSON with `file_id`, `filename`, `size` and, if there are any, `notes`.

    Raises:
        ToolFailed: the program refuses the request or exceeds its limits, or the library is full.
    """
    try:
        encoded = await asyncio.to_thread(msgspec.json.encode, request)
    except UnicodeEncodeError:
        raise ToolFailed("The content holds half of a character. Write it again.") from None
    worker = context.services.isolated_worker
    document = decode_document(await worker.run(program, encoded, seconds=_SECONDS))
    return await deliver_file(
        context, clean_name(filename, ending), document.content, mime_type, notes + document.notes
    )


async def deliver_file(
    context: ToolContext, filename: str, content: bytes, mime_type: str, notes: Sequence[str] = ()
) -> str:
    """Save a file in the person's library, send it, and return its description for the model in
    JSON.

    Raises:
        ToolFailed: the person's library is full.
    """
    file = await context.services.files.save(
        context.account,
        filename,
        content,
        mime_type=mime_type,
        source="generated",
        key=context.key,
    )
    context.deliver(file)
    result = {"file_id": file.file_id, "filename": file.filename, "size": file.size}
    return json.dumps(result | ({"notes": notes} if notes else {}), ensure_ascii=False)


def make_image_loader(context: ToolContext) -> ImageLoader:
    """Make the loader of a document's pictures, from the person's own files and the web."""
    services = context.services

    async def fetch(address: str, most: int) -> bytes:
        check_given(address, context)
        return await WebFetcher().fetch_file(address, most)

    return ImageLoader(context.account, services.files, services.isolated_worker, fetch)


def inline_schema(model: type[BaseModel]) -> WithJsonSchema:
    """Return the schema of `model` to be written in place, because not every endpoint follows a
    `$ref`."""
    return WithJsonSchema(_strip_schema(model.model_json_schema()))


def _strip_schema(schema: Any) -> Any:
    """Remove titles, which only cost tokens (a property that is called `title` stays), and defaults
    of `null`."""
    if not isinstance(schema, dict):
        return schema
    items: Mapping[str, Any] = cast("dict[str, Any]", schema)
    return {
        key: _strip_schema(value)
        for key, value in items.items()
        if not ((key == "title" and isinstance(value, str)) or (key == "default" and value is None))
    }
