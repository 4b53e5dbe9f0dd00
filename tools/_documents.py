"""The way of every document that a program of the workshop makes: to the library and the person."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel, WithJsonSchema

from bot.contracts import ToolContext
from bot.library.document_images import ImageLoader
from bot.library.names import clean_name
from bot.library.office.document import decode
from tools._web import Door


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
        notes: what the model should know beside what the program says.

    Returns:
        JSON with `file_id`, `filename`, `size` and, where the program has some, `notes`.

    Raises:
        ToolFailed: the program refuses the request or goes beyond its limits, or no room is left.
    """
    document = decode(await context.services.workshop.run(program, request, seconds=seconds))
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


def image_loader(context: ToolContext) -> ImageLoader:
    """What loads the pictures of a document: from the person's own files, and from the web."""
    services = context.services
    return ImageLoader(context.account, services.files, services.workshop, Door().fetch_file)


def inline(model: type[BaseModel]) -> WithJsonSchema:
    """The schema of `model` to stand where it is used: not every endpoint follows a `$ref`."""
    return WithJsonSchema(_untitled(model.model_json_schema()))


def _untitled(schema: Any) -> Any:
    """Without titles, which only cost tokens (a property that is called `title` stays), and
    without `null` as what stands where nothing is given."""
    if not isinstance(schema, dict):
        return schema
    items: Mapping[str, Any] = cast("dict[str, Any]", schema)
    return {key: _untitled(value) for key, value in items.items() if not _is_spare(key, value)}


def _is_spare(key: str, value: object) -> bool:
    return (key == "title" and isinstance(value, str)) or (key == "default" and value is None)
