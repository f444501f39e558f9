"""The vocabulary of games and the machinery that all engines share. Standard library only."""
