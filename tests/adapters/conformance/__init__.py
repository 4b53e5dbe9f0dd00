"""The same questions, asked of every adapter: what is asked, of whom, and how each is driven."""
