"""A quiz as the model asks it."""

from __future__ import annotations

QUIZ = {
    "question": "2 + 2 ?",
    "options": ["3", "4"],
    "correct_index": 1,
    "explanation": "Two and two make four.",
}
