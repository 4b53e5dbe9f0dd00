from __future__ import annotations

from tests.render.document import PATH, document


def test_the_document_shows_what_is_rendered_today() -> None:
    """Write it anew by `python -m tests.render.document`."""
    assert PATH.read_text() == document()
