"""HTML pages, forms and static files. All acts go through the services of `gamesvc.matches`."""
