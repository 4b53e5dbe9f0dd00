"""Check what texts state: the rules for words of `claims.txt`, and what a text has said before."""
