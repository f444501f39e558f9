"""What a seat may play and use, and why not."""
