"""Spreadsheets: typed cells, formulas with their results, totals, charts."""
