"""The lobby and changes of seats in the API."""
