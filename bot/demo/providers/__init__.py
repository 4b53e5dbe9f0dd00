"""Connect providers to the demo's phones: they use the real protocols, keep limits, sign webhooks.

Telegram and Paystack are the stand-ins in `bot/standins/`, which the tests use too. Twilio is
separate from the stand-in of the tests, which checks each call against the provider's published
specification (not shipped) and keeps everything; this one keeps what two phones show.
"""
