"""Connect the stand-ins of providers to the demo's phones, and to a page to pay on."""
