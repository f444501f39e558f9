"""Parsing of hostile mail within limits: parts, text, quotes, automatic mail, delivery reports."""
