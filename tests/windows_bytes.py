#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""windows_bytes.py WHEELPACK WHEELPACK.EXE: the Windows program, under Wine, writes what the Linux program writes.

The same index gives the same lock, the same lock and the same folder of wheels the same bundle, byte for byte, as a file and
as a directory; each program verifies the other's.
"""
import os
import sys

from harness import Checks, ROOT, Server, captured, environment, snapshot

WHEELPACK, EXE = (os.path.abspath(a) for a in sys.argv[1:3])
WINE = ["sh", os.path.join(ROOT, "tests/wine.sh"), EXE]
checks = Checks("same bytes under Wine")
work = checks.work
env = environment(work, WHEELPACK)


def both(*args):
    """Run with both programs; {} in an argument becomes linux or windows."""
    for name, program in (("linux", [WHEELPACK]), ("windows", WINE)):
        command = [*program, *(a.replace("{}", name) for a in args)]
        p = captured(command, cwd=work, env=env)
        checks.check(p.returncode == 0, f"{args[0]} with the program for {name}", p.stdout[-800:] + p.stderr[-1500:])


def contents(name):
    """Without modes: Wine marks every .exe as executable."""
    found = snapshot(os.path.join(work, name))
    return {k: (v[0], v[-1]) for k, v in found.items()} if isinstance(found, dict) else found


def same(name, what):
    one, two = (contents(name.replace("{}", which)) for which in ("linux", "windows"))
    checks.check(one is not None and one == two, f"{what}: other bytes")


def main():
    server = Server()
    request = ["schemes", "all-parts", "with-extra[more]", "--target", "cp312-win_amd64", "--index-url",
               server.base + "/auto/", "--cache-dir", "cache-{}"]
    tools = ["--tools", os.path.dirname(EXE)]
    try:
        both("lock", *request, "-o", "{}.json")
        same("{}.json", "the lock")
        both("bundle", "--lock", "linux.json", "--index-url", server.base + "/auto/", "--cache-dir", "cache-{}", *tools,
             "-o", "{}.wpk")
        same("{}.wpk", "the bundle as a file")
        checks.check(b"tools/wheelpack.exe" in open(os.path.join(work, "linux.wpk"), "rb").read(),
                     "the bundle carries wheelpack.exe")
        both("bundle", *request, *tools, "-o", "dir-{}")
        same("dir-{}", "the bundle as a directory")
        folder = ["--no-index", "--find-links", "dir-linux/wheels", "--cache-dir", "empty-{}"]
        both("bundle", "schemes", "--target", "cp312-win_amd64", *folder, *tools, "-o", "folder-{}")
        for part in ("wheels", "simple"):
            same("folder-{}/" + part, f"{part} of a bundle from a folder")
        both("verify", "dir-windows", "--deep")
        both("verify", "linux.wpk")
        both("doctor", "windows.wpk")
    finally:
        server.close()
    checks.end()


main()
