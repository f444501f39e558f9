"""Orders by mail: read, run, held and answered with a receipt; seats taken and messages written by mail."""
