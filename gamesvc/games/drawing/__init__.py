"""The drawing kit for boards: SVG in the product's own design."""
