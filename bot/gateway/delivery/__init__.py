"""Say things to people: compose, store, send, and follow what became of them."""
