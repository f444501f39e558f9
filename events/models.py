"""No models: only `store.py` writes the log, and SQL creates its tables. Django requires this module."""
