"""Simulate the providers of the demo's phones: they use the real protocols, keep limits, sign
webhooks.

Paystack is the stand-in in `bot/standins/`, which the tests use too. Telegram and Twilio are
separate from the stand-ins of the tests, which check each call against the providers' published
specifications (not shipped) and keep everything; these keep what three phones show.
"""
