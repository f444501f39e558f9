"""The wording of each kind of notice, reminders, pictures and reply addresses.

Notices are queued beside the act they report, in the rooms below. `notifications` sends the mails.
"""
