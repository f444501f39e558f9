"""Clock arithmetic: policies, calendars, deadlines and the account of who used what. Pure; no Django, no reading of a clock."""
