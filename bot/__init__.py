"""Griot: a WhatsApp, Telegram and SMS gateway in front of one shared agent loop."""
