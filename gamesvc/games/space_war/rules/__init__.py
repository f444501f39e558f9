"""The rules of The Space War: commands become events, events become states."""
