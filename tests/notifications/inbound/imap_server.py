"""A small IMAP server for tests (RFC 3501, with UIDPLUS and optionally MOVE): real sockets, real literals, one mailbox."""

from __future__ import annotations

import re
import socketserver
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime


@dataclass
class Stored:
    uid: int
    raw: bytes
    moment: datetime
    flags: set[str] = field(default_factory=set)


class Imap:
    """Folders by name. `log` holds the received commands; commands in `refuse` are answered NO.

    At messages in `deadly` the server hangs up.
    """

    def __init__(self, *, password: str = "secret", moves: bool = True) -> None:
        self.folders: dict[str, list[Stored]] = {"INBOX": []}
        self.validity = 7
        self.password = password
        self.moves = moves
        self.refuse: set[str] = set()
        self.broken: set[int] = set()
        self.deadly: set[int] = set()
        self.log: list[str] = []
        self._next = 1
        self._server: socketserver.ThreadingTCPServer | None = None

    def put(self, raw: bytes, *, moment: datetime | None = None) -> int:
        """Add a message received now, or at `moment`. Return its uid."""
        uid, self._next = self._next, self._next + 1
        self.folders["INBOX"].append(Stored(uid, raw, moment or datetime.now(UTC)))
        return uid

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"imap://player%40x:{self.password}@127.0.0.1:{self._server.server_address[1]}/INBOX"

    def __enter__(self) -> Imap:
        imap = self

        class Handler(socketserver.StreamRequestHandler):
            disable_nagle_algorithm = True

            def handle(self) -> None:
                self.wfile.write(b"* OK ready\r\n")
                while line := self.rfile.readline():
                    tag, _, command = line.decode().strip().partition(" ")
                    imap.log.append(re.sub(r"(?<=LOGIN ).*", "…", command))
                    if command.startswith("UID FETCH") and int(command.split()[2]) in imap.deadly:
                        return
                    kind = imap.answer(command, self.wfile.write)
                    self.wfile.write(f"{tag} {kind}\r\n".encode())
                    if command.upper() == "LOGOUT":
                        return

        socketserver.ThreadingTCPServer.allow_reuse_address = True
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()

    def answer(self, command: str, write) -> str:
        words = [word.strip('"') for word in command.split(" ")]
        name = words[1].upper() if words[0].upper() == "UID" else words[0].upper()
        if name in self.refuse:
            return "NO not today"
        inbox = self.folders["INBOX"]
        match name:
            case "CAPABILITY":
                write(f"* CAPABILITY IMAP4rev1 UIDPLUS{' MOVE' if self.moves else ''}\r\n".encode())
            case "LOGIN":
                return "OK in" if words[2] == self.password else "NO wrong password"
            case "SELECT":
                write(f"* {len(inbox)} EXISTS\r\n* OK [UIDVALIDITY {self.validity}] valid\r\n".encode())
                return "OK [READ-WRITE] selected"
            case "SEARCH":
                found = self._search(words[2:])
                write(f"* SEARCH {' '.join(map(str, found))}\r\n".encode())
            case "FETCH":
                return self._fetch(int(words[2]), command, write)
            case "STORE":
                self._one(int(words[2])).flags |= set(re.findall(r"\\\w+", command))
            case "CREATE":
                if words[1] in self.folders:
                    return "NO it exists"
                self.folders[words[1]] = []
            case "COPY" | "MOVE":
                self.folders[words[3]].append(self._one(int(words[2])))
                if name == "MOVE":
                    inbox[:] = [one for one in inbox if one.uid != int(words[2])]
            case "EXPUNGE":
                inbox[:] = [one for one in inbox if "\\Deleted" not in one.flags]
            case "LOGOUT":
                write(b"* BYE\r\n")
            case _:
                return "BAD what?"
        return "OK done"

    def _one(self, uid: int) -> Stored:
        return next(one for one in self.folders["INBOX"] if one.uid == uid)

    def _search(self, words: list[str]) -> list[int]:
        uids = [one.uid for one in self.folders["INBOX"]]
        if part := re.fullmatch(r"(\d+):(\d+)", words[0]):
            return sorted({*uids[int(part[1]) - 1 : int(part[2])]} & {*self._search(words[1:])})
        if words[0] == "UID":
            first = int(words[1].partition(":")[0])
            # "n:*" contains the newest message even if its uid is below n.
            return sorted({uid for uid in uids if uid >= first} | set(uids[-1:]))
        since = datetime.strptime(words[1], "%d-%b-%Y").replace(tzinfo=UTC)
        return [one.uid for one in self.folders["INBOX"] if one.moment >= since]

    def _fetch(self, uid: int, command: str, write) -> str:
        if uid in self.broken:
            return "NO the message is damaged"
        one = self._one(uid)
        head, blank, _ = one.raw.partition(b"\r\n\r\n")
        contents = head + blank if "HEADER" in command else one.raw
        cut = re.search(r"<(\d+)\.(\d+)>", command)
        first = int(cut[1]) if cut else 0
        contents = contents[first : first + int(cut[2])] if cut else contents
        label = "BODY[HEADER]" if "HEADER" in command else f"BODY[]<{first}>"
        date = one.moment.strftime("%d-%b-%Y %H:%M:%S +0000")
        if uid % 2:  # either order is valid
            write(f'* 1 FETCH (UID {uid} INTERNALDATE "{date}" {label} {{{len(contents)}}}\r\n'.encode() + contents + b")\r\n")
        else:
            write(f"* 1 FETCH (UID {uid} {label} {{{len(contents)}}}\r\n".encode() + contents)
            write(f' INTERNALDATE "{date}")\r\n'.encode())
        return "OK fetched"
