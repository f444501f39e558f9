"""Version 1 of the API: one package per subject, the same subjects as the rooms of `gamesvc.matches`."""
