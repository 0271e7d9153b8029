#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fault.py WHEELPACK: run each command once for every system call that can fail (a MODE=fault build).

Whatever fails, the program ends by itself with a documented exit code, an error has all its lines, and what it was to
write is complete or as it was before. WHEELPACK_FAULT_STEP=N tries every N-th call only.
"""
import os
import re
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
    words = [*args]
    words[1:1] = ["--jobs", "1"]
    return subprocess.run([WHEELPACK, *words], cwd=work, env={**env, **more}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", timeout=120)


def count_calls(args, kind, **more):
    path = os.path.join(work, "calls")
    p = run(*args, WHEELPACK_FAULT_COUNT=path, WHEELPACK_FAULT_KIND=kind, **more)
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
            if journal_is_due():
                run("repair", "--venv", "env")
            if target:
                after = snapshot(os.path.join(work, target))
                whole = names(after) == names(complete) if after is not None else False
                checks.check(after == before or whole, what + ": half done",
                             f"{p.stderr[-1500:]}\n{sorted(set(names(after)) ^ set(names(complete)))[:20]}")


def journal_is_due():
    return os.path.exists(os.path.join(work, "env/.wheelpack/journal"))


def names(tree):
    """Names only: a receipt has a time in it. What could not be removed of stage and aside goes with the next install."""
    if not isinstance(tree, dict):
        return tree or ""
    return sorted(n for n in tree if n != ".wheelpack/lock" and not n.startswith((".wheelpack/stage", ".wheelpack/aside")))


def kept(tree):
    """What an undone run must leave as it was."""
    return {n: what for n, what in tree.items() if n not in (".wheelpack", ".wheelpack/lock") and
            not n.startswith((".wheelpack/stage", ".wheelpack/aside"))}


def end_at_each(name, args, prepare):
    """The program is killed at every call in turn: what it was at is finished by the next run, or taken back."""
    prepare()
    calls = count_calls(args, "kill")
    complete = names(snapshot(os.path.join(work, "env")))
    undo, dues = False, 0
    for n in range(1, calls + 1, STEP):
        prepare()
        before = snapshot(os.path.join(work, "env"))
        p = run(*args, WHEELPACK_FAULT=str(n), WHEELPACK_FAULT_KIND="kill")
        what = f"{name}, killed at call {n} of {calls}"
        checks.check(p.returncode == 137 or n == calls, what, f"exit {p.returncode}\n{p.stderr[-800:]}")
        due = journal_is_due()
        dues += due
        undo = not undo
        p = run("repair", "--venv", "env", *(["--undo"] if undo else []))
        after = snapshot(os.path.join(work, "env"))
        good = kept(after) == kept(before) if undo or not due else names(after) == complete
        checks.check(p.returncode == 0 and (good or names(after) == complete and not due), what + ", then repaired",
                     f"exit {p.returncode}, undo {undo}, due {due}\n{p.stdout}\n{p.stderr[-1500:]}\n"
                     f"{sorted(set(names(after)) ^ set(complete))[:20]}")
        p = run(*args)
        again = snapshot(os.path.join(work, "env"))
        checks.check(p.returncode == 0 or args[0] == "uninstall", what + ", then again", p.stderr[-1500:])
        checks.check(names(again) == complete, what + ", then complete", f"{sorted(set(names(again)) ^ set(complete))[:20]}")
    checks.check(dues > 2 or STEP > 1, f"{name}: some ends were in the middle of the moves", str(dues))


def store(install):
    """With an empty store, then with one that has all: the venv is as before or complete, and the store serves the next run."""
    args = [*install, "--store", "wheels"]

    def filled():
        remove("env", "wheels")
        shutil.copytree(os.path.join(work, "filled"), os.path.join(work, "wheels"))

    def sound():
        p = run("store", "verify", "wheels")
        return p.returncode == 0, p.stdout + p.stderr

    fail_each("install with an empty store", args, "env", lambda: remove("env", "wheels"), ("io", "full"))
    good, said = sound()
    checks.check(good, "what is in the store is whole", said)
    remove("env", "wheels", "filled")
    calls = count_calls(args, "kill")
    for n in range(1, calls + 1, 5 * STEP):
        remove("env", "wheels")
        run(*args, WHEELPACK_FAULT=str(n), WHEELPACK_FAULT_KIND="kill")
        p = run(*args)
        good, said = sound()
        checks.check(p.returncode == 0 and good and not os.listdir(os.path.join(work, "wheels/runs")),
                     f"install with an empty store, killed at call {n} of {calls}, then again", p.stderr + said)
        checks.check(run("check", "--venv", "env").returncode == 0, "and the venv is whole")
    remove("env", "wheels")
    run(*args)
    shutil.copytree(os.path.join(work, "wheels"), os.path.join(work, "filled"))
    fail_each("install with a filled store", args, "env", filled, ("io", "full", "busy"))
    filled()
    fail_each("store info", ["store", "info", "wheels"], None, lambda: None)
    fail_each("store verify", ["store", "verify", "wheels"], None, filled)
    fail_each("store prune", ["store", "prune", "wheels", "--days", "0"], None, filled, ("io", "busy"))
    filled()
    p = run(*args)
    checks.check(p.returncode == 0, "and then with the store", p.stderr)
    remove("env", "wheels", "filled")


def upgrade(server):
    for out, words in (("old.wpk", ["grows==1.0", "schemes"]), ("new.wpk", ["grows", "schemes"])):
        p = run("bundle", *words, "--index-url", server.base + "/auto/", "--python", sys.executable, "-o", out)
        checks.check(p.returncode == 0, "bundle " + out, p.stderr)
    remove("env", "old")
    run("install", "old.wpk", "--venv", "env", "--python", sys.executable)
    shutil.copytree(os.path.join(work, "env"), os.path.join(work, "old"), symlinks=True)

    def old_again():
        remove("env")
        shutil.copytree(os.path.join(work, "old"), os.path.join(work, "env"), symlinks=True)

    install = ["install", "new.wpk", "--venv", "env"]
    uninstall = ["uninstall", "grows", "--venv", "env"]
    fail_each("upgrade", install, "env", old_again, ("io", "full", "busy"))
    fail_each("uninstall", uninstall, "env", old_again, ("io", "busy"))
    end_at_each("upgrade", install, old_again)
    end_at_each("uninstall", uninstall, old_again)
    remove("env")
    beside()


def both_places():
    """All of the folder t: the venv and what lies beside it. A receipt has a time in it, and what a run left that was
    neither switched nor is to be goes with the next one."""
    found = snapshot(os.path.join(work, "t")) or {}
    sides = {n.split("/")[0] for n in found if re.match(r"\.env\.wheelpack-\d", n)}
    left = {s for s in sides if s + "/switch" not in found}
    return {n: "receipt" if n.endswith("receipt.json") else what for n, what in found.items()
            if n.split("/")[0] not in left and not n.endswith(".wheelpack/lock")}


def switch_is_due():
    return any("/switch" in n for n in both_places())


def chosen(calls):
    """What is built is built as in any new venv: of those calls some, of the others all."""
    last = max(1, calls - 60)
    return [*range(1, last, 16 * STEP), *range(last, calls + 1, STEP)]


def fail_beside(name, args, prepare, kind, **more):
    """Whatever fails, the venv and the one that is kept are as before, or complete."""
    prepare()
    before = both_places()
    calls = count_calls(args, kind, **more)
    complete = both_places()
    checks.check(complete != before and not switch_is_due(), name + " without a fault", str(complete))
    for n in chosen(calls):
        prepare()
        p = run(*args, WHEELPACK_FAULT=str(n), WHEELPACK_FAULT_KIND=kind, **more)
        what = f"{name}, call {n} of {calls} fails ({kind})"
        good = p.returncode in (0, 1, 5, 6) and (
            not p.returncode or all(word in p.stderr for word in ("error: ", "why:", "next:", "state:")))
        due = switch_is_due()
        checks.check(good and (not due or not p.returncode or "between two states" in p.stderr), what,
                     f"exit {p.returncode}\n{p.stdout[-800:]}\n{p.stderr[-2500:]}")
        if due:
            run("repair", "--venv", "t/env", **more)
        after = both_places()
        wanted = [complete] if p.returncode == 0 else [before, complete] if due else [before]
        checks.check(after in wanted, what + ": half done", f"{p.stderr[-1500:]}\n{differences(after, before, complete)}")


def end_beside(name, args, prepare, **more):
    prepare()
    before = both_places()
    calls = count_calls(args, "kill", **more)
    complete = both_places()
    undo, dues, env = False, 0, {n: what for n, what in complete.items() if n.startswith("env")}
    for n in chosen(calls):
        prepare()
        p = run(*args, WHEELPACK_FAULT=str(n), WHEELPACK_FAULT_KIND="kill", **more)
        what = f"{name}, killed at call {n} of {calls}"
        checks.check(p.returncode == 137 or n == calls, what, f"exit {p.returncode}\n{p.stderr[-800:]}")
        due = switch_is_due()
        dues += due
        undo = not undo
        if n % 3:
            p = run("repair", "--venv", "t/env", *(["--undo"] if undo else []), **more)
            after = both_places()
            wanted = [before, complete]
            checks.check(p.returncode == 0 and after in wanted and not switch_is_due(), what + ", then repaired",
                         f"exit {p.returncode}, undo {undo}, due {due}\n{p.stdout}\n{p.stderr[-1500:]}\n"
                         f"{differences(after, before, complete)}")
        p = run(*args, **more)
        again = both_places()
        now = {k: v for k, v in again.items() if k.startswith("env")}
        good = now == env if args[0] == "install" else again in (before, complete)
        checks.check(p.returncode == 0 and good and not switch_is_due(), what + ", then again",
                     f"{p.stdout}\n{p.stderr[-1500:]}\n{differences(again, before, complete)}")
    checks.check(dues > 2 or STEP > 1, f"{name}: some ends were in the middle of the switch", str(dues))


def differences(found, *wanted):
    return [sorted(k for k in {*found, *w} if found.get(k) != w.get(k))[:12] for w in wanted]


def beside():
    """An install beside the venv, and the way back, where the system can exchange two names and where it can't."""
    place = os.path.join(work, "t")
    remove("older", "new")
    run("install", "old.wpk", "--venv", "older", "--python", sys.executable)
    put = os.path.join(work, "older", "older")
    open(put, "w", encoding="ascii").close()
    run("install", "new.wpk", "--venv", "new", "--python", sys.executable)

    def copies(env, kept):
        def prepare():
            remove("t")
            shutil.copytree(os.path.join(work, env), place + "/env", symlinks=True)
            if kept:
                shutil.copytree(os.path.join(work, kept), place + "/.env.wheelpack-before/venv", symlinks=True)
        return prepare

    install = ["install", "new.wpk", "--venv", "t/env", "--beside", "--try", "--", "-c", "pass"]
    rollback = ["rollback", "--venv", "t/env"]
    for how, more in ("", {}), (" by renames", {"WHEELPACK_FAULT_NO_EXCHANGE": "1"}):
        for kind in ("io", "full", "busy") if more else ("io", "busy"):
            fail_beside("install beside" + how, install, copies("old", "older"), kind, **more)
            fail_beside("rollback" + how, rollback, copies("new", "old"), kind, **more)
        end_beside("install beside" + how, install, copies("old", "older"), **more)
        if more:
            end_beside("rollback" + how, rollback, copies("new", "old"), **more)
        fail_beside("the first install beside" + how, install, copies("old", None), "busy", **more)
    remove("t", "older", "new")


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
        fail_each("install with bytecode", [*install, "--compile"], "env", lambda: remove("env"), ("io", "full"))
        fail_each("the same into an existing venv", [*install, "--compile"], "env", fresh_copy)
        loose = ["install", "b/wheels", "--venv", "env"]
        fail_each("install of a folder", [*loose, "--python", sys.executable], "env", lambda: remove("env"))
        fail_each("the plan of an install", [*loose, "--dry-run"], "env", fresh_copy)
        store(install)
        upgrade(server)
        run(*install)
        fail_each("check", ["check", "--venv", "env"], "env", lambda: None)
        fail_each("doctor", ["doctor", "b.wpk"], None, lambda: None)
    finally:
        server.close()
    checks.end()


main()
