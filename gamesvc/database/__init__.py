"""Django's backend for PostgreSQL with a cheaper check of the connection: `base`, as Django's `ENGINE` prescribes."""
