"""Run turns: open them, journal what they do, close them, whatever happens."""
