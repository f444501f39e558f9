"""The ways mail comes in: SMTP, IMAP and webhooks of providers, with their limits."""
