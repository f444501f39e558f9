"""Pages of figures about players."""
