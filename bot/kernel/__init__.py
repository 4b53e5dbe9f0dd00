"""What Linux offers to shut a process in; the sandbox and the workshop decide what from."""
