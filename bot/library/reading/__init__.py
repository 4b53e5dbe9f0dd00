"""What is written in a person's files.

`program.py` reads a stranger's file in a process of the workshop: bytes in, clean text in chunks
out. `reader.py` has it run; `kept.py` keeps the chunks in the database; `pictures.py` asks a model
that can see.
"""
