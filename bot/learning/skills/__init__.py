"""Say what there is to learn, and what of it a learner knows; the map of skills lies here too."""
