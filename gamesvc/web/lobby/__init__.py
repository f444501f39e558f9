"""Before a match and around its seats on pages."""
