"""What every game is made of, and the machinery all engines share. Standard library only."""
