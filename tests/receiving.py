"""A program that takes webhooks, as a server on this machine."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Receiver:
    """A program that takes webhooks on this machine. `answers` are its status codes; the last one repeats."""

    def __init__(self) -> None:
        self.taken: list[tuple[dict, bytes]] = []
        self.answers = [204]
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.taken.append((dict(self.headers), body))
                status = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://localhost:{self.server.server_port}/hook?key=1"


@pytest.fixture
def receiver(settings):
    found = Receiver()
    settings.WEBHOOK_TRUSTED_HOSTS = [f"localhost:{found.server.server_port}"]
    thread = threading.Thread(target=found.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield found
    found.server.shutdown()
    found.server.server_close()
