"""The rules of Star Commander: commands become events, events become states."""
