"""Deliver generated documents: run the program that makes one, store its file and send it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

import msgspec
from pydantic import BaseModel, WithJsonSchema

from bot.contracts.services import ToolContext
from bot.documents.document_request import Template, decode_document, make_page_request
from bot.documents.images import ImageLoader
from bot.errors import ToolFailed
from bot.files.names import clean_name
from tools._web import WebFetcher, check_given

_SECONDS = 40.0
"""Time limit for the program that makes a document."""
_OFFICE = "application/vnd.openxmlformats-officedocument"
_KINDS = {
    ".docx": ("bot.documents.docx_worker", f"{_OFFICE}.wordprocessingml.document"),
    ".html": ("bot.documents.html_worker", "text/html"),
    ".pdf": ("bot.documents.pdf_worker", "application/pdf"),
    ".pptx": ("bot.documents.pptx_worker", f"{_OFFICE}.presentationml.presentation"),
    ".xlsx": ("bot.documents.xlsx_worker", f"{_OFFICE}.spreadsheetml.sheet"),
}
"""For each ending, the module whose `serve(request)` returns `Document(…).encode()`, and the MIME
type."""


class PageText(Protocol):
    """The arguments of the tools that make a document of Markdown."""

    filename: str
    title: str
    content: str


async def deliver_page(
    context: ToolContext,
    text: PageText,
    ending: str,
    *,
    template: Template = "report",
    dated: bool = True,
) -> str:
    """Have a document made of Markdown with its pictures, and deliver it as `deliver_document`
    does."""
    images = await make_image_loader(context).load_from_markdown(text.content)
    request = make_page_request(
        text.title,
        text.content,
        context.person,
        name=clean_name(text.filename, ending).removesuffix(ending),
        template=template,
        dated=dated,
        images=images.copies,
    )
    return await deliver_document(context, request, text.filename, ending, images.notes)


async def deliver_document(
    context: ToolContext,
    request: msgspec.Struct,
    filename: str,
    ending: str,
    notes: tuple[str, ...] = (),
) -> str:
    """Have a document made, save it in the person's library and send it; return what the model is
    shown.

    Args:
        request: sent as JSON to the program that makes documents of this kind.
        filename: the name that the model chose; it is cleaned here.
        ending: the extension of its kind, one of `_KINDS`.
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
    program, mime_type = _KINDS[ending]
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
