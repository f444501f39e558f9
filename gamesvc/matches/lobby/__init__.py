"""Before a match and around its seats: opening, invitations, joining, forks, substitutes, messages between players."""
