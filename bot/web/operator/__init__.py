"""The pages at `/operator`; `overview_pages.py` puts them together."""
