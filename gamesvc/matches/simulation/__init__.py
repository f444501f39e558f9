"""Years of matches on a virtual clock, through the real services: `manage.py simulate`.

`clock` gives all processes one virtual time, `people` says who plays and when they act, `workers` are the processes that do
the work, `crew` shares it out among them and kills them, `sink` takes the mails, `conductor` lets it all happen in order of
time, `record` keeps what was observed on the way, `report` holds the event log, the tables and the sink against each other.
"""
