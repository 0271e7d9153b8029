#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fault.py WHEELPACK: run each command once for every system call that can fail (a MODE=fault build).

Whatever fails, the program ends by itself with a documented exit code, an error has all its lines, and what it was to
write is complete or as it was before. WHEELPACK_FAULT_STEP=N tries every N-th call only.
"""
import os
import shutil
import subprocess
import sys

from harness import Checks, Server, environment, snapshot

WHEELPACK = os.path.abspath(sys.argv[1])
STEP = int(os.environ.get("WHEELPACK_FAULT_STEP", "1"))
checks = Checks("failing system calls")
work = checks.work
env = environment(work, WHEELPACK)
remove = checks.remove


def run(*args, **more):
    return subprocess.run([WHEELPACK, *args, "--jobs", "1"], cwd=work, env={**env, **more}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", timeout=120)


def count_calls(args, kind):
    path = os.path.join(work, "calls")
    p = run(*args, WHEELPACK_FAULT_COUNT=path, WHEELPACK_FAULT_KIND=kind)
    if p.returncode != 0:
        checks.check(False, f"{args[0]} without a fault", p.stderr)
        return 0
    return int(open(path, encoding="ascii").read())


def fail_each(name, args, target, prepare, kinds=("io",)):
    """prepare() makes the state before; target is what must be as before or complete."""
    for kind in kinds:
        prepare()
        calls = count_calls(args, kind)
        complete = snapshot(os.path.join(work, target)) if target else None
        for n in range(1, calls + 1, STEP):
            prepare()
            before = snapshot(os.path.join(work, target)) if target else None
            p = run(*args, WHEELPACK_FAULT=str(n), WHEELPACK_FAULT_KIND=kind)
            what = f"{name}, call {n} of {calls} fails ({kind})"
            good = p.returncode in (0, 1, 2, 3, 4, 5, 6)
            if p.returncode > 1:
                good = good and all(word in p.stderr for word in ("error: ", "why:", "next:", "state:"))
            checks.check(good, what, f"exit {p.returncode}\n{p.stdout[-800:]}\n{p.stderr[-2500:]}")
            if target:
                after = snapshot(os.path.join(work, target))
                whole = names(after) == names(complete) if after is not None else False
                checks.check(after == before or whole, what + ": half done",
                             f"{p.stderr[-1500:]}\n{sorted(set(names(after)) ^ set(names(complete)))[:20]}")


def names(tree):
    """Names only: a receipt has a time in it. An empty stage that could not be removed goes with the next install."""
    if not isinstance(tree, dict):
        return tree or ""
    return sorted(n for n, what in tree.items() if not (n.startswith(".wheelpack/stage") and what[0] == "dir"))


def main():
    server = Server()
    request = ["schemes", "with-extra[more]", "--index-url", server.base + "/auto/", "--python", sys.executable]
    try:
        bundle = ["bundle", *request, "-o", "b.wpk"]
        fail_each("bundle to a file", bundle, "b.wpk", lambda: remove("b.wpk", ".cache"), ("io", "full"))
        fail_each("bundle to a directory", ["bundle", *request, "-o", "b"], "b", lambda: remove("b"))
        fail_each("lock", ["lock", *request, "-o", "lock.json"], "lock.json", lambda: remove("lock.json"))
        remove("b.wpk")
        run(*bundle)
        fail_each("verify", ["verify", "b.wpk", "--deep"], "b.wpk", lambda: None)
        install = ["install", "b.wpk", "--venv", "env", "--python", sys.executable]
        fail_each("install into a new venv", install, "env", lambda: remove("env"), ("io", "full"))
        remove("env")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", "plain"], cwd=work, check=True)

        def fresh_copy():
            remove("env")
            shutil.copytree(os.path.join(work, "plain"), os.path.join(work, "env"), symlinks=True)

        fail_each("install into an existing venv", install, "env", fresh_copy)
        remove("b")
        run("bundle", *request, "-o", "b")
        loose = ["install", "b/wheels", "--venv", "env"]
        fail_each("install of a folder", [*loose, "--python", sys.executable], "env", lambda: remove("env"))
        fail_each("the plan of an install", [*loose, "--dry-run"], "env", fresh_copy)
        run(*install)
        fail_each("check", ["check", "--venv", "env"], "env", lambda: None)
        fail_each("doctor", ["doctor", "b.wpk"], None, lambda: None)
    finally:
        server.close()
    checks.end()


main()
