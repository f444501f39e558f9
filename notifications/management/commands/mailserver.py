"""`manage.py mailserver`: the receiver of inbound mail, by SMTP or LMTP, until it is stopped."""

from __future__ import annotations

import signal
import threading

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser

from notifications.inbound.doors.receiver import Receiver


class Command(BaseCommand):
    help = "Receive mail for reply addresses and keep it for the workers. Stop with SIGTERM or Ctrl-C."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="The interface to listen on.")
        parser.add_argument("--port", type=int, default=8025, help="0: any free one.")
        parser.add_argument("--lmtp", action="store_true", help="Speak LMTP, as a mail server in front of this one expects.")

    def handle(self, *, host: str, port: int, lmtp: bool, **_: object) -> None:
        if not settings.REPLY_DOMAIN:
            raise CommandError("Set REPLY_DOMAIN: the domain whose mail comes here (deploy/README.md, Settings).")
        stopped = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stopped.set())
        try:
            receiver = Receiver(host, port, lmtp=lmtp).start()
        except (ImproperlyConfigured, OSError) as fault:
            raise CommandError(str(fault)) from None
        kind = "LMTP" if lmtp else "SMTP"
        self.stdout.write(f"{kind} for {settings.REPLY_DOMAIN} at {receiver.host}:{receiver.port}")
        self.stdout.flush()
        stopped.wait()
        receiver.stop()
