"""Pictures of boards for mails: an SVG as PNG, drawn in tiles that are kept, with our own fonts and colours."""
