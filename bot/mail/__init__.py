"""E-mails: stored in a table, written as MIME messages, handed to an SMTP server once each.

`service.py` accepts them from tools, `emails.py` stores them, `sender.py` sends what is due with
`message.py` (bytes and addresses) and `smtp.py` (what the server answers).
"""
