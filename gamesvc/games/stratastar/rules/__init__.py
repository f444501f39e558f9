"""The rules of Stratastar: commands become events, events become states."""
