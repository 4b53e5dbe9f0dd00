"""Letters, contracts, reports: Markdown as Word documents."""
