"""Read texts: their numbers, notation and relations, their sentences and the words around these."""
