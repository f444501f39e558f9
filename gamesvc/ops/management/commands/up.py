"""`manage.py up`: the whole service on this machine, until Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from gamesvc.embedded import EmbeddedError, environment
from gamesvc.embedded.service import Service, ServiceError
from gamesvc.ops.sink import MailSink


class Stopped(BaseException):
    """A request to stop. Everything started so far is ended on the way out."""


def _stop(number: int, frame: object) -> None:
    # Only once: a second Ctrl-C must not cut the shutdown short.
    for again in (signal.SIGINT, signal.SIGTERM):
        signal.signal(again, signal.SIG_IGN)
    raise Stopped


def close_to_others(data: Path) -> None:
    """Let only our own user read what this process and its children write, and what a data folder has of mails, logs and locks.

    Mails hold links and addresses that act for a player, and who may open a lock could keep the service from starting.
    """
    os.umask(0o077)
    for path in (data / "mail", data / "logs", *data.glob("*.log"), *data.glob("*.lock")):
        if path.exists():
            path.chmod(path.stat().st_mode & 0o700)


class Command(BaseCommand):
    help = "Start everything on this machine (database, broker, web, workers) and keep it running until Ctrl-C."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="Port of the web server; 0: any free one.")
        parser.add_argument("--data", type=Path, default=Path(os.environ.get("GAMESVC_DATA", "var")), help="Folder for all data.")
        parser.add_argument("--json", dest="as_json", action="store_true", help="Print the addresses as one line of JSON.")

    def handle(self, *, port: int, data: Path, as_json: bool, **_: object) -> None:
        data = data.absolute()
        close_to_others(data)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _stop)
        try:
            with LocalMail(data) as mail:
                service = Service(data, port=port, environment=mail.settings, upkeep=environment.mend)
                environment.provide(data)
                with service:
                    login = self.demo_login(service, data)
                    self.announce(service, data, mail, login, as_json=as_json)
                    threading.Event().wait()
        except (EmbeddedError, ServiceError) as error:
            raise CommandError(str(error)) from None
        except Stopped:
            self.stderr.write("Stopped.")
        finally:
            environment.release()

    def demo_login(self, service: Service, data: Path) -> dict[str, str]:
        """Return the demo login of this data folder, created at its first start; empty if another user has the name.

        Anyone can sign up with it where it is free, as after an erasure, and must not keep the service from starting.
        """
        path = data / "secrets" / "demo.json"
        if not path.exists():
            try:
                made = service.manage("player", "demo", "demo@players.example", "--json")
            except ServiceError as refused:
                self.stderr.write(f"There is no demo login: {refused}")
                return {}
            environment.keep(path, made)
        found: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def announce(self, service: Service, data: Path, mail: LocalMail, login: dict[str, str], *, as_json: bool) -> None:
        facts = {
            "web": service.environment["BASE_URL"],
            "api": f"{service.environment['BASE_URL']}/api/v1/",
            "data": str(data),
            "mail": mail.where,
            "answers": f"by SMTP to 127.0.0.1:{service.mail_port}",
            "login": f"{login['user']} / {login['password']}" if login else "none",
            "token": login.get("token", ""),
        }
        if as_json:
            self.stdout.write(json.dumps(facts))
        else:
            for name, value in facts.items():
                self.stdout.write(f"{name:7} {value}")
            self.stdout.write("Ctrl-C stops everything.")
        self.stdout.flush()


class LocalMail:
    """The destination of mail: the server in the environment or, if there is none, a folder on this machine."""

    def __init__(self, data: Path) -> None:
        self.settings: dict[str, str] = {}
        self.where = f"by SMTP to {os.environ.get('EMAIL_HOST', '')}"
        self._sink: MailSink | None = None
        if "EMAIL_HOST" not in os.environ and "EMAIL_BACKEND" not in os.environ:
            self._sink = MailSink(data / "mail")
            self.where = str(data / "mail")

    def __enter__(self) -> LocalMail:
        if self._sink is not None:
            self._sink.start()
            self.settings = {
                "EMAIL_HOST": "127.0.0.1",
                "EMAIL_PORT": str(self._sink.port),
                # Mail never leaves this machine, so it cannot prove an address.
                "ACCOUNT_EMAIL_VERIFICATION": os.environ.get("ACCOUNT_EMAIL_VERIFICATION", "optional"),
            }
        return self

    def __exit__(self, *failure: object) -> None:
        if self._sink is not None:
            self._sink.stop()
