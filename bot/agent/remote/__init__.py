"""Tools and agents that run elsewhere: other processes, other servers."""
