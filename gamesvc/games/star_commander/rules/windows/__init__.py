"""Windows, the stack, and what is chosen in them."""
