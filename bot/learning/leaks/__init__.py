"""Find whether a text of the tutor gives away what a pupil has to find out. Pure."""
