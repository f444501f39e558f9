"""OAuth 2 for apps of other developers: registration, the user's permission, tokens (RFC 6749, 7636, 7009, 8252, 9700).

An access token is an API token of the user (`accounts.tokens`), so limits, trails and revocation know only one kind. oauthlib
follows the protocol; `grants` stores and checks what it asks for. Only hashes of codes, refresh tokens and secrets are stored.
"""
