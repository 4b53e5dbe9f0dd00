"""Run turns: open them, write their journal, and close them whatever happens."""
