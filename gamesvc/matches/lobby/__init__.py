"""Matches before their start and changes of seats: opening, invitations, joining, forks, substitutes, press."""
