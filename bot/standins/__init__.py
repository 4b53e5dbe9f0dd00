"""Act as the providers do: one strict stand-in a provider, for the demo, the tests and the bench.

Each refuses what its provider refuses, by the published rules. What differs between the users is
given from outside: the demo shows what was accepted on its phones; the tests add the provider's
OpenAPI specification, which is not shipped, faults, and lists of calls and violations.
"""
