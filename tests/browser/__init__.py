"""Pages in a real browser. Expectations wait as long as a busy machine needs."""

from __future__ import annotations

from playwright.sync_api import expect

expect.set_options(timeout=20_000)
