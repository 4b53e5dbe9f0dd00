"""What a model is sent of a conversation: counted, trimmed to its window, summarised. Pure."""
