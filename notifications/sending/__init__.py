"""The way out: claiming what is due, composing mails and signing them, digests, calendar entries.

The words of each kind of notice come from the apps above, by `registry`.
"""
