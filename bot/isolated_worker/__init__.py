"""Run programs that parse or make files of untrusted origin, each in a child process of its own."""
