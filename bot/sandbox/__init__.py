"""Run the shell commands of models without network and without access to our files, leaving no
trace.

A command runs as a user of its own in bubblewrap (`bubblewrap.py`), under our control from before
its first instruction to its end (`sandboxed_process.py`), and is stopped when it takes too much
(`command_run.py`). If such a sandbox cannot be made (`sandbox.py`), no command runs at all.
"""
