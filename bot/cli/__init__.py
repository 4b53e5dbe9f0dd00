"""The commands of `griot`, one module a group.

Modules here are imported at every start, so what a command needs it imports when it runs.
"""
