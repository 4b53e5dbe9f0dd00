"""A right call of every tool, and services that never answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import fields
from typing import Any

from bot.contracts.services import Services
from bot.contracts.tools import Tool
from bot.messages.incoming import Person
from bot.messages.value import Mode

SAMPLES: Mapping[str, Mapping[str, Any]] = {
    "web_search": {"query": "cours du cacao"},
    "browse_url": {"url": "https://93.184.215.14/page"},
    "save_memory": {"fact": "Prepares the BEPC."},
    "list_user_files": {},
    "read_user_file": {"file_id": "f1"},
    "search_user_files": {"query": "fractions"},
    "generate_md": {"filename": "fiche.md", "content": "# Fractions"},
    "generate_pdf": {"filename": "fiche.pdf", "title": "Fractions", "content": "# Un\n\ndemi"},
    "generate_docx": {"filename": "lettre.docx", "content": "# Contrat\n\nArticle"},
    "generate_xlsx": {
        "filename": "notes.xlsx",
        "sheets": [{"name": "Notes", "columns": [{"header": "Nom"}], "rows": [["Awa"]]}],
    },
    "generate_pptx": {"filename": "p.pptx", "title": "P", "slides": [{"title": "Un"}]},
    "generate_html": {"filename": "page.html", "content": "# Page"},
    "bash_execute": {"command": "#!bg\nsleep 30"},
    "interactive_quiz": {
        "question": "2 + 2 ?",
        "options": ["3", "4"],
        "correct_index": 1,
        "explanation": "4.",
    },
    "true_false_quiz": {"statement": "2 > 1", "is_true": True, "explanation": "Oui."},
    "give_exercise": {
        "statement": "Calcule 12 + 30.",
        "kind": "number",
        "solution": "42",
        "hints": ["Ajoute d’abord les dizaines."],
        "steps": ["12 + 30 = 42"],
    },
    "start_practice": {"skill": "maths.add-to-100", "count": 3},
    "report_exercise_result": {"subject": "maths", "correct": True},
    "award_bonus_credits": {"credits": 2, "reason": "Bravo"},
    "create_task": {"title": "Réviser", "due": "P1D"},
    "send_email_to_user": {"subject": "Résumé", "text": "Voici."},
    "draft_email": {"to": ["kofi@example.org"], "subject": "Facture", "text": "Payée."},
    "send_sms_to_user": {"text": "Bonjour"},
    "send_whatsapp_to_user": {"text": "Bonjour"},
    "buy_credits": {"pack": "500"},
    "report_bug": {"description": "Le PDF est vide."},
    "enter_plan_mode": {"goal": "Une fiche"},
    "exit_plan_mode": {"plan": "1. Chercher"},
}
AT_ONCE: set[str] = set()
"""Tools that wait for nothing at all."""


def user_of(tool: Tool[Any], account: int = 7) -> Person:
    """Somebody who may use it."""
    mode: Mode = "child" if "child" in tool.modes else "pro"
    return Person("telegram", "42", account=account, mode=mode, language="fr")


class Hanging:
    """Whatever is asked of it never ends."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.cancelled = 0

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        async def hang(*_: Any, **__: Any) -> None:
            self.begun.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled += 1
                raise

        return hang

    @property
    def services(self) -> Services:
        return Services(**dict.fromkeys((each.name for each in fields(Services)), self))  # type: ignore[arg-type]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A web server that takes a request and never answers it."""
        self.begun.set()
        await reader.read()  # until whoever asked is gone
        self.cancelled += 1
        writer.close()
