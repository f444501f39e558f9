"""`python launch.py PARENT COMMAND...`: become COMMAND, and die with PARENT. Run as a script; standard library only.

Linux sends the signal named by `prctl(PR_SET_PDEATHSIG)` when the thread that started the process ends, and keeps it across
`exec`. Other systems have nothing like it: there only the `reaper` ends the children of a killed parent.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(parent: str, *command: str) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != int(parent):
        sys.exit("The parent died first.")
    os.execv(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
