#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run_cases.py WHEELPACK CASE...: replay command cases.

A case is a text file of `word: rest` lines, run in order in a fresh directory with HOME there and no pip setting:

    about:   one line that says what the case shows (required)
    server:  start the index server of tests/index/ ({index}, {variant} and {port} stand for its addresses)
    linux:   a line, `word: rest`, that counts only where the program is Linux';  windows: where it is Windows' (under Wine)
    not-windows: why the case is skipped where WHEELPACK_CASES is windows
    skip-unless: shell command; the case is skipped, with the reason behind ` # `, where it fails
    sh:      shell command that must succeed. {root}, {work}, {wheelpack} and {python}, which on Windows is the stand-in of
             tests/fake, are paths; {drive} is Z: on Windows, {cc} the program's compiler, {q} a quote of its shell,
             {other} a target that isn't this machine's
    run:     shell command whose exit code and output the lines below it judge
    exit:    its exit code (0 where no such line follows)
    out:     text that its standard output contains;  out!: does not contain
    err:     the same for standard error;             err!:
    json:    PATH = VALUE: the one JSON object on standard output has it (a.b.0.c; VALUE is JSON)
    exists:  path that is there;  absent: path that isn't
"""
import json
import os
import re
import shutil
import sys
import tempfile

from harness import ROOT, Server, captured, environment

WINDOWS = os.environ.get("WHEELPACK_CASES") == "windows"
SYSTEM = {
    "python": "Z:" + ROOT + "/build/launcher/python.exe", "drive": "Z:", "cc": "x86_64-w64-mingw32-gcc", "q": '"',
    "other": "cp312-manylinux_2_28_x86_64",
} if WINDOWS else {"python": sys.executable, "drive": "", "cc": "cc", "q": "'", "other": "cp312-win_amd64"}


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def lines_of(path):
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.rstrip("\n")
        if not line.strip() or line.startswith("#"):
            continue
        word, colon, rest = line.partition(":")
        if not colon:
            raise Failed(f"line {number}: not `word: rest`")
        yield number, word.strip(), rest.strip()


def lookup(document, path):
    value = document
    for part in path.split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


class Case:
    def __init__(self, wheelpack, path):
        self.path = path
        self.work = tempfile.mkdtemp(prefix="wheelpack-case-")
        self.vars = {"root": ROOT, "work": self.work, "wheelpack": wheelpack, **SYSTEM}
        self.server = None
        self.last = None  # (line number, CompletedProcess)
        self.judged_exit = True
        self.env = environment(self.work, wheelpack)

    def text(self, s):
        return re.sub(r"\{(\w+)\}", lambda m: self.vars.get(m[1], m[0]), s)

    def shell(self, command, timeout=120):
        return captured(["bash", "-c", command], timeout, cwd=self.work, env=self.env)

    def start_server(self, options):
        self.server = Server(*options.split())
        base = self.server.base
        self.vars.update(base=base, index=base + "/simple/", variant=base + "/whl/", port=base.rpartition(":")[2])

    def fail(self, number, why):
        shown = ""
        if self.last:
            p = self.last[1]
            shown = f"\n  exit {p.returncode}\n  stdout: {p.stdout[-1500:]}\n  stderr: {p.stderr[-1500:]}"
        raise Failed(f"line {number}: {why}{shown}")

    def end_run(self):
        if self.last and not self.judged_exit and self.last[1].returncode != 0:
            self.fail(self.last[0], f"exit {self.last[1].returncode}, not 0")

    def judge(self, number, word, rest):
        p = self.last[1] if self.last else None
        if word == "exit":
            self.judged_exit = True
            if p.returncode != int(rest):
                self.fail(number, f"exit {p.returncode}, not {rest}")
        elif word in ("out", "err", "out!", "err!"):
            stream = p.stdout if word.startswith("out") else p.stderr
            if (rest in stream) == word.endswith("!"):
                self.fail(number, f"{word}: {rest!r}")
        elif word == "json":
            path, _, value = rest.partition(" = ")
            try:
                found = lookup(json.loads(p.stdout), path.strip())
            except (ValueError, KeyError, IndexError, TypeError) as fault:
                self.fail(number, f"json {path}: {fault!r}")
            if found != json.loads(value):
                self.fail(number, f"json {path} is {found!r}, not {value}")
        elif word == "exists" and not os.path.lexists(os.path.join(self.work, rest)):
            self.fail(number, f"{rest} isn't there")
        elif word == "absent" and os.path.lexists(os.path.join(self.work, rest)):
            self.fail(number, f"{rest} is there")

    def step(self, number, word, rest):
        rest = self.text(rest)
        if word in ("linux", "windows"):
            if WINDOWS == (word == "windows"):
                word, _, rest = rest.partition(":")
                self.step(number, word, rest.strip())
            return
        if word == "about":
            return
        if word == "server":
            self.start_server(rest)
        elif word == "not-windows":
            if WINDOWS:
                raise Skipped(rest)
        elif word == "skip-unless":
            command, _, reason = rest.rpartition(" # ")
            if self.shell(command).returncode != 0:
                raise Skipped(reason)
        elif word in ("sh", "run"):
            self.end_run()
            p = self.shell(rest)
            self.last, self.judged_exit = (number, p), word == "sh"
            if word == "sh" and p.returncode != 0:
                self.fail(number, "the command failed")
        elif word in ("exit", "out", "err", "out!", "err!", "json", "exists", "absent"):
            self.judge(number, word, rest)
        else:
            raise Failed(f"line {number}: no such word: {word}")

    def run(self):
        try:
            steps = list(lines_of(self.path))
            if not steps or steps[0][1] != "about":
                raise Failed("the first line must be `about:`")
            for number, word, rest in steps:
                self.step(number, word, rest)
            self.end_run()
        finally:
            if self.server:
                self.server.close()
            shutil.rmtree(self.work, ignore_errors=True)


def main():
    wheelpack, paths = os.path.abspath(sys.argv[1]), sys.argv[2:]
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for path in paths:
        name = os.path.relpath(path, os.path.join(ROOT, "tests/cases"))
        try:
            Case(wheelpack, path).run()
            counts["passed"] += 1
        except Skipped as reason:
            counts["skipped"] += 1
            print(f"skipped: {name}: {reason}")
        except Failed as fault:
            counts["failed"] += 1
            print(f"FAILED {name}: {fault}")
    if os.environ.get("COUNTS"):
        with open(os.environ["COUNTS"], "w", encoding="ascii") as out:
            print(*counts.values(), file=out)
    print("command cases: " + ", ".join(f"{n} {word}" for word, n in counts.items()))
    return counts["failed"] != 0


if __name__ == "__main__":
    sys.exit(main())
