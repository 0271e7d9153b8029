#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_odd.py DIR: write odd wheels, one a case, and DIR/list.txt with what must happen to each.

A line of list.txt is FILE<TAB>TARGET<TAB>VERDICT: target linux, macosx or windows; verdict ok, the codes of the warnings, or
the code of the refusal, as the wheel alone is judged; what an install says beyond that is in `at_install`, which
tests/conformance.py reads. The cases follow the rules of the wheel and RECORD standards and what installers were seen
to do with wheels that break them. Standard library only; the same bytes every time.
"""
import base64
import bz2
import hashlib
import os
import struct
import sys
import unicodedata
import zlib

ROOT = None
CASES = []
TARGETS = "linux", "macosx", "windows"


def b(x):
    return x.encode() if isinstance(x, str) else x


class Entry:
    """One zip entry; any field of its headers can be set apart from its data."""

    def __init__(self, name, data=b"", method=8, mode=0o100644, flags=None, system=3, descriptor=None, local=None,
                 central=None, extra_local=b"", extra_central=b"", raw=None, size=None, crc=None):
        self.name, self.data, self.method, self.mode, self.system = b(name), b(data), method, mode, system
        self.flags = (0x800 if any(c > 127 for c in self.name) else 0) if flags is None else flags
        self.descriptor, self.local, self.central = descriptor, local or {}, central or {}
        self.extra_local, self.extra_central = extra_local, extra_central
        self.size = len(self.data) if size is None else size
        self.crc = zlib.crc32(self.data) if crc is None else crc
        if raw is None and method == 8:
            c = zlib.compressobj(9, zlib.DEFLATED, -15)
            raw = c.compress(self.data) + c.flush()
        self.raw = self.data if raw is None else raw
        if descriptor is not None:
            self.flags |= 8


def local_header(e):
    f = dict(flags=e.flags, method=e.method, crc=e.crc, csize=len(e.raw), size=e.size, name=e.name)
    if e.descriptor is not None:
        f.update(crc=0, csize=0, size=0)
    f.update(e.local)
    return struct.pack("<IHHHHHIIIHH", 0x04034b50, 20, f["flags"], f["method"], 0, 0x21, f["crc"], f["csize"],
                       f["size"], len(f["name"]), len(e.extra_local)) + f["name"] + e.extra_local


def central_header(e, offset):
    f = dict(flags=e.flags, method=e.method, crc=e.crc, csize=len(e.raw), size=e.size, name=e.name)
    f.update(e.central)
    return struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 20 | e.system << 8, 20, f["flags"], f["method"], 0, 0x21,
                       f["crc"], f["csize"], f["size"], len(f["name"]), len(e.extra_central), 0, 0, 0,
                       e.mode << 16, offset) + f["name"] + e.extra_central


def descriptor(e):
    sign, wide = e.descriptor
    return (b"PK\7\x08" if sign else b"") + struct.pack("<IQQ" if wide else "<III", e.crc, len(e.raw), e.size)


def zip_bytes(entries, comment=b"", zip64=False, before=b"", behind=b"", gap=b"", unlisted=()):
    out, directory = bytearray(before), bytearray()
    for e in entries:
        if e.name not in unlisted:
            directory += central_header(e, len(out))
        out += local_header(e) + e.raw
        if e.descriptor is not None:
            out += descriptor(e)
        out += gap
    start, n = len(out), len([e for e in entries if e.name not in unlisted])
    out += directory
    if zip64:
        at = len(out)
        out += struct.pack("<IQHHIIQQQQ", 0x06064b50, 44, 45, 45, 0, 0, n, n, len(directory), start)
        out += struct.pack("<IIQI", 0x07064b50, 0, at, 1)
    out += struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, n, n, len(directory), start, len(comment)) + comment
    return bytes(out) + behind


class Case:
    """One wheel: where it lies, its entries, and by target what is to be decided of it. makes: the programs of its entry
    points, name to object, with " gui" behind that of a window."""

    def __init__(self, name, path, entries, verdict, at_install, makes):
        self.name, self.path, self.entries, self.verdict, self.makes = name, path, entries, verdict, makes
        self.at_install = {t: at_install.get(t, verdict[t]) for t in TARGETS}


WHEEL = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
METADATA = "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n"
INFO = "demo-1.0.dist-info"
FILENAME = "demo-1.0-py3-none-any.whl"


def row(path, data, size=True, kind="sha256", pad=False, raw=False):
    """A RECORD row."""
    d = hashlib.new(kind, data).digest()
    text = d.hex() if raw else base64.urlsafe_b64encode(d).decode()
    path = path if isinstance(path, str) else path.decode("utf-8", "surrogateescape")
    if "," in path or '"' in path:
        path = '"' + path.replace('"', '""') + '"'
    return "%s,%s=%s,%s" % (path, kind, text if pad or raw else text.rstrip("="), len(data) if size else "")


def case(name, verdict, windows=None, macosx=None, files=(), drop=(), wheel=WHEEL, metadata=METADATA, info=INFO, eps=None,
         record=None, filename=FILENAME, entries=None, bytes_of=None, at_install=None, makes=None, **zipped):
    """Write one wheel. files: (name, data) pairs or Entries beside the usual ones; record: rows to final bytes;
    entries: all entries to all entries; bytes_of: the finished file to other bytes; at_install: what an install says
    of it where that is more, for all targets or by target."""
    all_ = [Entry("demo/__init__.py", "x = 1\n")]
    all_ += [f if isinstance(f, Entry) else Entry(*f) for f in files]
    if wheel is not None:
        all_.append(Entry(info + "/WHEEL", wheel))
    if metadata is not None:
        all_.append(Entry(info + "/METADATA", metadata))
    if eps is not None:
        all_.append(Entry(info + "/entry_points.txt", eps))
    all_ = [e for e in all_ if e.name.decode("utf-8", "replace") not in drop]
    rows = [row(e.name, e.data) for e in all_ if not e.name.endswith(b"/")]
    rows.append(info + "/RECORD,,")
    text = record(rows) if record else "\n".join(rows) + "\n"
    if text is not None:
        text = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
        all_.append(Entry(info + "/RECORD", text))
    if entries:
        all_ = entries(all_)
    data = zip_bytes(all_, **zipped)
    if bytes_of:
        data = bytes_of(data)
    path = os.path.join(name, filename)
    os.makedirs(os.path.join(ROOT, name))
    with open(os.path.join(ROOT, path), "wb") as f:
        f.write(data)
    if isinstance(at_install, str):
        at_install = dict.fromkeys(TARGETS, at_install)
    CASES.append(Case(name, path, all_, dict(
        linux=verdict, macosx=macosx or verdict, windows=windows or verdict), at_install or {}, makes or {}))


def lines(rows):
    return "\n".join(rows) + "\n"


def more(*extra):
    return lambda rows: lines(rows + list(extra))


def swap(prefix, new):
    """Replace the row that begins so; None drops it."""
    def change(rows):
        assert any(r.startswith(prefix) for r in rows)
        return lines([r for r in (new if r.startswith(prefix) else r for r in rows) if r is not None])
    return change


def layout():
    data = "demo-1.0.data/"
    case("plain", "ok")
    case("neighbour", "ok", filename="neighbour-1.0-py3-none-any.whl", info="neighbour-1.0.dist-info", drop="demo/__init__.py",
         files=[("neighbour/__init__.py", "x = 1\n")], metadata=METADATA.replace("demo", "neighbour"))
    case("layout-all-schemes", "ok", files=[(data + s, "x") for s in (
        "purelib/a.py", "platlib/b.so", "headers/demo.h", "scripts/run", "data/share/x.txt")])
    case("layout-root-false", "ok", wheel=WHEEL.replace("true", "false"))
    case("layout-root-capital", "ok", wheel=WHEEL.replace("true", "True"))
    case("layout-root-missing", "N409", wheel=WHEEL.replace("Root-Is-Purelib: true\n", ""))
    case("layout-data-unknown", "WP_E_WHEEL", files=[(data + "stuff/x", "x")])
    case("layout-data-straight", "WP_E_WHEEL", files=[(data + "x", "x")])
    case("layout-data-scheme-is-a-file", "WP_E_WHEEL", files=[(data + "purelib", "x")])
    case("layout-data-other", "WP_E_WHEEL", files=[("other-1.0.data/scripts/run", "x")])
    case("layout-data-other-version", "WP_E_WHEEL", files=[("demo-1.1.data/scripts/run", "x")])
    case("layout-data-two", "WP_E_WHEEL", files=[(data + "scripts/a", "x"), ("Demo-1.0.data/scripts/b", "x")])
    case("layout-data-repeats-root", "WP_E_WHEEL", files=[(data + "purelib/demo/__init__.py", "x = 1\n")])
    case("layout-data-repeats-platlib", "WP_E_WHEEL", files=[(data + "purelib/a.py", "x"), (data + "platlib/a.py", "x")])
    case("layout-data-dist-info", "WP_E_WHEEL", files=[(data + "purelib/evil-1.0.dist-info/METADATA", "x")])
    case("layout-data-dist-info-capitals", "WP_E_WHEEL", files=[(data + "platlib/evil-1.0.Dist-Info/METADATA", "x")])
    case("layout-data-dist-info-deep", "WP_E_WHEEL",
         files=[(data + "data/lib/python3.12/site-packages/evil-1.0.dist-info/METADATA", "x")])
    case("layout-data-dist-info-windows", "WP_E_WHEEL",
         files=[(data + "data/Lib/site-packages/evil-1.0.dist-info/METADATA", "x")])
    case("layout-data-onto-root", "WP_E_WHEEL", windows="ok",
         files=[(data + "data/lib/python3.12/site-packages/demo/__init__.py", "x")])
    case("layout-data-onto-root-windows", "ok", windows="WP_E_WHEEL",
         files=[(data + "data/Lib/site-packages/demo/__init__.py", "x")])
    case("layout-data-onto-script", "WP_E_WHEEL", windows="ok",
         files=[(data + "data/bin/run", "x"), (data + "scripts/run", "x")])
    case("layout-pth-libs-namespace", "ok", at_install="N502", files=[("demo.pth", "import demo\n"), ("demo.libs/libx.so", "x"),
                                                   ("space/part/a.py", "x")])
    case("layout-folders", "ok", files=[Entry("demo/", mode=0o40755), Entry("empty/", mode=0o40755, method=0),
                                        Entry(data, mode=0o40755), Entry(data + "purelib/", system=0, mode=0)])
    case("layout-pycache", "N405", files=[("demo/__pycache__/a.cpython-312.pyc", "x")])
    case("layout-dist-info-deeper", "ok", files=[("demo/other-2.0.dist-info/METADATA", "x")])


def scripts():
    s = "demo-1.0.data/scripts/"
    case("script-shebangs", "ok", files=[(s + "a", "#!python\nx"), (s + "b", "#!pythonw\r\nx"), (s + "c", "#!python3"),
                                         (s + "d", "#!python -u\n"), (s + "e", "#!/usr/bin/env python\n"),
                                         (s + "f", "#!/bin/sh\n"), (s + "g", b"\x7fELF\0\1"), (s + "h", "no shebang\n"),
                                         Entry(s + "i", "#!python\n", mode=0o100755)])
    case("script-bom", "ok", at_install="N503", files=[(s + "a", "\ufeff#!python\nx")])
    case("script-sub", "N406", files=[(s + "sub/x", "#!python\n")])
    eps = "[console_scripts]\ndemo = demo:main\n"
    made = {"demo": "demo:main"}
    case("script-is-entry-point", "N407", files=[(s + "demo", "#!python\n")], eps=eps, makes=made)
    case("script-beside-entry-point", "N407", files=[(s + "demo-script.py", "x"), (s + "demo-script.pyw", "x"),
                                                     (s + "demo.exe", "x")], eps=eps, makes=made)
    case("script-beside-in-capitals", "ok", windows="N407", files=[(s + "DEMO-script.py", "x")], eps=eps, makes=made)
    case("script-beside-wrong-hash", "WP_E_RECORD", eps=eps, files=[(s + "demo.exe", "x")],
         record=swap(s + "demo.exe", row(s + "demo.exe", b"y")))
    case("script-climbs", "WP_E_PATH", files=[(s + "../../x", "x")])
    for n in ("python", "python3.12", "python.exe", "Pythonw.EXE", "activate", "Activate.ps1", "activate_this.py",
              "deactivate.bat", "pypy3"):
        case("script-reserved-" + n, "WP_E_PATH", files=[(s + n, "x")])
    case("script-named-like-tool", "ok", files=[(s + "python-argcomplete-check", "x"), (s + "activate-global-x", "x")])
    d = "demo-1.0.data/data/"
    for i, n in enumerate(("pyvenv.cfg", "PyVenv.cfg", "bin/python3", "Scripts/python.exe", ".wheelpack/receipt.json",
                           "bin/activate", "python.exe")):
        case("data-reserved-%d" % i, "WP_E_PATH", files=[(d + n, "x")])


def entry_points():
    c = "[console_scripts]\n"
    case("eps-usual", "ok", eps=c + "demo = demo:main\nDemo2=demo.sub:obj.attr\n\xe4-b.c_d = demo:main [extra]\n"
         "e = demo:main[x]\n\n[gui_scripts]\r\n# comment\r\n; another\r\ng = demo:gui\r\n",
         makes={"demo": "demo:main", "Demo2": "demo.sub:obj.attr", "\xe4-b.c_d": "demo:main", "e": "demo:main",
                "g": "demo:gui gui"})
    case("eps-indented", "ok", eps="[console_scripts]\n  a = demo:a\n    b = demo:b\n\t[gui_scripts]\n c=demo:c\n",
         makes={"a": "demo:a", "b": "demo:b", "c": "demo:c gui"})
    case("eps-pip", "ok", eps=c + "pip = demo:main\npip3.11 = demo:main\neasy_install-3.8 = demo:main\n",
         makes={"pip": "demo:main", "pip3.11": "demo:main", "easy_install-3.8": "demo:main"})
    case("eps-letters", "ok", eps=c + "\u4e2d\u0928\u0940\u0661 = demo.\xe9:\u0431\n",
         makes={"\u4e2d\u0928\u0940\u0661": "demo.\xe9:\u0431"})
    case("eps-other-groups", "ok", eps="[demo.plugins]\nx = 100%nonsense here\n")
    for n, text in {"no-colon": "x = demo", "no-attr": "x = demo:", "no-value": "x =", "code": "x = demo:main;import os",
                    "colon": "x: demo:main", "space": "a b = demo:main", "slash": "a/b = demo:main",
                    "backslash": "a\\b = demo:main", "dots": ".. = demo:main", "climb": "../../x = demo:main",
                    "python": "python = demo:main", "python3": "python3 = demo:main", "pypy": "pypy3 = demo:main",
                    "twice": "x = demo:main\nx = demo:other", "module": "x = demo..a:main", "no-break-space": "a\xa0b = demo:main",
                    "line-separator": "a = demo:main\u2028x", "right-to-left": "a\u202eb = demo:main",
                    "emoji": "\U0001f600 = demo:main",
                    "activate": "activate = demo:main"}.items():
        case("eps-" + n, "WP_E_WHEEL", eps=c + text + "\n")
    case("eps-both-groups", "N411", eps="[gui_scripts]\nx = demo:b\n" + c + "x = demo:a\n", makes={"x": "demo:a"})
    case("eps-group-twice", "N411", eps=c + "x = demo:a\n" + c + "y = demo:b\n", makes={"x": "demo:a", "y": "demo:b"})
    case("eps-before-group", "WP_E_WHEEL", eps="x = demo:a\n" + c)
    case("eps-bom", "WP_E_WHEEL", eps="\ufeff" + c + "x = demo:a\n")
    case("eps-not-utf8", "WP_E_WHEEL", eps=b"[console_scripts]\n\xff = demo:a\n")
    case("eps-other-name", "ok", files=[(INFO + "/Entry_Points.txt", "nonsense")])
    case("eps-case", "ok", windows="WP_E_WHEEL", eps=c + "x = demo:a\nX = demo:b\n",
         makes={"x": "demo:a", "X": "demo:b"})
    case("eps-device", "ok", windows="WP_E_WHEEL", eps=c + "con = demo:a\n", makes={"con": "demo:a"})


def records():
    init = "demo/__init__.py,"
    body = b"x = 1\n"
    r = "WP_E_RECORD"
    case("record-missing", r, record=lambda rows: None)
    case("record-not-utf8", r, record=lambda rows: lines(rows).encode() + b"\xff,,\n")
    case("record-blank-rows", "ok", record=lambda rows: "\n" + "\n\n".join(rows) + "\n\n")
    case("record-crlf", "ok", record=lambda rows: "\r\n".join(rows) + "\r\n")
    case("record-no-final-newline", "ok", record=lambda rows: "\n".join(rows))
    case("record-comma", "ok", files=[("demo/a,b.txt", "x")])
    case("record-quote", "N401", windows="WP_E_PATH", files=[('demo/a"b.txt', "x")])
    case("record-bom", r, record=lambda rows: "\ufeff" + lines(rows))
    case("record-two-columns", r, record=swap(init, "demo/__init__.py,"))
    case("record-four-columns", r, record=swap(init, row("demo/__init__.py", body) + ",x"))
    case("record-not-listed", r, record=swap(init, None))
    case("record-not-listed-behind", r, entries=lambda es: es + [Entry("demo/late.py", "x")])
    case("record-folder-listed", r, files=[Entry("demo/", mode=0o40755)], record=more("demo/,,"))
    case("record-no-hash", r, record=swap(init, "demo/__init__.py,,6"))
    case("record-no-hash-no-size", r, record=swap(init, "demo/__init__.py,,"))
    case("record-no-size", "ok", record=swap(init, row("demo/__init__.py", body, size=False)))
    case("record-wrong-hash", r, record=swap(init, row("demo/__init__.py", b"y = 1\n")))
    case("record-hex", r, record=swap(init, row("demo/__init__.py", body, raw=True)))
    case("record-wrong-size", r, record=swap(init, row("demo/__init__.py", body)[:-1] + "7"))
    case("record-bad-size", r, record=swap(init, row("demo/__init__.py", body)[:-1] + "-1"))
    for kind, verdict in (("md5", r), ("sha1", r), ("sha384", "ok"), ("sha512", "ok"), ("sha3_256", r)):
        case("record-" + kind, verdict, record=swap(init, row("demo/__init__.py", body, kind=kind)))
    case("record-sha512-wrong", r, record=swap(init, row("demo/__init__.py", b"z", size=False, kind="sha512")))
    case("record-padded", "N408", record=swap(init, row("demo/__init__.py", body, pad=True)))
    case("record-of-itself", r, record=swap(INFO + "/RECORD", row(INFO + "/RECORD", b"x")))
    case("record-absent-file", r, record=more(row("demo/absent.py", b"x")))
    case("record-others-file", r, record=more(row("other/x.py", b"x")))
    case("record-climbs", r, record=more(row("../x", b"x")))
    case("record-absolute", r, record=swap(init, "/" + row("demo/__init__.py", body)))
    case("record-dot-slash", "N408", record=swap(init, "./" + row("demo/__init__.py", body)))
    case("record-backslash", r, record=swap(init, row("demo\\__init__.py", body)))
    case("record-row-twice", "N408", record=more(row("demo/__init__.py", body)))
    case("record-row-two-digests", r, record=more(row("demo/__init__.py", b"y = 1\n")))
    case("record-signatures", "ok", record=lambda rows: lines([x for x in rows if "RECORD." not in x]),
         files=[(INFO + "/RECORD.jws", "{}"), (INFO + "/RECORD.p7s", "x")])
    case("record-signatures-listed", "ok", files=[(INFO + "/RECORD.jws", "{}"), (INFO + "/RECORD.p7s", "x")])
    case("record-signature-wrong", r, files=[(INFO + "/RECORD.jws", "{}")],
         record=swap(INFO + "/RECORD.jws", row(INFO + "/RECORD.jws", b"[]")))
    for n in ("INSTALLER", "REQUESTED", "direct_url.json"):
        n = INFO + "/" + n
        case("installers-file-" + n.split("/")[1], "N412", files=[(n, "x")])
        case("installers-file-wrong-" + n.split("/")[1], r, files=[(n, "x")], record=swap(n, row(n, b"y")))


def paths():
    p = "WP_E_PATH"

    def one(name, path, verdict, windows=None, **kw):
        case("path-" + name, verdict, windows, files=[Entry(path, "x", **kw)])

    one("up", "../x", p)
    one("up-inside", "a/../../x", p)
    one("absolute", "/etc/x", p)
    one("share", "//server/share/x", p)
    one("dots-inside", "a/b/../c", p)
    case("path-dot", "N401", files=[("./a.py", "x")], record=swap("./a.py", row("a.py", b"x")))
    case("path-double-slash", "N401", files=[("a//b.py", "x")], record=swap("a//b.py", row("a/b.py", b"x")))
    one("backslash", "a\\b.py", p)
    one("newline", "a\nb.py", p)
    one("control", "a\x1bb.py", p)
    one("delete", "a\x7fb.py", p)
    one("drive", "C:/x", p)
    one("drive-relative", "C:x", p)
    one("nul", "a\0b", "WP_E_ZIP")
    for i, n in enumerate(("CON.py", "demo/nul", "demo/com1.txt", "folder./x", "folder /x", "a.py:stream", "a<b", "a>b",
                           "a|b", "a?b", "a*b", "LPT9/x", "aux", "x. ")):
        one("windows-%d" % i, n, "N401", p)
    case("path-case", "N404", p, p, files=[("Foo.py", "x"), ("foo.py", "y")])
    case("path-case-of-folders", "ok", files=[("Foo/a.py", "x"), ("foo/b.py", "y")])
    case("path-nfc-nfd", "N404", p, p, files=[("caf\xe9.py", "x"), (unicodedata.normalize("NFD", "caf\xe9.py"), "y")])
    case("path-case-file-and-folder", "N404", p, p, files=[("Foo", "x"), ("foo/b.py", "y")])
    case("path-twice-same", "N403", entries=lambda es: es + [Entry("demo/__init__.py", "x = 1\n")])
    case("path-twice-damaged", "WP_E_ZIP", entries=lambda es: es + [Entry(
        "demo/__init__.py", "x = 1\n", method=0, raw=b"x = 2\n")])
    case("path-twice-other", "WP_E_WHEEL", entries=lambda es: es + [Entry("demo/__init__.py", "x = 2\n")])
    case("path-file-and-folder", p, files=[("x", "1"), ("x/y", "2")])
    case("path-file-and-folder-far", p, files=[("x", "1"), ("x-y", "3"), ("x.py", "3"), ("x/y", "2")])
    case("path-file-and-folder-entry", p, files=[("x", "1"), Entry("x/", mode=0o40755)])
    case("path-scheme-file-and-folder", p, files=[("demo-1.0.data/purelib/x", "1"), ("x/y", "2")])
    one("255", "a" * 255, "ok")
    one("256", "a" * 256, p)
    one("256-folder", "a" * 256 + "/x", p)
    one("100-deep", "d/" * 100 + "x", "ok")
    one("no-utf8-flag", "gr\xfcn.py", "N402", flags=0)
    one("utf8-flag", "gr\xfcn.py", "ok")
    one("not-utf8", b"a\xff.py", "WP_E_ZIP")
    one("symlink", "link", p, mode=0o120777)
    case("path-symlink-folder", p, files=[Entry("link/", mode=0o120777)])
    one("fifo", "pipe", p, mode=0o10644)
    case("path-below-symlink", p, files=[Entry("link", "demo", mode=0o120777), ("link/x", "y")])


def modes():
    case("modes", "ok", files=[Entry("m%d" % i, "x", mode=m) for i, m in enumerate(
        (0o100755, 0o104777, 0o100000, 0o100444, 0o644, 0o755, 0))] + [Entry("dos", "x", mode=0o120777, system=0)])


def dist_info():
    w, m = "WP_E_WHEEL", "WP_E_METADATA"

    def moved(name, verdict, info):
        case("info-" + name, verdict, info=info)

    case("info-none", w, entries=lambda es: [e for e in es if b"dist-info" not in e.name])
    case("info-two", w, files=[("other-1.0.dist-info/METADATA", "x")])
    case("info-two-spellings", w, files=[("Demo-1.0.dist-info/extra", "x")])
    moved("other", w, "other-1.0.dist-info")
    moved("not-normalised", "ok", "DeMo-1.0.dist-info")
    moved("version-spelled", "ok", "demo-1.0.0.dist-info")
    moved("other-version", w, "demo-1.1.dist-info")
    moved("no-version", w, "demo.dist-info")
    moved("capital-suffix", w, "demo-1.0.DIST-INFO")
    case("info-dash", w, info="my-demo-1.0.dist-info", filename="my_demo-1.0-py3-none-any.whl",
         metadata=METADATA.replace("demo", "my-demo"))
    case("info-underscore", "ok", info="my_demo-1.0.dist-info", filename="my_demo-1.0-py3-none-any.whl",
         metadata=METADATA.replace("demo", "My.Demo"))
    case("info-underscore-for-plus", "ok", filename="my_demo-2024.3.13+0873c15-py3-none-any.whl",
         info="my_demo-2024.3.13_0873c15.dist-info", files=[("my_demo-2024.3.13_0873c15.data/scripts/run", "x")],
         metadata=METADATA.replace("demo", "my-demo").replace("n: 1.0", "n: 2024.3.13+0873c15"))
    case("info-other-local", w, filename="demo-1.0+cu126-py3-none-any.whl", info="demo-1.0_cu124.dist-info",
         metadata=METADATA.replace("n: 1.0", "n: 1.0+cu126"))
    case("info-dots", "ok", filename="jaraco.classes-1.0-py3-none-any.whl", info="jaraco.classes-1.0.dist-info",
         metadata=METADATA.replace("demo", "jaraco.classes"))
    case("info-capitals", "ok", filename="MarkupSafe-1.0-py3-none-any.whl", info="MarkupSafe-1.0.dist-info",
         metadata=METADATA.replace("demo", "MarkupSafe"))
    case("wheel-missing", w, wheel=None)
    case("wheel-not-utf8", w, wheel=WHEEL.encode() + b"X: \xff\n")
    case("metadata-missing", m, metadata=None)
    case("metadata-latin1", m, metadata=METADATA.encode() + b"Author: M\xfcller\n")
    case("metadata-bom", m, metadata="\ufeff" + METADATA)
    case("metadata-other-name", m, metadata=METADATA.replace("demo", "other"))
    case("metadata-no-name", m, metadata=METADATA.replace("Name: demo\n", ""))
    case("metadata-other-version", m, metadata=METADATA.replace("1.0\n", "1.1\n"))
    case("metadata-no-version", m, metadata=METADATA.replace("Version: 1.0\n", ""))
    local = dict(filename="demo-1.0+cu126-py3-none-any.whl", info="demo-1.0+cu126.dist-info")
    case("metadata-local", "ok", metadata=METADATA.replace("n: 1.0", "n: 1.0+cu126"), **local)
    case("metadata-local-missing", m, **local)
    case("metadata-local-other", m, metadata=METADATA.replace("n: 1.0", "n: 1.0+cu124"), **local)
    case("metadata-version-spelled", "ok", metadata=METADATA.replace("n: 1.0", "n: 1.0.0"))
    case("metadata-crlf", "ok", metadata=METADATA.replace("\n", "\r\n"))
    case("metadata-body", "ok", metadata=METADATA + "\nName: other\nVersion: 9\n")
    for v, verdict in (("1.0", "ok"), ("1.1", "ok"), ("1.2", "ok"), ("2.0", "ok"), ("2.1", "ok"), ("2.2", "ok"), ("2.3", "ok"),
                       ("2.4", "ok"), ("2.5", "ok"), ("2.6", "ok"), ("2.9", "N410"),
                       ("3.0", m)):
        case("metadata-" + v, verdict, metadata=METADATA.replace("2.1", v))
    case("metadata-no-metadata-version", "N410", metadata=METADATA.replace("Metadata-Version: 2.1\n", ""))
    case("requires-bad", m, metadata=METADATA + "Requires-Dist: ???\n")
    case("requires-bad-extra", "N410", metadata=METADATA + 'Provides-Extra: x\nRequires-Dist: ??? ; extra == "x"\n')
    case("requires-good", "ok", at_install="N523,N523", metadata=METADATA + 'Requires-Dist: numpy (>=1.20)\nRequires-Dist: filelock>=3; '
         'python_version < "3.13"\n')
    for i, text in enumerate(("torch (>=1.9.*)", "PyYAML (>=5.1.*)", "pytz>dev", "pyzmq!=3.0*", "notebook!=~5.0",
                              "six<2.0.0,>=1.4.0'", "urllib3 (>=1.26<2)", "x @ https://example.org/x-1.0-py3-none-any.whl")):
        case("requires-real-%d" % i, "ok", at_install="N523", metadata=METADATA + "Requires-Dist: %s\n" % text)
    case("requires-real-extra", "ok", metadata=METADATA + 'Requires-Dist: x >=4.0.* ; extra == "y"\n')
    case("requires-python-fits", "ok", metadata=METADATA + "Requires-Python: >=3.8,<4\n")
    case("requires-python-comma", "ok", metadata=METADATA + "Requires-Python: >=3.6,\n")
    case("requires-python-star", "N410", metadata=METADATA + "Requires-Python: >=3.6.*\n")
    case("requires-python-later", "ok", at_install="WP_E_REQUIRES_PYTHON",
         metadata=METADATA + "Requires-Python: >=3.13\n")
    case("requires-python-later-star", "N410", at_install="WP_E_REQUIRES_PYTHON",
         metadata=METADATA + "Requires-Python: >=3.13.*\n")
    case("requires-python-upper", "ok", at_install="WP_E_REQUIRES_PYTHON",
         metadata=METADATA + "Requires-Python: >=3.8,<3.12\n")
    for v, verdict in (("1.0", "ok"), ("1.9", "N409"), ("2.0", w), ("", w), ("1.b", w)):
        case("wheel-version-" + (v or "empty"), verdict, wheel=WHEEL.replace(": 1.0", ": " + v))
    case("wheel-version-missing", w, wheel=WHEEL.replace("Wheel-Version: 1.0\n", ""))
    case("tag-missing", "N409", wheel=WHEEL.replace("Tag: py3-none-any\n", ""))
    case("tag-other", "N409", wheel=WHEEL.replace("py3", "py2"))
    case("tag-compressed", "ok", filename="demo-1.0-py2.py3-none-any.whl", wheel=WHEEL + "Tag: py2-none-any\n")
    wrong = "WP_E_WRONG_TARGET"
    for n, tag, linux, windows in (
            ("abi3", "cp37-abi3-manylinux2014_x86_64", "ok", wrong), ("abi3-windows", "cp312-abi3-win_amd64", wrong, "ok"),
            ("linux", "cp312-cp312-linux_x86_64", "ok", wrong), ("glibc", "cp312-cp312-manylinux_2_38_x86_64", wrong, wrong),
            ("other-python", "cp311-cp311-win_amd64", wrong, wrong), ("machine", "cp312-cp312-win_arm64", wrong, wrong),
            ("python-2", "py2-none-any", wrong, wrong),
            ("many", "py3-none-android_21_armv7l.linux_armv6l.manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64."
             "win_amd64", "ok", "ok")):
        parts = tag.split("-")
        case("tag-" + n, "ok", filename="demo-1.0-%s.whl" % tag, at_install=dict(linux=linux, windows=windows),
             wheel=WHEEL.replace("py3-none-any", "%s-%s-" % (parts[0], parts[1]) + parts[2].replace(
                 ".", "\nTag: %s-%s-" % (parts[0], parts[1]))))
    for n, f, verdict in (("build", "demo-1.0-1-py3-none-any.whl", "ok"),
                          ("build-letters", "demo-1.0-1fixedarch-py3-none-any.whl", "ok"),
                          ("build-bad", "demo-1.0-x1-py3-none-any.whl", w),
                          ("zero-padded", "demo-01.0-py3-none-any.whl", "ok"),
                          ("no-pep440", "demo-1.0.x.y-py3-none-any.whl", w),
                          ("four-parts", "demo-1.0-py3-none.whl", w),
                          ("other-project", "other-1.0-py3-none-any.whl", w)):
        case("name-" + n, verdict, filename=f)
    case("name-capital-ending", w, filename="demo-1.0-py3-none-any.WHL", at_install="WP_E_BUNDLE")
    for n, version, verdict in (("cudnn", "1.13.1+cu117.with.pypi.cudnn", "ok"), ("two-plus", "1.7+arch75+torch222", w),
                                ("percent", "1.0%2Bcu126", w)):
        case("name-local-" + n, verdict, filename="demo-%s-py3-none-any.whl" % version, info="demo-%s.dist-info" % version,
             metadata=METADATA.replace("n: 1.0", "n: " + version))
    case("name-epoch", "ok", filename="demo-1!1.0-py3-none-any.whl", info="demo-1!1.0.dist-info",
         metadata=METADATA.replace("n: 1.0", "n: 1!1.0"))
    case("name-underscore-local", w, filename="demo-1.0_cu126-py3-none-any.whl", info="demo-1.0_cu126.dist-info",
         metadata=METADATA.replace("n: 1.0", "n: 1.0+cu126"))


def containers():
    z = "WP_E_ZIP"

    def all_with(**kw):
        return lambda es: [Entry(e.name, e.data, **kw) for e in es]

    def first(**kw):
        return lambda es: [Entry("demo/__init__.py", "x = 1\n", **kw)] + es[1:]

    case("zip-stored", "ok", entries=all_with(method=0))
    case("zip-comment", "ok", comment=b"a comment")
    case("zip-zip64", "ok", zip64=True)
    for i, d in enumerate(((0, 0), (1, 0), (0, 1), (1, 1))):
        case("zip-descriptor-%d" % i, "ok", entries=all_with(descriptor=d))
    wide = struct.pack("<HHQQ", 1, 16, 6, 8)
    case("zip-zip64-field", "ok", entries=first(extra_local=wide, local=dict(size=0xffffffff, csize=0xffffffff)))
    case("zip-zip64-field-wrong", z, entries=first(extra_local=struct.pack("<HHQQ", 1, 16, 7, 8),
                                                   local=dict(size=0xffffffff, csize=0xffffffff)))
    for i, d in enumerate(((0, 0), (1, 1))):
        case("zip-descriptor-zip64-field-%d" % i, "ok", entries=first(
            descriptor=d, extra_local=struct.pack("<HHQQ", 1, 16, 0, 0), local=dict(size=0xffffffff, csize=0xffffffff)))
    case("zip-bzip2", z, entries=first(method=12, raw=bz2.compress(b"x = 1\n")))
    case("zip-lzma", z, entries=first(method=14))
    case("zip-zstd", z, entries=first(method=93))
    case("zip-before", z, before=b"#!/bin/sh\n")
    case("zip-before-unadjusted", z, bytes_of=lambda d: b"#!/bin/sh\n" + d)
    case("zip-behind", z, behind=b"x")
    case("zip-gap", z, gap=b"x")
    case("zip-wrong-crc", z, entries=first(crc=1))
    case("zip-wrong-size-more", z, entries=first(size=7), record=swap("demo/__init__.py,", row(
        "demo/__init__.py", b"x = 1\n", size=False)))
    case("zip-wrong-size-less", z, entries=first(size=5), record=swap("demo/__init__.py,", row(
        "demo/__init__.py", b"x = 1\n", size=False)))
    c = zlib.compressobj(9, zlib.DEFLATED, -15)
    good = c.compress(b"x = 1\n") + c.flush()
    case("zip-deflate-tail", z, entries=first(raw=good + b"hidden"))
    case("zip-deflate-cut", z, entries=first(raw=good[:-2]))
    case("zip-deflate-damaged", z, entries=first(raw=b"\7" + good[1:]))
    case("zip-bomb", z, entries=first(raw=zlib.compress(b"x" * 5000000, 9)[2:-4]))
    for n, kw in {"name": dict(name=b"demo/__INIT__.py"), "method": dict(method=0), "flags": dict(flags=2),
                  "crc": dict(crc=5), "size": dict(size=7), "csize": dict(csize=9)}.items():
        case("zip-local-differs-" + n, z, entries=first(local=kw))
    case("zip-unlisted", z, files=[("hidden.py", "x")], unlisted=(b"hidden.py",))
    case("zip-extra-cut", z, entries=first(extra_central=b"\x99\x99\x09\0abc"))
    case("zip-extra-local-cut", z, entries=first(extra_local=b"\x99"))
    case("zip-extra-fine", "ok", entries=first(extra_local=b"UT\5\0\1\0\0\0\0", extra_central=b"UT\5\0\1\0\0\0\0"))
    case("zip-second-name", z, entries=first(
        extra_central=struct.pack("<HHBI", 0x7075, 9, 1, zlib.crc32(b"demo/__init__.py")) + b"evil"))
    case("zip-encrypted", z, entries=first(flags=1))
    case("zip-truncated", z, bytes_of=lambda d: d[:len(d) // 2])
    case("zip-truncated-end", z, bytes_of=lambda d: d[:-1])
    case("zip-not", z, bytes_of=lambda d: b"<html>Not found</html>\n")
    case("zip-empty-file", z, bytes_of=lambda d: b"")
    case("zip-no-entries", "WP_E_WHEEL", entries=lambda es: [])
    case("zip-two-ends", z, comment=zip_bytes([Entry("a", "x")]))


def real():
    """What real wheels are odd in, beyond the above."""
    s, d = "demo-1.0.data/scripts/", "demo-1.0.data/data/"
    case("real-binary-scripts", "ok", files=[Entry(s + "ruff", b"\x7fELF" + bytes(300), mode=0o100755),
                                             (s + "ninja.exe", b"MZ" + bytes(300))])
    case("real-versioned-scripts", "ok", files=[(s + n, "#!python\nimport pip\n") for n in ("pip", "pip3", "pip3.12")])
    case("real-script-twice", "N403,N408", files=[(s + "easy_install", "#!python\n")] * 2)
    case("real-data", "ok", files=[(d + n, "x") for n in (
        "share/jupyter/kernels/python3/kernel.json", "etc/jupyter/jupyter_config.json", "Library/bin/mkl_rt.2.dll",
        "lib64/x.txt", "lib/libiomp5.so")])
    case("real-headers", "ok", files=[("demo-1.0.data/headers/greenlet/greenlet.h", "x")])
    case("real-pywin32", "ok", at_install="N502", files=[
        ("pywin32.pth", "import pywin32_bootstrap\n"), ("pywin32_system32/pythoncom312.dll", "MZ"), (s + "pywin32_postinstall.py", "x")])
    case("real-long-path", "ok", files=[("demo/" + "licenses/third_party/" * 12 + "LICENSE", "x")])
    case("real-modes", "ok", entries=lambda es: [Entry(e.name, e.data, mode=0o100000) for e in es])


def make(root):
    """All of them below root; what they are."""
    global ROOT
    ROOT = root
    os.makedirs(ROOT, exist_ok=True)
    for part in (layout, scripts, entry_points, records, paths, modes, dist_info, containers, real):
        part()
    with open(os.path.join(ROOT, "list.txt"), "w", encoding="utf-8") as f:
        f.writelines("%s\t%s\t%s\n" % (c.path, t, c.verdict[t]) for c in CASES for t in TARGETS)
    return CASES


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make_odd.py DIR (a new folder)")
    make(sys.argv[1])
