"""People's files found by what is written in them: by words, and by meaning where a model is set.

`library.py` is what tools are given. `words.py` says what two spellings of a word have in common,
`fulltext.py` asks the database, `embeddings.py` and `vectors.py` compare meanings, `snippets.py`
shows where.
"""
