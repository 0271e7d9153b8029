#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hard.py SHAPE N: serves a made-up index of N projects, 100 versions each, that is hard to solve; the same on every run.

The first line of standard output is the index URL; it ends when standard input is closed. GET /count tells how many
pages and METADATA files were asked for since the last time. Nothing is to be downloaded: there are no wheels.

    deep    each project needs three later ones of about its own version, and the last ones need a base of their
            version, which the request keeps old: what is wrong with the newest is seen at the other end of the graph
    knots   threes of projects, of which the newest half of one needs what every version of another forbids
    chain   each needs any version of the next, and the last forbids the newest half of what was taken first: by
            trying one after the other that is 100 to the power of N
    comb    as knots, but each knot is tied to the one before, so that one is undone only when its neighbours are
"""
import asyncio
import functools
import hashlib
import json
import random
import sys
import threading

VERSIONS = 100
TOP = VERSIONS + 1


class Index:
    """needs[project][version] is {other project: (low, high)}: low <= version < high."""

    def __init__(self, shape, n):
        self.needs = {}
        self.request = {}
        getattr(self, shape)(n, random.Random(f"{shape} {n}"))

    def project(self, name, needs=lambda v: {}):
        self.needs[name] = {v: needs(v) for v in range(1, TOP)}

    def deep(self, n, rng):
        last = n - 1
        for i in range(1, last + 1):
            later = sorted(rng.sample(range(i + 1, min(last, i + 30) + 1), min(3, last - i)))
            widths = [rng.randrange(2, 12) for _ in later]
            if i + 10 > last:
                self.project(f"p{i}", lambda v: {"base": (max(1, v - 10), TOP)})
            else:
                self.project(f"p{i}", lambda v, later=later, widths=widths: {
                    f"p{k}": (max(1, v - w), min(TOP, v + w + 1)) for k, w in zip(later, widths)})
        self.project("base")
        self.request = {"p1": (1, TOP), "base": (1, 60)}

    def knots(self, n, rng):
        for i in range(max(1, n // 3)):
            at = rng.randrange(40, 60)
            self.project(f"a{i}", lambda v, i=i, at=at: {f"c{i}": (at, TOP) if v >= at else (1, TOP)})
            self.project(f"b{i}", lambda v, i=i, at=at: {f"c{i}": (1, at)})
            self.project(f"c{i}")
            self.request |= {f"a{i}": (1, TOP), f"b{i}": (1, TOP)}

    def chain(self, n, _):
        for i in range(1, n - 1):
            self.project(f"f{i}", lambda v, i=i: {f"f{i + 1}": (1, TOP)})
        self.project(f"f{n - 1}", lambda v: {"a": (1, 50)})
        self.project("a")
        self.request = {"a": (1, TOP), "f1": (1, TOP)}

    def comb(self, n, rng):
        teeth = max(1, n // 2)
        for i in range(teeth):
            step = rng.randrange(1, 4)
            self.project(f"a{i}", lambda v, i=i: {f"c{i}": (max(1, v - 1), min(TOP, v + 2))} |
                         ({f"a{i + 1}": (max(1, v - 2), min(TOP, v + 3))} if i + 1 < teeth else {}))
            self.project(f"c{i}", lambda v, i=i, step=step: {f"c{i + 1}": (max(1, v - step), min(TOP, v + step + 1))}
                         if i + 1 < teeth else {})
        self.request = {"a0": (1, TOP), f"c{teeth - 1}": (1, 40)}

    def requirements(self, needs):
        return [name + ",".join(([f">={low}.0"] if low > 1 else []) + ([f"<{high}.0"] if high < TOP else []))
                for name, (low, high) in needs.items()]

    def fault(self, picked):
        """What is wrong with an answer ({project: version}), or None."""
        todo, seen = [("the request", self.request)], set()
        while todo:
            who, needs = todo.pop()
            for name, (low, high) in needs.items():
                if name not in picked or not low <= picked[name] < high:
                    return f"{who} needs {name} {low} to {high - 1}, picked is {picked.get(name)}"
                if name not in seen:
                    seen.add(name)
                    todo.append((f"{name} {picked[name]}", self.needs[name][picked[name]]))
        return f"nobody needs {min(picked.keys() - seen)}" if picked.keys() - seen else None

    def metadata(self, name, version):
        lines = [f"Requires-Dist: {r}\n" for r in self.requirements(self.needs[name][version])]
        return f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}.0\n{''.join(lines)}".encode()

    @functools.cache
    def page(self, name):
        files = []
        for version in range(1, TOP):
            wheel = f"{name}-{version}.0-py3-none-any.whl"
            digest = hashlib.sha256(self.metadata(name, version)).hexdigest()
            files.append({"filename": wheel, "url": f"/files/{wheel}", "size": 1000, "yanked": False,
                          "hashes": {"sha256": hashlib.sha256(wheel.encode()).hexdigest()},
                          "core-metadata": {"sha256": digest}, "upload-time": "2025-01-01T00:00:00Z"})
        return json.dumps({"meta": {"api-version": "1.1"}, "name": name, "files": files}).encode()


class Connection(asyncio.Protocol):
    index = None
    count = {"pages": 0, "metadata": 0}

    def connection_made(self, transport):
        self.transport, self.rest = transport, b""

    def data_received(self, data):
        *requests, self.rest = (self.rest + data).split(b"\r\n\r\n")
        for request in requests:
            kind, body = self.answer(request.split(b" ", 2)[1].decode().strip("/").split("/"))
            head = f"HTTP/1.1 {'200 OK' if body else '404 Not Found'}\r\nContent-Type: {kind}\r\n" \
                   f"Content-Length: {len(body)}\r\nCache-Control: max-age=600\r\n\r\n"
            self.transport.write(head.encode() + body)

    def answer(self, path):
        if path == ["count"]:
            told = json.dumps(self.count).encode()
            self.count.update(pages=0, metadata=0)
            return "application/json", told
        name, _, rest = path[-1].partition("-")
        if name not in self.index.needs:
            return "text/plain", b""
        if path[0] == "simple":
            self.count["pages"] += 1
            return "application/vnd.pypi.simple.v1+json", self.index.page(name)
        self.count["metadata"] += 1
        return "text/plain", self.index.metadata(name, int(rest.partition(".")[0])) if rest.endswith(".metadata") else b""


async def serve():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/simple/", flush=True)
    closed = asyncio.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), loop.call_soon_threadsafe(closed.set)), daemon=True).start()
    await closed.wait()


if __name__ == "__main__":
    Connection.index = Index(sys.argv[1], int(sys.argv[2]))
    for project in Connection.index.needs:
        Connection.index.page(project)
    asyncio.run(serve())
