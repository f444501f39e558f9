"""Taking a turn: commands, previews, standing and conditional orders, bots."""
