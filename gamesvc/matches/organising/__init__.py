"""Acts of organisers and operators on matches of others: measures, rewinds, looks behind a seat."""
