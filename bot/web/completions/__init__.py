"""`/v1/*`: what clients of OpenAI's API need to talk to the agent."""
