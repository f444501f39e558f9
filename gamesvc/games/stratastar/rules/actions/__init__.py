"""Actions: declared, paid for, answered, carried out."""
