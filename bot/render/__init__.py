"""Render what Griot says in each channel's own form: markdown -> styled text -> its messages.

Pure, but for the pictures of formulas, which are drawn and stored. Decides by `Capabilities`, never
by a channel's name.
"""
