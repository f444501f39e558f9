"""Matches as shown on pages, in the API and in mails: the board, summaries, history, calendar, refused commands."""
