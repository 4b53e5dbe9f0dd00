"""Link, export and erase people."""
