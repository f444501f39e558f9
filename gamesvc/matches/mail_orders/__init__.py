"""Orders by mail: read, carried out, held and answered with a receipt; joining and press by mail."""
