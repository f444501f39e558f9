"""Clock arithmetic: policies, calendars, deadlines and the account of time used. Pure: no Django, and no reading of a clock."""
