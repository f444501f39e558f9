"""The words of each kind of notice, its reminders, pictures and reply addresses.

What queues a notice lies beside the act it tells of, in the rooms below; how a mail is sent lies in `notifications`.
"""
