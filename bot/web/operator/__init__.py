"""The operator page at `/operator`: what runs, what failed, what it costs, who is here."""
