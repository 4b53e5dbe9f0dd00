"""Decide facts of school that sentences state: learned by heart, of numbers and of the calendar."""
