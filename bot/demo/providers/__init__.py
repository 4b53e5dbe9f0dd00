"""The providers of the demo's phones: they speak the real protocols, keep limits, sign webhooks.

Apart from the stand-ins of the tests: those judge each call by the providers' published
specifications, which are not shipped, and forget nothing; these hold what three phones show.
"""
