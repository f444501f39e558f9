"""Mail that comes in: received, proved, stripped of quotes, and handed to whoever registered its purpose. Knows no game."""
