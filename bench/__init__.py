"""The benchmarks: `python -m bench`. See README.md."""
