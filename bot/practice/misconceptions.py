"""A misconception in both languages, apart from the wrong answers that it leads to."""

from __future__ import annotations

from dataclasses import dataclass

from bot.practice.generator import Draw, Number, Wrong


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake that many learners make, and what is said to someone who makes it."""

    french: str
    """The mistake, in a few words."""
    english: str
    french_feedback: str
    """Kind and short; it points to the mistake and not to the right answer."""
    english_feedback: str

    def gives(self, draw: Draw, answer: Number | str) -> Wrong:
        """The wrong answer of someone who makes this mistake, in the language of `draw`."""
        name = draw.say(self.french, self.english)
        return Wrong(answer, name, draw.say(self.french_feedback, self.english_feedback))
