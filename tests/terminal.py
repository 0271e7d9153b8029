#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""terminal.py COLUMNS COMMAND...: run it with standard error on a terminal that tells so many columns; what was drawn there is
printed, the command's exit code is this one's."""
import fcntl
import os
import struct
import subprocess
import sys
import termios

ours, theirs = os.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 0, int(sys.argv[1]), 0, 0))
process = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=theirs)
os.close(theirs)
drawn = b""
try:
    while piece := os.read(ours, 4096):
        drawn += piece
except OSError:  # how Linux says that the other end is closed
    pass
print(drawn.decode(errors="replace").replace("\x1b", "ESC"))
sys.exit(process.wait())
