"""The rules of the games: pure Python, standard library only, no clock, no I/O, no Django."""
