"""Work out standard school questions: what each says of an answer to it. Pure."""
