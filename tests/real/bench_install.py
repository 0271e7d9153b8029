#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench_install.py WHEELPACK [REQUIREMENT...]: installs of real wheels, beside uv and pip, in turns on one machine.

Without requirements the torch trio for Linux: 33 wheels, 2.75 GB, 4.8 GB unpacked; about 15 GB of disk below
build/bench-install, where the bundle stays for the next time. UV=PATH and PYTHON=PATH (3.12, with pip) name the peers,
ROUNDS=3 how often each one runs; pip runs once. uv and pip get the same wheels from a folder, without an index; uv's
cache is empty each time but where it is warm, which is what an install from the store stands beside. What counts are the ratios. uv and pip check no digest of RECORD.

bench_install.py WHEELPACK --files N: one made wheel of N tiny files instead, wheelpack beside uv.
"""
import base64
import hashlib
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
import zipfile

WORK = os.path.abspath("build/bench-install")
ROUNDS = int(os.environ.get("ROUNDS", "3"))
TRIO = ["torch==2.11.0", "torchvision", "torchaudio==2.11.0"]
PYTHON = os.environ.get("PYTHON") or shutil.which("python3.12") or sys.executable
UV = os.environ.get("UV") or shutil.which("uv")


def clear(*names):
    for name in names:
        shutil.rmtree(f"{WORK}/{name}", ignore_errors=True)
    os.sync()


def timed(command):
    """Wall seconds, CPU seconds; ends the program where it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    p = subprocess.run(command, cwd=WORK, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if p.returncode:
        sys.exit(f"{' '.join(command[:3])}: exit {p.returncode}\n{p.stderr[-2000:]}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def wheelpack(program, *more):
    clear("env")
    return timed([program, "install", "bundle", "--venv", "env", "--python", PYTHON, *more])


def warm(program):
    """The set is there already: it is hashed and kept."""
    return timed([program, "install", "bundle", "--venv", "env", "--no-sync"])


def stored(program, *more):
    """A new venv from a store that has all of it."""
    if not os.path.exists(f"{WORK}/store"):
        wheelpack(program, "--store", "store")
    return wheelpack(program, "--store", "store", *more)


def uv(_program, *keep):
    clear("env", *keep or ["uv-cache"])
    subprocess.run([UV, "venv", "-q", "--python", PYTHON, "env"], cwd=WORK, check=True)
    return timed([UV, "pip", "install", "-q", "--python", "env/bin/python", "--no-config", "--no-index", "--find-links",
                  "bundle/wheels", "--no-deps", "--cache-dir", "uv-cache", "-r", "pinned.txt"])


def pip(_program, *more):
    """As it is, it makes bytecode too."""
    clear("env")
    subprocess.run([PYTHON, "-m", "venv", "env"], cwd=WORK, check=True)
    return timed(["env/bin/python", "-m", "pip", "install", "-q", "--no-index", "--find-links", "bundle/wheels", "--no-deps",
                  "--no-cache-dir", *more, "-r", "pinned.txt"])


def limit(_program):
    """What the disk takes: as many bytes as the set has, in one file, past the page cache."""
    clear("env")
    megabytes = sum(os.path.getsize(f"{WORK}/bundle/wheels/{n}") for n in os.listdir(f"{WORK}/bundle/wheels")) * 7 // 4 >> 20
    os.makedirs(f"{WORK}/env")
    return timed(["dd", "if=/dev/zero", "of=env/zeros", "bs=1M", f"count={megabytes}", "oflag=direct"])


def main():
    program = os.path.abspath(sys.argv[1])
    words = sys.argv[2:] or TRIO
    os.makedirs(WORK, exist_ok=True)
    if words[0] == "--files":
        if not UV:
            sys.exit("skipped: uv is not on PATH; name it with UV=")
        tiny(program, int(words[1]))
        return
    if not os.path.exists(f"{WORK}/bundle/bundle.json"):
        timed([program, "bundle", *words, "--python", PYTHON, "--cache-dir", "cache", "-o", "bundle"])
        clear("cache")
    names = sorted(os.listdir(f"{WORK}/bundle/wheels"))
    with open(f"{WORK}/pinned.txt", "w", encoding="utf-8") as f:
        f.writelines(f"{n.split('-')[0]}=={n.split('-')[1]}\n" for n in names)
    runs = [("wheelpack --no-sync", lambda p: wheelpack(p, "--no-sync")), ("wheelpack again, all kept", warm),
            ("wheelpack", wheelpack)]
    base_of = {}
    if UV:
        runs += [("uv", uv)] + [("uv, warm", lambda p: uv(p, "env")), ("wheelpack --no-sync, from the store",
                 lambda p: stored(p, "--no-sync")), ("wheelpack, from the store", stored)] * 3
        base_of = {name: "uv, warm" for name, _ in runs[-3:]}
    else:
        print("skipped: uv: it is not on PATH; name it with UV=")
    runs.append(("limit: one file of that size", limit))
    found = {name: [] for name, _ in runs}
    for _ in range(ROUNDS):
        for name, run in runs:
            found[name].append(run(program))
    if subprocess.run([PYTHON, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0:
        found["pip"] = [pip(program)]
        found["pip --no-compile"] = [pip(program, "--no-compile")]
    else:
        print("skipped: pip: PYTHON has none")
    print(f"{len(names)} wheels; medians of {ROUNDS}, pip once")
    tell(found, base_of)
    clear("env", "uv-cache", "store")


def make_tiny(n):
    """A wheel of n small modules; its path."""
    path = f"{WORK}/tiny{n}-1.0-py3-none-any.whl"
    info = f"tiny{n}-1.0.dist-info"
    files = {f"tiny{n}/d{i // 100}/m{i}.py": f"# module {i}\nVALUE = {i}\n".encode() * (1 + i % 9) for i in range(n)}
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: tiny{n}\nVersion: 1.0\n".encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: bench\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    rows = [f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}"
            for name, data in files.items()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in files.items():
            z.writestr(name, data)
        z.writestr(f"{info}/RECORD", "\n".join(rows) + f"\n{info}/RECORD,,\n")
    return path


def tiny(program, n):
    wheel = make_tiny(n)
    found = {"wheelpack --no-sync": [], "wheelpack": [], "uv": []}
    for _ in range(ROUNDS):
        for name, more in (("wheelpack --no-sync", ["--no-sync"]), ("wheelpack", [])):
            clear("env", "uv-cache")
            found[name].append(timed([program, "install", wheel, "--venv", "env", "--python", PYTHON, *more]))
        clear("env", "uv-cache")
        subprocess.run([UV, "venv", "-q", "--python", PYTHON, "env"], cwd=WORK, check=True)
        found["uv"].append(timed([UV, "pip", "install", "-q", "--python", "env/bin/python", "--no-config", "--no-index",
                                  "--no-deps", "--cache-dir", "uv-cache", wheel]))
    print(f"{n} files; medians of {ROUNDS}")
    tell(found, {})
    clear("env", "uv-cache")


def tell(found, base_of):
    """One line a program: medians, and the ratio to its peer."""
    for name, times in found.items():
        wall, cpu = (statistics.median(t[i] for t in times) for i in (0, 1))
        peer = base_of.get(name, "uv")
        base = statistics.median(w for w, _ in found[peer]) if UV else None
        print(f"{name:<36} {wall:7.2f} s wall {cpu:7.2f} s CPU" + (f"   {wall / base:.2f} x {peer}" if base else ""))


if __name__ == "__main__":
    main()
