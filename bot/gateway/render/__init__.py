"""Render what Griot says in each channel's own form: markdown -> styled text -> its messages.

Pure: no input or output, nothing remembered. Decides by `Capabilities`, never by a channel's name.
"""
