#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""conformance.py WHEELPACK LAUNCHERS: install every odd wheel of tests/wheels/make_odd.py.

What is refused must be so with the right code and leave the venv, and the folder it would be in, as they were. What is
installed must be there to the byte, with the right modes and RECORD, and nothing else. The interpreters are scripts that
answer as a CPython 3.12.7 of Linux and one of Windows, so that both are judged here.
"""
import base64
import concurrent.futures
import copy
import csv
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import urllib.parse
import zipfile

from harness import ROOT, Checks, environment, snapshot

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests/wheels"))
import make_odd

WHEELPACK, LAUNCHERS = (os.path.abspath(a) for a in sys.argv[1:3])
os.umask(0o022)
checks = Checks("conformance")
work = checks.work
env = environment(work, WHEELPACK)


class System:
    """Where things lie in a venv, and how its scripts begin."""

    def __init__(self, name, site, scripts, headers, tag, markers):
        self.name, self.site, self.scripts, self.headers = name, site, scripts, headers
        self.python = os.path.join(work, name, "python.exe" if name == "windows" else "python3.12")
        self.up = "../" * (site.count("/") + 1)
        markers = dict(zip(("os_name", "sys_platform", "platform_machine", "platform_system", "platform_release"), markers),
                       platform_python_implementation="CPython", platform_version="1", python_version="3.12",
                       python_full_version="3.12.7", implementation_name="cpython", implementation_version="3.12.7")
        answer = dict(executable=self.python, version="3.12.7", soabi_tag="cp312", platform_tag=tag, bits=64, venv_site=site,
                      venv_bin=scripts, markers=markers)
        checks.put(self.python, f"#!/bin/sh\necho '{json.dumps(answer)}'\n")
        os.chmod(self.python, 0o755)
        if name == "windows":
            checks.put(os.path.join(work, name, "pythonw.exe"), "")

    def interpreter(self, venv, windowed=False):
        path = f"{venv}/{self.scripts}/python"
        return f"{path}{'w' * windowed}.exe".replace("/", "\\") if self.name == "windows" else path

    def first_line(self, venv, windowed=False):
        path = self.interpreter(venv, windowed)
        if self.name == "windows":
            return f'#!"{path}"' if " " in path else "#!" + path
        if " " in path or len(path) > 124:
            return f"#!/bin/sh\n'''exec' \"{path}\" \"$0\" \"$@\"\n' '''"
        return "#!" + path


SYSTEMS = {
    "linux": System("linux", "lib/python3.12/site-packages", "bin", "include/site/python3.12", "manylinux_2_36_x86_64",
                    ("posix", "linux", "x86_64", "Linux", "6")),
    "windows": System("windows", "Lib/site-packages", "Scripts", "Include/site/python3.12", "win_amd64",
                      ("nt", "win32", "AMD64", "Windows", "10")),
}

# ---- what is to be there -------------------------------------------------------------------------

INSTALLERS = "INSTALLER", "REQUESTED", "direct_url.json", "RECORD", "RECORD.jws", "RECORD.p7s"


def script_bytes(data, system, venv):
    """`#!python` becomes the interpreter; all else stays."""
    if not data.startswith(b"#!python"):
        return data
    line, end, rest = data.partition(b"\n")
    end = b"\r\n" if system.name == "windows" and end and line.endswith(b"\r") else b"\n"
    return system.first_line(venv, data.startswith(b"#!pythonw")).encode() + end + rest


def program_text(target, windows):
    module, attr = target.split(":")
    cut = '    if sys.argv[0].lower().endswith(".exe"):\n        sys.argv[0] = sys.argv[0][:-4]\n' if windows else ""
    return (f"import sys\n\nfrom {module} import {attr.split('.')[0]}\n\nif __name__ == \"__main__\":\n{cut}"
            f"    sys.exit({attr}())\n").encode()


def program_bytes(target, system, venv):
    """For Windows what is in front of the zip, and the text in it."""
    target, _, gui = target.partition(" ")
    if system.name == "linux":
        return system.first_line(venv).encode() + b"\n" + program_text(target, False)
    stub = open(os.path.join(LAUNCHERS, f"launcher-{gui or 'console'}.exe"), "rb").read()
    return stub + system.first_line(venv, bool(gui)).encode() + b"\n", program_text(target, True)


def where_to(case, system, entry):
    """Where an entry goes and whether it is a script; None for what an installer writes itself."""
    top, _, rest = entry.partition("/")
    project = os.path.basename(case.path).split("-")[0]
    if top.endswith(".dist-info") and rest in INSTALLERS:
        return None
    if not top.endswith(".data"):
        return f"{system.site}/{entry}", False
    scheme, _, rest = rest.partition("/")
    folder = dict(scripts=system.scripts + "/", headers=f"{system.headers}/{project}/", data="").get(scheme, system.site + "/")
    if scheme == "data" and system.name == "linux" and rest.startswith("lib64/"):
        rest = "lib/" + rest[6:]
    return folder + rest, scheme == "scripts"


def wanted(case, system, venv):
    """Path to mode and bytes; bytes None: not known here."""
    found, info = {}, None
    fold = str.lower if system.name == "windows" else str
    shadowed = {fold(name + end) for name in case.makes for end in ("", ".exe", "-script.py", "-script.pyw")}
    for e in case.entries:
        name = "/".join(part for part in e.name.decode().split("/") if part not in ("", "."))
        if e.name.endswith(b"/"):
            continue
        top = name.split("/")[0]
        info = top if top.endswith(".dist-info") else info
        where = where_to(case, system, name)
        if not where or (where[1] and fold(name.split("/", 2)[2]) in shadowed):
            continue
        executable = where[1] or (e.system == 3 and e.mode & 0o111)
        found[where[0]] = 0o755 if executable else 0o644, script_bytes(e.data, system, venv) if where[1] else e.data
    for name, target in case.makes.items():
        name += ".exe" if system.name == "windows" else ""
        found[f"{system.scripts}/{name}"] = 0o755, program_bytes(target, system, venv)
    found[f"{system.site}/{info}/INSTALLER"] = 0o644, b"wheelpack\n"
    found[f"{system.site}/{info}/REQUESTED"] = 0o644, b""
    found[f"{system.site}/{info}/RECORD"] = 0o644, None
    address = urllib.parse.quote(os.path.join(work, case.path), safe="/-._~")
    found[f"{system.site}/{info}/direct_url.json"] = 0o644, json.dumps({
        "archive_info": {"hashes": {"sha256": hashlib.sha256(checks.read(case.path)).hexdigest()}},
        "url": "file://" + address}).encode()
    return found


# ---- what is there -------------------------------------------------------------------------------

def below(venv, kind):
    """Paths of all files (2) or folders (1) of a venv, but wheelpack's own."""
    return {os.path.relpath(os.path.join(step[0], name), venv) for step in os.walk(venv) for name in step[kind]
            if ".wheelpack" not in step[0]}


def files_below(venv):
    return below(venv, 2)


def folders_below(venv):
    return below(venv, 1)


def same_program(data, program):
    """A launcher with its first line, and a zip behind it."""
    start, text = program
    if not data.startswith(start):
        return False
    with zipfile.ZipFile(io.BytesIO(data)) as z:
        return z.namelist() == ["__main__.py"] and z.read("__main__.py") == text


def record_faults(venv, system, want, record):
    """RECORD as written against what lies there."""
    text = open(os.path.join(venv, record), "rb").read()
    rows = list(csv.reader(io.StringIO(text.decode())))
    names = {p: os.path.relpath(p, system.site) if p.startswith(system.site + "/") else system.up + p for p in want}
    right = []
    for path, name in names.items():
        data = open(os.path.join(venv, path), "rb").read()
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        right.append([name, "", ""] if path == record else [name, "sha256=" + digest, str(len(data))])
    if rows != sorted(right, key=lambda r: r[0].encode()) or b"\r" in text or not text.endswith(b"\n"):
        yield f"RECORD is\n{text.decode()}"


def faults(venv, system, want, place):
    """What differs from what was there with these files beside it."""
    files = files_below(venv)
    for path in sorted(files ^ (set(want) | place.files)):
        yield f"{path} is {'there' if path in files else 'missing'}"
    parents = {"/".join(path.split("/")[:n]) for path in want for n in range(1, path.count("/") + 1)}
    for path in sorted(folders_below(venv) - parents - place.folders):
        yield f"{path}/ is there"
    for path in sorted(files & set(want)):
        mode, data = want[path]
        full = os.path.join(venv, path)
        is_ = open(full, "rb").read()
        if os.lstat(full).st_mode & 0o7777 != mode:
            yield f"{path} has mode {os.lstat(full).st_mode:o}"
        if data is not None and not (same_program(is_, data) if isinstance(data, tuple) else is_ == data):
            yield f"{path} is {is_[:300]}"
    record = next(p for p in want if p.endswith("/RECORD"))
    if record in files and set(want) <= files:
        yield from record_faults(venv, system, want, record)


# ---- one install ---------------------------------------------------------------------------------

def install(case, venv, *more):
    """The code of the error, which names the wheel and says why, or those of the findings, or "ok"; and what it said."""
    p = subprocess.run([WHEELPACK, "install", case.path, "--venv", venv, *more, "--no-sync", "--json"],
                       cwd=work, env=env, capture_output=True, text=True, timeout=60)
    try:
        report = json.loads(p.stdout)
    except ValueError:
        return f"exit {p.returncode}", p.stderr
    if "error" in report:
        e = report["error"]
        named = os.path.basename(case.path) in "".join(e["where"]) and e["why"]
        return e["code"] if named else "without the name of the wheel: " + e["code"], p.stderr
    return ",".join(sorted(f["code"] for f in report.get("findings", ()))) or "ok", p.stderr


class Place:
    """Where to install: a name for it, and what is there. make puts a venv at a path; without it the venv is new."""

    def __init__(self, name, system, venv, without=(), make=None):
        self.name, self.system, self.make = name, system, make
        self.files, self.folders = files_below(venv) - set(without), folders_below(venv)

    def renamed(self, name):
        other = copy.copy(self)
        other.name = name
        return other


def judge(case, place):
    """What is wrong, as text."""
    want, system = case.at_install[place.system.name], place.system
    parent = os.path.join(work, place.name, case.name)
    venv = os.path.join(parent, "env")
    os.makedirs(parent)
    if place.make:
        place.make(venv)
    before = snapshot(parent)
    got, said = install(case, venv, *([] if place.make else ["--python", system.python]))
    if got != want:
        return [f"{got} instead of {want}\n{said}"]
    if want.startswith("WP_E_"):
        return ["something was left or changed"] if snapshot(parent) != before else []
    found = list(faults(venv, system, wanted(case, system, venv), place))
    if system.name == "linux" and case.name.startswith("info-"):
        got, said = install(case, venv)
        found += [f"the same again: {got}\n{said}"] * (got != "N504")
    return found


def first_venv(system, case):
    """A venv of each kind of system, with one wheel in it; what an install makes, without that. None where it can't be."""
    venv = os.path.join(work, "first-" + system.name)
    got, said = install(case, venv, "--python", system.python)
    if got == "WP_E_WRONG_TARGET" and not os.path.exists(LAUNCHERS):
        checks.skip(f"installs for {system.name}", "built without launchers")
    elif checks.check(got == "ok", f"{case.name} for {system.name}", got + said):
        return Place(system.name, system, venv, wanted(case, system, venv))
    return None


def plan(cases):
    """Each wheel for each system, for Linux by turns into a new venv and one that is there. What both refuse alike is
    installed in one place only."""
    neighbour = cases.pop("neighbour")
    linux, windows = (first_venv(s, neighbour) for s in SYSTEMS.values())
    if not linux:
        return
    first = os.path.join(work, "first-linux")
    old = Place("old", linux.system, first, make=lambda venv: shutil.copytree(first, venv, symlinks=True))
    places = [linux, old] + [windows] * bool(windows)
    for number, case in enumerate(cases.values()):
        if case.at_install["linux"] == case.at_install["windows"] and case.at_install["linux"].startswith("WP_E_"):
            yield case, places[number % len(places)]
        else:
            yield case, places[number % 2]
            yield from ((case, p) for p in places[2:])
    for name in "script-shebangs", "eps-usual":
        for p in places:
            if not p.make:
                yield cases[name], p.renamed(p.name + " with spaces")
                yield cases[name], p.renamed(p.name + "-" + 120 * "x")


def main():
    jobs = list(plan({c.name: c for c in make_odd.make(work)}))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (case, place), found in zip(jobs, pool.map(lambda job: judge(*job), jobs)):
            checks.check(not found, f"{case.name} in {place.name}", "\n".join(found))
    checks.end()


main()
