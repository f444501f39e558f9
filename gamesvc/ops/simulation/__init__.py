"""Years of matches on a virtual clock, through the real services, and the whole service under kills: `manage.py simulate`.

`clock` gives all processes one virtual time, `people` says who plays and when they act, `workers` are the processes that do
the work, `crew` shares it out among them and kills them, `hits` kills one between the mail server's 250 and the commit, `sink`
takes the mails, `conductor` lets it all happen in order of time, `record` keeps what was observed on the way, `judging` holds
the event log, the tables and the sink against each other (`log`, `mails`), `report` is the sheet for the figures.

`live` runs a real `up`: `callers` are the players' programs that use it, `strikes` kills its parts meanwhile.
"""
