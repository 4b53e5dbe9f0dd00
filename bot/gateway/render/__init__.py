"""What Griot says, in each channel's own form: markdown -> styled text -> chunks of a channel.

Pure: no input or output, nothing remembered. Decides by `Capabilities`, never by a channel's name.
"""

from __future__ import annotations

from bot.gateway.render.bodies import draft, render, typeset_outgoing
from bot.gateway.render.escaping import escape
from bot.gateway.render.formulas import formulas_in
from bot.gateway.render.pages import annex, leaving_room, teaser

__all__ = [
    "annex",
    "draft",
    "escape",
    "formulas_in",
    "leaving_room",
    "render",
    "teaser",
    "typeset_outgoing",
]
