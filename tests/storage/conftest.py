"""What tests of both databases do to them."""

from __future__ import annotations
