"""The drawing kit of all boards: SVG in the look of the house."""
