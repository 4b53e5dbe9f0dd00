"""List the person's files."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from pydantic import BaseModel, Field

from bot.contracts.services import StoredFile, ToolContext
from bot.contracts.tools import Tool

_USUAL = 20
_MOST = 50


class ListUserFiles(BaseModel):
    """List the files in the person's library: what they have sent, and what was made for them,
    newest first. Use it when they speak of a file, a document or a photo of theirs and you need
    its file_id, or ask what there is. Not to look for what is written in files: that is
    search_user_files. Never guess a file_id."""

    kind: str = Field(
        default="",
        description="Only files of this kind: image, pdf, document, spreadsheet, presentation, "
        "text, audio, or an extension such as docx. Leave it out for all.",
        max_length=40,
    )
    limit: int = Field(
        default=_USUAL,
        description=f"How many at most, {_USUAL} if left out, never more than {_MOST}.",
        ge=1,
        strict=True,
    )


async def list_user_files(args: ListUserFiles, context: ToolContext) -> str:
    limit = min(args.limit, _MOST)
    files = await context.services.files.listing(context.account, args.kind.strip(), limit + 1)
    result: dict[str, object] = {"files": [_show(file) for file in files[:limit]]}
    if len(files) > limit:
        result["note"] = f"truncated: only the newest {limit}; search_user_files finds older ones"
    elif not files:
        result["note"] = "no files of this kind" if args.kind.strip() else "the library is empty"
    return json.dumps(result, ensure_ascii=False)


def _show(file: StoredFile) -> dict[str, object]:
    created = datetime.fromtimestamp(file.created_at, UTC)
    return {
        "file_id": file.file_id,
        "filename": file.filename,
        "kind": file.kind,
        "size": file.size,
        "created": f"{created:%Y-%m-%dT%H:%MZ}",
    }


TOOL = Tool(
    ListUserFiles,
    list_user_files,
    modes={"child", "pro"},
    effect="read",
    is_private=True,
    timeout=15,
    label="Looking through your files…",
    detail=lambda args: args.kind,
)
