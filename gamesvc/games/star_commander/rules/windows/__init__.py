"""Windows, the stack, and the choices made in them."""
