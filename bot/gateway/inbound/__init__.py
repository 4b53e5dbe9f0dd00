"""Take in updates: parse them, apply what they change, and store them for their turn."""
