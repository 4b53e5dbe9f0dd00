"""Check keys of quizzes and exercises before they are asked. Nothing here knows a table."""
