#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""windows_fault.py WHEELPACK FAULT.EXE FAKE-PYTHON: what can go wrong on a disk of Windows, under Wine.

FAULT.EXE is the Windows program of MODE=fault (src/os/os_fault.c). It meets a full disk, a file in use, a sudden end at
one system call after another, and what Wine itself never says: that a directory with an open file can't be renamed, and
who has it open. Then files that are read-only. Each time all is there or nothing, and the message says which; after a
sudden end in the middle of the moves of an upgrade or an uninstall, repair makes it so.
WHEELPACK_FAULT_STEP=N tries every N-th call (6), and more of the last ones, where things move to their places.
"""
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile

from harness import Checks, Server, environment, snapshot

WHEELPACK, EXE, FAKE = (os.path.abspath(a) for a in sys.argv[1:4])
STEP = int(os.environ.get("WHEELPACK_FAULT_STEP", "6"))
HOLDER = "notebook.exe (process 4242)"
LASTING = "9"  # so often a rename is tried before it is given up
checks = Checks("faults under Wine")
work = checks.work
env = environment(work, WHEELPACK)
INSTALL = ["install", "schemes.wpk", "--venv", "t/env", "--python", "python/python.exe", "--jobs", "1"]
UPGRADE = ["install", "grown.wpk", "--venv", "t/env", "--jobs", "1"]
UNINSTALL = ["uninstall", "grows", "schemes", "--venv", "t/env"]
BESIDE = ["install", "grown.wpk", "--venv", "t/env", "--beside", "--jobs", "1"]
ROLLBACK = ["rollback", "--venv", "t/env"]
REPAIR = ["repair", "--venv", "t/env"]
REQUEST = ["schemes", "--target", "cp312-win_amd64", "--no-index", "--find-links", "wheels", "--cache-dir", "cache"]
BUNDLE = ["bundle", *REQUEST, "-o", "t/b", "--force"]
LOCK = ["lock", *REQUEST, "-o", "t/lock.json"]


def at(path):
    return os.path.join(work, path)


def run(args, kind="", n=0, **more):
    settings = {"WHEELPACK_FAULT": str(n), "WHEELPACK_FAULT_KIND": kind, **more}
    p = wine.run(EXE, *args, **settings)
    return p.returncode, p.stdout + p.stderr


def calls(args, kind):
    code, text = run(args, kind, WHEELPACK_FAULT_COUNT="calls")
    checks.check(code == 0, f"{args[0]} without a fault", text)
    with open(at("calls"), encoding="ascii") as f:
        return int(f.read())


def tree():
    """All of the folder t. A receipt has its time in it; the lock of an existing venv stays, empty."""
    found = snapshot(at("t"))
    if found is None:
        return None
    return {k: "receipt" if k.endswith("receipt.json") else v for k, v in found.items() if not k.endswith(".wheelpack/lock")}


def left(name):
    """What a run may leave when it can't remove something; the next one removes it."""
    return re.match(r"\.env\.wheelpack-\d", name) or name.startswith((".b.wheelpack.", "env/.wheelpack/stage", "env/.wheelpack/aside"))


def without_left(found):
    return {k: v for k, v in found.items() if not left(k)}


def is_due():
    return os.path.exists(at("t/env/.wheelpack/journal")) or any(k.endswith("/switch") for k in tree() or {})


def chosen(count):
    last = max(1, count - 7)
    return [*range(1, last, STEP), *range(last, count + 1)]


def nothing():
    shutil.rmtree(at("t"), ignore_errors=True)


def copy_of(name):
    def prepare():
        nothing()
        shutil.copytree(at(name), at("t"))
    return prepare


class Trial:
    """A command, the state before it, and what it makes of that."""

    def __init__(self, name, args, prepare, unchanged):
        self.name, self.args, self.prepare, self.unchanged = name, args, prepare, unchanged
        prepare()
        self.before = tree()
        code, text = run(args)
        checks.check(code == 0, f"{name}", text)
        self.complete = tree()

    def count(self, kind):
        self.prepare()
        return calls(self.args, kind)

    def fails(self, what, kind, n, code, *said, **more):
        """Either it fails as is wanted and all is as before, or it is complete; true where it failed."""
        self.prepare()
        got, text = run(self.args, kind, n, **more)
        what = f"{self.name}, {what}"
        if got == 0 and is_due():
            code, text = run(REPAIR)
            checks.check(code == 0, what + ": repair", text)
        after = tree()
        if got == 0:
            checks.check(without_left(after) == self.complete, what + ": it isn't complete", f"{text}\n{after}")
            return False
        good = got == 6 and all(s in text for s in ("error: ", "why: ", "next: ", f"[{code}, exit 6]", *said))
        checks.check(good, what, f"wanted {code} {said}\nexit {got}\n{text}")
        checks.check(f"state: {self.unchanged}" in text and after == self.before, what + ": state", f"{text}\n{after}")
        return True

    def completes(self, what):
        """By the same command; what is uninstalled already can't be so again, and repair removes what was left aside."""
        done = self.args is UNINSTALL and without_left(tree()) == self.complete
        code, text = run(REPAIR if done else self.args)
        checks.check(code == 0 and tree() == self.complete, f"{self.name}, {what}, then without",
                     f"exit {code}\n{text}\n{tree()}")


def full(trial):
    count = trial.count("full")
    failed = sum(trial.fails(f"disk full at {n} of {count}", "full", n, "WP_E_DISK_FULL")
                 for n in chosen(count))
    print(f"{trial.name}: the disk was full at {count} calls, {failed} runs failed")


def busy(trial):
    count = trial.count("busy")
    failed = 0
    for n in range(1, count + 1, max(1, STEP // 2) if count > 10 else 1):
        what = f"in use at {n} of {count}"
        held = trial.fails(what, "busy", n, "WP_E_BUSY", f"close {HOLDER}", WHEELPACK_FAULT_HOLDER=HOLDER)
        failed += held
        if n == 1 or not held:
            trial.completes(what)
    print(f"{trial.name}: a file was in use at {count} calls, {failed} runs failed")


def killed(trial):
    """In a new venv."""
    count = trial.count("kill")
    there = 0
    for n in chosen(count):
        nothing()
        code, text = run(trial.args, "kill", n)
        after = tree() or {}
        found = {k: v for k, v in after.items() if k == "env" or k.startswith("env/")}
        what = f"killed at {n} of {count}"
        checks.check(code == 137 and (not found or found == trial.complete), what, f"exit {code}\n{text}\n{after}")
        there += bool(found)
        trial.completes(what)
    print(f"{trial.name}: killed at {count} calls, complete after {there} of them")


def ended(trial):
    """In an existing venv: what a sudden end leaves is made to the end by repair, or taken back, in turn."""
    count = trial.count("kill")
    dues = 0
    moves = max(1, count - 90)  # they are the last calls; what is before is staged as in any install
    for n in [*range(1, moves, 1 if STEP == 1 else 10 * STEP), *range(moves, count + 1, max(1, STEP // 2))]:
        trial.prepare()
        code, text = run(trial.args, "kill", n)
        what = f"{trial.name}, killed at {n} of {count}"
        due = is_due()
        undo = due and dues % 2 == 1
        dues += due
        checks.check(code == 137, what, f"exit {code}\n{text}")
        code, text = run([*REPAIR, "--undo"] if undo else REPAIR)
        after = without_left(tree())
        ends = trial.before, trial.complete
        good = after in ends if trial.args is ROLLBACK else after == trial.before if undo else after == trial.complete if due else after in ends
        checks.check(code == 0 and good, f"{what}, then repaired", f"exit {code}, undo {undo}, due {due}\n{text}\n{after}")
        if after != trial.complete:
            trial.completes(what)
    checks.check(dues > 3, f"{trial.name}: some ends were in the middle of the moves", dues)
    print(f"{trial.name}: killed at {count} calls, {dues} runs of those that were tried were in the middle")


def refused(new, existing, bundle):
    """Below the system layer: a rename that Windows refuses for a while, or for good."""
    lasting = {"WHEELPACK_FAULT_TIMES": LASTING}
    held = {"WHEELPACK_FAULT_HOLDER": HOLDER, **lasting}
    last = new.count("denied")
    for kind in "denied", "shared":
        gave_up = new.fails(f"{kind} for a moment", kind, last, "", WHEELPACK_FAULT_TIMES="3")
        checks.check(not gave_up, f"{kind} for a moment")
    advice = "close the programs that have files in"
    gave_up = (new.fails("denied, held", "denied", last, "WP_E_BUSY", f"close {HOLDER}", **held),
               new.fails("denied, no holder known", "denied", last, "WP_E_PERMISSION", advice, **lasting),
               existing.fails("in the middle", "shared", existing.count("shared") // 2, "WP_E_BUSY", f"close {HOLDER}", **held))
    checks.check(all(gave_up), "a rename that fails for good", gave_up)
    # The way back is barred too. The first three renames are of the receipt and the lock, in the stage, and the journal.
    lasting = {"WHEELPACK_FAULT_TIMES": str(2 * int(LASTING))}
    existing.prepare()
    code, text = run(existing.args, "shared", 6, **lasting)
    after = tree()
    more = {k for k in after if k not in existing.before and not left(k)}
    checks.check(code == 6 and "state: 'Z:" in text and "t/env' is between two states" in text and is_due() and
                 more - {"env/.wheelpack/journal"} < set(existing.complete), "files that can't go back are told of",
                 f"exit {code}\n{text}\n{more}")
    existing.completes("and files that couldn't go back")
    last = bundle.count("shared")
    bundle.prepare()
    code, text = run(bundle.args, "shared", last, **lasting)
    old = [n for n in os.listdir(at("t")) if n.endswith(".old")]
    checks.check(code == 6 and len(old) == 1 and f"/t/{old[0]}'" in text.split("state: ")[1] and
                 {k[len("b/"):]: v for k, v in bundle.before.items() if k != "b"} == snapshot(at("t/" + old[0])),
                 "a bundle that can't go back is told of", f"exit {code}\n{text}\n{old}")


def switched(beside, rollback):
    """The venv is renamed as a whole. Wine renames also what is in use, so that only the fault build says who uses it: when
    that is known before, and when it turns out at one of the renames."""
    gave_up = beside.fails("used, which is known before", "busy", 0, "WP_E_BUSY", f"close {HOLDER}", "the venv is used by",
                           WHEELPACK_FAULT_HOLDER=HOLDER)
    checks.check(gave_up, "a venv in use is refused before it is built")
    for trial in beside, rollback:
        count = trial.count("busy")
        failed = sum(trial.fails(f"in use at {n} of {count}", "busy", n, "WP_E_BUSY") for n in range(1, count + 1))
        checks.check(failed > 2, f"{trial.name}: renames that are refused", failed)
        print(f"{trial.name}: it was in use at {count} calls, {failed} runs failed")


def read_only(what, args, path, code, *said):
    """Fails at once, names the file, and changes nothing; or succeeds where code is 0."""
    os.chmod(at(path), 0o444)
    before = tree()
    start = time.monotonic()
    got, text = run(args)
    took = time.monotonic() - start
    checks.check(got == code and all(s in text for s in said), f"read-only: {what}",
                 f"wanted exit {code} {said}\n{got}\n{text}")
    checks.check(took < 1.5, f"read-only: {what}: it took {took:.1f} s")
    checks.check(code == 0 or tree() == before, f"read-only: {what}: changed", f"{text}\n{tree()}")


def read_only_files(existing, bundle):
    refusal = "WP_E_PERMISSION", "it is read-only"
    existing.prepare()
    for name in "lock.json", "receipt.json":
        os.chmod(at("t/env/.wheelpack/" + name), 0o444)
    read_only("files of an existing venv", INSTALL, "t/env/pyvenv.cfg", 0)
    checks.check(tree() == existing.complete, "read-only: files of an existing venv: not complete", tree())
    existing.prepare()
    with open(at("t/env/Scripts/schemes.exe"), "wb") as f:
        f.write(b"mine")
    read_only("a script's name", INSTALL, "t/env/Scripts/schemes.exe", 6, "WP_E_COLLISION", "'Scripts/schemes.exe'",
              "state: nothing was changed in 't/env'")
    shutil.copy(at("wheels.json"), at("t/lock.json"))
    read_only("a lock", LOCK, "t/lock.json", 6, *refusal, "'t/lock.json'", "state: nothing was changed")
    shutil.copy(at("schemes.wpk"), at("t/b.wpk"))
    read_only("a bundle", [*BUNDLE[:-2], "t/b.wpk", "--force"], "t/b.wpk", 6, "WP_E_PERMISSION", "'t/b.wpk' is read-only")
    bundle.prepare()
    read_only("a file in a bundle", BUNDLE, "t/b/bundle.json", 0)
    checks.check(tree() == bundle.complete, "read-only: a file in a bundle: not complete", tree())


def prepare():
    os.makedirs(at("python"))
    for name in "python.exe", "pythonw.exe":
        shutil.copy(FAKE, at("python/" + name))
    server = Server()
    for projects, name in (["schemes"], "schemes.wpk"), (["part-1"], "first.wpk"), (["part-1"], "older/b"), (
            ["grows==1.0", "schemes"], "young.wpk"), (["grows", "schemes"], "grown.wpk"):
        os.makedirs(at("older"), exist_ok=True)
        subprocess.run([WHEELPACK, "bundle", *projects, "--target", "cp312-win_amd64", "--index-url", server.base + "/simple/",
                        "-o", name, "--quiet"], cwd=work, env=env, timeout=120, check=True)
    server.close()
    with zipfile.ZipFile(at("schemes.wpk")) as z:
        z.extractall(work, [n for n in z.namelist() if n.startswith("wheels/")])
    for name, venv in ("first.wpk", "base/env"), ("young.wpk", "young/env"):
        code, text = run(["install", name, "--venv", venv, "--python", "python/python.exe"])
        checks.check(code == 0, "the venv that exists", text)
    nothing()
    shutil.copytree(at("young"), at("t"))
    code, text = run([*BESIDE, "--try", "--", "list"])
    checks.check(code == 0 and "stood its trial" in text, "an install beside", text)
    os.rename(at("t"), at("kept"))
    code, text = run(["lock", *REQUEST, "--target", "cp311-win_amd64", "-o", "wheels.json"])
    checks.check(code == 0, "a lock of two targets", text)


wine = checks.wine(env, FAKE, EXE)
begin = time.monotonic()
prepare()
new = Trial("a new venv", INSTALL, nothing, "nothing was changed in 't/env'")
existing = Trial("an existing venv", INSTALL, copy_of("base"), "nothing was changed in 't/env'")
bundle = Trial("a bundle that is replaced", BUNDLE, copy_of("older"), "no bundle was written")
lock = Trial("a lock", LOCK, lambda: (nothing(), os.mkdir(at("t"))), "nothing was changed")
upgrade = Trial("an upgrade", UPGRADE, copy_of("young"), "nothing was changed in 't/env'")
beside = Trial("an install beside", BESIDE, copy_of("kept"), "nothing was changed in 't/env'")
rollback = Trial("a rollback", ROLLBACK, copy_of("kept"), "nothing was changed in 't/env'")
uninstall = Trial("an uninstall", UNINSTALL, copy_of("young"), "nothing was changed in 't/env'")
for part, trials in (full, (new, existing, upgrade, uninstall, beside)), (busy, (new, existing, bundle, lock, upgrade, uninstall)), (
        killed, (new,)), (ended, (upgrade, uninstall, beside, rollback)):
    for trial in trials:
        part(trial)
switched(beside, rollback)
refused(new, existing, bundle)
read_only_files(existing, bundle)
wine.close()
print(f"faults under Wine took {time.monotonic() - begin:.0f} s")
checks.end()
