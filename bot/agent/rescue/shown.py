"""What a person has seen of a text so far."""

from __future__ import annotations

LONGEST = 400
"""Characters of it that are kept."""


class Shown:
    """The end of what was shown, for those who must know what stands before."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        """What was shown last, at least `LONGEST` characters if there are as many."""
        self.after_markup = False
        """Markup was taken out and nothing was shown since."""

    def add(self, piece: str) -> str:
        """Note that `piece` is shown, and give it without white space that is there already."""
        if self.after_markup:
            before = self.end()
            if not before or before[-1] == "\n":
                piece = piece.lstrip()
            elif before[-1].isspace():
                piece = piece.lstrip(" \t")
            self.after_markup = not piece
        self.pieces.append(piece)
        return piece

    def end(self) -> str:
        """Its last characters, `LONGEST` at most."""
        end = "".join(self.pieces)[-LONGEST:]
        self.pieces = [end]
        return end

    def line(self) -> str:
        """What was shown of the current line, or the end of that."""
        return self.end().rpartition("\n")[2]
