#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""windows_upgrade.py WHEELPACK.EXE FAKE-PYTHON: a venv in use is changed by the Windows program, under Wine.

While a library of it is loaded, a program of it runs, a file or a directory is open: the new version comes in, or all is
as it was and the message says what to close. What is in use stays aside until a later run can remove it.
"""
import os
import subprocess
import sys

from harness import ROOT, Checks, Wine, environment, snapshot

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests/index"))
from make_wheels import metadata_text, wheel_bytes

EXE, FAKE = (os.path.abspath(a) for a in sys.argv[1:3])
SITE = "Lib/site-packages/"
checks = Checks("upgrade under Wine")
work = checks.work
env = environment(work, EXE)
wine = checks.wine(env, FAKE, EXE)
check, expect, put, read = checks.check, checks.expect, checks.put, checks.read


class Program:
    """A program that runs until it is closed; it holds or loads what its arguments say."""

    def __init__(self, *args, cwd=work):
        self.process = subprocess.Popen([Wine.program, *args, "stdin=1"], cwd=cwd, env=wine.env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.process.stdout.readline()

    def close(self):
        said = self.process.communicate()[0].decode()
        check("no " not in said.replace("no-", ""), "the program got what it wanted", said)


def wheel(name, version, files, entry_points=None):
    data = wheel_bytes(name, version, "py3-none-any", files, metadata_text(name, version, (), None, ()), entry_points)
    put(f"wheels/{name}-{version}-py3-none-any.whl", data)


def install(version, venv="env", *more):
    return wine.run(EXE, "install", f"wheels/used-{version}-py3-none-any.whl", "--venv", venv, "--no-sync", *more)


def uninstall(venv="env"):
    return wine.run(EXE, "uninstall", "used", "--venv", venv)


def is_whole(what, version, venv="env"):
    """All of this version and nothing of the other."""
    site = f"{work}/{venv}/{SITE}"
    other = {"1.0": "2.0", "2.0": "1.0"}[version]
    check(not os.path.exists(f"{site}used-{other}.dist-info"), f"{what}: {other} is gone")
    check(read(f"{venv}/{SITE}used/data.bin") == FILES[version]["used/data.bin"], f"{what}: its files are those of {version}")
    found = {os.path.relpath(os.path.join(d, n), site) for d, _, names in os.walk(site) for n in names if ".dist-info" not in d}
    check(found == set(FILES[version]), f"{what}: names, and their case, are those of {version}", found)
    expect(f"{what}: checked", wine.run(EXE, "check", "--venv", venv), 0)


def asides(venv="env"):
    return [n for n in os.listdir(f"{work}/{venv}/.wheelpack") if n not in ("lock", "lock.json", "receipt.json", "removed.json")]


def in_use():
    """A launcher that runs, the interpreter, and a library that is loaded."""
    library = wine.path(f"env/{SITE}used/core.pyd")
    program = Program(f"{work}/env/Scripts/used.exe", "load=" + library)
    expect("an upgrade of what runs", install("2.0"), 0, "used 1.0 by 2.0")
    is_whole("an upgrade of what runs", "2.0")
    check(asides() == ["aside"], "what is in use stays aside", asides())
    expect("back, while it runs still", install("1.0"), 0, "used 2.0 by 1.0")
    is_whole("back, while it runs still", "1.0")
    check(asides() == ["aside"], "and what isn't goes", asides())
    expect("uninstalled, while it runs still", uninstall(), 0, "removed 1 distribution")
    expect("and again", install("1.0"), 0)
    program.close()
    expect("when it has ended", wine.run(EXE, "repair", "--venv", "env"), 0, "nothing to repair")
    check(not asides(), "when it has ended nothing is left aside", asides())
    is_whole("when it has ended", "1.0")


def held():
    """A file that is open as most programs open one can't be moved: then nothing is. One of its program's own can't even
    be read, which is the plan's only refusal."""
    for how, name in ("hold", "used/data.bin"), ("hold", "used/sub/last.txt"), ("own", "used/__init__.py"):
        program = Program(FAKE, f"{how}=" + wine.path(f"env/{SITE}{name}"))
        before = snapshot(work + "/env")
        unchanged = "[WP_E_BUSY, exit 6]", name.rpartition("/")[2], "state: nothing was changed in 'env'"
        expect(f"an upgrade while {name} is open", install("2.0"), 6, *unchanged)
        check(snapshot(work + "/env") == before, f"an upgrade while {name} is open: all is as before", asides())
        expect(f"an uninstall while {name} is open", uninstall(), 6, *unchanged)
        check(snapshot(work + "/env") == before, f"an uninstall while {name} is open: all is as before", asides())
        program.close()
    expect("an upgrade when it is closed", install("2.0"), 0)
    is_whole("an upgrade when it is closed", "2.0")
    expect("the older one", install("1.0"), 0)


def directory():
    """A directory that somebody stands in can't be removed."""
    program = Program(FAKE, cwd=f"{work}/env/{SITE}used/sub")
    before = snapshot(work + "/env")
    for what, run in ("an upgrade", lambda: install("2.0")), ("an uninstall", uninstall):
        expect(f"{what} while a program is in a directory", run(), 6, "[WP_E_BUSY, exit 6]", "close the programs that are in ",
               "used/sub', as a terminal can be", "state: nothing was changed in 'env'")
        check(snapshot(work + "/env") == before, f"{what} while a program is in a directory: all is as before", asides())
    program.close()


def read_only():
    for name in "used/data.bin", "used-1.0.dist-info/METADATA", "Casing.py":
        os.chmod(f"{work}/env/{SITE}{name}", 0o444)
    expect("an upgrade of read-only files", install("2.0"), 0)
    is_whole("an upgrade of read-only files", "2.0")
    check(not asides(), "read-only files don't stay aside", asides())
    os.chmod(f"{work}/env/{SITE}used/data.bin", 0o444)
    expect("an uninstall of read-only files", uninstall(), 0)
    check(not os.path.exists(f"{work}/env/{SITE}used") and not asides(), "and of them nothing is left", asides())


def long_path():
    """The interpreter's own path must be shorter than what is set aside, or Windows doesn't start it."""
    venv = "long/" + "l" * (240 - len(wine.path("long/")))
    check(len(wine.path(f"{venv}/Scripts/python.exe")) < 260 < len(wine.path(f"{venv}/{SITE}used/data.bin")), "it is long")
    expect("a long path", install("1.0", venv, "--python", "py/python.exe"), 0)
    expect("an upgrade in a long path", install("2.0", venv), 0, "used 1.0 by 2.0")
    is_whole("an upgrade in a long path", "2.0", venv)
    expect("an uninstall in a long path", uninstall(venv), 0)
    check(not os.path.exists(f"{work}/{venv}/{SITE}used") and not asides(venv), "nothing is left there", asides(venv))


def beside():
    """The venv is renamed as a whole: a new one takes its place, and rollback goes back. Wine lets a folder be renamed in
    which files are open, which Windows doesn't: windows_fault.py has that."""
    def run(version, *more):
        return wine.run(EXE, "install", f"used-{version}.wpk", "--venv", "env", "--beside", "--no-sync", *more)

    for version in FILES:
        expect("bundle", wine.run(EXE, "bundle", f"used=={version}", "--no-index", "--find-links", "wheels", "--target",
                                  "cp312-win_amd64", "-o", f"used-{version}.wpk"), 0)
    expect("the old one", install("1.0"), 0)
    expect("beside, tried", run("2.0", "--try", "--", "one two", "exit=0"), 0, "trying: python", "one two",
           "stood its trial", "is kept in")
    is_whole("beside, tried", "2.0")
    is_whole("what is kept", "1.0", ".env.wheelpack-before/venv")
    before = snapshot(work)
    expect("a trial that fails", run("1.0", "--try", "--", "used", "exit=3"), 1, "[WP_E_TRIAL, exit 1]", "Scripts/used.exe",
           "ended with exit code 3", "state: nothing was changed in 'env'")
    check(snapshot(work) == before, "a trial that fails: all is as before")
    expect("a rollback", wine.run(EXE, "rollback", "--venv", "env"), 0, "in place again")
    is_whole("a rollback", "1.0")
    is_whole("the other one", "2.0", ".env.wheelpack-before/venv")
    expect("the doctor as the trial", run("2.0", "--try"), 0, "the doctor, on the new environment")
    is_whole("the doctor as the trial", "2.0")
    is_whole("what was in place", "1.0", ".env.wheelpack-before/venv")
    check(not [n for n in os.listdir(work) if n.startswith(".env.wheelpack-") and n != ".env.wheelpack-before"],
          "nothing else is left", os.listdir(work))


fake = read(FAKE)
for python in "py/python.exe", "py/pythonw.exe":
    put(python, fake)
FILES = {version: {"used/__init__.py": b"version = " + version.encode(), "used/data.bin": version.encode() * 1000,
                   "used/core.pyd": fake + version.encode(), casing: b"", deep: b""}
         for version, casing, deep in (("1.0", "Casing.py", "Pack/Deep/a.py"), ("2.0", "casing.py", "pack/deep/a.py"))}
FILES["1.0"]["used/sub/last.txt"] = b"only here"
for version, files in FILES.items():
    wheel("used", version, files, "[console_scripts]\nused = used:main\n")
if expect("a new venv", install("1.0", "env", "--python", "py/python.exe"), 0):
    for part in in_use, held, directory, read_only, long_path, beside:
        part()
wine.close()
checks.end()
