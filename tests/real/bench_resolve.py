#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench_resolve.py WHEELPACK [SHAPE...]: locks hard, made-up graphs (hard.py) of 10 to 1,000 projects, beside
`uv pip compile` on the same served index; UV=PATH names uv.

For each graph: wall seconds cold (empty cache) and warm (everything but the solving is there), the best of RUNS=3 where
one takes less than 5 s; what was asked of the index; whether the answer holds. A run of more than LIMIT=60 s is given up.
What counts are the ratios, and how time grows with the METADATA files read.
"""
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
import urllib.request

sys.dont_write_bytecode = True
from hard import Index  # noqa: E402

SHAPES = ("deep", "knots", "chain", "comb")
SIZES = (10, 30, 100, 300, 1000)
LIMIT = float(os.environ.get("LIMIT", "60"))
RUNS = int(os.environ.get("RUNS", "3"))
WORK = "build/bench-resolve"


class Peer:
    def __init__(self, name, program):
        self.name, self.program = name, program
        self.cache = f"{WORK}/{name}-cache"
        self.out = f"{WORK}/{name}.out"

    def command(self, words, url):
        if self.name == "uv":
            with open(WORK + "/request.in", "w", encoding="utf-8") as f:
                f.write("\n".join(words) + "\n")
            return [self.program, "pip", "compile", "-q", "--no-config", "--no-header", "--no-annotate", "--default-index", url,
                    "--only-binary", ":all:", "--python-platform", "x86_64-manylinux_2_28", "--python-version", "3.12",
                    "--cache-dir", self.cache, WORK + "/request.in", "-o", self.out]
        return [self.program, "lock", *words, "--target", "cp312-manylinux_2_28_x86_64", "--index-url", url, "--cache-dir",
                self.cache, "-q", "-o", self.out]

    def picked(self):
        with open(self.out, encoding="utf-8") as f:
            text = f.read()
        pairs = re.findall(r"^(\w+)==(\d+)\.0", text, re.M) if self.name == "uv" else \
            [(w["project"], w["version"][:-2]) for w in json.loads(text)["wheels"]]
        return {project: int(version) for project, version in pairs}

    def run(self, words, url):
        """Wall seconds, CPU seconds, None or what went wrong."""
        if os.path.exists(self.out):
            os.remove(self.out)
        env = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "UV_"))} | {"UV_PYTHON_DOWNLOADS": "never"}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.monotonic()
        with open(f"{WORK}/{self.name}.log", "w", encoding="utf-8") as log:
            try:
                code = subprocess.run(self.command(words, url), stdout=log, stderr=log, env=env, timeout=LIMIT, check=False).returncode
            except subprocess.TimeoutExpired:
                return LIMIT, LIMIT, f"more than {LIMIT:.0f} s"
        wall = time.monotonic() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return wall, cpu, f"exit code {code}" if code else None

    def measure(self, index, words, url):
        """{cold, warm: wall seconds; cpu of warm; pages, metadata; fault}"""
        best = {"cold": LIMIT, "warm": LIMIT, "cpu": LIMIT}
        for _ in range(RUNS):
            shutil.rmtree(self.cache, ignore_errors=True)
            asked(url)
            cold, _, fault = self.run(words, url)
            best |= asked(url)
            if not fault:
                fault = index.fault(self.picked())
            warm, cpu, warm_fault = (cold, cold, None) if fault else self.run(words, url)
            best.update(cold=min(best["cold"], cold), warm=min(best["warm"], warm), cpu=min(best["cpu"], cpu),
                        fault=fault or warm_fault)
            if best["fault"] or cold + warm > 5:
                break
        return best


def asked(url):
    with urllib.request.urlopen(url.replace("/simple/", "/count")) as answer:
        return json.load(answer)


def show(shape, n, name, m):
    if m["fault"]:
        print(f"{shape:<6} {n:>5}  {name:<10} {m['pages']:>6} pages {m['metadata']:>7} METADATA: {m['fault']}", flush=True)
    else:
        print(f"{shape:<6} {n:>5}  {name:<10} {m['pages']:>6} pages {m['metadata']:>7} METADATA "
              f"{m['cold']:>8.3f} s cold {m['warm']:>8.3f} s warm ({m['cpu']:.3f} s CPU)", flush=True)


def bench(shape, n, peers):
    index = Index(shape, n)
    words = index.requirements(index.request)
    server = subprocess.Popen([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "hard.py"), shape,
                               str(n)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    url = server.stdout.readline().strip()
    found = []
    for peer in peers:
        found.append(peer.measure(index, words, url))
        show(shape, n, peer.name, found[-1])
    server.stdin.close()
    server.wait()
    if len(found) == 2 and not found[0]["fault"] and not found[1]["fault"]:
        print(f"{'':<14}wheelpack / uv: {found[0]['cold'] / found[1]['cold']:.2f} cold, "
              f"{found[0]['warm'] / found[1]['warm']:.2f} warm, "
              f"{found[0]['metadata'] / max(1, found[1]['metadata']):.2f} METADATA", flush=True)
    return found[0]


def growth(shape, found):
    told = [(n, m) for n, m in found if not m["fault"]]
    for (n, m), (k, l) in zip(told, told[1:]):
        print(f"{'':<14}{shape} {n} to {k}: METADATA x {l['metadata'] / max(1, m['metadata']):.1f}, "
              f"warm time x {l['warm'] / m['warm']:.1f}")


def main():
    program = os.path.abspath(sys.argv[1])
    uv = os.environ.get("UV") or shutil.which("uv")
    if not uv:
        print("skipped: uv: it is not on PATH; name it with UV=")
    os.makedirs(WORK, exist_ok=True)
    peers = [Peer("wheelpack", program)] + ([Peer("uv", uv)] if uv else [])
    bad = 0
    for shape in sys.argv[2:] or SHAPES:
        found = [(n, bench(shape, n, peers)) for n in SIZES]
        growth(shape, found)
        bad += sum(m["fault"] is not None for _, m in found)
    print(f"{bad} without a right answer of wheelpack")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
