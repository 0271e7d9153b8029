#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""windows_install.py WHEELPACK WHEELPACK.EXE FAKE-PYTHON: a bundle made here, installed by the Windows program under Wine.

The interpreter is tests/fake/python.c, which answers as a CPython 3.12.7 of Windows and prints how it was started.
"""
import base64
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile

from harness import Checks, Server, Wine, environment, snapshot

WHEELPACK, EXE, FAKE = (os.path.abspath(a) for a in sys.argv[1:4])
checks = Checks("install under Wine")
work = checks.work
env = environment(work, WHEELPACK)
under_wine = checks.wine(env, FAKE, EXE)
wine, windows = under_wine.run, under_wine.path
expect, put, read = checks.expect, checks.put, checks.read


def install(bundle, venv, *more, **settings):
    return wine(EXE, "install", bundle, "--venv", venv, "--no-sync", *more, **settings)


def bundle(name, *projects):
    server = Server()
    p = subprocess.run([WHEELPACK, "bundle", *projects, "--target", "cp312-win_amd64", "--index-url", server.base + "/simple/",
                        "--tools", os.path.dirname(EXE), "-o", name], cwd=work, env=env, capture_output=True, text=True, timeout=120)
    server.close()
    checks.check(p.returncode == 0, "the bundle is made", p.stderr)


def same_as_wheel(venv):
    with zipfile.ZipFile(os.path.join(work, "schemes.wpk")) as outer:
        name = next(n for n in outer.namelist() if n.endswith(".whl"))
        with outer.open(name) as inner, zipfile.ZipFile(inner) as wheel:
            for member in wheel.namelist():
                scheme = member.split(".data/")[-1].split("/", 1)
                place = {"data": "", "headers": "Include/site/python3.12/schemes", "scripts": "Scripts"}.get(
                    scheme[0], "Lib/site-packages") if ".data/" in member else "Lib/site-packages"
                if member.endswith(("RECORD", "schemes-script")):
                    continue
                path = os.path.join(venv, place, scheme[1] if ".data/" in member else member)
                checks.check(os.path.isfile(os.path.join(work, path)) and
                             read(path) == wheel.read(member),
                             f"{member} is at {path}")


def new_venv(venv):
    got = install("schemes.wpk", venv, "--python", "py thon 中/python.exe")
    if not expect("a new venv", got, 0, "installed"):
        return
    same_as_wheel(venv)
    scripts = windows(venv + "/Scripts")
    home = windows("py thon 中")
    config = read(venv + "/pyvenv.cfg").decode()
    checks.check(config.startswith(f"home = {home}\n"), "pyvenv.cfg names the base", config)
    for name in "schemes-script", "schemes-tool.sh", "activate", "activate.bat", "deactivate.bat", "Activate.ps1":
        checks.check(os.path.isfile(f"{work}/{venv}/Scripts/{name}"), f"Scripts has {name}")
    quote = '"' if " " in scripts else ""
    checks.check(read(venv + "/Scripts/schemes-script").startswith(f"#!{quote}{scripts}\\python.exe{quote}\n".encode()),
                 "a script names the venv's python.exe", read(venv + "/Scripts/schemes-script")[:200])
    for tool, python in ("schemes", "python.exe"), ("schemes-gui", "pythonw.exe"):
        got = wine(f"{work}/{venv}/Scripts/{tool}.exe", "one two", "😀", "exit=5")
        want = f"program {python}\narg {scripts}\\{tool}.exe\narg one two\narg 😀\narg exit=5\nlauncher {scripts}\\{python}\n"
        checks.check((got.returncode, got.stdout) == (5, want), f"{tool}.exe starts it through the venv's {python}", f"{want}{got}")
    checks.check(not [n for n in os.listdir(work) if "wheelpack-" in n], "nothing is left beside", os.listdir(work))
    before = snapshot(f"{work}/{venv}/Lib")
    expect("the same again", install("schemes.wpk", venv), 0, "there already")
    checks.check(snapshot(f"{work}/{venv}/Lib") == before, "the same again changes nothing")
    expect("more into it", install("more.wpk", venv), 0, "installed")
    report = json.loads(read(venv + "/.wheelpack/receipt.json"))
    checks.check(report["python"]["system"] == "Windows", "the receipt tells of it", report)


def loose():
    """A wheel without a bundle, by its path with backslashes: the plan of it, which changes nothing, then the install."""
    with zipfile.ZipFile(os.path.join(work, "more.wpk")) as outer:
        member = next(n for n in outer.namelist() if "part_1" in n and n.endswith(".whl"))
        name = os.path.basename(member)
        put("my wheels/" + name, outer.read(member))
    named = ("--python", "py thon 中/python.exe")
    got = install(windows("my wheels") + "\\" + name, "loose/env", *named, "--dry-run")
    expect("the plan of a wheel", got, 0, "would install into the new venv", "  install  part-1 1.0 (")
    checks.check(not os.path.exists(work + "/loose"), "the plan makes nothing")
    expect("a wheel", install(windows("my wheels") + "\\" + name, "loose/env", *named), 0, "installed 1 distribution")
    info = "loose/env/Lib/site-packages/part_1-1.0.dist-info/"
    url = json.loads(read(info + "direct_url.json"))["url"]
    checks.check(url.startswith("file:///Z:/") and url.endswith("/my%20wheels/" + name), "direct_url.json has its path", url)
    before = snapshot(work + "/loose")
    expect("the plan of a folder", install("my wheels", "loose/env", "--dry-run"), 0, "  keep     part-1 1.0")
    checks.check(snapshot(work + "/loose") == before, "the plan of a folder changes nothing")


def long_path():
    venv = "/".join(["long", *["l" * 60] * 4, "env"])
    if expect("a path of over 300 characters", install("schemes.wpk", venv, "--python", "py thon 中/python.exe"), 0, "[N515]"):
        checks.check(len(windows(venv)) > 270 and os.path.isfile(f"{work}/{venv}/Lib/site-packages/schemes/data.txt"),
                     "its files are there", windows(venv))


def killed():
    """Ended without warning at some moment: all is there, or nothing; then the same command completes."""
    args = [Wine.program, EXE, "install", "more.wpk", "--venv", "killed/env", "--python", "py thon 中/python.exe", "--no-sync"]
    half = 0
    start = time.monotonic()
    expect("and not killed", install("more.wpk", "killed/env", "--python", "py thon 中/python.exe"), 0)
    whole = time.monotonic() - start
    shutil.rmtree(work + "/killed")
    for step in range(20):
        delay = whole * (0.5 + step / 40)
        p = subprocess.Popen(args, cwd=work, env=under_wine.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        time.sleep(delay)
        p.send_signal(signal.SIGKILL)
        p.wait()
        half += os.path.isdir(f"{work}/killed") and any("wheelpack-" in n for n in os.listdir(work + "/killed"))
        if os.path.exists(f"{work}/killed/env"):
            found = os.path.isfile(f"{work}/killed/env/.wheelpack/receipt.json")
            checks.check(found, f"killed after {delay:.2f} s: all is there")
        expect("and then it completes", install("more.wpk", "killed/env", "--python", "py thon 中/python.exe"), 0)
        left = os.listdir(work + "/killed")
        checks.check(left == ["env"], "and nothing is left beside", left)
        shutil.rmtree(work + "/killed")
    print(f"killed 20 times, {half} of them half way")


def stopped():
    """Ctrl-C at some moment: the program is done already, or says that it was stopped and leaves nothing."""
    put("py/python.exe", fake)
    half = 0
    for delay in range(0, 600, 60):
        shutil.rmtree(work + "/stopped", ignore_errors=True)
        p = wine(os.path.join(os.path.dirname(FAKE), "ctrlc.exe"), str(delay), EXE, "install", "more.wpk", "--venv",
                 "stopped/env", "--python", "py/python.exe", "--no-sync")
        installed = os.path.isfile(f"{work}/stopped/env/.wheelpack/receipt.json")
        if p.returncode == 0 and p.stdout:
            good = installed
        else:
            # Without a word: the system ended it before it listened.
            said = p.returncode == 130 and "WP_E_INTERRUPTED" in p.stderr
            good = (said or not p.stdout + p.stderr) and not os.path.exists(f"{work}/stopped/env")
            half += 1
        left = [n for n in os.listdir(work + "/stopped") if "wheelpack-" in n] if os.path.isdir(work + "/stopped") else []
        checks.check(good and not left, f"Ctrl-C after {delay} ms: all or nothing", f"{p}\n{left}")
    print(f"stopped 10 times, {half} of them before it was done")


def searches():
    """Registry and PATH, a placeholder that fails, an interpreter that is none."""
    key = "HKCU\\Software\\Python\\PythonCore\\3.12\\InstallPath"
    expect("nothing is found", install("schemes.wpk", "none"), 6, "WP_E_NO_INTERPRETER")
    put("bad/python.exe", b"text")
    expect("PATH", install("schemes.wpk", "by-path", WINEPATH=windows("bad") + ";" + windows("py thon 中")), 0, "installed")
    wine("reg", "add", key, "/ve", "/d", windows("py thon 中"), "/f")
    got = install("schemes.wpk", "by-registry")
    wine("reg", "delete", "HKCU\\Software\\Python", "/f")
    expect("the registry", got, 0, "installed")


def double_click():
    """install.cmd of a bundle on a stick, in a folder with a space and letters beyond ASCII."""
    bundle("stick ü 中", "schemes")
    script = windows("stick ü 中") + "\\install.cmd"
    path = {"WINEPATH": windows("py thon 中"), "WHEELPACK_NO_PAUSE": "1"}
    got = wine("cmd", "/c", "call", script, windows("clicked env"), **path)
    expect("install.cmd", got, 0, "installed 1 distribution", "tools\\wheelpack.exe\" doctor --venv")
    checks.check(os.path.isfile(f"{work}/clicked env/Scripts/schemes.exe"), "install.cmd installs where it is told")
    got = wine("cmd", "/c", "call", script, "--help", **path)
    expect("install.cmd --help", got, 0, "usage: install.cmd [VENV]")
    got = wine("cmd", "/c", "call", script, windows("py thon 中"), **path)
    got.returncode = got.returncode and 6  # Wine's cmd turns the code of a script into 1
    expect("install.cmd that fails", got, 6, "It failed with exit code 6", "wheelpack-install.log")


def shared():
    """Two venvs from one store: the same files, but libraries and programs are copies."""
    with zipfile.ZipFile(put("lib-1.0-py3-none-any.whl", b""), "w") as wheel:
        files = {"lib/__init__.py": b"x = 1\n", "lib/core.dll": b"MZ dll", "lib/ext.PYD": b"MZ pyd",
                 "lib-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: lib\nVersion: 1.0\n",
                 "lib-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
        rows = "".join(f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
                       for name, data in files.items())
        for name, data in {**files, "lib-1.0.dist-info/RECORD": (rows + "lib-1.0.dist-info/RECORD,,\n").encode()}.items():
            wheel.writestr(name, data)
    for venv, words in ("one", "1 wheel put there first"), ("two", "3 files linked, 2 copied"):
        got = install("lib-1.0-py3-none-any.whl", "shared/" + venv, "--store", "my wheels 中", "--python", "py thon 中/python.exe")
        expect("a venv from the store", got, 0, words)
        expect("it is as it was installed", wine(EXE, "check", "--venv", "shared/" + venv), 0)
    same = [os.path.samefile(f"{work}/shared/one/Lib/site-packages/lib/{name}", f"{work}/shared/two/Lib/site-packages/lib/{name}")
            for name in ("__init__.py", "core.dll", "ext.PYD")]
    checks.check(same == [True, False, False], "source files are shared, what is loaded is not", same)
    expect("info", wine(EXE, "store", "info", "my wheels 中"), 0, "1 wheel, 5 files")
    expect("verify", wine(EXE, "store", "verify", "my wheels 中"), 0, "is as it was filled")
    put("shared/two/Lib/site-packages/lib/__init__.py", b"x = 2\n")
    expect("verify sees an edit", wine(EXE, "store", "verify", "my wheels 中"), 1, "[N542]")
    got = install("lib-1.0-py3-none-any.whl", "shared/two", "--store", "my wheels 中")
    expect("and the venv is put right", got, 0, "1 wheel put there first")
    expect("prune", wine(EXE, "store", "prune", "my wheels 中", "--days", "0"), 0, "removed 1 wheel of 1")
    checks.check(not os.listdir(work + "/my wheels 中/entries") and not os.listdir(work + "/my wheels 中/runs"), "nothing is left")


fake = read(FAKE)
put("py thon 中/python.exe", fake)
put("py thon 中/pythonw.exe", fake)
bundle("schemes.wpk", "schemes")
bundle("more.wpk", "schemes", "part-1")
new_venv("env")
new_venv("my env 😀")
loose()
shared()
long_path()
killed()
stopped()
searches()
double_click()
under_wine.close()
checks.end()
