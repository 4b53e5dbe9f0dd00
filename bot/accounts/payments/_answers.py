"""What a provider says, held against what it has published."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar, cast

import msgspec

Amount = str | int | float
"""Providers change between `"500"` and `500`, some from one page of their documentation to the
next."""
Link = Annotated[str, msgspec.Meta(pattern=r"^https?://[^\s/]\S*\Z", max_length=4_000)]
"""An address that a browser opens."""
Form = TypeVar("Form")
_AMOUNT = re.compile(r"\d{1,12}(\.\d{1,6})?", re.ASCII)


def read(answer: Any, form: type[Form]) -> Form:
    """The answer in the form that the provider has published.

    Raises:
        ConnectionError: it has another.
    """
    try:
        return msgspec.convert(answer, form)
    except msgspec.ValidationError as error:
        raise ConnectionError(f"not the published answer: {error}") from None


def fields_of(answer: Any) -> Mapping[str, Any]:
    """The fields of an answer; none where it is no object."""
    return cast("dict[str, Any]", answer) if isinstance(answer, dict) else {}


def whole(amount: Amount) -> int:
    """Whole units; what is beyond the point is not paid for, and never rounded up.

    Raises:
        ConnectionError: it is no amount.
    """
    text = str(amount)
    if not _AMOUNT.fullmatch(text):
        raise ConnectionError("not the published answer: an amount")
    return int(text.partition(".")[0])
