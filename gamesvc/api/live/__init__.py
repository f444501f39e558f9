"""Live streams: Server-Sent Events and NDJSON that tell followers that a match has moved.

`server.application` is an ASGI application for a process of its own. An open stream is a coroutine: it holds no thread and no
database connection while nothing happens. The same addresses on the web server hand over to that process (`gamesvc.api.v1.live`).
"""
