"""HTML for people: pages, forms, static files. Everything is done through the services of `gamesvc.matches`."""
