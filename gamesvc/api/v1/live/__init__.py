"""Live streams: the doors of the web server to the process that serves them."""
