#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An index server on loopback for the tests, that can misbehave on demand.

    server.py [--port 0] [--stdin] [--tls FILE]

The first line of standard output is "http://127.0.0.1:PORT PORT", the second the same for the second host.
With --stdin the server ends when its standard input is closed, so that no test leaves one behind. With --tls it speaks
https with the certificate and key of that PEM file.

    /simple/PROJECT/           ordinary index, HTML (PEP 503)
    /json/PROJECT/             ordinary index, JSON (PEP 691)
    /auto/PROJECT/             ordinary index, what Accept prefers
    /extra/PROJECT/            a small extra index that also has filelock and torch, version 99.0
    /whl/VARIANT/PROJECT/      PyTorch-shaped: torch family by absolute links to the second host, the rest by
                               root-relative links, + as %2B, 403 for a project that is not there
    /files/NAME, /whl/VARIANT/NAME     wheels, and NAME.metadata
    /log, /log/reset           the requests so far, as JSON

In front of each of these may stand /with/SWITCH,SWITCH=VALUE/: the links of such a page keep it.

    nodigest nometa nosize     pages leave these out
    wrongdigest                pages give a digest that no file has
    badmeta lostmeta           the PEP 658 file has other bytes, is absent
    badmetadigest              pages give a wrong digest for the PEP 658 file
    norange noetag             answer ranges with the whole file; send no ETag
    changed                    If-Range never holds
    cut=N cutonce=N            a body ends after N bytes, always or the first time for each path
    length=N                   files say that they have N bytes
    rate=N                     bytes per second of each body
    fail=N                     the first N requests of each path get 500
    status=N  filestatus=N     pages / files always get this status
    auth=USER:PASSWORD         401 without these
    redirect redirectfiles     pages / files are moved to the second host
    huge                       pages are larger than 64 MB
    more=N                     pages have N more files, of versions nobody wants
    type=T                     content type of pages (T with - for /: text-plain)
    gzip gzipcut               pages and METADATA are compressed, and break off
    encoding=E                 pages say that they have this Content-Encoding
    maxage=N nocache           Cache-Control of pages
    hang                       nothing is ever answered
    downhost=H badhost=H       requests to host H get 503 / file bytes with one byte changed
    as=NAME                    nothing; keeps counters of two tests apart

It also answers as an HTTP proxy: GET http://host/path is served as /path with that Host.
"""
import argparse
import base64
import gzip
import html
import json
import os
import socket
import ssl
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from urllib.parse import quote, unquote, urlsplit

sys.dont_write_bytecode = True
import make_wheels  # noqa: E402

JSON_TYPE = "application/vnd.pypi.simple.v1+json"
FAMILY = ("torch", "torchvision", "torchaudio", "triton")


class Shared:
    """What all threads of both hosts see."""

    def __init__(self):
        self.files = make_wheels.world()
        self.by_name = {f.filename: f for f in self.files}
        self.lock = threading.Lock()
        self.log = []
        self.counts = {}
        self.bases = []

    def more(self, project, n):
        """So many wheels of old versions for another system."""
        name = project.replace("-", "_")
        return [SimpleNamespace(
            filename=f"{name}-0.0.{i // 50}-{i % 50}-cp36-cp36m-macosx_10_9_x86_64.whl", project=project, data=b"",
            sha256=f"{i:064x}", metadata=None, requires_python=">=3.6,!=3.9.7", yanked=None,
            upload_time="2020-01-01T00:00:00.000000Z") for i in range(n)]

    def count(self, key):
        with self.lock:
            self.counts[key] = self.counts.get(key, 0) + 1
            return self.counts[key]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    shared = None
    wbufsize = 1 << 16

    def log_message(self, *args):
        pass

    # ---- request ----

    def do_GET(self):
        target = urlsplit(self.path)
        self.host = target.hostname or self.headers.get("Host", "")
        path = target.path
        self.on = {}
        self.prefix = ""
        if path.startswith("/with/"):
            _, _, words, path = path.split("/", 3)
            path = "/" + path
            self.prefix = "/with/" + words
            self.on = dict(w.partition("=")[::2] for w in unquote(words).split(","))
        self.note(target.path)
        try:
            self.answer(path)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def note(self, path):
        entry = {"path": path, "host": self.headers.get("Host", "")}
        for name in ("Range", "If-Range", "If-None-Match", "Authorization", "Accept", "User-Agent"):
            if self.headers.get(name):
                entry[name.lower()] = self.headers[name]
        with self.shared.lock:
            self.shared.log.append(entry)

    def answer(self, path):
        if path == "/log":
            with self.shared.lock:
                body = json.dumps(self.shared.log).encode()
            return self.send(200, "application/json", body)
        if path == "/log/reset":
            with self.shared.lock:
                self.shared.log.clear()
                self.shared.counts.clear()
            return self.send(200, "text/plain", b"ok\n")
        if self.misbehave():
            return None
        parts = path.strip("/").split("/")
        if parts[0] in ("simple", "json", "auto", "extra") and len(parts) <= 2:
            return self.page(parts, path)
        if parts[0] == "whl" and len(parts) in (2, 3) and not parts[-1].endswith((".whl", ".metadata", ".tar.gz")):
            return self.page(parts, path)
        if parts[0] in ("files", "whl"):
            return self.file(unquote(parts[-1]))
        return self.missing()

    def misbehave(self):
        """True where a switch has answered already."""
        if "hang" in self.on:
            time.sleep(30)
            self.close_connection = True
            return True
        if "auth" in self.on:
            want = "Basic " + base64.b64encode(self.on["auth"].encode()).decode()
            if self.headers.get("Authorization") != want:
                self.send(401, "text/plain", b"who are you?\n", {"WWW-Authenticate": 'Basic realm="tests"'})
                return True
        if "fail" in self.on and self.shared.count(("fail", self.path)) <= int(self.on["fail"]):
            self.send(500, "text/plain", b"out of order\n")
            return True
        if self.on.get("downhost") and self.on["downhost"] == self.host:
            self.send(503, "text/plain", b"host is down\n")
            return True
        return False

    def missing(self):
        if "whl/" in self.path:
            return self.send(403, "application/xml", b"<Error><Code>AccessDenied</Code></Error>")
        return self.send(404, "text/plain", b"no such page\n")

    def send(self, status, kind, body, headers=None):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if "rate" in self.on:
            self.body(body)
        else:
            self.wfile.write(body)
        return True

    def second(self):
        """The base address of the other host."""
        if self.host == "download.pytorch.org":
            return "http://download-r2.pytorch.org"
        return self.shared.bases[1]

    # ---- pages ----

    def page(self, parts, path):
        if "status" in self.on:
            kind = self.on.get("type", "text-plain").replace("text-", "text/")
            return self.send(int(self.on["status"]), kind, b"as told\n")
        if "redirect" in self.on and self.server.base == self.shared.bases[0]:
            location = self.shared.bases[1] + self.path
            return self.send(302, "text/plain", b"", {"Location": location})
        if "huge" in self.on:
            return self.huge()
        if not path.endswith("/"):
            return self.missing()
        index = parts[1] if parts[0] == "whl" else "extra" if parts[0] == "extra" else "ordinary"
        files = [f for f in self.shared.files if index in f.indexes]
        if len(parts) == (2 if parts[0] == "whl" else 1):
            return self.root(files)
        files = [f for f in files if f.project == parts[-1]]
        if not files:
            return self.missing()
        files.sort(key=lambda f: f.filename)
        if "more" in self.on:
            files = self.shared.more(parts[-1], int(self.on["more"])) + files
        kind = parts[0]
        if kind == "auto":
            kind = "json" if self.headers.get("Accept", "").startswith(JSON_TYPE) else "simple"
        if kind == "json":
            return self.send_page(JSON_TYPE, self.json_page(parts[-1], files))
        return self.send_page("text/html; charset=utf-8", self.html_page(parts, files))

    def root(self, files):
        names = sorted({f.project for f in files})
        body = "".join(f'    <a href="{n}/">{n}</a><br/>\n' for n in names)
        return self.send_page("text/html", f"<!DOCTYPE html>\n<html>\n  <body>\n{body}  </body>\n</html>\n")

    def huge(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for _ in range(70):
            self.wfile.write(b" " * (1 << 20))
        return True

    def send_page(self, kind, text):
        body = text.encode()
        kind = self.on.get("type", kind).replace("text-", "text/") if "type" in self.on else kind
        etag = f'"{hash(body) & 0xffffffffffff:x}"'
        headers = {"ETag": etag}
        if "nocache" in self.on:
            headers["Cache-Control"] = "no-cache,no-store,must-revalidate"
        if "maxage" in self.on:
            headers["Cache-Control"] = f"max-age={self.on['maxage']}, public"
        if self.headers.get("If-None-Match") == etag:
            return self.send(304, kind, b"", headers)
        if "encoding" in self.on:
            headers["Content-Encoding"] = self.on["encoding"]
        return self.compressed(kind, body, headers)

    def compressed(self, kind, body, headers):
        if "gzip" in self.on and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body, mtime=0)
            headers["Content-Encoding"] = "gzip"
            if "gzipcut" in self.on:
                body = body[:-12]
        return self.send(200, kind, body, headers)

    def link(self, f, variant):
        if variant:
            base = self.second() if f.project in FAMILY else ""
            return f"{base}{self.prefix}/whl/{variant}/{f.filename.replace('+', '%2B')}"
        return f"{self.prefix}/files/{quote(f.filename)}"

    def digests(self, f):
        """Of the file and of its PEP 658 file as the page gives them; None where it gives none."""
        sha256 = None if "nodigest" in self.on else "0" * 64 if "wrongdigest" in self.on else f.sha256
        meta = None
        if f.metadata is not None and "nometa" not in self.on:
            meta = make_wheels.hashlib.sha256(f.metadata).hexdigest()
            if "badmetadigest" in self.on:
                meta = "1" * 64
        return sha256, meta

    def html_page(self, parts, files):
        variant = parts[1] if parts[0] == "whl" else None
        lines = []
        for f in files:
            sha256, meta = self.digests(f)
            fragment = f"#sha256={sha256}" if sha256 else ""
            extra = ""
            if f.requires_python and not variant:
                extra += f' data-requires-python="{html.escape(f.requires_python)}"'
            if f.yanked is not None:
                extra += f' data-yanked="{html.escape(f.yanked)}"'
            if meta:
                extra += f' data-dist-info-metadata="sha256={meta}" data-core-metadata="sha256={meta}"'
            if variant:
                extra += f' data-upload-time="{f.upload_time}"'
            lines.append(f'    <a href="{self.link(f, variant)}{fragment}"{extra}>{f.filename}</a><br/>\n')
        if variant:
            return f"<!DOCTYPE html>\n<html>\n  <body>\n    <h1>Links for {parts[-1]}</h1>\n{''.join(lines)}" \
                   "  </body>\n</html>\n<!--TIMESTAMP 1745430000-->\n"
        return '<!DOCTYPE html>\n<html>\n  <head>\n    <meta name="pypi:repository-version" content="1.1">\n' \
               f"    <title>Links for {parts[-1]}</title>\n  </head>\n  <body>\n{''.join(lines)}  </body>\n</html>\n"

    def json_page(self, project, files):
        out = []
        for f in files:
            sha256, meta = self.digests(f)
            out.append({
                "filename": f.filename, "url": self.link(f, None), "hashes": {"sha256": sha256} if sha256 else {},
                "requires-python": f.requires_python, "yanked": f.yanked if f.yanked is not None else False,
                "core-metadata": {"sha256": meta} if meta else False, "upload-time": f.upload_time,
            })
            if "nosize" not in self.on:
                out[-1]["size"] = len(f.data)
        return json.dumps({"meta": {"api-version": "1.1"}, "name": project, "files": out})

    # ---- files ----

    def file(self, name):
        if "filestatus" in self.on:
            return self.send(int(self.on["filestatus"]), "text/plain", b"as told\n")
        if "redirectfiles" in self.on and self.server.base == self.shared.bases[0]:
            return self.send(302, "text/plain", b"", {"Location": self.shared.bases[1] + self.path})
        if name.endswith(".metadata"):
            f = self.shared.by_name.get(name[:-9])
            if not f or f.metadata is None or "nometa" in self.on or "lostmeta" in self.on:
                return self.missing()
            text = f.metadata + (b"X-Other: 1\n" if "badmeta" in self.on else b"")
            return self.compressed("text/plain", text, {})
        f = self.shared.by_name.get(name)
        if not f:
            return self.missing()
        data = f.data
        if self.on.get("badhost") and self.on["badhost"] == self.host:
            data = data[:-1] + bytes([data[-1] ^ 1])
        return self.ranged(f, data)

    def ranged(self, f, data):
        etag = f'"{f.sha256[:16]}-3"'
        headers = {} if "noetag" in self.on else {"ETag": etag}
        headers["Accept-Ranges"] = "none" if "norange" in self.on else "bytes"
        if etag == self.headers.get("If-None-Match"):
            return self.send(304, "application/octet-stream", b"", headers)
        span = self.span(len(data), etag)
        if span is None:
            self.send_response(200)
            first, last = 0, len(data) - 1
        elif span[0] >= len(data):
            return self.send(416, "text/plain", b"", {"Content-Range": f"bytes */{len(data)}"})
        else:
            first, last = span
            self.send_response(206)
            headers["Content-Range"] = f"bytes {first}-{last}/{len(data)}"
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", self.on.get("length", str(last - first + 1)))
        for key, value in headers.items():
            self.send_header(key, value)
        self.end_headers()
        self.body(data[first:last + 1])
        return True

    def span(self, size, etag):
        """First and last byte that are asked for, or None for the whole file."""
        text = self.headers.get("Range", "")
        if not text.startswith("bytes=") or "norange" in self.on:
            return None
        want = self.headers.get("If-Range")
        if want and (want != etag or "changed" in self.on):
            return None
        first, _, last = text[6:].partition("-")
        if not first:
            return max(0, size - int(last)), size - 1
        return int(first), min(int(last), size - 1) if last else size - 1

    def body(self, data):
        limit = len(data)
        if "cut" in self.on:
            limit = min(limit, int(self.on["cut"]))
        if "cutonce" in self.on and self.shared.count(("cut", self.path)) == 1:
            limit = min(limit, int(self.on["cutonce"]))
        rate = int(self.on.get("rate", 0))
        step = max(1, rate // 20) if rate else 1 << 18
        for at in range(0, limit, step):
            self.wfile.write(data[at:min(at + step, limit)])
            if rate:
                self.wfile.flush()
                time.sleep(0.05)
        if limit < len(data):
            self.wfile.flush()
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """A client that goes away is nothing to tell of."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, ssl.SSLError)):
            super().handle_error(request, client_address)


def serve(port, tls):
    server = Server(("127.0.0.1", port), Handler)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.base = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_address[1]}"
    Handler.shared.bases.append(server.base)
    print(server.base, server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def main():
    options = argparse.ArgumentParser(description="Index server on loopback for the tests.")
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--stdin", action="store_true", help="end when standard input is closed")
    options.add_argument("--tls", metavar="FILE", help="certificate and key (PEM)")
    options = options.parse_args()
    tls = None
    if options.tls:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(options.tls)
    Handler.shared = Shared()
    serve(options.port, tls)
    serve(0, tls)
    try:
        if options.stdin:
            sys.stdin.buffer.read()
        else:
            threading.Event().wait()
    except KeyboardInterrupt:
        pass
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
