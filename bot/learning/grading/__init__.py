"""Read what a person typed as an answer, and grade it. Nothing here knows a table."""
