#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""windows_real.py WHEELPACK WHEELPACK.EXE FAKE-PYTHON FAKE-DRIVER: the Windows trip on real wheels, by hand (150 MB are fetched).

A bundle of torch for Windows is made here, verified and installed by the Windows program under Wine with a stand-in
interpreter, and every installed file is held to the wheels by digest; doctor and probe run without a driver and with the
stand-in. Prints the speed of both programs on the same bytes.
"""
import hashlib
import os
import shutil
import subprocess
import sys
import time
import zipfile

from harness import Checks, ROOT, Wine, captured

WHEELPACK, EXE, FAKE, DRIVER = (os.path.abspath(a) for a in sys.argv[1:5])
WINE = ["sh", os.path.join(ROOT, "tests/wine.sh")]
NVCUDA = os.path.join(Wine.system32, "nvcuda.dll")
REQUEST = ["torch==2.11.0", "torchvision", "torchaudio", "--target", "cp312-win_amd64"]
checks = Checks("real wheels under Wine")
work = checks.work


def run(name, command):
    start = time.monotonic()
    p = captured(command, 600, cwd=work)
    took = time.monotonic() - start
    checks.check(p.returncode == 0, name, f"exit {p.returncode}\n{p.stdout[-1500:]}\n{p.stderr[-1500:]}")
    print(f"{name}: {took:.2f} s")
    return took


def digest(stream):
    h = hashlib.sha256()
    for piece in iter(lambda: stream.read(1 << 20), b""):
        h.update(piece)
    return h.digest()


def place_of(member):
    """Where a member lies below the venv."""
    if ".data/" not in member:
        return "Lib/site-packages/" + member
    scheme, _, rest = member.split(".data/", 1)[1].partition("/")
    return {"purelib": "Lib/site-packages/", "platlib": "Lib/site-packages/", "scripts": "Scripts/", "data": ""}[scheme] + rest


def compare(bundle, venv):
    count = 0
    for wheel in sorted(os.listdir(os.path.join(bundle, "wheels"))):
        with zipfile.ZipFile(os.path.join(bundle, "wheels", wheel)) as z:
            for member in z.infolist():
                if member.is_dir() or member.filename.endswith(".dist-info/RECORD"):
                    continue
                path = os.path.join(venv, place_of(member.filename))
                with z.open(member) as inside:
                    want = digest(inside)
                with open(path, "rb") as installed:
                    if digest(installed) != want:
                        checks.check(False, f"{member.filename} of {wheel} has other bytes")
                count += 1
    checks.check(count > 10000, f"{count} files have the bytes of their wheels")
    print(f"{count} installed files have the bytes of their wheels")


def ask_about_driver(how, doctor_says, probe_exit, probe_says):
    p = captured([*WINE, EXE, "doctor", "--venv", "env"], 300, cwd=work)
    print(p.stdout, p.stderr)
    said = "C801" in p.stdout and doctor_says in p.stdout and ("D501" in p.stdout) == (doctor_says == "D501")
    checks.check(p.returncode in (0, 1) and said, f"the doctor {how}", p.stdout + p.stderr)
    p = captured([*WINE, EXE, "probe"], 300, cwd=work)
    checks.check(p.returncode == probe_exit and probe_says in p.stdout, f"the probe {how}", p.stdout + p.stderr)


def main():
    python = os.path.join(work, "python/python.exe")
    os.makedirs(os.path.dirname(python))
    shutil.copy(FAKE, python)
    run("bundle, Linux", [WHEELPACK, "bundle", *REQUEST, "--tools", os.path.dirname(EXE), "-o", "real"])
    subprocess.run([*WINE, EXE, "--version"], check=True, stdout=subprocess.DEVNULL)
    for n in range(2):
        native = run("verify, Linux", [WHEELPACK, "verify", "real"])
        wine = run("verify, Wine", [*WINE, EXE, "verify", "real"])
        print(f"verify: {native / wine:.2f} of the native rate")
    run("install, Wine", [*WINE, EXE, "install", "real", "--venv", "env", "--python", python])
    compare(os.path.join(work, "real"), os.path.join(work, "env"))
    ask_about_driver("without a driver", "D501", 1, "D501")
    shutil.copy(DRIVER, NVCUDA)
    try:
        ask_about_driver("with a driver", "C801", 0, "G611")
    finally:
        os.remove(NVCUDA)
    checks.end()


main()
