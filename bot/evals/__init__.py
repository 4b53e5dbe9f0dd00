"""Evaluate a model as a tutor: play dialogues with it, and judge its answers."""
