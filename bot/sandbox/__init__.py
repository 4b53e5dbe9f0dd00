"""Run the shell commands of models without network, without our files, leaving nothing behind.

A command runs as a user of its own in bubblewrap (`bubblewrap.py`), held from before its first
instruction to its end (`sandboxed_process.py`), and stopped when it takes too much
(`command_run.py`). Where no such sandbox can be made (`inspection.py`) no command runs at all.
"""
