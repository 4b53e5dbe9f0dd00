"""The person who holds the demo's phones."""

from __future__ import annotations

import phonenumbers


def person_number() -> str:
    """In E.164: the numbering plan's own example, which is nobody's."""
    example = phonenumbers.example_number_for_type("CI", phonenumbers.PhoneNumberType.MOBILE)
    if example is None:
        raise RuntimeError("phonenumbers has no example number for CI")
    return phonenumbers.format_number(example, phonenumbers.PhoneNumberFormat.E164)
