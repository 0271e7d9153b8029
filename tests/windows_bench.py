#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""windows_bench.py WHEELPACK WHEELPACK.EXE FAKE-PYTHON: the Windows program under Wine beside the Linux one, by hand.

Two generated wheels, the same for both: 800 MB of this system's libraries in eight files, and 10,000 small files. The
programs take turns; each figure is the best of three. Wine writes through the page cache, the Linux program past it where
the file system can: the second place for the environments, in memory, has no such way and so shows both on the same one.
"""
import base64
import hashlib
import os
import shutil
import sys
import time
import zipfile

from harness import Checks, captured, environment

WHEELPACK, EXE, FAKE = (os.path.abspath(a) for a in sys.argv[1:4])
MEMORY = "/dev/shm/wheelpack-bench"
ROUNDS = 3
checks = Checks("bench under Wine")
work = checks.work
wine = checks.wine(environment(work, WHEELPACK), FAKE, EXE)
os.makedirs(work + "/wheels")


def libraries():
    """Bytes of compiled code, as big wheels have them: the largest shared libraries that lie here."""
    found = {os.path.realpath(os.path.join(d, f)) for d, _, files in os.walk("/usr/lib") for f in files if ".so" in f}
    data = b""
    for path in sorted(filter(os.path.isfile, found), key=os.path.getsize, reverse=True):
        with open(path, "rb") as f:
            data += f.read()
        if len(data) > 200 << 20:
            break
    return data


def wheel(name, members):
    """members: (path, first byte of the libraries, size)"""
    info, record = f"{name}-1.0.dist-info", []
    with zipfile.ZipFile(f"{work}/wheels/{name}-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as z:
        def add(path, pieces):
            digest, size = hashlib.sha256(), 0
            with z.open(zipfile.ZipInfo(path), "w") as out:
                for piece in pieces:
                    out.write(piece)
                    digest.update(piece)
                    size += len(piece)
            code = base64.urlsafe_b64encode(digest.digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={code},{size}")

        def contents(start, size):
            for at in range(start, start + size, 1 << 20):
                begin = at % len(LIBRARIES)
                yield LIBRARIES[begin:begin + min(1 << 20, start + size - at)]

        for path, start, size in members:
            add(path, contents(start, size))
        add(info + "/METADATA", [f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode()])
        add(info + "/WHEEL", [b"Wheel-Version: 1.0\nGenerator: bench\nRoot-Is-Purelib: true\nTag: py3-none-any\n"])
        z.writestr(info + "/RECORD", "\n".join(record) + f"\n{info}/RECORD,,\n")


LIBRARIES = libraries()


def run(command):
    start = time.monotonic()
    p = captured(command, 600, cwd=work, env=wine.env)
    took = time.monotonic() - start
    checks.check(p.returncode == 0, " ".join(command[-6:]), f"exit {p.returncode}\n{p.stdout[-800:]}\n{p.stderr[-800:]}")
    return took


def turns(linux, windows, before=lambda: None):
    best = [1e9, 1e9]
    for _ in range(ROUNDS):
        for i, command in enumerate((linux, windows)):
            before()
            os.sync()
            best[i] = min(best[i], run(command))
    return best


def row(what, times, start=0.0):
    linux, windows = times[0], times[1] - start
    print(f"{what:46} Linux {linux:7.3f} s   Wine {windows:7.3f} s   {linux / windows:5.2f} of its rate", flush=True)


def install(name, target, place, python):
    return ["install", f"{name}-{target}", "--venv", place + "/env", "--python", python]


def measure(start):
    python = os.path.join(work, "python/python.exe")
    here = "cp%d%d-manylinux_2_28_x86_64" % sys.version_info[:2]
    for name in "big", "small":
        for target in here, "cp312-win_amd64":
            run([WHEELPACK, "bundle", name, "--no-index", "--find-links", "wheels", "--target", target, "-o", f"{name}-{target}"])
    verify = ["verify", "big-cp312-win_amd64"]
    row("verify, 800 MB", turns([WHEELPACK, *verify], [wine.program, EXE, *verify]), start)
    for name, what in ("big", "800 MB in eight files"), ("small", "10,000 files"):
        for place, where in (work, "on the disk"), (MEMORY, "in memory"):
            row(f"install, {what}, {where}", turns(
                [WHEELPACK, *install(name, here, place, sys.executable)],
                [wine.program, EXE, *install(name, "cp312-win_amd64", place, python)],
                lambda place=place: shutil.rmtree(place + "/env", ignore_errors=True)), start)


def main():
    os.makedirs(work + "/python")
    os.makedirs(MEMORY, exist_ok=True)
    shutil.copy(FAKE, work + "/python/python.exe")
    wheel("big", [(f"big/{n}.dll", n * (25 << 20), 100 << 20) for n in range(8)])
    wheel("small", [(f"small/{n // 100}/{n}.py", n * 5000, 3000) for n in range(10000)])
    times = turns([wine.program, FAKE], [wine.program, EXE, "--version"])
    print(f"start: a small program {times[0] * 1000:.0f} ms, wheelpack --version {times[1] * 1000:.0f} ms")
    measure(times[0])
    wine.close()
    shutil.rmtree(MEMORY)
    checks.end()


main()
