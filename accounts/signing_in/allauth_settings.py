"""The settings of django-allauth. `gamesvc.settings` takes them all: `from accounts.signing_in.allauth_settings import *`.

Nothing of Django is imported: this module is read while Django's settings are built.
"""

ACCOUNT_ADAPTER = "accounts.signing_in.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
ACCOUNT_USERNAME_MIN_LENGTH = 2
# Names that could pass for the service itself, or for a word in the orders of others. `gamesvc.settings` adds the names of seats.
# Erased accounts are named `erased-...`.
ACCOUNT_USERNAME_BLACKLIST = [
    "admin",
    "administrator",
    "root",
    "gamesvc",
    "service",
    "operator",
    "operators",
    "moderator",
    "moderators",
    "staff",
    "support",
    "security",
    "postmaster",
    "hostmaster",
    "webmaster",
    "mailer-daemon",
    "noreply",
    "no-reply",
    "abuse",
    "system",
    "clock",
    "bot",
    "host",
    "nobody",
    "all",
    "alle",
    "deck",
]

ACCOUNT_UNIQUE_EMAIL = True
ACCOUNT_MAX_EMAIL_ADDRESSES = 5
ACCOUNT_EMAIL_CONFIRMATION_EXPIRE_DAYS = 3
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
# Link scanners open every link in a mail: a GET shows a button, the POST confirms.
ACCOUNT_CONFIRM_EMAIL_ON_GET = False
# In the browser of the sign-up alone: there the user goes on to what they signed up for.
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
ACCOUNT_LOGOUT_ON_GET = False
# Sign-up and password reset respond alike whether or not the address is known; a mail tells its owner.
ACCOUNT_PREVENT_ENUMERATION = True
# The adapter sends no such mail, and takes as long as for one to the owner of an account.
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_LOGIN_ON_PASSWORD_RESET = False
ACCOUNT_REAUTHENTICATION_TIMEOUT = 900
# A browser left open alone changes no address: with another one a new password could be had.
ACCOUNT_REAUTHENTICATION_REQUIRED = True

# `ip` is the client's network from `accounts.network`. `key` of a failed login is the account together with that network
# (`adapter`): guessing slows down only the guesser, and the owner can still sign in. The adapter limits the mails to one
# address. Here tries that send no mail would count for it as well, and keep its owner from theirs.
ACCOUNT_RATE_LIMITS = {
    "change_password": "5/m/user",
    "confirm_email": "",
    "login": "30/m/ip",
    "login_failed": "10/m/ip,5/5m/key",
    "manage_email": "10/m/user",
    "reauthenticate": "10/m/user",
    "reset_password": "20/m/ip",
    "reset_password_from_key": "20/m/ip",
    "signup": "20/h/ip",
}
ACCOUNT_SIGNUP_FORM_CLASS = "accounts.signing_in.signup.ZoneForm"
# A sign-up takes as long for a known address. The link for a new password goes to verified addresses; the new password offers to
# revoke the API tokens.
ACCOUNT_FORMS = {
    "signup": "accounts.signing_in.forms.SignupForm",
    "reset_password": "accounts.signing_in.forms.ResetPasswordForm",
    "change_password": "accounts.signing_in.forms.ChangePasswordForm",
    "reset_password_from_key": "accounts.signing_in.forms.ResetPasswordKeyForm",
}
