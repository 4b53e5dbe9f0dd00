"""Linux system calls by which a process isolates itself, or is isolated."""
