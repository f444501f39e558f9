"""All readers of user text, and pieces that make hostile text.

    python -m tests.architecture.growth SECONDS

reads each piece, repeated to the length that each input allows, in a process with a limit on its CPU time.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable, Mapping
from email.message import Message
from typing import Any

# Pieces that make patterns and parsers backtrack: gaps, beginnings without an end, words before a gap.
PIECES = (
    "Am ", "Am schrieb ", "On ", "On x wrote ", "Le ", "2026年1月1日 ", "From: ", "From: a\n", "To:\n", "Do: x\n\n",
    "Caution: mail ", "best regards\n", "a\n", "\n", "\r", " ", "\t", "> ", ">", "-", "--\n", "_", "=", "(", ")", "((", "<",
    "<a", "<a@", "@", "<@b.example>:\n", "2020 <a@b.c>:\n> x\n", "\"", "\";", ";a=", ";a*0=", "\\", ",", ".", ":", ";", "|",
    "/", "1", "1 ", "1.", "5.1.1 ", "550 ", "0", "a", "a b ", "=?utf-8?q?a?= ", "=?utf-8?b?YQ==?=\n ", "=?", "&#65;", "&",
    "<div", "<div>", "<div class=", "<br>", "<p>", "<blockquote>", "<blockquote", "</blockquote>",
    "<blockquote></blockquote>", "<table><tr><td>", "<tr><td>x", "<ol><li value=9>", "<!--", "<pre>\n",
    "<p style=\"margin-top:9999em;padding-left:9999em\">x", "border:none ", "if x then ", "and ", "if", "move ", "resign ",
    "press all ", "vacation 2026-", "a-1 ", "s1 ", "(1,1) ", "1+1 ", "x=y ", "{", "[", "\u0130", "\u00df", "\u0300",
    "\u3000", "\u200b", "\u0344\u0f73",
)  # fmt: skip


def calls(work: Callable[..., Any], *given: Any) -> int:
    """Return how many calls of Python and C functions some work takes: a machine-independent cost."""
    counted = 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work(*given)
    finally:
        sys.setprofile(before)
    return counted


def readers() -> dict[str, tuple[Callable[[str], Any], int]]:
    """Return each reader of text, and the most characters that its caller passes to it."""
    from gamesvc.matches.mail_orders import order_mail, remarks, service_words
    from gamesvc.matches.mail_orders.joining import join_lines
    from gamesvc.matches.play import standing_orders
    from notifications.inbound import addresses, destinations
    from notifications.inbound.proving import authentication
    from notifications.inbound.proving.sender import sender_of
    from notifications.parsing import automatic, cutting, dsn, quotes, reading, robots, text
    from notifications.returned import return_paths
    from tests.notifications.inbound import providers, signing

    head = b"From: a@x.example\r\n"

    def mail(kind: str, more: str = "") -> Callable[[str], Any]:
        top = head + f"Content-Type: {kind}; charset=utf-8{more}\r\n\r\n".encode()

        def run(said: str) -> Any:
            message = reading.parse(top + said.encode()[: 900 * 1024])
            return automatic.is_automatic(message, "x") if kind == "text/calendar" else text.written(message)

        return run

    def field(name: str, read: Callable[[Any], Any]) -> Callable[[str], Any]:
        def run(said: str) -> Any:
            folded = said.encode().replace(b"\r", b"").replace(b"\n", b"\r\n ")
            first = head if name != "From" else b""
            return read(reading.parse_head(first + f"{name}: ".encode() + folded + b"\r\n\r\n"))

        return run

    def part(said: str) -> Any:
        top = head + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: multipart/x; boundary="
        return reading.parse(top + said.encode().replace(b"\n", b"\r\n ") + b"\r\n\r\n--b--\r\n")

    def signature(said: str) -> Any:
        value = said.encode().replace(b"\r", b"").replace(b"\n", b"\r\n ")
        raw = b"DKIM-Signature: v=1; a=rsa-sha256; d=x.example; s=s; h=from; bh=x; b=" + value + b"\r\n" + head + b"\r\nx"
        return authentication.authenticate(reading.parse(raw), raw, "a@x.example", lookup=lambda *_a, **_k: None)

    proved = signing.signed(head + b"Subject: Re\r\n\r\nx", "x.example", canonicalize=(b"relaxed", b"relaxed"))
    dns = signing.records(["x.example"])

    def signed_body(said: str) -> Any:
        raw = proved + said.encode()[: 900 * 1024]
        reading.check_head(raw)
        return authentication.authenticate(Message(), raw, "a@x.example", lookup=dns)

    def border(message: Any) -> Any:
        return authentication.authenticate(message, b"", "a@x.example")

    lines = (b"x" * 79 + b"\n") * (reading.LARGEST // 79)  # more than a mail that is stored whole
    report = head + b"Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: message/"
    found: dict[str, tuple[Callable[[str], Any], int]] = {
        "plain mail": (mail("text/plain"), 300_000),
        "flowed mail": (mail("text/plain", "; format=flowed"), 300_000),
        "html mail": (mail("text/html"), 300_000),
        "quoted html mail": (lambda said: mail("text/html")(f"<blockquote>{said}</blockquote>"), 300_000),
        "large mail": (lambda said: cutting.cut(b"x" * reading.LARGEST + b"\r\n\r\n" + said.encode()), 300_000),
        "parts of a large mail": (
            lambda said: cutting.cut(head + b"Content-Type: multipart/x; boundary=" + said.encode() + b"\n\n" + lines),
            300_000,
        ),
        "raw mail": (lambda said: reading.parse(said.encode()[: reading.LARGEST]), 300_000),
        "From": (field("From", sender_of), 60_000),
        "To": (field("To", destinations.addressed_to), 60_000),
        "Return-Path": (field("Return-Path", destinations.sent_by), 60_000),
        "Content-Type": (field("Content-Type", robots.check_marks), 60_000),
        "Content-Type of a part": (part, 300_000),
        "Auto-Submitted": (field("Auto-Submitted", robots.check_marks), 60_000),
        "Authentication-Results": (lambda said: field("Authentication-Results", border)(f"mx.x.example; {said}"), 60_000),
        "DKIM-Signature": (signature, 60_000),
        "signed body": (signed_body, 300_000),
        "Message-ID": (lambda said: reading.message_id(head + b"Message-ID: <" + said.encode()), 300_000),
        "address": (lambda said: (return_paths.resolve(said), addresses.token_of(said)), 60_000),
        "delivery report": (lambda said: dsn.read(report + b"delivery-status\r\n\r\n" + said.encode()), 60_000),
        "failed delivery": (
            lambda said: dsn.read(report + b"delivery-status\r\n\r\nAction: failed\r\nDiagnostic-Code: x; " + said.encode()),
            60_000,
        ),
        "complaint": (lambda said: dsn.read(report + b"feedback-report\r\n\r\n" + said.encode()), 60_000),
        "bounce in prose": (lambda said: dsn.read(b"From: mailer-daemon@x.example\r\n\r\n" + said.encode()), 60_000),
        "server's answer": (dsn.judge, 60_000),
        "automatic answer": (automatic.says_so, 20_000),
        "Subject": (field("Subject", lambda message: automatic.is_automatic(message, "x")), 60_000),
        "calendar": (mail("text/calendar"), 300_000),
        "invitation": (join_lines.read, 20_000),
        "vacation": (lambda said: service_words._DAYS.match(said), 20_000),
        "remark on orders": (
            lambda said: [
                judge(said) for judge in (remarks.is_doubtful, remarks.is_revocation, remarks.holds_revocation, remarks.is_notice)
            ],
            20_000,
        ),
        "closing lines": (
            lambda said: [quotes.is_farewell(f"thanks{said[at : at + 70]}") for at in range(0, len(said), 70)],
            20_000,
        ),
        "label": (lambda said: quotes.is_label(f"classification{said}"), 20_000),
        "standing order": (lambda said: standing_orders._IF.match(" ".join(f"if {said}".split())), 20_000),
    }
    for name in providers.FORMATS:
        for title in ("Subject", "From", "To", "Reply-To", "Message-ID", "Content-Type", "X-Spam-Status"):
            found[f"{title} that {name} posts"] = (lambda said, n=name, t=title: providers.raw(n, [(t, said)], "x"), 600_000)
        found[f"names that {name} posts"] = (lambda said, n=name: providers.raw(n, [(said, "x")] * 3, "x"), 100_000)
        found[f"text that {name} posts"] = (lambda said, n=name: providers.raw(n, [], said), 600_000)
    for name in ("Postmark", "Mailjet"):
        for what in ("Name", "ContentType"):
            attached = {"Name": "x", "ContentType": "text/plain", "Content": "eA=="}
            found[f"{what} of a file that {name} posts"] = (
                lambda said, n=name, w=what, a=attached: providers.raw(n, [], "x", [{**a, w: said}]),
                600_000,
            )
    for name, (game, view) in games().items():
        found[f"orders of {name}"] = (lambda said, game=game, view=view: order_mail.read(said, game, view), 20_000)
        for verb in sorted(game.commands):
            order = verb.replace("_", " ")
            found[f"{name}: {order}"] = (lambda said, g=game, v=view, o=order: order_mail.read(f"{o} {said}", g, v), 4_000)
    return found | shorter()


def shorter() -> dict[str, tuple[Callable[[str], Any], int]]:
    """Return the readers of texts in forms and addresses, which are shorter than a mail."""
    from datetime import timedelta

    from django.http import parse_cookie
    from django.utils.http import parse_header_parameters

    from accounts.oauth import apps
    from gamesvc.api.live import messages
    from gamesvc.api.v1 import places
    from gamesvc.matches.clock import parsing
    from gamesvc.matches.lobby import press
    from gamesvc.matches.mail_orders import standing_mail
    from gamesvc.matches.play import standing_orders, suggestions
    from gamesvc.web.games import searching
    from notifications.other_channels import chat_services, outward

    return {
        "length of time": (lambda said: parsing.length(said, timedelta(hours=1), "turn"), 20_000),
        "time control": (lambda said: parsing.parse({"turn": said}), 20_000),
        "words for the standing address": (standing_mail.read, 20_000),
        "value in a condition": (standing_orders._read, 4_000),
        # Much longer than a request may be: inside C functions only the time tells of the square of a length.
        "cookie": (lambda said: parse_cookie(f'a="{said}"'), 600_000),
        "parameters of a header": (lambda said: parse_header_parameters(f'a/b; x="{said}'), 600_000),
        "address of a webhook": (lambda said: outward.check(f"https://a{said}"), 300_000),
        "address of an app": (lambda said: apps._check_uri(f"https://a{said}"), 300_000),
        "message": (press.clean, 300_000),
        "search of the rules": (searching.search, 4 * searching.MOST_LETTERS),
        "chat address": (lambda said: chat_services._parsed("discord", f"https://{said}"[: chat_services.LONGEST]), 600),
        "cursor of a stream": (messages.read_cursor, 20_000),
        "cursor of a list": (lambda said: places.read(f"{said}-"), 20_000),
        **{
            f"suggestions of {name}": (
                lambda said, game=game, view=view: suggestions.suggesting_legal(game, list).parse(said, view),
                4_000,
            )
            for name, (game, view) in games().items()
        },
    }


def games() -> Mapping[str, Any]:
    """Return each game with a view to read orders by."""
    from gamesvc.games import catalog
    from gamesvc.games.kernel.dice import seeded
    from gamesvc.games.kernel.timeline import Timeline, check_options

    found = {}
    for name in ("stratastar", "space_war", "star_commander", "space_fleet_commander"):
        game = catalog.game(name)
        seats = 1 if name == "space_fleet_commander" else 2
        timeline = Timeline(game)
        run = timeline.begin(check_options(game, {}, seats), seats, seeded("growth"))
        run.close()
        timeline.follow(run)
        found[name] = (game, game.view(timeline.state, 0))
    return found


def read(reader: Callable[[str], Any], said: str) -> None:
    """Read a text. A refusal counts as an answer."""
    from gamesvc.api.errors import BadQuery
    from gamesvc.errors import Refusal

    try:
        reader(said)
    except (Refusal, BadQuery):
        return


def main(seconds: int) -> None:
    """Read every piece at full length. `seconds` limits the CPU time of each reader."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesvc.settings.test")
    os.environ.setdefault("REPLY_DOMAIN", "reply.x.example")
    django.setup()
    from django.conf import settings

    from tests.notifications.inbound import providers

    settings.INBOUND_AUTH, settings.INBOUND_AUTHSERV_ID, settings.REPLY_DOMAIN = "border", "mx.x.example", "reply.x.example"
    settings.ANYMAIL = providers.SETTINGS
    for name, (reader, longest) in readers().items():
        settings.INBOUND_AUTH = "own" if name in ("DKIM-Signature", "signed body") else "border"
        for piece in PIECES:
            sys.stdout.write(f"{name}: {piece!r}\n")
            sys.stdout.flush()
            used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
            resource.setrlimit(resource.RLIMIT_CPU, (int(used) + seconds, resource.RLIM_INFINITY))
            read(reader, (piece * (longest // len(piece)))[:longest])


if __name__ == "__main__":
    main(int(sys.argv[1]))
