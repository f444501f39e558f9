"""Acts of organisers in the API."""
