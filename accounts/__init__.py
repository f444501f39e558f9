"""User accounts: sign-in, addresses, time zones, absences, API tokens, erasure. Knows no game and no match."""
