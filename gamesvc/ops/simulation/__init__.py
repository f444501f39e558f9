"""Years of matches on a virtual clock, through the real services, and the whole service under kills: `manage.py simulate`.

`clock` gives all processes one virtual time. `people` decides who plays and when they act. `workers` are the processes that do
the work; `crew` distributes it among them and kills them; `hits` kills one between the mail server's 250 and the commit. `sink`
takes the mails. `conductor` runs everything in order of time, and `record` keeps the observations. `judging` compares the event
log, the tables and the sink (`log`, `mails`); `report` holds the figures.

`live` runs a real `up`: `callers` are the players' programs that use it, `strikes` kills its parts meanwhile.
"""
