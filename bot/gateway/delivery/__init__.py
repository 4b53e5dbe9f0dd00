"""Send messages to people: compose, store and send them, and handle reports about them."""
