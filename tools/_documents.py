"""Deliver generated documents: from the program that makes them to the library and the person."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel, WithJsonSchema

from bot.contracts.services import ToolContext
from bot.documents.document_request import decode_document
from bot.documents.images import ImageLoader
from bot.files.names import clean_name
from tools._web import WebFetcher


async def deliver_document(
    context: ToolContext,
    *,
    program: str,
    request: bytes,
    filename: str,
    ending: str,
    mime_type: str,
    seconds: float,
    notes: Sequence[str] = (),
) -> str:
    """Have a document made, keep it, give it to the person, and say what the model may know of it.

    Args:
        program: the dotted name of a module whose `serve(request)` gives `Document(…).encode()`.
        filename: as the model named it; it is cleaned here.
        ending: with its dot, `.xlsx`.
        seconds: that the program may take.
        notes: what the model should know besides what the program says.

    Returns:
        JSON with `file_id`, `filename`, `size` and, where the program has some, `notes`.

    Raises:
        ToolFailed: the program refuses the request or goes beyond its limits, or no room is left.
    """
    document = decode_document(
        await context.services.isolated_worker.run(program, request, seconds=seconds)
    )
    file = await context.services.files.save(
        context.account,
        clean_name(filename, ending),
        document.content,
        mime_type=mime_type,
        source="generated",
        key=context.key,
    )
    context.deliver(file)
    result = {"file_id": file.file_id, "filename": file.filename, "size": file.size}
    said = [*notes, *document.notes]
    return json.dumps(result | ({"notes": said} if said else {}), ensure_ascii=False)


def make_image_loader(context: ToolContext) -> ImageLoader:
    """Make the loader of a document's pictures: from the person's own files, and from the web."""
    services = context.services
    return ImageLoader(
        context.account, services.files, services.isolated_worker, WebFetcher().fetch_file
    )


def inline_schema(model: type[BaseModel]) -> WithJsonSchema:
    """The schema of `model` to stand where it is used: not every endpoint follows a `$ref`."""
    return WithJsonSchema(_strip_schema(model.model_json_schema()))


def _strip_schema(schema: Any) -> Any:
    """Without titles, which only cost tokens (a property that is called `title` stays), and
    without `null` as what stands where nothing is given."""
    if not isinstance(schema, dict):
        return schema
    items: Mapping[str, Any] = cast("dict[str, Any]", schema)
    return {
        key: _strip_schema(value)
        for key, value in items.items()
        if not ((key == "title" and isinstance(value, str)) or (key == "default" and value is None))
    }
