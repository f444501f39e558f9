"""No models: the log is written by `store.py` alone, and its tables are made by SQL. Django asks for this module all the same."""
