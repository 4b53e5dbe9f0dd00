"""Keep what people learn: exercises, quizzes and their results, tasks, facts that they told."""
