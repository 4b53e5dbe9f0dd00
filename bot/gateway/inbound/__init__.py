"""Take in updates: what they are, what they change, where they wait for their turn."""
