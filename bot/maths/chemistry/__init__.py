"""Check the chemistry of school: reactions, atoms, electrons and solutions."""
