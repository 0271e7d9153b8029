#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare.py WHEELPACK: locks real requests for several targets, and sets the picked versions beside those that
`uv pip compile --only-binary :all:` picks for the same platform and Python from the same index.

UV=PATH names uv, INDEX=URL the index of both (without it each takes its own). Below build/compare lie both caches, so
that a page is fetched once, and what each said. Prints a table: request, target, number of wheels, and per project
that differs ours / uv's. A difference is to be looked at; the exit code is 1 only where one finds an answer and the
other none.
"""
import json
import os
import re
import shutil
import subprocess
import sys

REQUESTS = ("torch torchvision torchaudio", "torch==2.11.0 torchvision torchaudio", "transformers", "diffusers[torch]",
            "lightning", "ultralytics", "sentence-transformers", "opencv-python torchvision", "jupyterlab",
            "pandas scikit-learn matplotlib", "onnxruntime-gpu")
PYTHONS = ("3.10", "3.12", "3.13")
PLATFORMS = {"win_amd64": "windows", "manylinux_2_28_x86_64": "x86_64-manylinux_2_28"}
WORK = "build/compare"


def environment():
    """Neither pip's folders of wheels nor anybody's settings for uv."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "UV_"))}
    return {**env, "UV_PYTHON_DOWNLOADS": "never", "LC_ALL": "C.UTF-8"}


def run(command, stem):
    """True where it went well; what was said lies beside."""
    with open(stem + ".log", "w") as log:
        return subprocess.run(command, stdout=log, stderr=log, env=environment(), check=False).returncode == 0


def by_wheelpack(program, words, python, platform, stem):
    """{project: version}, or None."""
    tag = "cp" + python.replace(".", "")
    command = [program, "lock", *words, "--target", f"{tag}-{platform}", "-o", stem + ".json", "--cache-dir",
               WORK + "/cache"]
    if not run(command + (["--index-url", os.environ["INDEX"]] if os.environ.get("INDEX") else []), stem):
        return None
    with open(stem + ".json", encoding="utf-8") as f:
        return {w["project"]: w["version"] for w in json.load(f)["wheels"]}


def by_uv(program, words, python, platform, stem):
    with open(stem + ".in", "w", encoding="utf-8") as f:
        f.write("\n".join(words) + "\n")
    command = [program, "pip", "compile", "-q", "--no-header", "--no-annotate", "--no-config", "--only-binary", ":all:",
               "--python-platform", PLATFORMS[platform], "--python-version", python, "--cache-dir", WORK + "/uv-cache",
               stem + ".in", "-o", stem + ".txt"]
    if not run(command + (["--default-index", os.environ["INDEX"]] if os.environ.get("INDEX") else []), stem):
        return None
    with open(stem + ".txt", encoding="utf-8") as f:
        return dict(re.findall(r"^([\w.-]+)==(\S+)", f.read(), re.M))


def difference(ours, theirs):
    if ours is None or theirs is None:
        return "-" if ours == theirs else "wheelpack finds nothing" if ours is None else "uv finds nothing"
    return ", ".join(f"{p}: {ours.get(p, '-')} / {theirs.get(p, '-')}" for p in sorted(ours.keys() | theirs.keys())
                     if ours.get(p) != theirs.get(p)) or "-"


def compare(wheelpack, uv, request, python, platform):
    """0 alike, 1 differences, 2 only one has an answer."""
    stem = f"{WORK}/{re.sub('[^a-z0-9.]+', '-', request)}-{python}-{platform}"
    ours = by_wheelpack(wheelpack, request.split(), python, platform, stem + "-wheelpack")
    theirs = by_uv(uv, request.split(), python, platform, stem + "-uv")
    said = difference(ours, theirs)
    count = "none" if ours is None else len(ours)
    print(f"{request:<36} cp{python.replace('.', '')} {platform:<22} {count!s:>5}  {said}", flush=True)
    return 2 if (ours is None) != (theirs is None) else 0 if said == "-" else 1


def main():
    wheelpack = os.path.abspath(sys.argv[1])
    uv = os.environ.get("UV") or shutil.which("uv")
    if not uv:
        print("skipped: comparison with uv: it is not on PATH; name it with UV=")
        return 0
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    if by_wheelpack(wheelpack, ["six"], "3.12", "win_amd64", WORK + "/six") is None:
        print(f"skipped: comparison with uv: no index can be reached, see {WORK}/six.log")
        return 0
    version = subprocess.run([uv, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"picked by wheelpack / by {version}")
    found = [compare(wheelpack, uv, r, python, platform) for r in REQUESTS for python in PYTHONS for platform in PLATFORMS]
    print(f"{found.count(0)} alike, {found.count(1)} differ, {found.count(2)} answered by one alone")
    return 1 if 2 in found else 0


if __name__ == "__main__":
    sys.exit(main())
