#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A small world of wheels for the tests: the same bytes on every run.

    make_wheels.py OUT        write every file of the world into the directory OUT

`world()` gives the files as a list of File; the index server serves them. The names are those of real
projects where a test is about their shape (torch and what it needs); the contents are a few lines each.
"""
import base64
import csv
import hashlib
import io
import os
import sys
import tarfile
import zipfile

PYTHONS = ("cp311", "cp312", "cp313")
WIN = "win_amd64"
LINUX = "manylinux_2_28_x86_64"
ON_LINUX = 'platform_system == "Linux" and platform_machine == "x86_64"'
DATE = (2020, 1, 1, 0, 0, 0)


class File:
    """One file of an index."""

    def __init__(self, project, filename, data, indexes, **facts):
        self.project = project
        self.filename = filename
        self.data = data
        self.indexes = indexes  # "ordinary", "extra", "cu126", "cpu"
        self.requires_python = facts.get("requires_python")
        self.yanked = facts.get("yanked")  # None, or the reason
        self.metadata = facts.get("metadata")  # bytes of METADATA, None for an sdist
        self.sha256 = hashlib.sha256(data).hexdigest()
        self.upload_time = facts.get("uploaded") or "2025-06-01T12:00:00Z"


def noise(seed, size):
    """Bytes that do not compress."""
    return hashlib.shake_256(seed.encode()).digest(size)


def record_digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def metadata_text(name, version, requires, requires_python, extras):
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    if requires_python:
        lines.append(f"Requires-Python: {requires_python}")
    lines += [f"Provides-Extra: {x}" for x in extras]
    lines += [f"Requires-Dist: {r}" for r in requires]
    return ("\n".join(lines) + f"\n\n{name}, made for tests.\n").encode()


def wheel_bytes(name, version, tag, files, metadata, entry_points=None, pure=None, spoil=None, deflate=False,
                wrong=(), unlisted=()):
    """The wheel as bytes. files: {member: bytes}. spoil changes a member after RECORD was written; wrong names
    members of which RECORD has another digest and size, and unlisted those that it doesn't have. Deflated members
    are few: their bytes are those of this machine's zlib."""
    stem = f"{name}-{version}"
    info = f"{stem}.dist-info"
    if pure is None:
        pure = tag.endswith("-any")
    tags = [f"Tag: {py}-{abi}-{plat}" for py in tag.split("-")[0].split(".")
            for abi in tag.split("-")[1].split(".") for plat in tag.split("-")[2].split(".")]
    members = dict(files)
    members[f"{info}/METADATA"] = metadata
    members[f"{info}/WHEEL"] = ("Wheel-Version: 1.0\nGenerator: tests\n"
                                f"Root-Is-Purelib: {str(pure).lower()}\n" + "\n".join(tags) + "\n").encode()
    if entry_points:
        members[f"{info}/entry_points.txt"] = entry_points.encode()
    rows = io.StringIO()
    writer = csv.writer(rows, lineterminator="\n")
    for path, data in members.items():
        if path.replace(stem, "*") in wrong:
            data += b"\n"
        if path not in unlisted:
            writer.writerow([path, record_digest(data), len(data)])
    writer.writerow([f"{info}/RECORD", "", ""])
    members[f"{info}/RECORD"] = rows.getvalue().encode()
    if spoil:
        members[spoil] = b"x" * len(members[spoil])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for path, data in members.items():
            entry = zipfile.ZipInfo(path, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED if deflate else zipfile.ZIP_STORED
            executable = ".data/scripts/" in path
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            z.writestr(entry, data)
    return out.getvalue()


def sdist_bytes(name, version):
    out = io.BytesIO()
    body = metadata_text(name, version, [], None, [])
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as t:
        member = tarfile.TarInfo(f"{name}-{version}/PKG-INFO")
        member.size = len(body)
        t.addfile(member, io.BytesIO(body))
    return out.getvalue()


class World:
    def __init__(self):
        self.files = []

    def wheel(self, name, version, tag="py3-none-any", indexes=("ordinary",), requires=(), files=None, build=None,
              requires_python=None, yanked=None, extras=(), entry_points=None, spoil=None, side=None, damage=None,
              deflate=False, uploaded=None, wrong=(), unlisted=()):
        escaped = name.replace("-", "_")
        module = escaped.lower()
        if files is None:
            files = {f"{module}/__init__.py": f'__version__ = "{version}"\n'.encode()}
        text = metadata_text(name, version, requires, requires_python, extras)
        data = wheel_bytes(escaped, version, tag, files, text, entry_points, spoil=spoil, deflate=deflate,
                           wrong=wrong, unlisted=unlisted)
        if damage:
            data = damage(data)
        number = f"-{build}" if build else ""
        self.files.append(File(name.lower().replace("_", "-"), f"{escaped}-{version}{number}-{tag}.whl", data, indexes,
                               requires_python=requires_python, yanked=yanked, metadata=side or text,
                               uploaded=uploaded))

    def sdist(self, name, version, indexes=("ordinary",), **facts):
        escaped = name.replace("-", "_")
        self.files.append(File(name, f"{escaped}-{version}.tar.gz", sdist_bytes(escaped, version), indexes, **facts))


TORCH = {  # version: torchvision, torchaudio, triton
    "2.6.0": ("0.21.0", "2.6.0", "3.2.0"),
    "2.7.1": ("0.22.1", "2.7.1", "3.3.1"),
    "2.11.0": ("0.26.0", "2.11.0", "3.6.0"),
}
BASE = ["filelock", "typing-extensions>=4.10.0", "networkx", "jinja2", "fsspec"]
CUDA_LINES = [f"nvidia-cuda-runtime-cu12==12.6.77 ; {ON_LINUX}", f"nvidia-cublas-cu12==12.6.4.1 ; {ON_LINUX}",
              f"nvidia-cudnn-cu12==9.5.1.17 ; {ON_LINUX}"]
TOOLKIT = 'cuda-toolkit[cublas,cudart]==12.6.3 ; platform_system == "Linux"'


def torch_requires(version, triton, cuda):
    out = list(BASE)
    out.append("sympy==1.13.1 ; python_version >= \"3.9\"" if version == "2.6.0" else "sympy>=1.13.3")
    out.append("setuptools<82" if version == "2.11.0" else 'setuptools ; python_version >= "3.12"')
    if cuda:
        out += [TOOLKIT, 'nvidia-cudnn-cu12==9.5.1.17 ; platform_system == "Linux"'] if version == "2.11.0" else CUDA_LINES
        out.append(f'triton=={triton} ; {ON_LINUX}')
    out.append('opt-einsum>=3.3 ; extra == "opt-einsum"')
    return out


def torch_files(version, platform, cuda):
    lib = "torch/lib/c10.dll" if platform == WIN else "torch/lib/libc10.so"
    big = "torch/lib/torch_cpu.dll" if platform == WIN else "torch/lib/libtorch_cpu.so"
    return {
        "torch/__init__.py": b"from .version import __version__\n",
        "torch/version.py": f"__version__ = {version!r}\ncuda = {'12.6' if cuda else None!r}\n".encode(),
        lib: noise(version + platform, 3000),
        big: noise(version + platform + "cpu", 60000),
        "functorch/__init__.py": b"",
    }


def add_torch(w):
    for version, (vision, audio, triton) in TORCH.items():
        for python in PYTHONS:
            for platform in (WIN, LINUX):
                tag = f"{python}-{python}-{platform}"
                for label, index in (("", "ordinary"), ("+cu126", "cu126"), ("+cpu", "cpu")):
                    cuda = label == "+cu126" or (label == "" and platform == LINUX)
                    w.wheel("torch", version + label, tag, (index,), torch_requires(version, triton, cuda),
                            torch_files(version + label, platform, cuda), requires_python=">=3.9",
                            extras=["opt-einsum"])
                    w.wheel("torchvision", vision + label, tag, (index,),
                            ["numpy", f"torch=={version}", "pillow!=8.3.*,>=5.3.0"], requires_python=">=3.9")
                    w.wheel("torchaudio", audio + label, tag, (index,),
                            [] if audio == "2.11.0" else [f"torch=={version}"])
            w.wheel("triton", triton, f"{python}-{python}-manylinux_2_27_x86_64.manylinux_2_28_x86_64",
                    ("ordinary", "cu126"), ["setuptools>=40.8.0"])
    w.wheel("torch", "2.7.1+cu118", f"cp312-cp312-{WIN}", ("cu118",), BASE, torch_files("2.7.1+cu118", WIN, True))
    w.wheel("torchao", "0.13.0+cu126", "cp39-abi3-manylinux_2_28_x86_64", ("cu126",))
    w.wheel("torchao", "0.13.0", "py3-none-any")
    w.wheel("torchmetrics", "1.8.2", requires=["numpy>1.20.0", "torch>=2.0.0"])


def add_dependencies(w):
    both = ("ordinary", "cu126", "cpu")
    w.wheel("filelock", "3.13.1", indexes=both, requires_python=">=3.8")
    w.wheel("filelock", "3.18.0", requires_python=">=3.9")
    w.wheel("typing-extensions", "4.9.0", indexes=both)
    w.wheel("typing-extensions", "4.15.0", indexes=both, requires_python=">=3.9")
    w.wheel("sympy", "1.13.1", indexes=both, requires=["mpmath<1.4,>=1.1.0"])
    w.wheel("sympy", "1.14.0", requires=["mpmath<1.4,>=1.1.0"])
    w.wheel("mpmath", "1.3.0", indexes=both)
    w.wheel("mpmath", "1.4.0")
    w.wheel("networkx", "3.3", indexes=both, requires_python=">=3.10")
    w.wheel("Jinja2", "3.1.6", indexes=both, requires=["MarkupSafe>=2.0"])
    w.wheel("fsspec", "2025.5.1", indexes=both)
    w.wheel("setuptools", "70.2.0", indexes=both)
    w.wheel("setuptools", "80.9.0", requires_python=">=3.9")
    w.wheel("setuptools", "82.0.0", requires_python=">=3.9")
    for python in PYTHONS:
        for platform in (WIN, "manylinux_2_17_x86_64.manylinux2014_x86_64"):
            tag = f"{python}-{python}-{platform}"
            w.wheel("MarkupSafe", "3.0.2", tag)
            w.wheel("pillow", "11.2.1", tag, indexes=both)
            w.wheel("numpy", "1.26.4", tag, requires_python=">=3.9")
            w.wheel("numpy", "2.2.6", tag, indexes=both, requires_python=">=3.10")
            w.wheel("numpy", "2.3.0", tag, requires_python=">=3.11")
            w.wheel("numpy", "2.4.0rc1", tag, requires_python=">=3.11")
    for version in ("1.26.4", "2.2.6", "2.3.0"):
        w.sdist("numpy", version)
    for name, version, lib in (("nvidia-cuda-runtime-cu12", "12.6.77", "nvidia/cuda_runtime/lib/libcudart.so.12"),
                               ("nvidia-cublas-cu12", "12.6.4.1", "nvidia/cublas/lib/libcublas.so.12"),
                               ("nvidia-cudnn-cu12", "9.5.1.17", "nvidia/cudnn/lib/libcudnn.so.9")):
        requires = ["nvidia-cublas-cu12"] if "cudnn" in name else []
        for platform in ("manylinux2014_x86_64", WIN):
            w.wheel(name, version, f"py3-none-{platform}", ("ordinary", "cu126"), requires,
                    {lib if platform != WIN else lib.replace("/lib/lib", "/bin/").replace(".so", "64") + ".dll":
                     noise(name, 20000)})
    w.wheel("cuda-toolkit", "12.6.3", indexes=("ordinary", "cu126"), extras=["cublas", "cudart"],
            requires=['nvidia-cublas-cu12==12.6.4.1.* ; extra == "cublas"',
                      'nvidia-cuda-runtime-cu12==12.6.77.* ; extra == "cudart"'])


def add_cases(w):
    """One project for each thing that a test is about."""
    w.sdist("source-only", "1.0")
    w.wheel("newer-source", "1.0")
    w.sdist("newer-source", "2.0")
    w.wheel("yanked-newest", "1.0")
    w.wheel("yanked-newest", "1.1", yanked="broken on Tuesdays")
    w.wheel("only-pre", "1.0a1")
    w.wheel("only-pre", "1.0b2")
    w.wheel("old-python", "1.0", requires_python=">=3.6")
    w.wheel("old-python", "2.0", requires_python=">=3.99")
    w.wheel("windows-only", "1.0", f"cp312-cp312-{WIN}")
    w.wheel("late-windows", "1.0", f"cp312-cp312-{WIN}")
    w.wheel("late-windows", "1.0", f"cp312-cp312-{LINUX}")
    w.wheel("late-windows", "2.0", f"cp312-cp312-{LINUX}")
    w.wheel("grows", "1.0", requires=["grows-too"], uploaded="2024-01-01T09:00:00Z")
    w.wheel("grows", "2.0", requires=["grows-too"], uploaded="2024-05-31T23:30:00.125Z")
    w.wheel("grows-too", "1.0", uploaded="2024-01-01T09:00:00Z")
    w.wheel("grows-too", "1.1")
    w.wheel("builds", "1.0", build="1")
    w.wheel("builds", "1.0", build="2", files={"builds/__init__.py": b"build = 2\n"})
    w.wheel("conflict-a", "1.0", requires=["conflict-c<2"])
    w.wheel("conflict-b", "1.0", requires=["conflict-c>=2"])
    w.wheel("conflict-c", "1.0")
    w.wheel("conflict-c", "2.0")
    w.wheel("old-wheels", "1.0", f"cp311-cp311-{WIN}")
    w.wheel("with-extra", "1.0", extras=["more"], requires=['filelock ; extra == "more"'])
    w.wheel("schemes", "1.0", files={
        "schemes/__init__.py": b"def main():\n    print('schemes runs')\n    return 0\n",
        "schemes/data.txt": b"data\n",
        "schemes-1.0.data/data/share/schemes/readme.txt": b"shared\n",
        "schemes-1.0.data/headers/schemes.h": b"/* header */\n",
        "schemes-1.0.data/scripts/schemes-script": b"#!python\nprint('script runs')\n",
        "schemes-1.0.data/scripts/schemes-tool.sh": b"#!/bin/sh\necho tool\n",
        "schemes-1.0.data/purelib/schemes_pure.py": b"pure = True\n",
        "schemes-1.0.data/platlib/schemes_plat.py": b"plat = True\n",
    }, entry_points="[console_scripts]\nschemes = schemes:main\n\n[gui_scripts]\nschemes-gui = schemes:main\n",
            deflate=True)
    w.wheel("bad-record", "1.0", files={"bad_record/__init__.py": b"a = 1\n", "bad_record/b.py": b"b = 2\n"},
            spoil="bad_record/b.py")
    w.wheel("wrong-record", "1.0", files={"wrong_record/__init__.py": b"w = 1\n", "wrong_record/late.py": b"late = 1\n"},
            wrong=["*.dist-info/METADATA"], unlisted=["wrong_record/late.py"])  # as torch 1.7 to 1.11 for Linux have it
    w.wheel("damaged", "1.0", damage=lambda data: data[:-40])
    w.wheel("other-metadata", "1.0", requires=["filelock"],
            side=metadata_text("other-metadata", "1.0", [], None, []))
    w.wheel("escapes", "1.0", files={"escapes/__init__.py": b"", "../escape.py": b"outside = True\n"})
    w.wheel("big-wheel", "1.0", files={"big_wheel/__init__.py": b"", "big_wheel/blob.bin": noise("big", 3 << 20)},
            deflate=True)
    for n in range(6):
        w.wheel(f"part-{n}", "1.0", files={f"part_{n}/__init__.py": b"", f"part_{n}/blob.bin": noise(f"p{n}", 200000)})
    w.wheel("all-parts", "1.0", requires=[f"part-{n}" for n in range(6)])
    w.wheel("filelock", "99.0", indexes=("extra",))
    w.wheel("torch", "99.0", f"cp312-cp312-{WIN}", ("extra",))
    w.wheel("lab-tool", "0.3", indexes=("extra",), requires=["filelock"])


def world():
    w = World()
    add_torch(w)
    add_dependencies(w)
    add_cases(w)
    return w.files


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    for f in world():
        with open(os.path.join(sys.argv[1], f.filename), "wb") as out:
            out.write(f.data)


if __name__ == "__main__":
    main()
