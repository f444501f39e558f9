"""Answers by mail to invitations and to calls for a substitute."""
