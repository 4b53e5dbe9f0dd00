"""Spreadsheets, letters and slides: each made by a program of the workshop."""
