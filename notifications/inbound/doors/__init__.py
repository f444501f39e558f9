"""The doors through which mail comes in: SMTP, IMAP, providers' webhooks, with their limits."""
