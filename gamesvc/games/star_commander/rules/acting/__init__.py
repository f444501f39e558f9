"""The actions of the command phase."""
