#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stop.py WHEELPACK: Ctrl-C and kill -9 at many moments of bundle and install.

Several installs at once, each with --wait, all come in. After Ctrl-C: exit 130 (or the work was done already), the message says where things stand, nothing is half done, nothing
is left beside the target. After kill -9 the same command run again completes, and no leftover stays.
"""
import fcntl
import os
import signal
import subprocess
import sys
import time

from harness import ROOT, Checks, Server, environment, snapshot

WHEELPACK = os.path.abspath(sys.argv[1])
checks = Checks("stopped runs")
work = checks.work
env = environment(work, WHEELPACK)


def start(*args):
    return subprocess.Popen([WHEELPACK, *args], cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, errors="replace")


def leftovers():
    return [n for n in os.listdir(work) if "wheelpack-" in n]


def stopped_run(name, args, target, delay, sig):
    before = snapshot(os.path.join(work, target))
    p = start(*args)
    time.sleep(delay)
    p.send_signal(sig)
    out, err = p.communicate(timeout=60)
    after = snapshot(os.path.join(work, target))
    what = f"{name}, signal {int(sig)} after {delay:.2f} s"
    detail = f"exit {p.returncode}\n{out[-500:]}\n{err[-1500:]}\n{leftovers()}"
    if sig == signal.SIGINT:
        # Before the program has set its handler, the signal simply ends it.
        checks.check(p.returncode in (0, 130, -signal.SIGINT), what, detail)
        if p.returncode == 130:
            checks.check("state:" in err and "WP_E_INTERRUPTED" in err, what + ": no state", detail)
            checks.check(after == before, what + ": half done", detail)
            checks.check(not leftovers(), what + ": leftovers", detail)
    elif p.returncode != 0:
        checks.check(after == before or after is not None, what + ": half done", detail)
    return p.returncode


def completes(name, args, target):
    p = start(*args)
    out, err = p.communicate(timeout=120)
    checks.check(p.returncode == 0, f"{name} after it was stopped", f"exit {p.returncode}\n{out}\n{err}")
    checks.check(not leftovers(), f"{name}: leftovers after it completed", str(leftovers()))
    return snapshot(os.path.join(work, target))


def several_at_once():
    """Each waits for those before it; none of what they install is lost, from the venv or from its lock."""
    make = [sys.executable, os.path.join(ROOT, "tests/index/make_wheels.py"), "all"]
    subprocess.run(make, cwd=work, check=True, stdout=subprocess.DEVNULL)
    wheels = ["filelock-3.18.0", "Jinja2-3.1.6", "fsspec-2025.5.1", "filelock-3.18.0"]
    runs = [start("install", f"all/{w}-py3-none-any.whl", "--venv", "many", "--python", sys.executable, "--wait")
            for w in wheels]
    for p in runs:
        out, err = p.communicate(timeout=120)
        checks.check(p.returncode == 0, "one of several installs at once", f"exit {p.returncode}\n{out}\n{err}")
    p = subprocess.run([WHEELPACK, "check", "--venv", "many"], cwd=work, env=env, capture_output=True, text=True, check=False)
    checks.expect("what several installs left", p, 0, "3 distributions")
    checks.check("not in the lock" not in p.stdout, "the lock after several installs", p.stdout)
    checks.check(not leftovers(), "several installs: leftovers", str(leftovers()))


def stopped_while_waiting():
    lock = open(os.path.join(work, "many/.wheelpack/lock"), "w", encoding="ascii")
    fcntl.lockf(lock, fcntl.LOCK_EX)
    lock.write("4711\n")
    lock.flush()
    for words in (["install", "all/fsspec-2025.5.1-py3-none-any.whl"], ["uninstall", "fsspec"], ["repair"]):
        p = start(*words, "--venv", "many", "--wait")
        said = p.stderr.readline()
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=60)
        checks.check(p.returncode == 130 and "nothing was changed" in err, words[0] + " stopped while it waits",
                     f"exit {p.returncode}\n{out}\n{err}")
        checks.check(said == "waiting for process 4711, which is at work in 'many'\n", words[0] + " says whom it waits for", said)
    p = start("uninstall", "fsspec", "--venv", "many")
    p.communicate(timeout=60)
    checks.check(p.returncode == 6, "without --wait it is refused", str(p.returncode))
    lock.close()


def main():
    server = Server()
    slow = server.base + "/with/rate=100000/auto/"
    bundle = ["bundle", "all-parts", "schemes", "--python", sys.executable, "-o", "b.wpk", "--index-url"]
    try:
        for sig in (signal.SIGINT, signal.SIGKILL):
            for delay in (0.02, 0.1, 0.3, 0.6, 1.0, 1.5):
                stopped_run("bundle", [*bundle, slow], "b.wpk", delay, sig)
                checks.remove("b.wpk")
        completes("bundle", [*bundle, server.base + "/auto/"], "b.wpk")
        install = ["install", "b.wpk", "--venv", "env", "--python", sys.executable]
        whole = completes("install", install, "env")
        for sig in (signal.SIGINT, signal.SIGKILL):
            for i in range(12):
                checks.remove("env")
                if stopped_run("install", install, "env", 0.015 * i, sig) == -signal.SIGKILL:
                    tree = snapshot(os.path.join(work, "env"))
                    checks.check(tree is None or sorted(tree) == sorted(whole), "killed install: half a venv")
        checks.remove("env")
        completes("install", install, "env")
        for i in range(8):
            checks.remove("env")
            stopped_run("install with bytecode", [*install, "--compile"], "env", 0.06 * i, signal.SIGINT)
        several_at_once()
        stopped_while_waiting()
    finally:
        server.close()
    checks.end()


main()
