"""Ways to pay: one file a provider, each a `PaymentProvider`."""
