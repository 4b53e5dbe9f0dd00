"""Updates, from the moment a channel brings them until a turn takes them."""
