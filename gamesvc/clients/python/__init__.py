"""The client for Python, one file that programs take with them."""
