"""Before a match and around its seats through the API."""
