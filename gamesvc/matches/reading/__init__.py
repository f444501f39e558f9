"""Matches as pages, the API and mails show them: the board, summaries, history, calendar, refused commands."""
