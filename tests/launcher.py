#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""launcher.py LAUNCHER-DIR FAKE-PYTHON: the Windows launchers under Wine, with tests/fake/python.c as python.exe."""
import io
import os
import select
import signal
import struct
import subprocess
import sys
import time
import zipfile

from harness import Checks

LAUNCHERS, FAKE = (os.path.abspath(a) for a in sys.argv[1:3])
checks = Checks("launchers")
wine = checks.wine({k: v for k, v in os.environ.items() if k != "__PYVENV_LAUNCHER__"}, FAKE)
run, windows, put, fake = wine.run, wine.path, checks.put, checks.read(FAKE)
ARGUMENTS = ["plain", "two words", "", 'say "hi"', "back\\slash", "ends in \\", '\\"', "C:\\dir with space\\", "%PATH%",
             "^&|<>", "中文", "😀 smile", "a\tb", "'single'", "*"]


def read(name):
    return checks.read(os.path.join(LAUNCHERS, name))


def script(path, stub, first_line):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as z:
        z.writestr("__main__.py", "pass\n")
    return put(path, stub + first_line.encode() + archive.getvalue())


def lines_of(program, args, launcher=None):
    return "".join([f"program {program}\n"] + [f"arg {a}\n" for a in args] +
                   ([f"launcher {launcher}\n"] if launcher else []))


def expect(what, got, code, out=None, *said):
    ok = got.returncode == code and (out is None or got.stdout == out) and all(s in got.stderr for s in said)
    checks.check(ok, what, f"wanted exit {code}\n{out}{said}\n{got}")


def image(name, dlls):
    """What can be said of a launcher without running it."""
    data = read(name)
    pe = struct.unpack_from("<I", data, 0x3c)[0]
    sections, stamp = struct.unpack_from("<HI", data, pe + 6)
    flags = struct.unpack_from("<H", data, pe + 24 + 70)[0]
    table = pe + 24 + struct.unpack_from("<H", data, pe + 20)[0]
    end = max(sum(struct.unpack_from("<II", data, table + 40 * i + 16)) for i in range(sections))
    found = {n for n in (b"KERNEL32.dll", b"USER32.dll", b"msvcrt.dll", b"ADVAPI32.dll") if n in data}
    checks.check(len(data) <= 20480, f"{name} has {len(data)} bytes")
    checks.check(end == len(data), f"{name} ends with its last section", f"{end} of {len(data)}")
    checks.check(stamp == 0, f"{name} bears no time")
    checks.check(flags & 0x160 == 0x160, f"{name} has address randomisation and no execution of data", hex(flags))
    checks.check(found == dlls, f"{name} imports {found}")


def scripts(console, base):
    python = put(base + "/py/python.exe", fake)
    tool = script(base + "/tools/tool.exe", console, f"#!{windows(python)}\n")
    expect("arguments arrive letter by letter", run(tool, *ARGUMENTS), 0,
           lines_of("python.exe", [windows(tool), *ARGUMENTS]))
    for code in (1, 42, 255):
        expect(f"exit code {code}", run(tool, f"exit={code}"), code)
    got = run(tool, "stdin=1", given=b"one\r\ntwo\n")
    expect("standard input is the child's", got, 0, lines_of("python.exe", [windows(tool), "stdin=1"]) + "one\r\ntwo\n")
    spaced = put(base + "/a b 中文 😀/python.exe", fake)
    for name, line in ("quoted", f'#!"{windows(spaced)}"\n'), ("bare", f"#!{windows(spaced)}\r\n"):
        odd = script(f"{base}/my tools 😀/{name} tool.exe", console, line)
        expect(f"paths with spaces and emoji, {name}", run(odd, "x"), 0, lines_of("python.exe", [windows(odd), "x"]))
    gone = script(base + "/tools/gone.exe", console, "#!Z:\\no\\such 中\\python.exe\n")
    expect("a missing interpreter is named", run(gone), 103, "", "gone.exe: there is no Python 'Z:\\no\\such 中\\python.exe'",
           "moved or renamed")
    broken = script(base + "/tools/broken.exe", console, f"#!{windows(put(base + '/py/bad.exe', 'text'))}\n")
    expect("a file that is no program is named", run(broken), 101, "", "cannot start", "bad.exe", "Windows error")
    for name, tail in ("no line", "PK\x03\x04"), ("no end", "#!C:\\python.exe"), ("no end quote", '#!"C:\\x\n'):
        bad = put(f"{base}/tools/{name}.exe", console + tail.encode())
        expect(f"{name} behind the program", run(bad), 107, "", "no #! line")
    # Wine starts no program whose own path is so long; the launcher's may be.
    far = script("/".join([base] + ["d" * 60] * 6) + "/far.exe", console, f"#!{windows(python)}\n")
    expect("its own path may have over 260 characters", run(far, "x"), 0, lines_of("python.exe", [windows(far), "x"]))


def environments(console, gui, base):
    home = base + "/base python"
    for name in "python.exe", "pythonw.exe", "python3.13t.exe", "pythonw3.13t.exe":
        put(f"{home}/{name}", fake)
    config = f"home = {windows(home)}\r\ninclude-system-site-packages = false\r\nversion = 3.12.7\r\n"
    venv = base + "/it's an 环境 😀"
    put(venv + "/pyvenv.cfg", config)
    python = put(venv + "/Scripts/python.exe", console)
    expect("an environment's python.exe starts the base", run(python, *ARGUMENTS), 0,
           lines_of("python.exe", ARGUMENTS, windows(python)))
    expect("its exit code", run(python, "exit=9"), 9)
    for stub, kind in (console, "console"), (gui, "GUI"):
        windowed = put(venv + "/Scripts/pythonw.exe", stub)
        expect(f"pythonw.exe starts pythonw.exe ({kind})", run(windowed, "x"), 0,
               lines_of("pythonw.exe", ["x"], windows(windowed)))
    tool = script(venv + "/Scripts/tool.exe", console, f'#!"{windows(python)}"\n')
    expect("a script through the environment's python.exe", run(tool, *ARGUMENTS), 0,
           lines_of("python.exe", [windows(tool), *ARGUMENTS], windows(python)))
    put(venv + "/pyvenv.cfg", config + f"EXECUTABLE={windows(home)}\\python3.13t.exe")
    expect("the base's own file name", run(python, "x"), 0, lines_of("python3.13t.exe", ["x"], windows(python)))
    expect("and that without a console", run(windowed, "x"), 0, lines_of("pythonw3.13t.exe", ["x"], windows(windowed)))
    beside = put(base + "/flat/python.exe", console)
    put(base + "/flat/pyvenv.cfg", f"\nversion = 3\nHome={windows(home)}\\\n")
    expect("pyvenv.cfg beside the program", run(beside, "x"), 0, lines_of("python.exe", ["x"], windows(beside)))
    put(base + "/flat/pyvenv.cfg", "home = C:\\no\\such\n")
    expect("a missing base is named", run(beside), 103, "", "there is no Python 'C:\\no\\such\\python.exe'")
    put(base + "/flat/pyvenv.cfg", f"home = {windows(base)}\\flat\n")
    expect("an environment that is its own base", run(beside), 107, "", "names as home the directory of")
    put(base + "/flat/pyvenv.cfg", "homes = x\n")
    expect("no home", run(beside), 107, "", "names no home")
    os.unlink(base + "/flat/pyvenv.cfg")
    expect("no pyvenv.cfg", run(beside), 106, "", "there is no pyvenv.cfg")
    expect("the GUI one says it too", run(put(base + "/flat/pythonw.exe", gui)), 106, "", "there is no pyvenv.cfg")


def ends(stream, seconds=20):
    """Whoever wrote to the pipe is gone."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if select.select([stream], [], [], 1)[0] and not os.read(stream.fileno(), 65536):
            return True
    return False


def killed(console, base):
    tool = script(base + "/tools/waits.exe", console, f"#!{windows(base)}\\py\\python.exe\n")
    p = subprocess.Popen([wine.program, tool, "stdin=1"], env=wine.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    p.stdin.write(b"ready\n" * 2000)
    p.stdin.flush()
    started = p.stdout.readline()
    p.send_signal(signal.SIGKILL)
    try:
        p.stdin.close()
    except BrokenPipeError:
        pass
    p.wait()
    checks.check(started.startswith(b"program") and ends(p.stdout), "the child ends with its launcher", repr(started))


image("launcher-console.exe", {b"KERNEL32.dll"})
image("launcher-gui.exe", {b"KERNEL32.dll", b"USER32.dll"})
scripts(read("launcher-console.exe"), checks.work)
scripts(read("launcher-gui.exe"), checks.work + "/gui")
environments(read("launcher-console.exe"), read("launcher-gui.exe"), checks.work)
killed(read("launcher-console.exe"), checks.work)
wine.close()
checks.end()
